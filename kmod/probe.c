// SPDX-License-Identifier: GPL-2.0
/*
 * One table of probes: where each sits, what handles it, what it feeds. Every probe is optional:
 * what this kernel does not have is reported, and its metrics are absent.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "attach.h"
#include "event.h"
#include "handlers.h"
#include "probe.h"
#include "wait.h"

#define NAMES_MAX	2	/* names that one function has had in different kernels */
#define ALWAYS_THERE	"raid456:raid5d"	/* in every raid456 that can be loaded */

/*
 * One line of the table:
 * @symbol: names of the function, the first one that this kernel has is taken
 * @level: armed from this level on
 * @fields: whether this kernel has the optional fields that the handlers read; NULL: they read none
 * @at: the handlers and where they are attached now
 * @feeds: metrics; one that several probes feed needs all of them
 * @told: its loss has been raised as an event
 * @missed: calls missed in earlier times when it was armed
 */
struct probe {
	const char *symbol[NAMES_MAX];
	enum raid5stat_level level;
	bool (*fields)(void);
	const enum r5s_metric *feeds;
	const enum r5s_node_metric *feeds_node;

	/* Protected by probe_mutex. */
	struct r5s_attachment at;
	bool told;
	int error;
	u64 missed;
};

#define M(...)	((const enum r5s_metric[]){ __VA_ARGS__, R5S_M_COUNT })
#define N(...)	((const enum r5s_node_metric[]){ __VA_ARGS__, R5S_N_COUNT })
#define NOTHING	((const enum r5s_metric[]){ R5S_M_COUNT })

#define HOOK(symbol_, level_, hook_, fields_, feeds_) { \
	.symbol = { symbol_ }, .level = RAID5STAT_LEVEL_##level_, \
	.at = { .mechanism = R5S_FTRACE, .hook = hook_ }, .fields = fields_, .feeds = feeds_ }
#define CALL(symbol_, level_, enter_, leave_, fields_, feeds_) { \
	.symbol = { symbol_ }, .level = RAID5STAT_LEVEL_##level_, \
	.at = { .mechanism = R5S_KRETPROBE, .enter = enter_, .leave = leave_ }, \
	.fields = fields_, .feeds = feeds_ }
#define EVENT(symbol_, level_, trace_, feeds_, node_) { \
	.symbol = { symbol_ }, .level = RAID5STAT_LEVEL_##level_, \
	.at = { .mechanism = R5S_TRACEPOINT, .trace = trace_ }, \
	.feeds = feeds_, .feeds_node = node_ }

static bool thread_fields(void)
{
	return R5S_HAS(md_thread, mddev);
}

static bool lookup_fields(void)
{
	return R5S_HAS(stripe_head, generation) && r5s_probe_get_active.size;
}

static bool take_fields(void)
{
	return r5s_probe_get_active.size;
}

static bool request_fields(void)
{
	return R5S_HAS(mddev, chunk_sectors) && R5S_HAS(mddev, reshape_position);
}

static bool batch_fields(void)
{
	return R5S_HAS(stripe_head, batch_head) && R5S_HAS(stripe_head, batch_list) &&
	       R5S_HAS(r5dev, towrite) && R5S_HAS(r5dev, written) && R5S_HAS(r5conf, log);
}

static bool complete_fields(void)
{
	return batch_fields() && R5S_HAS(r5l_log, r5c_journal_mode);
}

static bool io_fields(void)
{
	return batch_fields() && R5S_HAS(r5dev, toread) && R5S_HAS(stripe_head, log_io) &&
	       R5S_HAS(stripe_head, ppl_page) && R5S_HAS(stripe_head_state, syncing) &&
	       R5S_HAS(stripe_head_state, replacing) && R5S_HAS(stripe_head_state, expanding) &&
	       R5S_HAS(stripe_head_state, to_read) &&
	       R5S_HAS(stripe_head_state, waiting_extra_page);
}

