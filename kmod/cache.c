// SPDX-License-Identifier: GPL-2.0
/* The stripe cache: how big it is, who looks into it, how it grows and shrinks. */
#include <linux/list.h>
#include <linux/mm.h>

#include "event.h"
#include "gauge.h"
#include "handlers.h"
#include "probe.h"
#include "wait.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define HASH_HEADS	(PAGE_SIZE / sizeof(struct hlist_head))	/* md's NR_HASH */
#define HASH_DEPTH	256	/* stripes looked at in one bucket; md has a few */

static unsigned int sectors_shift(const void *conf)
{
	if (R5S_HAS(r5conf, stripe_shift))
		return R5S_READ_INT(conf, r5conf, stripe_shift);
	return PAGE_SHIFT - SECTOR_SHIFT;
}

/* As md's own search does; the caller holds the lock of this part of the hash table. */
static bool cached(const void *conf, sector_t sector, short generation)
{
	struct hlist_head *table = R5S_READ_POINTER(conf, r5conf, stripe_hashtbl);
	struct hlist_node *n;
	unsigned int left = HASH_DEPTH;
	void *sh;

	n = READ_ONCE(table[(sector >> sectors_shift(conf)) & (HASH_HEADS - 1)].first);
	for (; n && left; n = READ_ONCE(n->next), left--) {
		sh = R5S_CONTAINER(n, stripe_head, hash);
		if (R5S_READ(sector_t, sh, stripe_head, sector) == sector &&
		    R5S_READ_SHORT(sh, stripe_head, generation) == generation)
			return true;
	}
	return false;
}

/* find_get_stripe(conf, sector, generation, hash), under a hash lock. Batching calls it too. */
R5S_HOOK(r5s_cache_on_lookup)
{
	void *conf = (void *)r5s_fregs_arg(fregs, 0);
	struct r5s_array *a;

	if (!r5s_range_has(&r5s_probe_get_active, parent_ip))
		return;
	a = r5s_array_find(conf);
	if (!a)
		return;
	r5s_array_count(a, R5S_M_CACHE_LOOKUPS, 1);
	if (cached(conf, r5s_fregs_arg(fregs, 1), r5s_fregs_arg(fregs, 2)))
		r5s_array_count(a, R5S_M_CACHE_HITS, 1);
	if (unlikely(atomic_read(&a->blocked)))
		r5s_wait_over(a, conf);
}

/* get_free_stripe(conf, hash), under that hash lock. Shrinking and resizing call it too. */
R5S_HOOK(r5s_cache_on_take_free)
{
	void *conf = (void *)r5s_fregs_arg(fregs, 0);
	int hash = r5s_fregs_arg(fregs, 1);
	struct list_head *inactive;
	struct r5s_array *a;

	if (!r5s_range_has(&r5s_probe_get_active, parent_ip))
		return;
	a = r5s_array_find(conf);
	if (!a)
		return;
	inactive = R5S_PTR(conf, r5conf, inactive_list);
	r5s_array_count(a, list_empty(&inactive[hash]) ? R5S_M_CACHE_OUT_OF_STRIPES :
			R5S_M_CACHE_FREE_TAKEN, 1);
}

/* raid5_set_cache_size(mddev, size) */
R5S_HOOK(r5s_cache_on_resize)
{
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_of((void *)r5s_fregs_arg(fregs, 0));
	if (a)
		r5s_array_count(a, R5S_M_CACHE_RESIZES, 1);
	r5s_hook_leave();
}

/* grow_one_stripe(conf, gfp) and drop_one_stripe(conf) return whether they did. */
R5S_ENTRY(r5s_cache_enter)
{
	void *conf = (void *)regs_get_kernel_argument(regs, 0);

	if (!r5s_array_find(conf))
		return 1;
	r5s_call(ri)->conf = conf;
	return 0;
}

R5S_ENTRY(r5s_cache_grow_return)
{
	void *conf = r5s_call(ri)->conf;
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (!a)
		goto out;
	if ((int)regs_return_value(regs)) {
		r5s_array_count(a, R5S_M_CACHE_GROW_OK, 1);
		trace_cache_grow(a->id, R5S_READ_INT(conf, r5conf, max_nr_stripes),
				 R5S_READ_ATOMIC(conf, r5conf, active_stripes));
	} else {
		r5s_array_count(a, R5S_M_CACHE_GROW_FAILED, 1);
		r5s_event_raise(RAID5STAT_EVENT_KIND_GROW_FAILED, a, conf, 1);
	}
out:
	r5s_hook_leave();
	return 0;
}

