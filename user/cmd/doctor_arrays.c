// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do the numbers agree with what the kernel says elsewhere? They do exactly while an array is idle.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "source/diskstats.h"
#include "source/slabinfo.h"
#include "source/sysfs.h"

enum {
	TRIES = 5,		/* to find an array idle */
	MOMENT_MS = 300,
	READ_BYTES = 1 << 20,
	READ_BLOCK = 1 << 16
};

/* An array before and after a moment. */
struct moment {
	struct r5s_snapshot then;
	struct r5s_snapshot now;
	bool has_disk;
	struct r5s_diskstats disk_then;
	struct r5s_diskstats disk_now;
	bool idle;
};

static const enum r5s_metric busy_if_moves[] = {
	R5S_METRIC_WRITES_HANDLE_CALLS, R5S_METRIC_CACHE_LOOKUPS, R5S_METRIC_CACHE_GROW_OK,
	R5S_METRIC_CACHE_DROP_OK, R5S_METRIC_WRITES_WRITE_REQUESTS,
};

static void add(struct r5s_doctor *d, enum r5s_doctor_state state, const struct r5s_snapshot *s,
		const char *what, const char *way_out, const char *text)
{
	char name[R5S_SNAPSHOT_NAME + 32];

	snprintf(name, sizeof(name), "%s %s", s->name, what);
	r5s_doctor_add(d, state, name, way_out, "%s", text);
}

static void add_equal(struct r5s_doctor *d, const struct r5s_snapshot *s, const char *what,
		      bool equal, const char *text)
{
	add(d, equal ? R5S_DOCTOR_OK : R5S_DOCTOR_FINDING, s, what,
	    equal ? NULL : "look again while nothing uses the array; if it stays, report it with the "
	    "output of `raid5stat doctor --json`", text);
}

static bool disk(const struct r5s_snapshot *s, struct r5s_diskstats *out)
{
	FILE *f = s->has_dev ? fopen("/proc/diskstats", "re") : NULL;
	int err = -ENOENT;

	if (f) {
		err = r5s_diskstats_find(f, s->major, s->minor, out);
		fclose(f);
	}
	return !err;
}

static void read_some(const struct r5s_snapshot *s)
{
	char path[64];
	void *buf;
	int fd;

	snprintf(path, sizeof(path), "/dev/block/%u:%u", s->major, s->minor);
	fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0) {
		snprintf(path, sizeof(path), "/dev/%.32s", s->name);
		fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	}
	if (fd < 0)
		return;
	if (!posix_memalign(&buf, 4096, READ_BLOCK)) {
		for (int i = 0; i < READ_BYTES; i += READ_BLOCK)
			if (pread(fd, buf, READ_BLOCK, i) <= 0)
				break;
		free(buf);
	}
	close(fd);
}

static bool is_idle(const struct moment *m)
{
	const struct r5s_snapshot *a = &m->then, *b = &m->now;

	for (size_t i = 0; i < sizeof(busy_if_moves) / sizeof(busy_if_moves[0]); i++)
		if (a->value[busy_if_moves[i]] != b->value[busy_if_moves[i]])
			return false;
	if (b->has[R5S_METRIC_ABOUT_SYNC_ACTION] &&
	    b->value[R5S_METRIC_ABOUT_SYNC_ACTION] != RAID5STAT_SYNC_ACTION_IDLE)
		return false;
	return !b->value[R5S_METRIC_CACHE_ACTIVE];
}

static int look(struct r5s_netlink *nl, uint64_t id, bool read, struct moment *m)
{
	const struct timespec ts = { 0, MOMENT_MS * 1000000L };
	struct r5s_snapshot before;
	bool has;
	int err;

	for (int i = 0; i < TRIES; i++) {
		memset(m, 0, sizeof(*m));
		err = r5s_netlink_array_id(nl, id, &before);
		if (err)
			return err;
		has = disk(&before, &m->disk_then);
		if (read && before.has_dev)
			read_some(&before);
		err = r5s_netlink_array_id(nl, id, &m->then);
		nanosleep(&ts, NULL);
		err = err ? err : r5s_netlink_array_id(nl, id, &m->now);
		if (err)
			return err;
		m->has_disk = has && disk(&before, &m->disk_now);
		m->idle = is_idle(m);
		m->then = before;
		if (m->idle)
			break;
	}
	return 0;
}