static bool log_fields(void)
{
	return R5S_HAS(stripe_head, log_io) && R5S_HAS(stripe_head, ppl_page);
}

static bool caching_fields(void)
{
	return R5S_HAS(r5dev, towrite) && R5S_HAS(stripe_head_state, injournal);
}

static bool journal_fields(void)
{
	return R5S_HAS(r5l_log, rdev) && R5S_HAS(md_rdev, mddev) &&
	       R5S_HAS(r5l_log, last_checkpoint) && R5S_HAS(r5l_log, no_space_stripes);
}

static bool worker_fields(void)
{
	return R5S_HAS(r5worker, work) && R5S_HAS(r5worker, group) &&
	       R5S_HAS(r5worker_group, conf);
}

static bool bitmap_fields(void)
{
	return R5S_UNPLUG_TAKES_MDDEV ? R5S_HAS(mddev, bitmap) : R5S_HAS(bitmap, mddev);
}

static bool shrinker_fields(void)
{
	return R5S_HAS(r5conf, shrinker) && r5s_probe_cache_scan.size;
}

static struct probe probes[] = {
	CALL("raid456:setup_conf", GAUGES, r5s_about_setup_enter, r5s_about_setup_return, NULL,
	     NOTHING),
	CALL("raid456:free_conf", GAUGES, r5s_about_free_enter, r5s_about_free_return, NULL,
	     NOTHING),
	HOOK("raid456:raid5d", GAUGES, r5s_about_on_thread, thread_fields,
	     M(R5S_M_WRITES_RAID5D_PASSES)),

	HOOK("raid456:find_get_stripe", COUNTERS, r5s_cache_on_lookup, lookup_fields,
	     M(R5S_M_CACHE_LOOKUPS, R5S_M_CACHE_HITS)),
	HOOK("raid456:get_free_stripe", COUNTERS, r5s_cache_on_take_free, take_fields,
	     M(R5S_M_CACHE_FREE_TAKEN, R5S_M_CACHE_OUT_OF_STRIPES)),
	CALL("raid456:grow_one_stripe", COUNTERS, r5s_cache_enter, r5s_cache_grow_return, NULL,
	     M(R5S_M_CACHE_GROW_OK, R5S_M_CACHE_GROW_FAILED, R5S_M_CACHE_SIZE_AT_START)),
	CALL("raid456:drop_one_stripe", COUNTERS, r5s_cache_enter, r5s_cache_drop_return, NULL,
	     M(R5S_M_CACHE_DROP_OK, R5S_M_CACHE_DROP_FAILED, R5S_M_CACHE_SIZE_AT_START,
	       R5S_M_RECLAIM_REFUSED_BUSY)),
	HOOK("raid456:raid5_set_cache_size", COUNTERS, r5s_cache_on_resize, NULL,
	     M(R5S_M_CACHE_RESIZES)),
	CALL("raid456:is_inactive_blocked", COUNTERS, r5s_wait_enter, r5s_wait_return, NULL,
	     M(R5S_M_CACHE_WAITERS, R5S_M_CACHE_WAITS_BEGUN, R5S_M_CACHE_WAITS_ENDED,
	       R5S_M_CACHE_WAITS_USER, R5S_M_CACHE_WAITS_SYNC, R5S_M_CACHE_WAITS_RESHAPE,
	       R5S_M_CACHE_WAIT_USER_NS, R5S_M_CACHE_WAIT_SYNC_NS, R5S_M_CACHE_WAIT_RESHAPE_NS,
	       R5S_M_CACHE_WAITS_TIMED, R5S_M_CACHE_WAIT_LONGEST_NS)),
	CALL("raid456:raid5_sync_request", COUNTERS, r5s_about_sync_enter, NULL, NULL,
	     M(R5S_M_CACHE_WAITS_USER, R5S_M_CACHE_WAITS_SYNC, R5S_M_CACHE_WAITS_RESHAPE,
	       R5S_M_CACHE_WAIT_USER_NS, R5S_M_CACHE_WAIT_SYNC_NS,
	       R5S_M_CACHE_WAIT_RESHAPE_NS)),

