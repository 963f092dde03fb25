// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/meminfo and that of each node.
 */
#include <errno.h>
#include <string.h>

#include "source/classes.h"

int r5s_meminfo_parse(char *text, const char *file, const char *prefix, struct r5s_values *out)
{
	uint64_t total = 0, free_kb = 0, v;
	unsigned int n = 0;
	char *line;

	while ((line = r5s_text_line(&text))) {
		char *name = line, *colon = strchr(line, ':'), *s;
		bool kb;

		n++;
		if (!strncmp(name, "Node ", 5)) {
			name += 5;
			if (!r5s_text_u64(&name, &v) || *name != ' ')
				return r5s_values_stop(out, file, n, line);
			name++;
		}
		if (!colon || colon <= name)
			return r5s_values_stop(out, file, n, line);
		s = colon + 1;
		if (!r5s_text_u64(&s, &v))
			return r5s_values_stop(out, file, n, line);
		kb = !strcmp(s, " kB");
		if (*s && !kb)
			return r5s_values_stop(out, file, n, line);
		*colon = '\0';
		if (!strcmp(name, "MemTotal"))
			total = v;
		if (!strcmp(name, "MemFree"))
			free_kb = v;
		r5s_values_join(out, R5S_VALUE_GAUGE, kb ? "kB" : "pages", v, prefix, name, "");
	}
	if (total < free_kb || !total)
		return r5s_values_stop(out, file, n, "no MemTotal, or below MemFree");
	if (!strcmp(prefix, "meminfo."))
		r5s_values_add(out, R5S_VALUE_GAUGE, "kB", total - free_kb, "%sMemused", prefix);
	return 0;
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "meminfo", "mount -t proc proc /proc", why, room);
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	int err = r5s_text_read(&s->text, s->root.proc, "meminfo");

	return err ? err : r5s_meminfo_parse(s->text.s, "meminfo", "meminfo.", out);
}

const struct r5s_source_class r5s_source_meminfo = {
	.name = "meminfo", .interval_ms = 1000, .probe = probe, .sample = sample,
};
