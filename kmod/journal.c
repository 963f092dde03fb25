// SPDX-License-Identifier: GPL-2.0
/* The write journal or the partial parity log, where an array has one. */
#include <linux/ktime.h>
#include <linux/list.h>

#include "gauge.h"
#include "handlers.h"
#include "probe.h"

#define WAITING_MAX	65536	/* stripes counted at once; md's cache holds no more by default */

/* The conf of a live journal; only a key for the caller. */
static void *conf_of(const void *log)
{
	void *rdev = R5S_READ_POINTER(log, r5l_log, rdev);
	void *mddev = rdev ? R5S_READ_POINTER(rdev, md_rdev, mddev) : NULL;

	return mddev ? R5S_READ_POINTER(mddev, mddev, private) : NULL;
}

static void count(const void *conf, enum r5s_metric m, unsigned int n)
{
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (a)
		r5s_array_count(a, m, n);
	r5s_hook_leave();
}

/* r5l_log_stripe(log, sh, data_pages, parity_pages) */
R5S_HOOK(r5s_journal_on_log)
{
	void *sh = (void *)r5s_fregs_arg(fregs, 1);

	count(R5S_READ_POINTER(sh, stripe_head, raid_conf), R5S_M_JOURNAL_STRIPES_LOGGED, 1);
}

/* ppl_write_stripe(conf, sh) declines what needs no partial parity or has it logged. */
R5S_HOOK(r5s_journal_on_partial_parity)
{
	void *conf = (void *)r5s_fregs_arg(fregs, 0);
	void *sh = (void *)r5s_fregs_arg(fregs, 1);
	int pd = R5S_READ_SHORT(sh, stripe_head, pd_idx);
	unsigned long parity = R5S_READ_ULONG(r5s_stripe_dev(sh, pd), r5dev, flags);

	if (R5S_READ_POINTER(sh, stripe_head, log_io) ||
	    R5S_TEST(R5S_READ_ULONG(sh, stripe_head, state), STRIPE_SYNCING) ||
	    !R5S_READ_POINTER(sh, stripe_head, ppl_page) ||
	    !R5S_TEST(parity, R5_Wantwrite) || !R5S_TEST(parity, R5_Insync))
		return;
	count(conf, R5S_M_JOURNAL_STRIPES_LOGGED, 1);
}

/* New data that does not fill its block, where the journal does not hold the rest. */
static bool writes_part(const void *sh)
{
	unsigned int i, n = r5s_stripe_disks(sh);
	unsigned long flags;
	void *dev;

	for (i = 0; i < n; i++) {
		dev = r5s_stripe_dev(sh, i);
		flags = R5S_READ_ULONG(dev, r5dev, flags);
		if (R5S_READ_POINTER(dev, r5dev, towrite) && !R5S_TEST(flags, R5_OVERWRITE) &&
		    !R5S_TEST(flags, R5_InJournal))
			return true;
	}
	return false;
}

/* r5c_try_caching_write(conf, sh, s, disks) */
R5S_HOOK(r5s_journal_on_caching)
{
	void *conf = (void *)r5s_fregs_arg(fregs, 0);
	void *sh = (void *)r5s_fregs_arg(fregs, 1);
	void *s = (void *)r5s_fregs_arg(fregs, 2);
	unsigned long state = R5S_READ_ULONG(sh, stripe_head, state);
	enum r5s_metric m = R5S_M_JOURNAL_CACHING_ACCEPTED;

	/* On its way to the members: not asked whether to cache. */
	if (!R5S_TEST(state, STRIPE_R5C_CACHING) &&
	    (R5S_READ_INT(s, stripe_head_state, injournal) > 0 ||
	     R5S_READ_INT(s, stripe_head_state, written) > 0))
		return;
	if (R5S_READ_INT(s, stripe_head_state, failed) || R5S_TEST(state, STRIPE_SYNCING) ||
	    writes_part(sh))
		m = R5S_M_JOURNAL_CACHING_REFUSED;
	count(conf, m, 1);
}

/*
 * r5l_run_no_space_stripes(log) empties the list, and nobody else takes from it; what is added
 * meanwhile goes to its tail.
 */
R5S_HOOK(r5s_journal_on_space)
{
	void *log = (void *)r5s_fregs_arg(fregs, 0);
	struct list_head *head = R5S_PTR(log, r5l_log, no_space_stripes), *l;
	unsigned int n = 0;

	for (l = READ_ONCE(head->next); l != head && n < WAITING_MAX; l = READ_ONCE(l->next))
		n++;
	if (n)
		count(conf_of(log), R5S_M_JOURNAL_NO_SPACE_STRIPES, n);
}