	HOOK("raid456:raid5_make_request", COUNTERS, r5s_writes_on_request, request_fields,
	     M(R5S_M_WRITES_READ_REQUESTS, R5S_M_WRITES_READ_SECTORS,
	       R5S_M_WRITES_DISCARD_SECTORS, R5S_M_WRITES_FLUSHES)),
	HOOK("md_mod:md_account_bio", COUNTERS, r5s_writes_on_account, request_fields,
	     M(R5S_M_WRITES_READ_REQUESTS, R5S_M_WRITES_READ_SECTORS,
	       R5S_M_WRITES_WRITE_REQUESTS, R5S_M_WRITES_WRITE_SECTORS,
	       R5S_M_WRITES_DISCARD_REQUESTS, R5S_M_WRITES_DISCARD_SECTORS)),
	HOOK("raid456:schedule_reconstruction", COUNTERS, r5s_stripe_on_reconstruct, batch_fields,
	     M(R5S_M_WRITES_STRIPES_FULL, R5S_M_WRITES_STRIPES_RCW, R5S_M_WRITES_STRIPES_RMW)),
	HOOK("raid456:ops_run_io", COUNTERS, r5s_stripe_on_io, io_fields,
	     M(R5S_M_WRITES_PREREAD_RCW_SECTORS, R5S_M_WRITES_PREREAD_RMW_SECTORS,
	       R5S_M_WRITES_SYNC_READ_SECTORS, R5S_M_WRITES_CACHE_READ_SECTORS,
	       R5S_M_WRITES_MEMBER_READS, R5S_M_WRITES_MEMBER_WRITES)),
	HOOK("raid456:handle_stripe", COUNTERS, r5s_stripe_on_handle, NULL,
	     M(R5S_M_WRITES_HANDLE_CALLS)),
	HOOK("raid456:handle_stripe_clean_event", COUNTERS, r5s_stripe_on_complete, complete_fields,
	     M(R5S_M_WRITES_STRIPES_COMPLETED)),
	HOOK("raid456:r5c_finish_stripe_write_out", COUNTERS, r5s_stripe_on_write_out,
	     complete_fields, M(R5S_M_WRITES_STRIPES_COMPLETED)),
	HOOK("raid456:raid5_do_work", COUNTERS, r5s_stripe_on_worker, worker_fields,
	     M(R5S_M_WRITES_WORKER_RUNS)),
	CALL(R5S_BITMAP_UNPLUG, COUNTERS, r5s_writes_bitmap_enter, r5s_writes_bitmap_return,
	     bitmap_fields, M(R5S_M_WRITES_BITMAP_WAITS, R5S_M_WRITES_BITMAP_WAIT_NS)),
	{
		/* md itself calls the part that does it, where the compiler has split it off. */
		.symbol = { "md_mod:md_update_sb.part.0", "md_mod:md_update_sb" },
		.level = RAID5STAT_LEVEL_COUNTERS,
		.at = {
			.mechanism = R5S_KRETPROBE,
			.enter = r5s_writes_superblock_enter,
			.leave = r5s_writes_superblock_return,
		},
		.feeds = M(R5S_M_WRITES_SB_UPDATES, R5S_M_WRITES_SB_UPDATE_NS),
	},

