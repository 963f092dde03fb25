// SPDX-License-Identifier: GPL-2.0
/* Writeback and reclaim of each NUMA node. */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>

#include "handlers.h"
#include "node.h"
#include "probe.h"

static u64 __percpu *counts;	/* R5S_N_COUNT for each node */

static unsigned int slot(int nid, enum r5s_node_metric m)
{
	return nid * R5S_N_COUNT + m;
}

/**
 * r5s_node_count() - add to a counter of a node
 * @nid: the node
 * @m: the counter
 * @n: by how much
 *
 * Context: a hook.
 */
void r5s_node_count(int nid, enum r5s_node_metric m, u64 n)
{
	if (nid >= 0 && nid < nr_node_ids)
		this_cpu_add(counts[slot(nid, m)], n);
}

/* vmscan:mm_vmscan_lru_shrink_inactive */
void r5s_node_on_shrink(void *data, int nid, unsigned long nr_scanned, unsigned long nr_reclaimed,
			struct reclaim_stat *stat, int priority, int file)
{
	r5s_node_count(nid, R5S_N_PAGES_SCANNED, nr_scanned);
	r5s_node_count(nid, R5S_N_PAGES_STOLEN, nr_reclaimed);
}

/* vmscan:mm_vmscan_direct_reclaim_begin */
void r5s_node_on_stall(void *data, int order, gfp_t gfp_flags)
{
	r5s_node_count(numa_node_id(), R5S_N_ALLOC_STALLS, 1);
}

static void set(struct r5s_node_snapshot *s, enum r5s_node_metric m, u64 v)
{
	s->value[m] = v;
	__set_bit(m, s->has);
}

static void set_counted(struct r5s_node_snapshot *s, int nid, enum r5s_node_metric m)
{
	u64 sum = 0;
	int cpu;

	if (!r5s_probe_feeds_node(m))
		return;
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&counts[slot(nid, m)], cpu));
	set(s, m, sum);
}

/* CPUs keep small differences to themselves, so it may be below 0 for a moment. */
static u64 pages(int nid, enum node_stat_item item)
{
	return max(atomic_long_read(&NODE_DATA(nid)->vm_stat[item]), 0L);
}

/**
 * r5s_node_snapshot() - writeback and reclaim of a node now
 * @nid: a node that is online
 * @s: gets it
 *
 * Context: any.
 */
void r5s_node_snapshot(int nid, struct r5s_node_snapshot *s)
{
	memset(s, 0, sizeof(*s));
	s->mono_ns = ktime_get_ns();
	set(s, R5S_N_DIRTY, pages(nid, NR_FILE_DIRTY));
	set(s, R5S_N_WRITEBACK, pages(nid, NR_WRITEBACK));
	set(s, R5S_N_DIRTIED, pages(nid, NR_DIRTIED));
	set(s, R5S_N_WRITTEN, pages(nid, NR_WRITTEN));
	set_counted(s, nid, R5S_N_PAGES_SCANNED);
	set_counted(s, nid, R5S_N_PAGES_STOLEN);
	set_counted(s, nid, R5S_N_ALLOC_STALLS);
}

/**
 * r5s_node_init() - make room for the counters
 *
 * Return: 0 or -ENOMEM.
 */
int r5s_node_init(void)
{
	counts = __alloc_percpu(array3_size(nr_node_ids, R5S_N_COUNT, sizeof(u64)),
				__alignof__(u64));
	return counts ? 0 : -ENOMEM;
}

/**
 * r5s_node_exit() - give it back; no probe is armed any more
 */
void r5s_node_exit(void)
{
	free_percpu(counts);
}
