/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_ARRAY_H
#define R5S_ARRAY_H

#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/seqlock.h>
#include <linux/workqueue.h>

#include "counter.h"
#include "layout.h"

/* Where counting began: what the counters held at that moment. */
struct r5s_array_base {
	u64 value[R5S_M_COUNT];
	u64 hist[R5S_WAITERS][R5S_HIST_BUCKETS];
};

#define R5S_WB_COUNTERS 2

/**
 * struct r5s_array - one raid4/5/6 array from its birth to its death
 * @node: in the hash by @conf; RCU
 * @conf: md's struct r5conf; a key, dereferenced only by a hook that holds it as its argument, or
 *	under mddev->lock with mddev->pers set and mddev->private equal to it. NULL once free_conf()
 *	has returned.
 * @mddev: md's struct mddev; a key too
 * @bdi: its backing_dev_info, a key for the writeback tracepoint; NULL under dm-raid
 * @counters: per-CPU counts
 * @id: the epoch, never used again; does not change, nor do @name, @is_dm and @dev
 * @longest_wait_ns: by cmpxchg
 * @sync_task: the task that runs the background sync; compared, never dereferenced
 * @sync_start: start_time of @sync_task, tells it from a later task at the same address
 * @sync_reshape: that sync is a reshape
 * @hook_seq: protects @hook
 * @hook: gauges_ns, has and value as raid5d's hook last left them, which is one thread an array
 * @published: md has been seen to run it; until then it may be under construction
 * @base: what the counters held at @since_ns, and those of level latency at @latency_since_ns
 * @size_at_start: stripes when counting began, if @size_known
 *
 * Freed by RCU after it was taken out of the hash.
 */
struct r5s_array {
	struct hlist_node node;
	void *conf;
	void *mddev;
	void *bdi;
	struct r5s_counters __percpu *counters;
	u64 id;
	char name[32];
	bool is_dm;
	dev_t dev;

	atomic64_t longest_wait_ns;
	atomic_t blocked;		/* tasks waiting for a stripe */
	void *sync_task;
	u64 sync_start;
	bool sync_reshape;

	seqcount_t hook_seq;
	struct r5s_snapshot hook;

	/* From here on protected by the array mutex. */
	bool published;
	bool size_known;
	u64 born_ns;
	u64 sequence;
	u64 since_ns;
	u64 latency_since_ns;
	u64 wb_seen[R5S_WB_COUNTERS];	/* pages dirtied and written, as last read */
	u64 wb_gone[R5S_WB_COUNTERS];	/* of writebacks that have gone since */
	u64 size_at_start;
	u64 scan;
	struct r5s_array_base *base;
	struct list_head list;
	struct rcu_work free_work;
};

#define R5S_ARRAY_HASH_BITS 8
extern struct hlist_head r5s_array_hash[1 << R5S_ARRAY_HASH_BITS];

/**
 * r5s_array_find() - the array of a conf, for hooks
 * @conf: struct r5conf, not dereferenced
 *
 * Return: the array, or NULL if it is not known (yet). Valid in the RCU read section of the caller.
 */
static __always_inline struct r5s_array *r5s_array_find(const void *conf)
{
	struct r5s_array *a;

	hlist_for_each_entry_rcu_notrace(a, &r5s_array_hash[hash_ptr(conf, R5S_ARRAY_HASH_BITS)],
					 node)
		if (READ_ONCE(a->conf) == conf)
			return a;
	return NULL;
}

static __always_inline void r5s_array_count(struct r5s_array *a, enum r5s_metric m, u64 n)
{
	this_cpu_add(a->counters->value[m], n);
}

/* Called by hooks, in any context. */
void r5s_array_unknown(void *conf, void *mddev);
void r5s_array_died(void *conf);

/* Called from process context. */
int r5s_array_init(void);
void r5s_array_exit(void);
/* Nothing private is read before open, which follows r5s_layout_bind(), nor after forget_all. */
void r5s_array_open(void);
void r5s_array_forget_all(void);
void r5s_array_scan(void);
/* Before the probes of a level are armed, and after. */
void r5s_array_rebase(enum raid5stat_level level);
void r5s_array_counting(enum raid5stat_level level);
int r5s_array_snapshot(u64 id, struct r5s_snapshot *s);
u64 r5s_array_next(u64 id);
u64 r5s_array_by_name(const char *name);
int r5s_array_name(u64 id, char *name, size_t size);

/**
 * struct r5s_hist - waits of an array, or of one kind of waiter
 * @count: waits in all buckets
 * @total_ns: their sum
 */
struct r5s_hist {
	u64 id;
	char name[32];
	u64 count;
	u64 total_ns;
	u64 bucket[R5S_HIST_BUCKETS];
};

int r5s_array_hist(u64 id, int waiter, struct r5s_hist *h);

/**
 * typedef r5s_array_live_fn - something to do with a live array
 * @disk: the array's gendisk, referenced
 * @arg: the caller's
 *
 * Runs in process context under the array mutex but *without* mddev->lock; whoever reads the conf
 * takes it by r5s_disk_lock(), which must give @a->conf.
 */
struct gendisk;
typedef int (*r5s_array_live_fn)(struct r5s_array *a, struct gendisk *disk, void *arg);
int r5s_array_with(u64 id, r5s_array_live_fn fn, void *arg);

#endif /* R5S_ARRAY_H */
