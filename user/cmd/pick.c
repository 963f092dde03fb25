// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "render/table.h"

enum { RING = 4 };

/* A path in an error of the store or of a library is a name from outside too. */
void r5s_cmd_say(const char *format, ...)
{
	char *text = NULL, *safe = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		safe = r5s_table_visible(text);
	va_end(args);
	fflush(stdout);
	fprintf(stderr, "raid5stat: %s\n", safe ? safe : "out of memory");
	free(safe);
	free(text);
}

const char *r5s_cmd_escape(const char *name)
{
	static char *ring[RING];
	static unsigned int next;
	char **slot = &ring[next++ % RING];

	free(*slot);
	*slot = r5s_table_escape(name, strlen(name));
	return *slot ? *slot : "?";
}

int r5s_cmd_usage(const char *name)
{
	r5s_cmd_say("see `raid5stat %s -h`", name);
	return R5S_EXIT_USAGE;
}

static bool is_named(const struct r5s_snapshot *s, const char *name, const struct stat *st)
{
	if (st && s->has_dev)
		return s->major == major(st->st_rdev) && s->minor == minor(st->st_rdev);
	return !strcmp(s->name, name);
}

static void list(const struct r5s_snapshots *all)
{
	if (!all->n) {
		r5s_cmd_say("no RAID4/5/6 array is running; `cat /proc/mdstat` shows what md runs");
		return;
	}
	fputs("raid5stat: RAID4/5/6 arrays here:", stderr);
	for (size_t i = 0; i < all->n; i++)
		fprintf(stderr, " %s", r5s_cmd_escape(all->array[i].name));
	fputc('\n', stderr);
}

/* What the name is when it is no array of ours. */
static int explain(const char *name, const struct stat *st)
{
	struct r5s_sysfs_arrays md = { 0 };
	int rc = R5S_EXIT_USAGE;
	bool known = false;

	r5s_sysfs_arrays("/sys", &md);
	for (size_t i = 0; i < md.n && !known; i++) {
		const struct r5s_sysfs_array *a = &md.array[i];

		if (st ? !a->has_dev || a->major != major(st->st_rdev) ||
			 a->minor != minor(st->st_rdev) : !!strcmp(a->name, name))
			continue;
		known = true;
		if (r5s_sysfs_is456(a->level)) {
			r5s_cmd_say("%s is a %s, but the module does not see it: `raid5stat doctor` says "
				    "why", r5s_cmd_escape(name), a->level);
			rc = R5S_EXIT_LACKS;
		} else if (!a->level[0]) {
			r5s_cmd_say("%s is not running: mdadm --assemble starts it",
				    r5s_cmd_escape(name));
		} else {
			r5s_cmd_say("%s is a %s, not RAID4/5/6: it has no stripe cache",
				    r5s_cmd_escape(name), a->level);
		}
	}
	if (!known && st)
		r5s_cmd_say("%s is a block device, but no md array", r5s_cmd_escape(name));
	else if (!known)
		r5s_cmd_say("%s: no such array", r5s_cmd_escape(name));
	r5s_sysfs_free(&md);
	return rc;
}

int r5s_cmd_pick(struct r5s_netlink *nl, const char *name, struct r5s_snapshot *out)
{
	struct r5s_snapshots all;
	struct stat st;
	bool dev, found = false;
	int rc = R5S_EXIT_DONE;

	if (r5s_netlink_arrays(nl, &all)) {
		r5s_cmd_say("%s", r5s_netlink_error(nl));
		return R5S_EXIT_LACKS;
	}
	dev = name[0] == '/' && !stat(name, &st) && S_ISBLK(st.st_mode);
	for (size_t i = 0; i < all.n && !found; i++) {
		found = is_named(&all.array[i], name, dev ? &st : NULL);
		if (found)
			*out = all.array[i];
	}
	if (!found) {
		rc = explain(name, dev ? &st : NULL);
		list(&all);
	}
	r5s_netlink_free_arrays(&all);
	return rc;
}