	HOOK("raid456:r5l_log_stripe", COUNTERS, r5s_journal_on_log, NULL,
	     M(R5S_M_JOURNAL_STRIPES_LOGGED)),
	HOOK("raid456:ppl_write_stripe", COUNTERS, r5s_journal_on_partial_parity, log_fields,
	     M(R5S_M_JOURNAL_STRIPES_LOGGED)),
	HOOK("raid456:r5c_try_caching_write", COUNTERS, r5s_journal_on_caching, caching_fields,
	     M(R5S_M_JOURNAL_CACHING_ACCEPTED, R5S_M_JOURNAL_CACHING_REFUSED)),
	HOOK("raid456:r5l_run_no_space_stripes", COUNTERS, r5s_journal_on_space, journal_fields,
	     M(R5S_M_JOURNAL_NO_SPACE_STRIPES)),
	CALL("raid456:r5l_do_reclaim", COUNTERS, r5s_journal_reclaim_enter,
	     r5s_journal_reclaim_return, journal_fields,
	     M(R5S_M_JOURNAL_RECLAIM_RUNS, R5S_M_JOURNAL_RECLAIM_EMPTY,
	       R5S_M_JOURNAL_RECLAIM_NS)),

	HOOK("raid456:raid5_cache_count", COUNTERS, r5s_reclaim_on_count, shrinker_fields,
	     M(R5S_M_RECLAIM_COUNT_CALLS)),
	CALL("raid456:raid5_cache_scan", COUNTERS, r5s_reclaim_scan_enter,
	     r5s_reclaim_scan_return, shrinker_fields,
	     M(R5S_M_RECLAIM_SCAN_CALLS, R5S_M_RECLAIM_SCAN_KSWAPD, R5S_M_RECLAIM_SCAN_DIRECT,
	       R5S_M_RECLAIM_SCAN_DROP_CACHES, R5S_M_RECLAIM_ASKED, R5S_M_RECLAIM_FREED,
	       R5S_M_RECLAIM_REFUSED, R5S_M_RECLAIM_REFUSED_BUSY)),

	EVENT("writeback:balance_dirty_pages", COUNTERS, r5s_writeback_on_pause,
	      M(R5S_M_WRITEBACK_PAUSES, R5S_M_WRITEBACK_PAUSE_NS), NULL),
	EVENT("vmscan:mm_vmscan_lru_shrink_inactive", COUNTERS, r5s_node_on_shrink, NOTHING,
	      N(R5S_N_PAGES_SCANNED, R5S_N_PAGES_STOLEN)),
	EVENT("vmscan:mm_vmscan_direct_reclaim_begin", COUNTERS, r5s_node_on_stall, NOTHING,
	      N(R5S_N_ALLOC_STALLS)),
};

struct r5s_range r5s_probe_get_active;
struct r5s_range r5s_probe_cache_scan;

static DEFINE_MUTEX(probe_mutex);
static enum raid5stat_level level_in_force;
static bool raid456_live;
static DECLARE_BITMAP(fed, R5S_M_COUNT);
static DECLARE_BITMAP(fed_node, R5S_N_COUNT);

static bool needs_md(const struct probe *p)
{
	return p->at.mechanism != R5S_TRACEPOINT;
}

static int arm_one(struct probe *p)
{
	int ret = -ENOENT;
	unsigned int i;

	if (p->fields && !p->fields())
		return -EOPNOTSUPP;
	for (i = 0; i < NAMES_MAX && p->symbol[i] && ret == -ENOENT; i++)
		ret = r5s_attach_to(&p->at, p->symbol[i]);
	return ret;
}

static void arm(struct probe *p)
{
	if (p->at.attached)
		return;
	p->error = arm_one(p);
	/* Nothing is lost when raid456 is on its way out: go() comes next. */
	if (p->error == -ENOENT && needs_md(p) && !r5s_attach_address(ALWAYS_THERE))
		p->error = 0;
	if (!p->error || p->told)
		return;
	p->told = true;
	pr_warn("cannot watch %s, error %d: what it feeds will be absent\n",
		p->symbol[0], p->error);
	r5s_event_probe_lost(p->symbol[0], 0);
}

static void disarm(struct probe *p)
{
	if (p->at.attached)
		p->missed += r5s_attach_undo(&p->at);
}