R5S_ENTRY(r5s_cache_drop_return)
{
	void *conf = r5s_call(ri)->conf;
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (!a)
		goto out;
	if ((int)regs_return_value(regs)) {
		r5s_array_count(a, R5S_M_CACHE_DROP_OK, 1);
		trace_cache_shrink(a->id, R5S_READ_INT(conf, r5conf, max_nr_stripes),
				   R5S_READ_ATOMIC(conf, r5conf, active_stripes));
	} else {
		r5s_array_count(a, R5S_M_CACHE_DROP_FAILED, 1);
		if (r5s_range_has(&r5s_probe_cache_scan, get_kretprobe_retaddr(ri)))
			r5s_wait_mark();
	}
out:
	r5s_hook_leave();
	return 0;
}

static void flags(struct r5s_snapshot *s, const void *conf)
{
	unsigned long state = R5S_READ_ULONG(conf, r5conf, cache_state);

	r5s_snapshot_set(s, R5S_M_CACHE_INACTIVE_BLOCKED, R5S_TEST(state, R5_INACTIVE_BLOCKED));
	r5s_snapshot_set(s, R5S_M_CACHE_ALLOC_MORE, R5S_TEST(state, R5_ALLOC_MORE));
	r5s_snapshot_set(s, R5S_M_CACHE_DID_ALLOC, R5S_TEST(state, R5_DID_ALLOC));
	if (!R5S_HAS(r5conf, log) || !R5S_READ_POINTER(conf, r5conf, log))
		return;
	if (R5S_HAS_VALUE(R5C_LOG_TIGHT))
		r5s_snapshot_set(s, R5S_M_CACHE_LOG_TIGHT, R5S_TEST(state, R5C_LOG_TIGHT));
	if (R5S_HAS_VALUE(R5C_LOG_CRITICAL))
		r5s_snapshot_set(s, R5S_M_CACHE_LOG_CRITICAL, R5S_TEST(state, R5C_LOG_CRITICAL));
}

/**
 * r5s_cache_gauges() - size and state of the cache
 * @s: gets them
 * @conf: struct r5conf
 *
 * Context: under mddev->lock, or a hook that holds @conf.
 */
void r5s_cache_gauges(struct r5s_snapshot *s, const void *conf)
{
	int size = R5S_READ_INT(conf, r5conf, max_nr_stripes);
	int active = R5S_READ_ATOMIC(conf, r5conf, active_stripes);
	int members, syncing;

	r5s_snapshot_set(s, R5S_M_CACHE_SIZE, size);
	r5s_snapshot_set(s, R5S_M_CACHE_FLOOR, R5S_READ_INT(conf, r5conf, min_nr_stripes));
	r5s_snapshot_set(s, R5S_M_CACHE_ACTIVE, active);
	/* A new stripe is in use before it is counted. */
	r5s_snapshot_set(s, R5S_M_CACHE_INACTIVE, max(size - active, 0));
	if (R5S_HAS(r5conf, pool_size)) {
		members = R5S_READ_INT(conf, r5conf, pool_size);
		r5s_snapshot_set(s, R5S_M_CACHE_BYTES,
				 size * (members * (PAGE_SIZE + R5S_SIZEOF(r5dev)) +
					 (u64)R5S_SIZEOF(stripe_head)));
	}
	r5s_snapshot_set(s, R5S_M_CACHE_EMPTY_INACTIVE_LISTS,
			 R5S_READ_ATOMIC(conf, r5conf, empty_inactive_list_nr));
	r5s_snapshot_set(s, R5S_M_CACHE_PREREAD_ACTIVE,
			 R5S_READ_ATOMIC(conf, r5conf, preread_active_stripes));
	if (R5S_HAS(r5conf, pending_full_writes))
		r5s_snapshot_set(s, R5S_M_CACHE_PENDING_FULL_WRITES,
				 R5S_READ_ATOMIC(conf, r5conf, pending_full_writes));
	if (R5S_HAS(r5conf, active_aligned_reads))
		r5s_snapshot_set(s, R5S_M_CACHE_ACTIVE_ALIGNED_READS,
				 R5S_READ_ATOMIC(conf, r5conf, active_aligned_reads));
	if (R5S_HAS(r5conf, reshape_stripes))
		r5s_snapshot_set(s, R5S_M_CACHE_RESHAPE_STRIPES,
				 R5S_READ_ATOMIC(conf, r5conf, reshape_stripes));
	if (R5S_HAS(mddev, recovery_active)) {
		/* A stripe may be done before md has counted it. */
		syncing = R5S_READ_ATOMIC(R5S_READ_POINTER(conf, r5conf, mddev), mddev,
					  recovery_active);
		r5s_snapshot_set(s, R5S_M_CACHE_SYNC_STRIPES,
				 max(syncing, 0) >> sectors_shift(conf));
	}
	if (R5S_HAS(r5conf, quiesce))
		r5s_snapshot_set(s, R5S_M_CACHE_QUIESCE, R5S_READ_INT(conf, r5conf, quiesce));
	flags(s, conf);
}
