// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/facts.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "source/sysfs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { VALUE = 1024 };

struct fact {
	const char *key;
	const char *file;
};

static const struct fact machine[] = {
	{ "kernel.version", "sys/kernel/version" },
	{ "kernel.cmdline", "cmdline" },
	{ "sysctl.kernel.numa_balancing", "sys/kernel/numa_balancing" },
	{ "sysctl.vm.dirty_background_bytes", "sys/vm/dirty_background_bytes" },
	{ "sysctl.vm.dirty_background_ratio", "sys/vm/dirty_background_ratio" },
	{ "sysctl.vm.dirty_bytes", "sys/vm/dirty_bytes" },
	{ "sysctl.vm.dirty_expire_centisecs", "sys/vm/dirty_expire_centisecs" },
	{ "sysctl.vm.dirty_ratio", "sys/vm/dirty_ratio" },
	{ "sysctl.vm.dirty_writeback_centisecs", "sys/vm/dirty_writeback_centisecs" },
	{ "sysctl.vm.min_free_kbytes", "sys/vm/min_free_kbytes" },
	{ "sysctl.vm.swappiness", "sys/vm/swappiness" },
	{ "sysctl.vm.vfs_cache_pressure", "sys/vm/vfs_cache_pressure" },
	{ "sysctl.vm.zone_reclaim_mode", "sys/vm/zone_reclaim_mode" },
};

static const struct fact nodes[] = {
	{ "cpus.online", "devices/system/cpu/online" },
	{ "numa.nodes", "devices/system/node/online" },
	{ "kernel.transparent_hugepage", "kernel/mm/transparent_hugepage/enabled" },
};

static const struct fact array[] = {
	{ "level", "md/level" },
	{ "layout", "md/layout" },
	{ "chunk_size", "md/chunk_size" },
	{ "raid_disks", "md/raid_disks" },
	{ "degraded", "md/degraded" },
	{ "array_state", "md/array_state" },
	{ "sync_action", "md/sync_action" },
	{ "consistency_policy", "md/consistency_policy" },
	{ "bitmap.location", "md/bitmap/location" },
	{ "bitmap.chunksize", "md/bitmap/chunksize" },
	{ "journal_mode", "md/journal_mode" },
	{ "metadata_version", "md/metadata_version" },
	{ "component_size", "md/component_size" },
	{ "stripe_cache_size", "md/stripe_cache_size" },
	{ "stripe_size", "md/stripe_size" },
	{ "group_thread_cnt", "md/group_thread_cnt" },
	{ "preread_bypass_threshold", "md/preread_bypass_threshold" },
	{ "rmw_level", "md/rmw_level" },
	{ "skip_copy", "md/skip_copy" },
	{ "sync_speed_max", "md/sync_speed_max" },
	{ "sync_speed_min", "md/sync_speed_min" },
	{ "size_sectors", "size" },
	{ "queue.read_ahead_kb", "queue/read_ahead_kb" },
	{ "queue.max_sectors_kb", "queue/max_sectors_kb" },
	{ "queue.optimal_io_size", "queue/optimal_io_size" },
};

static const struct fact member[] = {
	{ "size_sectors", "size" },
	{ "scheduler", "queue/scheduler" },
	{ "nr_requests", "queue/nr_requests" },
	{ "rotational", "queue/rotational" },
	{ "write_cache", "queue/write_cache" },
	{ "max_sectors_kb", "queue/max_sectors_kb" },
	{ "logical_block_size", "queue/logical_block_size" },
	{ "model", "device/model" },
};

static void from_file(const char *root, const char *dir, const struct fact *f, const char *prefix,
		      r5s_facts_put put, void *arg)
{
	char value[VALUE], key[128];

	if (r5s_sysfs_text(root, value, sizeof(value), "%s%s", dir, f->file) <= 0)
		return;
	for (char *s = value; *s; s++)
		if (*s == '\n' || *s == '\t')
			*s = ' ';
	snprintf(key, sizeof(key), "%s%s", prefix, f->key);
	put(arg, key, value);
}

void r5s_facts_machine(const char *sys, const char *proc, r5s_facts_put put, void *arg)
{
	char text[64], value[VALUE * 4];
	unsigned long long kib;
	struct utsname u;
	const char *mem;

	if (!uname(&u)) {
		put(arg, "hostname", u.nodename);
		put(arg, "kernel.release", u.release);
		put(arg, "kernel.machine", u.machine);
	}
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	put(arg, "cpus", text);
	if (r5s_sysfs_text(proc, value, sizeof(value), "meminfo") > 0) {
		mem = strstr(value, "MemTotal:");
		if (mem && sscanf(mem, "MemTotal: %llu kB", &kib) == 1) {
			snprintf(text, sizeof(text), "%llu", kib);
			put(arg, "memory.total_kib", text);
		}
	}
	for (size_t i = 0; i < COUNT(machine); i++)
		from_file(proc, "", &machine[i], "", put, arg);
	for (size_t i = 0; i < COUNT(nodes); i++)
		from_file(sys, "", &nodes[i], "", put, arg);
}

void r5s_facts_mount(const struct r5s_mount *m, r5s_facts_put put, void *arg)
{
	put(arg, "mount.point", m->point);
	put(arg, "mount.fstype", m->fstype);
	put(arg, "mount.source", m->source);
	put(arg, "mount.options", m->options);
}

/* Only the whole disk has a queue. */
static bool is_partition(const char *sys, const struct r5s_sysfs_array *a)
{
	uint64_t n;

	return !r5s_sysfs_number(sys, &n, "dev/block/%u:%u/partition", a->major, a->minor);
}

void r5s_facts_array(const char *sys, const char *name, r5s_facts_put put, void *arg)
{
	char dir[R5S_SYSFS_NAME + 32], prefix[64];
	struct r5s_sysfs_arrays members;

	snprintf(dir, sizeof(dir), "block/%.*s/", R5S_SYSFS_NAME, name);
	for (size_t i = 0; i < COUNT(array); i++)
		from_file(sys, dir, &array[i], "", put, arg);
	if (r5s_sysfs_members(sys, name, &members))
		return;
	for (size_t i = 0; i < members.n; i++) {
		snprintf(prefix, sizeof(prefix), "member.%zu.", i);
		snprintf(dir, sizeof(dir), "dev/block/%u:%u/%s", members.array[i].major,
			 members.array[i].minor,
			 is_partition(sys, &members.array[i]) ? "../" : "");
		for (size_t k = 0; k < COUNT(member); k++)
			from_file(sys, dir, &member[k], prefix, put, arg);
		snprintf(prefix, sizeof(prefix), "member.%zu.name", i);
		put(arg, prefix, members.array[i].name);
	}
	r5s_sysfs_free(&members);
}
