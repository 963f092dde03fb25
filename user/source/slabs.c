// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every slab cache.
 */
#include <errno.h>
#include <string.h>

#include "source/classes.h"

enum { ACTIVE_OBJS, NUM_OBJS, ACTIVE_SLABS, NUM_SLABS, FIELDS, COLUMNS_MAX = 32 };

static const char *const field_names[FIELDS] = {
	".active_objs", ".num_objs", ".active_slabs", ".num_slabs"
};

/* Which field stands in which word behind the name; -1: none of ours. */
static bool header(char *line, int field[COLUMNS_MAX])
{
	int found = 0, at = -1;
	char *word;

	while ((word = strsep(&line, " \t"))) {
		if (!*word || !strcmp(word, "#"))
			continue;
		if (at < 0 && strcmp(word, "name"))
			return false;
		if (at >= 0 && at < COLUMNS_MAX) {
			field[at] = -1;
			for (int f = 0; f < FIELDS; f++) {
				const char *want = field_names[f] + 1;
				size_t len = strlen(want);

				if (word[0] == '<' && !strncmp(word + 1, want, len) &&
				    !strcmp(word + 1 + len, ">")) {
					field[at] = f;
					found++;
				}
			}
		}
		at++;
	}
	return found == FIELDS;
}

static bool cache(char *line, const int field[COLUMNS_MAX], struct r5s_values *out)
{
	char *name = strsep(&line, " "), *word;
	uint64_t value[FIELDS] = { 0 };
	int at = 0, found = 0;

	while (line && (word = strsep(&line, " \t"))) {
		if (!*word)
			continue;
		if (at < COLUMNS_MAX && field[at] >= 0) {
			char *s = word;

			if (!r5s_text_u64(&s, &value[field[at]]) || *s)
				return false;
			found++;
		}
		at++;
	}
	if (found != FIELDS)
		return false;
	for (int f = 0; f < FIELDS; f++)
		r5s_values_join(out, R5S_VALUE_GAUGE, f < ACTIVE_SLABS ? "objects" : "slabs",
				value[f], "slabinfo.", name, field_names[f]);
	return true;
}

int r5s_slabs_parse(char *text, struct r5s_values *out)
{
	int field[COLUMNS_MAX];
	unsigned int n = 0;
	bool titled = false;
	char *line;

	for (int i = 0; i < COLUMNS_MAX; i++)
		field[i] = -1;
	while ((line = r5s_text_line(&text))) {
		n++;
		if (n == 1 && !strncmp(line, "slabinfo - version", 18))
			continue;
		if (line[0] == '#' ? !header(line, field) : !titled || !cache(line, field, out))
			return r5s_values_stop(out, "slabinfo", n, line);
		titled = true;
	}
	return titled ? 0 : r5s_values_stop(out, "slabinfo", n, "no header");
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "slabinfo", "use a kernel built with CONFIG_SLUB_DEBUG",
			       why, room);
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	int err = r5s_text_read(&s->text, s->root.proc, "slabinfo");

	return err ? err : r5s_slabs_parse(s->text.s, out);
}

const struct r5s_source_class r5s_source_slabs = {
	.name = "slabinfo", .interval_ms = 1000, .probe = probe, .sample = sample,
};
