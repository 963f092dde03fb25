// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/vmstat and what is written like it.
 */
#include <errno.h>
#include <string.h>

#include "source/classes.h"

int r5s_pairs_parse(char *text, const char *file, const char *prefix, const char *unit,
		    bool (*counter)(const char *name), struct r5s_values *out)
{
	unsigned int n = 0;
	char *line;

	while ((line = r5s_text_line(&text))) {
		char *s = strchr(line, ' ');
		uint64_t v;

		n++;
		if (!s || s == line || !r5s_text_u64(&s, &v) || *s)
			return r5s_values_stop(out, file, n, line);
		*strchr(line, ' ') = '\0';
		r5s_values_join(out, counter(line) ? R5S_VALUE_COUNTER : R5S_VALUE_GAUGE, unit, v,
				prefix, line, "");
	}
	return n ? 0 : r5s_values_stop(out, file, n, "");
}

bool r5s_vmstat_counter(const char *name)
{
	/* What else begins with nr_ says how much there is now. */
	static const char *const growing[] = {
		"nr_dirtied", "nr_written", "nr_throttled_written", "nr_vmscan_", "nr_foll_pin_",
		"nr_tlb_"
	};

	if (!strcmp(name, "workingset_nodes"))
		return false;
	if (strncmp(name, "nr_", 3))
		return true;
	for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++)
		if (!strncmp(name, growing[i], strlen(growing[i])))
			return true;
	return false;
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "vmstat", "mount -t proc proc /proc", why, room);
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	int err = r5s_text_read(&s->text, s->root.proc, "vmstat");

	return err ? err : r5s_pairs_parse(s->text.s, "vmstat", "proc-vmstat.", NULL,
					   r5s_vmstat_counter, out);
}

const struct r5s_source_class r5s_source_proc_vmstat = {
	.name = "proc-vmstat", .interval_ms = 1000, .probe = probe, .sample = sample,
};
