// SPDX-License-Identifier: GPL-2.0
/* What an array is and does in the background; its birth, its death and its thread. */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "gauge.h"
#include "handlers.h"
#include "probe.h"

/* setup_conf(mddev) returns the conf or an error pointer. */
R5S_ENTRY(r5s_about_setup_enter)
{
	r5s_call(ri)->conf = (void *)regs_get_kernel_argument(regs, 0);
	return 0;
}

R5S_ENTRY(r5s_about_setup_return)
{
	void *mddev = r5s_call(ri)->conf;
	void *conf = (void *)regs_return_value(regs);

	if (IS_ERR_OR_NULL(conf))
		return 0;
	r5s_hook_enter();
	/* A death that was missed: what lies here now is another array. */
	if (r5s_array_find(conf))
		r5s_array_died(conf);
	r5s_hook_leave();
	r5s_array_unknown(conf, mddev);
	return 0;
}

/* free_conf(conf): the memory is gone when it returns. */
R5S_ENTRY(r5s_about_free_enter)
{
	r5s_call(ri)->conf = (void *)regs_get_kernel_argument(regs, 0);
	return 0;
}

R5S_ENTRY(r5s_about_free_return)
{
	r5s_array_died(r5s_call(ri)->conf);
	return 0;
}

/* An array under dm-raid has no disk by which readers find it: its gauges are left with it. */
static void leave_gauges(struct r5s_array *a, const void *conf)
{
	raw_write_seqcount_begin(&a->hook_seq);
	bitmap_zero(a->hook.has, R5S_M_COUNT);
	r5s_cache_gauges(&a->hook, conf);
	r5s_journal_gauges(&a->hook, conf);
	r5s_about_gauges(&a->hook, conf);
	a->hook.gauges_ns = ktime_get_mono_fast_ns();
	raw_write_seqcount_end(&a->hook_seq);
}

/* raid5d(thread), once a pass */
R5S_HOOK(r5s_about_on_thread)
{
	void *thread = (void *)r5s_fregs_arg(fregs, 0);
	void *mddev = R5S_READ_POINTER(thread, md_thread, mddev);
	void *conf = R5S_READ_POINTER(mddev, mddev, private);
	struct r5s_array *a;

	if (!conf)
		return;
	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (!a) {
		r5s_array_unknown(conf, mddev);
	} else {
		if (r5s_probe_level() >= RAID5STAT_LEVEL_COUNTERS)
			r5s_array_count(a, R5S_M_WRITES_RAID5D_PASSES, 1);
		if (a->is_dm)
			leave_gauges(a, conf);
	}
	r5s_hook_leave();
}

/*
 * raid5_sync_request(mddev, ...), called over and over by the task that syncs. It is declared
 * inline, so ftrace cannot hook it; the return does not matter.
 */
R5S_ENTRY(r5s_about_sync_enter)
{
	void *mddev = (void *)regs_get_kernel_argument(regs, 0);
	unsigned long recovery = R5S_READ_ULONG(mddev, mddev, recovery);
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_of(mddev);
	if (a) {
		WRITE_ONCE(a->sync_reshape, R5S_TEST(recovery, MD_RECOVERY_RESHAPE));
		WRITE_ONCE(a->sync_start, current->start_time);
		WRITE_ONCE(a->sync_task, current);
	}
	r5s_hook_leave();
	return 1;
}

/* As md's sync_action tells it; an array that may not be written needs nothing. */
static enum raid5stat_sync_action action(const void *mddev)
{
	unsigned long recovery = R5S_READ_ULONG(mddev, mddev, recovery);
	bool writable = R5S_HAS(mddev, ro) && !R5S_READ_INT(mddev, mddev, ro);

	if (R5S_TEST(recovery, MD_RECOVERY_FROZEN))
		return RAID5STAT_SYNC_ACTION_FROZEN;
	if (!R5S_TEST(recovery, MD_RECOVERY_RUNNING) &&
	    !(writable && R5S_TEST(recovery, MD_RECOVERY_NEEDED)))
		return RAID5STAT_SYNC_ACTION_IDLE;
	if (R5S_TEST(recovery, MD_RECOVERY_RESHAPE))
		return RAID5STAT_SYNC_ACTION_RESHAPE;
	if (R5S_TEST(recovery, MD_RECOVERY_RECOVER))
		return RAID5STAT_SYNC_ACTION_RECOVER;
	if (!R5S_TEST(recovery, MD_RECOVERY_SYNC))
		return RAID5STAT_SYNC_ACTION_IDLE;
	if (!R5S_TEST(recovery, MD_RECOVERY_REQUESTED))
		return RAID5STAT_SYNC_ACTION_RESYNC;
	return R5S_TEST(recovery, MD_RECOVERY_CHECK) ? RAID5STAT_SYNC_ACTION_CHECK :
						       RAID5STAT_SYNC_ACTION_REPAIR;
}