/* r5l_do_reclaim(log): the journal outlives it. */
R5S_ENTRY(r5s_journal_reclaim_enter)
{
	void *log = (void *)regs_get_kernel_argument(regs, 0);
	struct r5s_call *call = r5s_call(ri);

	call->conf = conf_of(log);
	if (!r5s_array_find(call->conf))
		return 1;
	call->log = log;
	call->checkpoint = R5S_READ(sector_t, log, r5l_log, last_checkpoint);
	call->value = r5s_probe_level() >= RAID5STAT_LEVEL_LATENCY ? ktime_get_mono_fast_ns() : 0;
	return 0;
}

R5S_ENTRY(r5s_journal_reclaim_return)
{
	const struct r5s_call *call = r5s_call(ri);
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(call->conf);
	if (!a)
		goto out;
	r5s_array_count(a, R5S_M_JOURNAL_RECLAIM_RUNS, 1);
	if (R5S_READ(sector_t, call->log, r5l_log, last_checkpoint) == call->checkpoint)
		r5s_array_count(a, R5S_M_JOURNAL_RECLAIM_EMPTY, 1);
	if (call->value)
		r5s_array_count(a, R5S_M_JOURNAL_RECLAIM_NS,
				ktime_get_mono_fast_ns() - call->value);
out:
	r5s_hook_leave();
	return 0;
}

/* The log is a ring. */
static u64 distance(u64 from, u64 to, u64 size)
{
	return to >= from ? to - from : to + size - from;
}

static void log_gauges(struct r5s_snapshot *s, const void *log)
{
	u64 size, first;

	if (!R5S_HAS(r5l_log, device_size) || !R5S_HAS(r5l_log, last_checkpoint) ||
	    !R5S_HAS(r5l_log, log_start))
		return;
	size = R5S_READ(sector_t, log, r5l_log, device_size);
	first = R5S_READ(sector_t, log, r5l_log, last_checkpoint);
	r5s_snapshot_set(s, R5S_M_JOURNAL_LOG_SIZE, size);
	r5s_snapshot_set(s, R5S_M_JOURNAL_LOG_USED,
			 distance(first, R5S_READ(sector_t, log, r5l_log, log_start), size));
	/* In write-back mode it is up to the oldest stripe, under a lock of md's. */
	if (test_bit(R5S_M_JOURNAL_MODE, s->has) && R5S_HAS(r5l_log, next_checkpoint) &&
	    s->value[R5S_M_JOURNAL_MODE] == RAID5STAT_JOURNAL_MODE_WRITE_THROUGH)
		r5s_snapshot_set(s, R5S_M_JOURNAL_LOG_RECLAIMABLE,
				 distance(first, R5S_READ(sector_t, log, r5l_log, next_checkpoint),
					  size));
}

/**
 * r5s_journal_gauges() - what the journal holds, and how much room it has
 * @s: gets it; nothing without a journal
 * @conf: struct r5conf
 *
 * Context: under mddev->lock, or a hook that holds @conf.
 */
void r5s_journal_gauges(struct r5s_snapshot *s, const void *conf)
{
	void *log = R5S_HAS(r5conf, log) ? R5S_READ_POINTER(conf, r5conf, log) : NULL;
	int mode;

	if (!log)
		return;
	if (R5S_HAS(r5l_log, r5c_journal_mode) && R5S_HAS_VALUE(R5C_JOURNAL_MODE_WRITE_BACK)) {
		mode = R5S_READ_INT(log, r5l_log, r5c_journal_mode);
		r5s_snapshot_set(s, R5S_M_JOURNAL_MODE,
				 mode == R5S_VALUE(R5C_JOURNAL_MODE_WRITE_BACK) ?
				 RAID5STAT_JOURNAL_MODE_WRITE_BACK :
				 RAID5STAT_JOURNAL_MODE_WRITE_THROUGH);
	}
	if (R5S_HAS(r5conf, r5c_cached_full_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_CACHED_FULL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_cached_full_stripes));
	if (R5S_HAS(r5conf, r5c_cached_partial_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_CACHED_PARTIAL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_cached_partial_stripes));
	if (R5S_HAS(r5conf, r5c_flushing_full_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_FLUSHING_FULL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_flushing_full_stripes));
	if (R5S_HAS(r5conf, r5c_flushing_partial_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_FLUSHING_PARTIAL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_flushing_partial_stripes));
	log_gauges(s, log);
}