/* A metric is fed when a probe feeds it and all those that should are armed. */
static void note_fed(void)
{
	DECLARE_BITMAP(got, R5S_M_COUNT) = { };
	DECLARE_BITMAP(got_node, R5S_N_COUNT) = { };
	DECLARE_BITMAP(lost, R5S_M_COUNT) = { };
	const enum r5s_node_metric *n;
	const enum r5s_metric *m;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		for (m = probes[i].feeds; *m != R5S_M_COUNT; m++)
			__set_bit(*m, probes[i].at.attached ? got : lost);
		for (n = probes[i].feeds_node; n && *n != R5S_N_COUNT; n++)
			if (probes[i].at.attached)
				__set_bit(*n, got_node);
	}
	for (k = 0; k < R5S_M_COUNT; k++)
		if (r5s_metric_desc[k].level > level_in_force)
			__clear_bit(k, got);
	/* Readers take no lock. */
	bitmap_andnot(fed, got, lost, R5S_M_COUNT);
	bitmap_copy(fed_node, got_node, R5S_N_COUNT);
}

static void arm_all(enum raid5stat_level level)
{
	bool md = raid456_live && r5s_layout.valid;
	unsigned int i;

	if (md && level != RAID5STAT_LEVEL_OFF) {
		r5s_attach_find_range(&r5s_probe_get_active, "raid456:raid5_get_active_stripe");
		r5s_attach_find_range(&r5s_probe_cache_scan, "raid456:raid5_cache_scan");
	}
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].level <= level && (md || !needs_md(&probes[i])))
			arm(&probes[i]);
}

/* No handler of what it disarms runs any more when it returns. */
static void disarm_all(enum raid5stat_level level, bool md_only)
{
	unsigned int i;

	for (i = ARRAY_SIZE(probes); i-- > 0;)
		if (probes[i].level > level && (!md_only || needs_md(&probes[i])))
			disarm(&probes[i]);
	tracepoint_synchronize_unregister();
	if (level < RAID5STAT_LEVEL_COUNTERS)
		r5s_wait_forget();
}

static void change(enum raid5stat_level level)
{
	enum raid5stat_level before = level_in_force;

	lockdep_assert_held(&probe_mutex);
	if (level > before)
		r5s_array_rebase(level);
	if (level < before)
		r5s_array_counting(level);
	WRITE_ONCE(level_in_force, level);
	r5s_wait_timing(level >= RAID5STAT_LEVEL_LATENCY);
	if (level < before)
		disarm_all(level, false);
	else
		arm_all(level);
	note_fed();
	if (level >= before)
		r5s_array_counting(level);
}

/**
 * r5s_probe_set_level() - arm what a level needs, disarm the rest
 * @level: from now on
 *
 * Probes of raid456 that is not loaded now are armed when it comes. What cannot be armed is
 * reported by r5s_probe_describe() and by an event.
 * Context: process; not under the array mutex.
 */
void r5s_probe_set_level(enum raid5stat_level level)
{
	mutex_lock(&probe_mutex);
	if (level != level_in_force)
		change(level);
	mutex_unlock(&probe_mutex);
	if (level != RAID5STAT_LEVEL_OFF)
		r5s_array_scan();
}

/**
 * r5s_probe_level() - the level in force
 *
 * Context: any.
 * Return: the level.
 */
enum raid5stat_level r5s_probe_level(void)
{
	return READ_ONCE(level_in_force);
}

/**
 * r5s_probe_raid456_live() - is raid456 there
 *
 * Context: any.
 * Return: true from the end of its init to the start of its exit.
 */
bool r5s_probe_raid456_live(void)
{
	return READ_ONCE(raid456_live);
}

/**
 * r5s_probe_feeds() - is a counter being counted
 * @m: the metric
 *
 * Context: any.
 * Return: whether the level and all probes for it are in force.
 */
bool r5s_probe_feeds(enum r5s_metric m)
{
	return test_bit(m, fed);
}

/**
 * r5s_probe_feeds_node() - the same for a counter of a NUMA node
 * @m: the metric
 *
 * Context: any.
 * Return: whether it is being counted.
 */
