// SPDX-License-Identifier: GPL-2.0
/* All numbers of an array at one moment. */
#include <linux/bitmap.h>
#include <linux/blkdev.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "disk.h"
#include "gauge.h"
#include "probe.h"
#include "snapshot.h"

/* raid5d's hook writes in microseconds; whoever finds it writing so often does without. */
#define HOOK_TRIES 1000

static bool is_latency(enum r5s_metric m)
{
	return r5s_metric_desc[m].level >= RAID5STAT_LEVEL_LATENCY;
}

static void rebase_latency(struct r5s_array *a)
{
	enum raid5stat_waiter w;
	unsigned int m;

	for (m = 0; m < R5S_M_COUNT; m++)
		if (is_latency(m))
			a->base->value[m] = r5s_counter_fold(a->counters, m);
	for (w = 0; w < R5S_WAITERS; w++)
		r5s_counter_fold_hist(a->counters, w, a->base->hist[w]);
	atomic64_set(&a->longest_wait_ns, 0);
}

/**
 * r5s_snapshot_rebase() - let counters begin at 0
 * @a: the array
 * @level: what of it is about to be counted and is not counted now
 */
void r5s_snapshot_rebase(struct r5s_array *a, enum raid5stat_level level)
{
	unsigned int m;

	if (level >= RAID5STAT_LEVEL_COUNTERS && !a->since_ns) {
		for (m = 0; m < R5S_M_COUNT; m++)
			if (!is_latency(m))
				a->base->value[m] = r5s_counter_fold(a->counters, m);
		a->size_known = false;
	}
	if (level >= RAID5STAT_LEVEL_LATENCY && !a->latency_since_ns)
		rebase_latency(a);
}

/**
 * r5s_snapshot_stamp() - note since when an array's counters count
 * @a: the array
 * @level: what is counted from now on
 * @now: CLOCK_MONOTONIC, ns
 */
void r5s_snapshot_stamp(struct r5s_array *a, enum raid5stat_level level, u64 now)
{
	if (level < RAID5STAT_LEVEL_COUNTERS)
		a->since_ns = 0;
	else if (!a->since_ns)
		a->since_ns = now;
	if (level < RAID5STAT_LEVEL_LATENCY)
		a->latency_since_ns = 0;
	else if (!a->latency_since_ns)
		a->latency_since_ns = now;
}

static u64 counted(const struct r5s_array *a, enum r5s_metric m)
{
	return r5s_counter_fold(a->counters, m) - a->base->value[m];
}

/*
 * The size when counting began, exact since md changes the size, and our probes return, under this
 * mutex. Where md only tries to take it, it loses one chance to grow or shrink.
 */
static void find_size_at_start(struct r5s_array *a, void *conf)
{
	struct mutex *size_mutex;	/* md's */

	if (!a->since_ns || a->size_known || !R5S_HAS(r5conf, cache_size_mutex) ||
	    !r5s_probe_feeds(R5S_M_CACHE_GROW_OK) || !r5s_probe_feeds(R5S_M_CACHE_DROP_OK))
		return;
	size_mutex = R5S_PTR(conf, r5conf, cache_size_mutex);
	if (!mutex_trylock(size_mutex))
		return;
	a->size_at_start = R5S_READ_INT(conf, r5conf, max_nr_stripes) -
			   counted(a, R5S_M_CACHE_GROW_OK) + counted(a, R5S_M_CACHE_DROP_OK);
	a->size_known = true;
	mutex_unlock(size_mutex);
}

/*
 * The writeback of a cgroup takes its counts along when the cgroup goes. What was seen of them
 * stays counted, so that a counter never falls.
 */
static void keep_counting(struct r5s_array *a, struct r5s_snapshot *s)
{
	static const enum r5s_metric of[R5S_WB_COUNTERS] = {
		R5S_M_WRITEBACK_DIRTIED, R5S_M_WRITEBACK_WRITTEN
	};
	unsigned int i;

	for (i = 0; i < R5S_WB_COUNTERS; i++) {
		u64 now = s->value[of[i]];

		if (!test_bit(of[i], s->has))
			continue;
		if (now < a->wb_seen[i])
			a->wb_gone[i] += a->wb_seen[i] - now;
		a->wb_seen[i] = now;
		s->value[of[i]] = now + a->wb_gone[i];
	}
}

static void take_gauges(struct r5s_array *a, struct gendisk *disk, struct r5s_snapshot *s)
{
	void *conf = r5s_disk_lock(a->mddev);

	if (conf && conf == READ_ONCE(a->conf)) {
		find_size_at_start(a, conf);
		r5s_cache_gauges(s, conf);
		r5s_writes_gauges(s, conf);
		r5s_journal_gauges(s, conf);
		r5s_about_gauges(s, conf);
		s->gauges_ns = s->mono_ns;
	}
	r5s_disk_unlock(a->mddev);
	r5s_writeback_gauges(s, disk);
	keep_counting(a, s);
}

/* The gauges that raid5d's hook has copied. */
static void take_hook(const struct r5s_array *a, struct r5s_snapshot *s)
{
	unsigned int seq, tries;

	for (tries = 0; tries < HOOK_TRIES; tries++) {
		seq = raw_read_seqcount(&a->hook_seq);
		if (!(seq & 1)) {
			s->gauges_ns = a->hook.gauges_ns;
			bitmap_copy(s->has, a->hook.has, R5S_M_COUNT);
			memcpy(s->value, a->hook.value, sizeof(s->value));
			if (!read_seqcount_retry(&a->hook_seq, seq))
				return;
		}
		cpu_relax();
	}
	s->gauges_ns = 0;
	bitmap_zero(s->has, R5S_M_COUNT);
}

