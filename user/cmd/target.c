// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cmd/cmd.h"

static void say_names(const char *head, const struct r5s_sysfs_arrays *a)
{
	fprintf(stderr, "raid5stat: %s", head);
	for (size_t i = 0; i < a->n; i++)
		fprintf(stderr, " %s", r5s_cmd_escape(a->array[i].name));
	fputc('\n', stderr);
}

/* The RAID4/5/6 arrays that the module sees, or sysfs when there is no module. */
static int all_arrays(struct r5s_netlink *nl, struct r5s_sysfs_arrays *out)
{
	struct r5s_sysfs_arrays md;
	struct r5s_snapshots all;
	size_t n = 0;
	int err;

	memset(out, 0, sizeof(*out));
	if (!nl) {
		err = r5s_sysfs_arrays("/sys", &md);
		for (size_t i = 0; !err && i < md.n; i++)
			if (r5s_sysfs_is456(md.array[i].level))
				md.array[n++] = md.array[i];
		if (!err) {
			md.n = n;
			*out = md;
		}
		return err;
	}
	err = r5s_netlink_arrays(nl, &all);
	if (err)
		return err;
	out->array = calloc(all.n + 1, sizeof(*out->array));
	for (size_t i = 0; out->array && i < all.n; i++) {
		struct r5s_sysfs_array *a = &out->array[out->n++];

		snprintf(a->name, sizeof(a->name), "%.*s", R5S_SYSFS_NAME - 1, all.array[i].name);
	}
	r5s_netlink_free_arrays(&all);
	return out->array ? 0 : -ENOMEM;
}

static int named(struct r5s_target *t, struct r5s_netlink *nl, const char *name)
{
	struct r5s_sysfs_arrays md;
	struct r5s_snapshot s;
	struct stat st;
	bool dev;
	int rc = R5S_EXIT_USAGE;

	if (nl) {
		rc = r5s_cmd_pick(nl, name, &s);
		if (rc == R5S_EXIT_DONE) {
			memcpy(t->name, s.name, sizeof(t->name));
			t->id = s.id;
		}
		return rc;
	}
	dev = name[0] == '/' && !stat(name, &st) && S_ISBLK(st.st_mode);
	if (all_arrays(NULL, &md))
		memset(&md, 0, sizeof(md));
	for (size_t i = 0; i < md.n && rc; i++) {
		const struct r5s_sysfs_array *a = &md.array[i];

		if (dev ? a->has_dev && a->major == major(st.st_rdev) &&
			  a->minor == minor(st.st_rdev) : !strcmp(a->name, name)) {
			snprintf(t->name, sizeof(t->name), "%s", a->name);
			rc = R5S_EXIT_DONE;
		}
	}
	if (rc) {
		r5s_cmd_say("%s is no RAID4/5/6 array", r5s_cmd_escape(name));
		if (md.n)
			say_names("RAID4/5/6 arrays here:", &md);
	}
	r5s_sysfs_free(&md);
	return rc;
}

/* -1: nothing below the directory. */
static int below(struct r5s_target *t, const char *dir)
{
	struct r5s_sysfs_arrays md;
	uint32_t ma, mi;
	int rc = -1;

	if (!t->has_mount || r5s_mount_device(&t->mount, &ma, &mi) ||
	    r5s_sysfs_under("/sys", ma, mi, &md))
		return -1;
	if (md.n == 1) {
		snprintf(t->name, sizeof(t->name), "%s", md.array[0].name);
		rc = R5S_EXIT_DONE;
	} else if (md.n > 1) {
		r5s_cmd_say("%s lies on several arrays: say which one by --array",
			    r5s_cmd_escape(dir));
		say_names("RAID4/5/6 arrays below it:", &md);
		rc = R5S_EXIT_USAGE;
	}
	r5s_sysfs_free(&md);
	return rc;
}

static int only(struct r5s_target *t, struct r5s_netlink *nl, const char *dir)
{
	struct r5s_sysfs_arrays all;
	int rc = R5S_EXIT_LACKS;

	if (all_arrays(nl, &all))
		memset(&all, 0, sizeof(all));
	if (all.n == 1) {
		snprintf(t->name, sizeof(t->name), "%s", all.array[0].name);
		if (dir)
			r5s_cmd_say("%s does not lie on an md array that is seen here: watching %s, the "
				    "only one", r5s_cmd_escape(dir), r5s_cmd_escape(t->name));
		rc = R5S_EXIT_DONE;
	} else if (all.n) {
		r5s_cmd_say("there are several arrays: say which one by --array");
		say_names("RAID4/5/6 arrays here:", &all);
		rc = R5S_EXIT_USAGE;
	} else {
		r5s_cmd_say("no RAID4/5/6 array is running: start one by `mdadm --assemble --scan` or "
			    "make one by `mdadm --create` (package mdadm)");
	}
	r5s_sysfs_free(&all);
	return rc;
}

int r5s_target_find(struct r5s_target *t, struct r5s_netlink *nl, const char *name,
		    const char *dir)
{
	struct r5s_snapshot s;
	int rc = -1;

	memset(t, 0, sizeof(*t));
	if (dir)
		t->has_mount = !r5s_mount_of(dir, &t->mount);
	if (name)
		return named(t, nl, name);
	if (dir)
		rc = below(t, dir);
	if (rc < 0)
		rc = only(t, nl, dir);
	if (rc || !nl)
		return rc;
	if (r5s_netlink_array(nl, t->name, &s))
		r5s_cmd_say("the module does not see %s (%s): its metrics are absent; `raid5stat doctor` "
			    "says more", r5s_cmd_escape(t->name), r5s_netlink_error(nl));
	else
		t->id = s.id;
	return R5S_EXIT_DONE;
}

void r5s_target_free(struct r5s_target *t)
{
	r5s_mount_free(&t->mount);
}
