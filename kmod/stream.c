// SPDX-License-Identifier: GPL-2.0
/*
 * Samples at a period, for one socket. A thread takes them, for a snapshot may sleep, and keeps
 * them in a ring of bounded size until the socket takes them. What has no place in it is lost, as
 * is what the thread comes too late for; the next sample tells how much.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "array.h"
#include "netlink-gen.h"
#include "netlink-put.h"
#include "stream.h"

#define BATCH_NS	(100 * NSEC_PER_MSEC)	/* a sample waits for others no longer */
#define RETRY_NS	(50 * NSEC_PER_MSEC)	/* until a full socket is tried again */
#define SCAN_NS		NSEC_PER_SEC		/* between looks for arrays that no hook told of */
#define BATCH_BYTES	16384	/* of memory; more would be hard to get when memory is short */
#define BATCH_BYTES_MIN	4096	/* holds the sample of one array */
#define RING_BYTES	1048576			/* of memory, for what waits for the socket */
/* Memory is short when samples matter most; they must not make it worse. */
#define STREAM_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/*
 * Only its thread uses it while that runs.
 * @tick: the next one
 * @lost: ticks, of which @told have been put into a batch
 * @ready: batches to be sent
 * @open: the batch that is being filled, since @opened_ns
 * @bytes: memory of all of them
 * @gone: nobody is there any more
 */
struct r5s_stream {
	struct task_struct *thread;
	u32 portid;
	u64 period_ns;
	u64 start_ns;
	u64 tick;
	u64 lost;
	u64 told;
	u64 scan_ns;
	struct sk_buff_head ready;
	struct sk_buff *open;
	u64 opened_ns;
	unsigned int bytes;
	bool gone;
	struct r5s_choice choice;
	struct r5s_snapshot snapshot;
};

static u64 due(const struct r5s_stream *st)
{
	return st->start_ns + st->tick * st->period_ns;
}

static struct sk_buff *allocate(size_t bytes, gfp_t gfp)
{
	return genlmsg_new(SKB_WITH_OVERHEAD(bytes) - NLMSG_HDRLEN - GENL_HDRLEN, gfp);
}

