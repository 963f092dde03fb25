// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU time of md's own threads: mdX_raid5, mdX_resync, mdX_reshape and the like. The kworkers of
 * raid5wq serve other queues too, so their time is not md's and is left out.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/classes.h"

enum { PASSES = 10 };	/* samples after which new threads are looked for */

struct state {
	unsigned int *pid;
	size_t n;
	int passes;
};

int r5s_mdthreads_parse(char *text, char **name, uint64_t *ticks)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')'), *s;
	uint64_t user, system;

	if (!open || !close || close < open || close[1] != ' ')
		return -EPROTO;
	*close = '\0';
	*name = open + 1;
	/* The state, then ten numbers, some of them below 0; then the two that we want. */
	s = close + 2;
	for (int i = 0; i < 11; i++) {
		s = strchr(s, ' ');
		if (!s)
			return -EPROTO;
		s++;
	}
	if (!r5s_text_u64(&s, &user) || !r5s_text_u64(&s, &system))
		return -EPROTO;
	*ticks = user + system;
	return 0;
}

bool r5s_mdthreads_is_one(const char *name)
{
	static const char *const kinds[] = {
		"_raid4", "_raid5", "_raid6", "_resync", "_reshape", "_recover", "_reclaim"
	};
	const char *end = strrchr(name, '_');

	/* A named array is md_NAME, dm-raid's is mdX. */
	if (strncmp(name, "md", 2) || !end)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(end, kinds[i]))
			return true;
	return false;
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "self/stat", "mount -t proc proc /proc", why, room);
}

static int look(struct r5s_source *s)
{
	struct state *st = s->state;
	unsigned int *all;
	size_t n;
	int err = r5s_source_numbers(s->root.proc, "", "", &all, &n);

	if (err)
		return err;
	free(st->pid);
	st->pid = all;
	st->n = 0;
	for (size_t i = 0; i < n; i++) {
		char *name;
		uint64_t ticks;

		if (!r5s_text_read(&s->text, s->root.proc, "%u/stat", all[i]) &&
		    !r5s_mdthreads_parse(s->text.s, &name, &ticks) && r5s_mdthreads_is_one(name))
			st->pid[st->n++] = all[i];
	}
	return 0;
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	struct state *st = s->state;
	uint64_t ms = 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	int err = st->passes++ % PASSES ? 0 : look(s);

	for (size_t i = 0; !err && i < st->n; i++) {
		char *name;
		uint64_t ticks;

		if (r5s_text_read(&s->text, s->root.proc, "%u/stat", st->pid[i]) ||
		    r5s_mdthreads_parse(s->text.s, &name, &ticks) || !r5s_mdthreads_is_one(name))
			st->passes = 0;		/* it ended: look again next time */
		else
			r5s_values_add(out, R5S_VALUE_COUNTER, "ms", ticks * ms,
				       "mdthreads.%s.cpu", name);
	}
	return err;
}

static void finish(struct r5s_source *s)
{
	struct state *st = s->state;

	free(st->pid);
}

const struct r5s_source_class r5s_source_mdthreads = {
	.name = "mdthreads", .interval_ms = 1000, .state_size = sizeof(struct state),
	.probe = probe, .sample = sample, .close = finish,
};
