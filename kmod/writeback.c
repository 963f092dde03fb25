// SPDX-License-Identifier: GPL-2.0
/* Writeback to the array: what its backing_dev_info holds, over the writebacks of all cgroups. */
#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/jiffies.h>

#include "gauge.h"
#include "handlers.h"

static struct r5s_array *find_by_bdi(const void *bdi)
{
	struct r5s_array *a;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(r5s_array_hash); i++)
		hlist_for_each_entry_rcu_notrace(a, &r5s_array_hash[i], node)
			if (READ_ONCE(a->bdi) == bdi && READ_ONCE(a->conf))
				return a;
	return NULL;
}

/*
 * writeback:balance_dirty_pages, before the task sleeps for pause jiffies; if that is not positive
 * it does not sleep. Tasks that are paused come by a hundred times a second at most, so the walk
 * is no cost.
 */
void r5s_writeback_on_pause(void *data, struct bdi_writeback *wb, unsigned long thresh,
			    unsigned long bg_thresh, unsigned long dirty, unsigned long bdi_thresh,
			    unsigned long bdi_dirty, unsigned long dirty_ratelimit,
			    unsigned long task_ratelimit, unsigned long dirtied,
			    unsigned long period, long pause, unsigned long start_time)
{
	struct r5s_array *a;

	if (pause <= 0)
		return;
	r5s_hook_enter();
	a = find_by_bdi(wb->bdi);
	if (a) {
		r5s_array_count(a, R5S_M_WRITEBACK_PAUSES, 1);
		r5s_array_count(a, R5S_M_WRITEBACK_PAUSE_NS, jiffies_to_nsecs(pause));
	}
	r5s_hook_leave();
}

/**
 * r5s_writeback_gauges() - dirty pages and rates of an array
 * @s: gets them
 * @disk: its gendisk, referenced
 *
 * The rates are those of the writeback that dirtied most: each cgroup has its own, and they do not
 * add up.
 * Context: process.
 */
void r5s_writeback_gauges(struct r5s_snapshot *s, struct gendisk *disk)
{
	u64 dirty = 0, writeback = 0, dirtied = 0, written = 0, bandwidth = 0;
	struct backing_dev_info *bdi = disk->bdi;
	unsigned long rate = 0, balanced = 0;
	struct bdi_writeback *wb;
	s64 n, most = -1;

	if (!bdi)
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(wb, &bdi->wb_list, bdi_node) {
		dirty += wb_stat_sum(wb, WB_RECLAIMABLE);
		writeback += wb_stat_sum(wb, WB_WRITEBACK);
		written += wb_stat_sum(wb, WB_WRITTEN);
		bandwidth += READ_ONCE(wb->avg_write_bandwidth);
		n = wb_stat_sum(wb, WB_DIRTIED);
		dirtied += n;
		if (n > most) {
			most = n;
			rate = READ_ONCE(wb->dirty_ratelimit);
			balanced = READ_ONCE(wb->balanced_dirty_ratelimit);
		}
	}
	rcu_read_unlock();
	if (most < 0)
		return;
	r5s_snapshot_set(s, R5S_M_WRITEBACK_DIRTY, dirty);
	r5s_snapshot_set(s, R5S_M_WRITEBACK_WRITEBACK, writeback);
	r5s_snapshot_set(s, R5S_M_WRITEBACK_DIRTIED, dirtied);
	r5s_snapshot_set(s, R5S_M_WRITEBACK_WRITTEN, written);
	r5s_snapshot_set(s, R5S_M_WRITEBACK_BANDWIDTH, bandwidth);
	r5s_snapshot_set(s, R5S_M_WRITEBACK_DIRTY_RATELIMIT, rate);
	r5s_snapshot_set(s, R5S_M_WRITEBACK_BALANCED_RATELIMIT, balanced);
}