static int open_batch(struct r5s_stream *st)
{
	struct sk_buff *skb = NULL;

	if (st->bytes + BATCH_BYTES > RING_BYTES)
		return -ENOBUFS;
	if (st->period_ns < BATCH_NS)
		skb = allocate(BATCH_BYTES, GFP_NOWAIT | __GFP_NOWARN);
	if (!skb)
		skb = allocate(BATCH_BYTES_MIN, STREAM_GFP);
	if (!skb)
		return -ENOMEM;
	if (!genlmsg_put(skb, 0, 0, &raid5stat_nl_family, 0, R5S_CMD_SAMPLE) ||
	    nla_put_u64_64bit(skb, R5S_A_BATCH_START_NS, st->start_ns, R5S_A_BATCH_PAD) ||
	    nla_put_u64_64bit(skb, R5S_A_BATCH_PERIOD_NS, st->period_ns, R5S_A_BATCH_PAD) ||
	    nla_put_u64_64bit(skb, R5S_A_BATCH_LOST, st->lost, R5S_A_BATCH_PAD)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	st->told = st->lost;
	st->open = skb;
	st->opened_ns = ktime_get_ns();
	st->bytes += skb->truesize;
	return 0;
}

static void close_batch(struct r5s_stream *st)
{
	if (!st->open)
		return;
	nlmsg_end(st->open, nlmsg_hdr(st->open));
	__skb_queue_tail(&st->ready, st->open);
	st->open = NULL;
}

static void drop(struct r5s_stream *st, struct sk_buff *skb)
{
	st->bytes -= skb->truesize;
	nlmsg_free(skb);
}

static int put_array(struct sk_buff *skb, const struct r5s_snapshot *s)
{
	struct nlattr *nest = nla_nest_start(skb, R5S_A_SAMPLE_ARRAY);

	if (!nest || r5s_put_array(skb, s))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_sample(struct r5s_stream *st, u64 tick, u64 now, const struct r5s_snapshot *s)
{
	struct sk_buff *skb = st->open;
	struct nlattr *nest = nla_nest_start(skb, R5S_A_BATCH_SAMPLE);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, R5S_A_SAMPLE_TICK, tick, R5S_A_SAMPLE_PAD) ||
	    nla_put_u64_64bit(skb, R5S_A_SAMPLE_MONO_NS, now, R5S_A_SAMPLE_PAD) ||
	    (st->told != st->lost &&
	     nla_put_u64_64bit(skb, R5S_A_SAMPLE_LOST, st->lost, R5S_A_SAMPLE_PAD)) ||
	    (s && put_array(skb, s))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	st->told = st->lost;
	return 0;
}

static int add(struct r5s_stream *st, u64 tick, u64 now, const struct r5s_snapshot *s)
{
	int err;

	if (st->open && !put_sample(st, tick, now, s))
		return 0;
	close_batch(st);
	err = open_batch(st);
	return err ? err : put_sample(st, tick, now, s);
}

static bool chosen(const struct r5s_stream *st, u64 id)
{
	const struct r5s_choice *c = &st->choice;
	char name[sizeof(c->name[0])];
	unsigned int i;

	if (!c->ids && !c->names)
		return true;
	for (i = 0; i < c->ids; i++)
		if (c->id[i] == id)
			return true;
	if (!c->names || r5s_array_name(id, name, sizeof(name)))
		return false;
	for (i = 0; i < c->names; i++)
		if (!strcmp(c->name[i], name))
			return true;
	return false;
}

/* A tick arrives whole or not: @first was open, up to @end, and @queued batches were ready. */
static void undo(struct r5s_stream *st, struct sk_buff *first, void *end, unsigned int queued)
{
	struct sk_buff *skb;

	if (st->open && st->open != first) {
		drop(st, st->open);
		st->open = NULL;
	}
	while (skb_queue_len(&st->ready) > queued && skb_peek_tail(&st->ready) != first) {
		skb = __skb_dequeue_tail(&st->ready);
		drop(st, skb);
	}
	if (!first)
		return;
	nlmsg_trim(first, end);
	nlmsg_end(first, nlmsg_hdr(first));
}

static int take(struct r5s_stream *st, u64 tick, u64 now)
{
	struct sk_buff *first = st->open;
	void *end = first ? skb_tail_pointer(first) : NULL;
	unsigned int queued = skb_queue_len(&st->ready);
	bool any = false;
	int err = 0;
	u64 id = 0;

	while (!err && (id = r5s_array_next(id))) {
		if (!chosen(st, id) || r5s_array_snapshot(id, &st->snapshot))
			continue;
		any = true;
		err = add(st, tick, now, &st->snapshot);
	}
	if (!any)
		err = add(st, tick, now, NULL);
	if (err)
		undo(st, first, end, queued);
	return err;
}

static void sample(struct r5s_stream *st, u64 now)
{
	u64 tick = div64_u64(now - st->start_ns, st->period_ns);

	/* What comes next tells what is lost. */
	st->lost += tick - st->tick;
	st->tick = tick + 1;
	if (take(st, tick, now))
		st->lost++;
}

/* What the socket has no room for stays, and is tried again. */
static void send_ready(struct r5s_stream *st)
{
	struct sk_buff *skb, *copy;
	int err = 0;

	while ((skb = skb_peek(&st->ready))) {
		copy = err ? NULL : skb_clone(skb, STREAM_GFP);
		if (!err && !copy)
			return;
		if (!err)
			err = genlmsg_unicast(&init_net, copy, st->portid);
		if (err == -EAGAIN)
			return;
		if (err)
			st->gone = true;
		__skb_unlink(skb, &st->ready);
		drop(st, skb);
	}
}

static void deliver(struct r5s_stream *st)
{
	if (st->period_ns >= BATCH_NS || ktime_get_ns() - st->opened_ns >= BATCH_NS)
		close_batch(st);
	send_ready(st);
}

static void deliver_last(struct r5s_stream *st)
{
	if (st->told != st->lost)
		close_batch(st);
	if (!st->open || nla_put_flag(st->open, R5S_A_BATCH_END)) {
		close_batch(st);
		if (!open_batch(st))
			nla_put_flag(st->open, R5S_A_BATCH_END);
	}
	close_batch(st);
	send_ready(st);
}

static void sleep(const struct r5s_stream *st)
{
	ktime_t until = ns_to_ktime(due(st));

	if (!skb_queue_empty(&st->ready))
		until = min(until, ktime_add_ns(ktime_get(), RETRY_NS));
	set_current_state(TASK_INTERRUPTIBLE);
	if (kthread_should_stop())
		__set_current_state(TASK_RUNNING);
	else if (st->gone)
		schedule();
	else
		schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
}

static int run(void *arg)
{
	struct r5s_stream *st = arg;
	u64 now;

	/* Mostly asleep, and late when it does not get a CPU at once. */
	set_user_nice(current, MIN_NICE);
	st->start_ns = ktime_get_ns();
	while (!kthread_should_stop()) {
		now = ktime_get_ns();
		if (!st->gone && now >= st->scan_ns) {
			r5s_array_scan();
			st->scan_ns = now + SCAN_NS;
			now = ktime_get_ns();
		}
		if (!st->gone && now >= due(st))
			sample(st, now);
		deliver(st);
		cond_resched();
		sleep(st);
	}
	deliver_last(st);
	return 0;
}

/**
 * r5s_stream_create() - prepare to sample
 * @portid: address of the socket, in the initial network namespace
 * @period_ns: R5S_STREAM_MIN_NS to R5S_STREAM_MAX_NS
 * @choice: of arrays; copied
 *
 * Context: process.
 * Return: the stream, ended by r5s_stream_end(), or an error pointer.
 */
struct r5s_stream *r5s_stream_create(u32 portid, u64 period_ns, const struct r5s_choice *choice)
{
	struct r5s_stream *st = kzalloc(sizeof(*st), GFP_KERNEL);
	struct task_struct *thread;

	if (!st)
		return ERR_PTR(-ENOMEM);
	st->portid = portid;
	st->period_ns = period_ns;
	st->choice = *choice;
	__skb_queue_head_init(&st->ready);
	thread = kthread_create(run, st, "r5s/%u", portid);
	if (IS_ERR(thread)) {
		kfree(st);
		return ERR_CAST(thread);
	}
	st->thread = thread;
	return st;
}

/**
 * r5s_stream_run() - tick 0 is due now
 * @st: the stream
 */
void r5s_stream_run(struct r5s_stream *st)
{
	wake_up_process(st->thread);
}

/**
 * r5s_stream_end() - send what was sampled and the socket takes, and free the stream
 * @st: the stream; NULL is none
 *
 * Context: process.
 */
void r5s_stream_end(struct r5s_stream *st)
{
	if (!st)
		return;
	kthread_stop(st->thread);
	if (st->open)
		nlmsg_free(st->open);
	__skb_queue_purge(&st->ready);
	kfree(st);
}
