// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that wait for a stripe. md asks is_inactive_blocked() only in a task that is about to
 * sleep for one or was just woken: the first "false" begins a wait, the next "true" ends it. A
 * waiting task cannot be killed, so each wait has its end.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "event.h"
#include "handlers.h"
#include "trace.h"
#include "wait.h"

#define SLOT_BITS	11	/* this many tasks at once are followed: 2^11 */
#define SLOT_PROBES	32	/* slots that a task may use, from the one that its hash names */

/*
 * A slot belongs to the task that put its own address into @key, and nobody else reads or writes
 * the rest of it while the probes are armed: hence no lock.
 */
struct slot {
	unsigned long key;
	const void *conf;
	u64 id;
	u64 begin_ns;	/* 0: not timed */
	enum raid5stat_waiter waiter;
};

/* Marks the slot by which a task remembers that its scan found no inactive stripe. */
#define SCAN_MARK	1UL

static struct slot slots[1 << SLOT_BITS];
static atomic64_t untracked;
static bool timing;

static __always_inline struct slot *nth(unsigned long key, unsigned int i)
{
	return &slots[(hash_long(key & ~SCAN_MARK, SLOT_BITS) + i) & ((1 << SLOT_BITS) - 1)];
}

static struct slot *find(unsigned long key)
{
	unsigned int i;

	for (i = 0; i < SLOT_PROBES; i++)
		if (READ_ONCE(nth(key, i)->key) == key)
			return nth(key, i);
	return NULL;
}

static struct slot *claim(unsigned long key)
{
	unsigned int i;

	for (i = 0; i < SLOT_PROBES; i++)
		if (!READ_ONCE(nth(key, i)->key) && !cmpxchg(&nth(key, i)->key, 0, key))
			return nth(key, i);
	return NULL;
}

/* Pairs with the cmpxchg() of claim(): who takes the slot next sees it emptied. */
static void drop(struct slot *s)
{
	/* Orders what was read from the slot before its key goes. */
	smp_store_release(&s->key, 0);
}

static enum raid5stat_waiter waiter(const struct r5s_array *a)
{
	if (READ_ONCE(a->sync_task) != current || READ_ONCE(a->sync_start) != current->start_time)
		return RAID5STAT_WAITER_USER;
	return READ_ONCE(a->sync_reshape) ? RAID5STAT_WAITER_RESHAPE : RAID5STAT_WAITER_SYNC;
}

static void begin(struct r5s_array *a, const void *conf)
{
	int size = R5S_READ_INT(conf, r5conf, max_nr_stripes);
	int active = R5S_READ_ATOMIC(conf, r5conf, active_stripes);
	struct slot *s = claim((unsigned long)current);

	if (!s) {
		atomic64_inc(&untracked);
		return;
	}
	s->conf = conf;
	s->id = a->id;
	s->waiter = waiter(a);
	s->begin_ns = READ_ONCE(timing) ? ktime_get_mono_fast_ns() : 0;
	r5s_array_count(a, R5S_M_CACHE_WAITS_BEGUN, 1);
	if (atomic_inc_return(&a->blocked) == 1) {
		trace_blocked(a->id, size, active);
		r5s_event_raise(RAID5STAT_EVENT_KIND_BLOCKED, a, conf, 0);
	}
	trace_wait_begin(a->id, s->waiter, size, active, 0);
}

static void measure(struct r5s_array *a, enum raid5stat_waiter w, u64 ns)
{
	static const enum r5s_metric total[R5S_WAITERS] = {
		[RAID5STAT_WAITER_USER] = R5S_M_CACHE_WAIT_USER_NS,
		[RAID5STAT_WAITER_SYNC] = R5S_M_CACHE_WAIT_SYNC_NS,
		[RAID5STAT_WAITER_RESHAPE] = R5S_M_CACHE_WAIT_RESHAPE_NS,
	};
	s64 longest = atomic64_read(&a->longest_wait_ns);

	r5s_array_count(a, total[w], ns);
	r5s_array_count(a, R5S_M_CACHE_WAITS_TIMED, 1);
	this_cpu_inc(a->counters->hist[w][min(fls64(ns), R5S_HIST_BUCKETS - 1)]);
	while ((s64)ns > longest &&
	       !atomic64_try_cmpxchg(&a->longest_wait_ns, &longest, ns))
		;
}