bool r5s_probe_feeds_node(enum r5s_node_metric m)
{
	return test_bit(m, fed_node);
}

/**
 * r5s_probe_waits_untracked() - waits for a stripe that were not followed
 *
 * Context: any.
 * Return: how many since the module was loaded.
 */
u64 r5s_probe_waits_untracked(void)
{
	return r5s_wait_untracked();
}

/**
 * r5s_probe_describe() - one line of the table of probes
 * @i: which one, from 0
 * @st: filled
 *
 * Context: process; not under the array mutex.
 * Return: 0, or -ENOENT after the last one.
 */
int r5s_probe_describe(unsigned int i, struct r5s_probe_state *st)
{
	static const char * const names[] = {
		[R5S_FTRACE] = "ftrace",
		[R5S_KRETPROBE] = "kretprobe",
		[R5S_TRACEPOINT] = "tracepoint",
	};
	struct probe *p;

	if (i >= ARRAY_SIZE(probes))
		return -ENOENT;
	p = &probes[i];
	mutex_lock(&probe_mutex);
	st->symbol = p->at.attached ? p->at.symbol : p->symbol[0];
	st->mechanism = names[p->at.mechanism];
	st->level = p->level;
	st->armed = p->at.attached;
	st->error = p->error;
	st->missed = p->missed + r5s_attach_missed(&p->at);
	st->feeds = p->feeds;
	st->feeds_node = p->feeds_node;
	if (st->missed && !p->told) {
		p->told = true;
		r5s_event_probe_lost(st->symbol, st->missed);
	}
	mutex_unlock(&probe_mutex);
	return 0;
}

/* raid456 is there: bind to it and arm what the level asks for. */
static void come(struct work_struct *work)
{
	mutex_lock(&probe_mutex);
	/* It may have been found before its init was over, when the layout is not known yet. */
	if (raid456_live && r5s_layout.valid)
		goto out;
	if (!r5s_attach_address(ALWAYS_THERE))
		goto out;
	r5s_layout_bind();
	WRITE_ONCE(raid456_live, true);
	r5s_array_open();
	arm_all(level_in_force);
	note_fed();
	r5s_array_counting(level_in_force);
out:
	mutex_unlock(&probe_mutex);
	if (level_in_force != RAID5STAT_LEVEL_OFF)
		r5s_array_scan();
}

static DECLARE_WORK(come_work, come);

/* raid456 goes: when this returns nothing of ours points into it. */
static void go(void)
{
	cancel_work_sync(&come_work);
	mutex_lock(&probe_mutex);
	WRITE_ONCE(raid456_live, false);
	disarm_all(RAID5STAT_LEVEL_OFF, true);
	note_fed();
	r5s_array_forget_all();
	r5s_layout_unbind();
	mutex_unlock(&probe_mutex);
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "raid456"))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_LIVE)
		schedule_work(&come_work);
	else if (state == MODULE_STATE_GOING)
		go();
	return NOTIFY_DONE;
}

/* Before that of kprobes, which would take ours away itself. */
static struct notifier_block module_nb = { .notifier_call = on_module, .priority = 1 };

/**
 * r5s_probe_init() - watch raid456 come and go; it may be there already
 *
 * Context: process.
 * Return: 0 or a negative error number.
 */
int r5s_probe_init(void)
{
	int ret = register_module_notifier(&module_nb);

	if (!ret)
		come(&come_work);
	return ret;
}

/**
 * r5s_probe_exit() - disarm everything
 *
 * Context: process.
 */
void r5s_probe_exit(void)
{
	unregister_module_notifier(&module_nb);
	cancel_work_sync(&come_work);
	r5s_probe_set_level(RAID5STAT_LEVEL_OFF);
	mutex_lock(&probe_mutex);
	WRITE_ONCE(raid456_live, false);
	r5s_array_forget_all();
	r5s_layout_unbind();
	mutex_unlock(&probe_mutex);
}