static enum raid5stat_consistency consistency(const void *mddev)
{
	unsigned long flags = R5S_READ_ULONG(mddev, mddev, flags);

	if (R5S_TEST(flags, MD_HAS_JOURNAL))
		return RAID5STAT_CONSISTENCY_JOURNAL;
	if (R5S_TEST(flags, MD_HAS_PPL))
		return RAID5STAT_CONSISTENCY_PPL;
	if (R5S_HAS(mddev, bitmap) && R5S_READ_POINTER(mddev, mddev, bitmap))
		return RAID5STAT_CONSISTENCY_BITMAP;
	return RAID5STAT_CONSISTENCY_RESYNC;
}

static void sync_gauges(struct r5s_snapshot *s, const void *mddev,
			enum raid5stat_sync_action sync)
{
	if (R5S_HAS(mddev, curr_resync))
		r5s_snapshot_set(s, R5S_M_ABOUT_SYNC_POSITION,
				 R5S_READ(sector_t, mddev, mddev, curr_resync));
	/* As md's sync_completed tells it. */
	if (sync == RAID5STAT_SYNC_ACTION_RECOVER && R5S_HAS(mddev, dev_sectors))
		r5s_snapshot_set(s, R5S_M_ABOUT_SYNC_END,
				 R5S_READ(sector_t, mddev, mddev, dev_sectors));
	else if (sync != RAID5STAT_SYNC_ACTION_RECOVER && R5S_HAS(mddev, resync_max_sectors))
		r5s_snapshot_set(s, R5S_M_ABOUT_SYNC_END,
				 R5S_READ(sector_t, mddev, mddev, resync_max_sectors));
}

/**
 * r5s_about_gauges() - what the array is
 * @s: gets it
 * @conf: struct r5conf
 *
 * Context: under mddev->lock, or a hook that holds @conf.
 */
void r5s_about_gauges(struct r5s_snapshot *s, const void *conf)
{
	const void *mddev = R5S_READ_POINTER(conf, r5conf, mddev);
	enum raid5stat_sync_action sync = action(mddev);

	r5s_snapshot_set(s, R5S_M_ABOUT_LEVEL, R5S_READ_INT(conf, r5conf, level));
	r5s_snapshot_set(s, R5S_M_ABOUT_LAYOUT, R5S_READ_INT(conf, r5conf, algorithm));
	r5s_snapshot_set(s, R5S_M_ABOUT_CHUNK,
			 (u64)R5S_READ_INT(conf, r5conf, chunk_sectors) << SECTOR_SHIFT);
	r5s_snapshot_set(s, R5S_M_ABOUT_DISKS, R5S_READ_INT(conf, r5conf, raid_disks));
	r5s_snapshot_set(s, R5S_M_ABOUT_DEGRADED, R5S_READ_INT(mddev, mddev, degraded));
	r5s_snapshot_set(s, R5S_M_ABOUT_SYNC_ACTION, sync);
	if (sync != RAID5STAT_SYNC_ACTION_IDLE && sync != RAID5STAT_SYNC_ACTION_FROZEN)
		sync_gauges(s, mddev, sync);
	if (R5S_HAS(r5conf, skip_copy))
		r5s_snapshot_set(s, R5S_M_ABOUT_SKIP_COPY,
				 !!R5S_READ_INT(conf, r5conf, skip_copy));
	r5s_snapshot_set(s, R5S_M_ABOUT_RMW_LEVEL, R5S_READ_INT(conf, r5conf, rmw_level));
	if (R5S_HAS(r5conf, worker_cnt_per_group))
		r5s_snapshot_set(s, R5S_M_ABOUT_GROUP_THREAD_CNT,
				 R5S_READ_INT(conf, r5conf, worker_cnt_per_group));
	if (R5S_HAS(r5conf, bypass_threshold))
		r5s_snapshot_set(s, R5S_M_ABOUT_BYPASS_THRESHOLD,
				 R5S_READ_INT(conf, r5conf, bypass_threshold));
	r5s_snapshot_set(s, R5S_M_ABOUT_CONSISTENCY, consistency(mddev));
}