static void count_end(struct r5s_array *a, enum raid5stat_waiter w)
{
	static const enum r5s_metric count[R5S_WAITERS] = {
		[RAID5STAT_WAITER_USER] = R5S_M_CACHE_WAITS_USER,
		[RAID5STAT_WAITER_SYNC] = R5S_M_CACHE_WAITS_SYNC,
		[RAID5STAT_WAITER_RESHAPE] = R5S_M_CACHE_WAITS_RESHAPE,
	};

	r5s_array_count(a, count[w], 1);
	r5s_array_count(a, R5S_M_CACHE_WAITS_ENDED, 1);
}

static void end(struct r5s_array *a, const void *conf, struct slot *s)
{
	int size = R5S_READ_INT(conf, r5conf, max_nr_stripes);
	int active = R5S_READ_ATOMIC(conf, r5conf, active_stripes);
	enum raid5stat_waiter w = s->waiter;
	u64 ns = 0;

	if (s->begin_ns) {
		ns = ktime_get_mono_fast_ns() - s->begin_ns;
		measure(a, w, ns);
	}
	drop(s);
	count_end(a, w);
	trace_wait_end(a->id, w, size, active, ns);
	if (!atomic_dec_return(&a->blocked)) {
		trace_unblocked(a->id, size, active);
		r5s_event_raise(RAID5STAT_EVENT_KIND_UNBLOCKED, a, conf, 0);
	}
}

/* Of another array than @a, which is gone or counts anew: nothing to balance. */
static bool stale(const struct slot *s, const struct r5s_array *a, const void *conf)
{
	return s->conf != conf || s->id != a->id;
}

R5S_ENTRY(r5s_wait_enter)
{
	void *conf = (void *)regs_get_kernel_argument(regs, 0);

	if (!r5s_array_find(conf))
		return 1;
	r5s_call(ri)->conf = conf;
	return 0;
}

R5S_ENTRY(r5s_wait_return)
{
	bool may_go = regs_return_value(regs) & 0xff;
	void *conf = r5s_call(ri)->conf;
	struct r5s_array *a;
	struct slot *s;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (a) {
		s = may_go && !atomic_read(&a->blocked) ? NULL : find((unsigned long)current);
		if (s && stale(s, a, conf)) {
			drop(s);
			s = NULL;
		}
		if (s && may_go)
			end(a, conf, s);
		else if (!s && !may_go)
			begin(a, conf);
	}
	r5s_hook_leave();
	return 0;
}

/**
 * r5s_wait_over() - the current task looks for a stripe, so it does not wait for one
 * @a: its array
 * @conf: struct r5conf of @a
 *
 * Ends a wait whose end was missed, as when somebody disabled kprobes meanwhile.
 * Context: a hook that holds @conf.
 */
void r5s_wait_over(struct r5s_array *a, const void *conf)
{
	struct slot *s = find((unsigned long)current);

	if (s && !stale(s, a, conf))
		end(a, conf, s);
	else if (s)
		drop(s);
}

/**
 * r5s_wait_mark() - remember that the scan by the current task found no inactive stripe
 *
 * Context: a hook. Without a free slot it is forgotten.
 */
void r5s_wait_mark(void)
{
	unsigned long key = (unsigned long)current | SCAN_MARK;

	if (!find(key))
		claim(key);
}

/**
 * r5s_wait_unmark() - forget it again
 *
 * Context: a hook.
 * Return: whether it was remembered.
 */
bool r5s_wait_unmark(void)
{
	struct slot *s = find((unsigned long)current | SCAN_MARK);

	if (s)
		drop(s);
	return s;
}

/**
 * r5s_wait_timing() - say whether waits that begin from now on are timed
 * @on: they are
 */
void r5s_wait_timing(bool on)
{
	WRITE_ONCE(timing, on);
}

/**
 * r5s_wait_forget() - end all waits as far as counting goes
 *
 * Those that go on are counted anew when the probes are armed again, so begun and ended stay equal.
 * Context: process; no probe is armed.
 */
void r5s_wait_forget(void)
{
	struct r5s_array *a;
	struct slot *s;

	for (s = slots; s < slots + ARRAY_SIZE(slots); s++) {
		if (!s->key)
			continue;
		if (!(s->key & SCAN_MARK)) {
			rcu_read_lock();
			a = r5s_array_find(s->conf);
			if (a && !stale(s, a, s->conf)) {
				count_end(a, s->waiter);
				atomic_dec(&a->blocked);
			}
			rcu_read_unlock();
		}
		s->key = 0;
	}
}

/**
 * r5s_wait_untracked() - waits that found no slot
 *
 * Return: how many since the module was loaded.
 */
u64 r5s_wait_untracked(void)
{
	return atomic64_read(&untracked);
}