/* Only a journal has all of them; a partial parity log has no more than what is logged. */
static bool is_logged(const struct r5s_snapshot *s, unsigned int m)
{
	u64 policy = s->value[R5S_M_ABOUT_CONSISTENCY];

	return test_bit(R5S_M_ABOUT_CONSISTENCY, s->has) &&
	       (policy == RAID5STAT_CONSISTENCY_JOURNAL ||
		(policy == RAID5STAT_CONSISTENCY_PPL && m == R5S_M_JOURNAL_STRIPES_LOGGED));
}

static bool is_counted(const struct r5s_array *a, const struct r5s_snapshot *s, unsigned int m)
{
	const struct r5s_metric_desc *d = &r5s_metric_desc[m];

	if (d->level < RAID5STAT_LEVEL_COUNTERS)
		return false;
	if (d->kind != R5S_KIND_COUNTER && d->kind != R5S_KIND_TIME)
		return false;
	/* Pauses are found by the bdi, which md gives to the disk of its own only. */
	if (d->set == R5S_A_ARRAY_WRITEBACK && !a->bdi)
		return false;
	if (d->set == R5S_A_ARRAY_JOURNAL && !is_logged(s, m))
		return false;
	return (is_latency(m) ? a->latency_since_ns : a->since_ns) && r5s_probe_feeds(m);
}

static void take_counters(struct r5s_array *a, struct r5s_snapshot *s)
{
	unsigned int m;

	/* Backwards, so that parts are never more than their sum, which the spec lists first. */
	for (m = R5S_M_COUNT; m-- > 0;)
		if (is_counted(a, s, m))
			r5s_snapshot_set(s, m, counted(a, m));

	if (a->since_ns && a->size_known)
		r5s_snapshot_set(s, R5S_M_CACHE_SIZE_AT_START, a->size_at_start);
	if (test_bit(R5S_M_CACHE_WAITS_BEGUN, s->has) && test_bit(R5S_M_CACHE_WAITS_ENDED, s->has))
		r5s_snapshot_set(s, R5S_M_CACHE_WAITERS, s->value[R5S_M_CACHE_WAITS_BEGUN] -
				 s->value[R5S_M_CACHE_WAITS_ENDED]);
	if (test_bit(R5S_M_CACHE_WAITS_TIMED, s->has))
		r5s_snapshot_set(s, R5S_M_CACHE_WAIT_LONGEST_NS,
				 atomic64_read(&a->longest_wait_ns));
}

/**
 * r5s_snapshot_take() - all metrics of an array
 * @a: the array
 * @disk: its gendisk, referenced, or NULL when it has none
 * @s: filled
 */
void r5s_snapshot_take(struct r5s_array *a, struct gendisk *disk, struct r5s_snapshot *s)
{
	memset(s, 0, sizeof(*s));
	s->id = a->id;
	strscpy(s->name, a->name, sizeof(s->name));
	s->has_dev = !a->is_dm;
	s->dev = a->dev;
	s->sequence = ++a->sequence;
	s->mono_ns = ktime_get_ns();
	s->boot_ns = ktime_get_boottime_ns();
	s->since_ns = a->since_ns;
	s->latency_since_ns = a->latency_since_ns;
	if (disk)
		take_gauges(a, disk, s);
	else if (a->is_dm)
		take_hook(a, s);
	r5s_reclaim_gauges(s);
	take_counters(a, s);
}

/**
 * r5s_snapshot_hist() - histogram of the waits of an array
 * @a: the array
 * @waiter: enum raid5stat_waiter, or -1 for all of them
 * @h: filled
 *
 * Return: 0, or -ENODATA while waits are not timed.
 */
int r5s_snapshot_hist(struct r5s_array *a, int waiter, struct r5s_hist *h)
{
	static const enum r5s_metric total[R5S_WAITERS] = {
		[RAID5STAT_WAITER_USER] = R5S_M_CACHE_WAIT_USER_NS,
		[RAID5STAT_WAITER_SYNC] = R5S_M_CACHE_WAIT_SYNC_NS,
		[RAID5STAT_WAITER_RESHAPE] = R5S_M_CACHE_WAIT_RESHAPE_NS,
	};
	u64 now[R5S_HIST_BUCKETS];
	unsigned int w, b;

	if (!a->latency_since_ns || !r5s_probe_feeds(R5S_M_CACHE_WAITS_TIMED))
		return -ENODATA;
	memset(h, 0, sizeof(*h));
	h->id = a->id;
	strscpy(h->name, a->name, sizeof(h->name));
	for (w = 0; w < R5S_WAITERS; w++) {
		if (waiter >= 0 && w != waiter)
			continue;
		r5s_counter_fold_hist(a->counters, w, now);
		for (b = 0; b < R5S_HIST_BUCKETS; b++) {
			now[b] -= a->base->hist[w][b];
			h->bucket[b] += now[b];
			h->count += now[b];
		}
		h->total_ns += counted(a, total[w]);
	}
	return 0;
}