static void check_size(struct r5s_doctor *d, const struct r5s_snapshot *s)
{
	const uint64_t *v = s->value;
	char text[200];

	if (s->has[R5S_METRIC_CACHE_SIZE] && s->has[R5S_METRIC_CACHE_SIZE_AT_START] &&
	    s->has[R5S_METRIC_CACHE_GROW_OK] && s->has[R5S_METRIC_CACHE_DROP_OK]) {
		snprintf(text, sizeof(text), "size %" PRIu64 ", at start %" PRIu64 " + grown %" PRIu64
			 " - dropped %" PRIu64, v[R5S_METRIC_CACHE_SIZE],
			 v[R5S_METRIC_CACHE_SIZE_AT_START], v[R5S_METRIC_CACHE_GROW_OK],
			 v[R5S_METRIC_CACHE_DROP_OK]);
		add_equal(d, s, "size", v[R5S_METRIC_CACHE_SIZE] + v[R5S_METRIC_CACHE_DROP_OK] ==
			  v[R5S_METRIC_CACHE_SIZE_AT_START] + v[R5S_METRIC_CACHE_GROW_OK], text);
	} else {
		add(d, R5S_DOCTOR_UNKNOWN, s, "size", NULL, "growing and dropping are not counted now");
	}
}

static void check_sysfs(struct r5s_doctor *d, const struct r5s_snapshot *s)
{
	uint64_t active, floor;
	char text[160];

	if (s->has[R5S_METRIC_CACHE_ACTIVE] &&
	    !r5s_sysfs_number("/sys", &active, "block/%s/md/stripe_cache_active", s->name)) {
		snprintf(text, sizeof(text), "active %" PRIu64 ", sysfs stripe_cache_active %" PRIu64,
			 s->value[R5S_METRIC_CACHE_ACTIVE], active);
		add_equal(d, s, "active", s->value[R5S_METRIC_CACHE_ACTIVE] == active, text);
	}
	if (s->has[R5S_METRIC_CACHE_FLOOR] &&
	    !r5s_sysfs_number("/sys", &floor, "block/%s/md/stripe_cache_size", s->name)) {
		snprintf(text, sizeof(text), "floor %" PRIu64 ", sysfs stripe_cache_size %" PRIu64
			 "; the cache holds %" PRIu64, s->value[R5S_METRIC_CACHE_FLOOR], floor,
			 s->value[R5S_METRIC_CACHE_SIZE]);
		add_equal(d, s, "floor", s->value[R5S_METRIC_CACHE_FLOOR] == floor, text);
	}
}

