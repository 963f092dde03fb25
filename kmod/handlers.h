/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What runs when md or the kernel does something. A handler takes no lock, allocates nothing, has
 * no unbounded loop and calls nothing that it traces itself; only probe.c refers to these.
 */
#ifndef R5S_HANDLERS_H
#define R5S_HANDLERS_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "array.h"
#include "compat.h"
#include "layout.h"

#define R5S_HOOK(name) \
	void name(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op, \
		  struct ftrace_regs *fregs)
#define R5S_ENTRY(name)	int name(struct kretprobe_instance *ri, struct pt_regs *regs)

/* What a kretprobe remembers from the entry of a function to its return. */
struct r5s_call {
	void *conf;
	u64 value;	/* a start time, or an argument */
	void *log;	/* the journal, and its checkpoint at the entry */
	u64 checkpoint;
};

static __always_inline struct r5s_call *r5s_call(struct kretprobe_instance *ri)
{
	return (struct r5s_call *)ri->data;
}

/* Also a read section of RCU. Hooks are called with preemption enabled. */
static __always_inline void r5s_hook_enter(void)
{
	preempt_disable_notrace();
}

static __always_inline void r5s_hook_leave(void)
{
	preempt_enable_notrace();
}

/* The array of an mddev that is the live argument of a hook; NULL for other personalities. */
static __always_inline struct r5s_array *r5s_array_of(const void *mddev)
{
	return r5s_array_find(R5S_READ_POINTER(mddev, mddev, private));
}

#define R5S_DISKS_MAX	512	/* members walked in one stripe */

static __always_inline void *r5s_stripe_dev(const void *sh, unsigned int i)
{
	return R5S_PTR(sh, stripe_head, dev) + i * R5S_SIZEOF(r5dev);
}

static __always_inline unsigned int r5s_stripe_disks(const void *sh)
{
	return clamp(R5S_READ_INT(sh, stripe_head, disks), 0, R5S_DISKS_MAX);
}

/* about.c: birth and death */
R5S_ENTRY(r5s_about_setup_enter);
R5S_ENTRY(r5s_about_setup_return);
R5S_ENTRY(r5s_about_free_enter);
R5S_ENTRY(r5s_about_free_return);
R5S_HOOK(r5s_about_on_thread);
R5S_ENTRY(r5s_about_sync_enter);

/* cache.c */
R5S_HOOK(r5s_cache_on_lookup);
R5S_HOOK(r5s_cache_on_take_free);
R5S_HOOK(r5s_cache_on_resize);
R5S_ENTRY(r5s_cache_enter);
R5S_ENTRY(r5s_cache_grow_return);
R5S_ENTRY(r5s_cache_drop_return);

/* wait.c */
R5S_ENTRY(r5s_wait_enter);
R5S_ENTRY(r5s_wait_return);

/* writes.c: requests in */
R5S_HOOK(r5s_writes_on_request);
R5S_HOOK(r5s_writes_on_account);
R5S_ENTRY(r5s_writes_bitmap_enter);
R5S_ENTRY(r5s_writes_bitmap_return);
R5S_ENTRY(r5s_writes_superblock_enter);
R5S_ENTRY(r5s_writes_superblock_return);

/* stripe.c: what stripes do */
R5S_HOOK(r5s_stripe_on_reconstruct);
R5S_HOOK(r5s_stripe_on_io);
R5S_HOOK(r5s_stripe_on_handle);
R5S_HOOK(r5s_stripe_on_complete);
R5S_HOOK(r5s_stripe_on_write_out);
R5S_HOOK(r5s_stripe_on_worker);

/* journal.c */
R5S_HOOK(r5s_journal_on_log);
R5S_HOOK(r5s_journal_on_partial_parity);
R5S_HOOK(r5s_journal_on_caching);
R5S_HOOK(r5s_journal_on_space);
R5S_ENTRY(r5s_journal_reclaim_enter);
R5S_ENTRY(r5s_journal_reclaim_return);

/* reclaim.c */
R5S_HOOK(r5s_reclaim_on_count);
R5S_ENTRY(r5s_reclaim_scan_enter);
R5S_ENTRY(r5s_reclaim_scan_return);

/* writeback.c and node.c, tracepoints */
struct bdi_writeback;
struct reclaim_stat;
void r5s_writeback_on_pause(void *data, struct bdi_writeback *wb, unsigned long thresh,
			    unsigned long bg_thresh, unsigned long dirty, unsigned long bdi_thresh,
			    unsigned long bdi_dirty, unsigned long dirty_ratelimit,
			    unsigned long task_ratelimit, unsigned long dirtied,
			    unsigned long period, long pause, unsigned long start_time);
void r5s_node_on_shrink(void *data, int nid, unsigned long nr_scanned, unsigned long nr_reclaimed,
			struct reclaim_stat *stat, int priority, int file);
void r5s_node_on_stall(void *data, int order, gfp_t gfp_flags);

#endif /* R5S_HANDLERS_H */