/* Slabs of a CPU count as full, so the slab may hold more, by whole slabs, but never less. */
static void check_slab(struct r5s_doctor *d, const struct r5s_snapshot *s)
{
	char cache[R5S_SNAPSHOT_NAME + 32], text[320];
	FILE *f = fopen("/proc/slabinfo", "re");
	uint64_t size = s->value[R5S_METRIC_CACHE_SIZE], slack;
	struct r5s_slabinfo slab;
	int err;

	if (!f || !s->has[R5S_METRIC_CACHE_SIZE] || !s->has[R5S_METRIC_ABOUT_LEVEL]) {
		if (f)
			fclose(f);
		add(d, R5S_DOCTOR_UNKNOWN, s, "slab", NULL, "no size, or /proc/slabinfo cannot be read (needs "
		    "root)");
		return;
	}
	snprintf(cache, sizeof(cache), "raid%" PRIu64 "-%s", s->value[R5S_METRIC_ABOUT_LEVEL],
		 s->name);
	err = r5s_slabinfo_find(f, cache, &slab);
	fclose(f);
	if (err) {
		add(d, R5S_DOCTOR_UNKNOWN, s, "slab", "boot with slab_nomerge to have it apart",
		    "the kernel merged its slab with another one");
		return;
	}
	slack = slab.per_slab * (1 + 8 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	snprintf(text, sizeof(text), "size %" PRIu64 ", slab %s has %" PRIu64 " of %" PRIu64
		 " objects in use, %" PRIu64 " a slab", size, cache, slab.active, slab.total,
		 slab.per_slab);
	add_equal(d, s, "slab", size <= slab.active && slab.active - size <= slack, text);
}

static void check_sectors(struct r5s_doctor *d, const struct moment *m)
{
	const struct r5s_snapshot *a = &m->then, *b = &m->now;
	uint64_t mine_r, mine_w, disk_r, disk_w;
	char text[200];

	if (!m->has_disk || !a->has[R5S_METRIC_WRITES_READ_SECTORS] ||
	    !a->has[R5S_METRIC_WRITES_WRITE_SECTORS] || a->since_ns != b->since_ns) {
		add(d, R5S_DOCTOR_UNKNOWN, b, "sectors", NULL, "sectors are not counted now");
		return;
	}
	mine_r = b->value[R5S_METRIC_WRITES_READ_SECTORS] -
		a->value[R5S_METRIC_WRITES_READ_SECTORS];
	mine_w = b->value[R5S_METRIC_WRITES_WRITE_SECTORS] -
		a->value[R5S_METRIC_WRITES_WRITE_SECTORS];
	disk_r = m->disk_now.read_sectors - m->disk_then.read_sectors;
	disk_w = m->disk_now.write_sectors - m->disk_then.write_sectors;
	snprintf(text, sizeof(text), "in a moment: read %" PRIu64 ", diskstats %" PRIu64
		 "; written %" PRIu64 ", diskstats %" PRIu64 " sectors%s", mine_r, disk_r, mine_w,
		 disk_w, mine_r + mine_w + disk_r + disk_w ? "" : " (--read gives it some)");
	add_equal(d, b, "sectors", mine_r == disk_r && mine_w == disk_w, text);
}

static void check_counts(struct r5s_doctor *d, const struct r5s_snapshot *s)
{
	const uint64_t *v = s->value;
	char text[160];

	if (s->has[R5S_METRIC_CACHE_WAITS_BEGUN] && s->has[R5S_METRIC_CACHE_WAITS_ENDED]) {
		snprintf(text, sizeof(text), "begun %" PRIu64 ", ended %" PRIu64,
			 v[R5S_METRIC_CACHE_WAITS_BEGUN], v[R5S_METRIC_CACHE_WAITS_ENDED]);
		add_equal(d, s, "waits", v[R5S_METRIC_CACHE_WAITS_BEGUN] ==
			  v[R5S_METRIC_CACHE_WAITS_ENDED], text);
	}
	if (s->has[R5S_METRIC_RECLAIM_ASKED] && s->has[R5S_METRIC_RECLAIM_FREED]) {
		snprintf(text, sizeof(text), "asked for %" PRIu64 ", freed %" PRIu64 " stripes",
			 v[R5S_METRIC_RECLAIM_ASKED], v[R5S_METRIC_RECLAIM_FREED]);
		add_equal(d, s, "reclaim", v[R5S_METRIC_RECLAIM_ASKED] >=
			  v[R5S_METRIC_RECLAIM_FREED], text);
	}
}

static void check_array(struct r5s_doctor *d, struct r5s_netlink *nl,
			const struct r5s_snapshot *s, bool read)
{
	struct moment m;

	if (look(nl, s->id, read, &m)) {
		add(d, R5S_DOCTOR_NOTE, s, "gone", NULL, "it went away while it was looked at");
		return;
	}
	if (m.now.has[R5S_METRIC_ABOUT_DEGRADED] && m.now.value[R5S_METRIC_ABOUT_DEGRADED])
		add(d, R5S_DOCTOR_FINDING, s, "degraded", "replace the missing member: mdadm --add",
		    "members are missing");
	if (!m.idle) {
		add(d, R5S_DOCTOR_UNKNOWN, s, "numbers", "call doctor again while nothing uses it",
		    "in use or syncing now: they agree exactly only while it is idle");
		return;
	}
	check_size(d, &m.now);
	check_sysfs(d, &m.now);
	check_slab(d, &m.now);
	check_sectors(d, &m);
	check_counts(d, &m.now);
}

void r5s_doctor_arrays(struct r5s_doctor *d, struct r5s_netlink *nl, bool read)
{
	struct r5s_sysfs_arrays md;
	struct r5s_snapshots all;
	bool seen;

	/* Without counters half of this has nothing to compare; only root may ask for them. */
	if (r5s_netlink_hold(nl, RAID5STAT_LEVEL_LATENCY) && !geteuid())
		r5s_doctor_add(d, R5S_DOCTOR_FINDING, "level", "dmesg | grep raid5stat",
			       "the level cannot be raised: %s", r5s_netlink_error(nl));
	if (r5s_netlink_arrays(nl, &all)) {
		r5s_doctor_add(d, R5S_DOCTOR_FINDING, "arrays", "dmesg | grep raid5stat", "%s",
			       r5s_netlink_error(nl));
		return;
	}
	if (!all.n)
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, "arrays", "mdadm --assemble --scan, or mdadm "
			       "--create (package mdadm)", "no RAID4/5/6 array is running");
	for (size_t i = 0; i < all.n; i++)
		check_array(d, nl, &all.array[i], read);
	if (r5s_sysfs_arrays("/sys", &md))
		memset(&md, 0, sizeof(md));
	for (size_t i = 0; i < md.n; i++) {
		seen = !r5s_sysfs_is456(md.array[i].level);
		for (size_t k = 0; k < all.n && !seen; k++)
			seen = !strcmp(all.array[k].name, md.array[i].name);
		if (!seen)
			r5s_doctor_add(d, R5S_DOCTOR_FINDING, md.array[i].name,
				       "dmesg | grep raid5stat", "a %s that the module does not see",
				       md.array[i].level);
	}
	r5s_sysfs_free(&md);
	r5s_netlink_free_arrays(&all);
}
