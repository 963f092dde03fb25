// SPDX-License-Identifier: GPL-2.0
/* Who needs which level, and who gets samples. */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "probe.h"
#include "sampler.h"
#include "stream.h"

#define HOLDS_MAX 32

/* What a socket asked for. @net is compared only; @stream is NULL where only the level matters. */
struct hold {
	struct list_head list;
	const struct net *net;
	u32 portid;
	enum raid5stat_level level;
	struct r5s_stream *stream;
};

static const char *const level_names[] = {
	[RAID5STAT_LEVEL_OFF] = "off",
	[RAID5STAT_LEVEL_GAUGES] = "gauges",
	[RAID5STAT_LEVEL_COUNTERS] = "counters",
	[RAID5STAT_LEVEL_LATENCY] = "latency",
};

static enum raid5stat_level level_floor = RAID5STAT_LEVEL_GAUGES;

static LIST_HEAD(holds);
static LIST_HEAD(closed);		/* holds whose socket was closed */
static unsigned int n_holds;		/* on the list holds */
static DEFINE_SPINLOCK(holds_lock);	/* protects these; running against level_set() */
static DEFINE_MUTEX(socket_mutex);	/* one socket starts or stops at a time; outermost */
static DEFINE_MUTEX(apply_mutex);	/* held while probes are armed; protects running */
static bool running;

static enum raid5stat_level wanted(void)
{
	enum raid5stat_level level = READ_ONCE(level_floor);
	const struct hold *h;

	spin_lock(&holds_lock);
	list_for_each_entry(h, &holds, list)
		level = max(level, h->level);
	spin_unlock(&holds_lock);
	return level;
}

static void apply(void)
{
	enum raid5stat_level level;

	mutex_lock(&apply_mutex);
	if (running) {
		level = wanted();
		if (level != r5s_probe_level())
			r5s_probe_set_level(level);
	}
	mutex_unlock(&apply_mutex);
}

static void end(struct hold *h)
{
	if (h)
		r5s_stream_end(h->stream);
	kfree(h);
}

static void end_closed(void)
{
	struct hold *h;

	do {
		spin_lock(&holds_lock);
		h = list_first_entry_or_null(&closed, struct hold, list);
		if (h)
			list_del(&h->list);
		spin_unlock(&holds_lock);
		end(h);
	} while (h);
}

static void apply_later(struct work_struct *work)
{
	end_closed();
	apply();
}

static DECLARE_WORK(apply_work, apply_later);

/* What a socket asked for goes from the list of holds to another one, or to the caller. */
static struct hold *take_out(const struct net *net, u32 portid, struct list_head *to)
{
	struct hold *h, *found = NULL;

	spin_lock(&holds_lock);
	list_for_each_entry(h, &holds, list) {
		if (h->net == net && h->portid == portid) {
			found = h;
			n_holds--;
			list_del(&h->list);
			if (to)
				list_add(&h->list, to);
			break;
		}
	}
	spin_unlock(&holds_lock);
	return found;
}

static bool put_in(struct hold *h)
{
	bool room;

	spin_lock(&holds_lock);
	room = n_holds < HOLDS_MAX;
	if (room) {
		n_holds++;
		list_add(&h->list, &holds);
	}
	spin_unlock(&holds_lock);
	return room;
}

static struct hold *create(struct net *net, u32 portid, enum raid5stat_level level, u64 period_ns,
			   const struct r5s_choice *choice)
{
	struct hold *h = kzalloc(sizeof(*h), GFP_KERNEL);
	struct r5s_stream *st;

	if (!h)
		return ERR_PTR(-ENOMEM);
	h->net = net;
	h->portid = portid;
	h->level = level;
	if (!period_ns)
		return h;
	st = r5s_stream_create(portid, period_ns, choice);
	if (IS_ERR(st)) {
		kfree(h);
		return ERR_CAST(st);
	}
	h->stream = st;
	return h;
}

/**
 * r5s_sampler_start() - a socket needs a level, and perhaps samples
 * @net: its namespace
 * @portid: its address; what it asked for before is replaced
 * @level: what it needs
 * @period_ns: of the samples, as r5s_stream_create() takes it; 0 for none
 * @choice: of arrays to be sampled
 *
 * Context: process. When it returns the probes are armed, as far as they can be.
 * Return: 0, -ENOMEM, -EINTR, or -EUSERS if as many sockets as may have asked already.
 */
int r5s_sampler_start(struct net *net, u32 portid, enum raid5stat_level level, u64 period_ns,
		      const struct r5s_choice *choice)
{
	struct hold *h = create(net, portid, level, period_ns, choice);

	if (IS_ERR(h))
		return PTR_ERR(h);
	mutex_lock(&socket_mutex);
	end(take_out(net, portid, NULL));
	if (!put_in(h)) {
		mutex_unlock(&socket_mutex);
		end(h);
		return -EUSERS;
	}
	apply();
	/* Its socket is open as long as it sends this request, and nobody else ends it. */
	if (h->stream)
		r5s_stream_run(h->stream);
	mutex_unlock(&socket_mutex);
	return 0;
}

/**
 * r5s_sampler_stop() - a socket gives up its level and its samples
 * @net: its namespace
 * @portid: its address
 *
 * Context: process.
 * Return: 0, or -ENOENT if it asked for none.
 */
int r5s_sampler_stop(struct net *net, u32 portid)
{
	struct hold *h;

	mutex_lock(&socket_mutex);
	h = take_out(net, portid, NULL);
	end(h);
	if (h)
		apply();
	mutex_unlock(&socket_mutex);
	return h ? 0 : -ENOENT;
}

/**
 * r5s_sampler_floor() - the level below which no unsubscribing goes
 */
enum raid5stat_level r5s_sampler_floor(void)
{
	return READ_ONCE(level_floor);
}

/**
 * r5s_sampler_level_name() - a level as a person writes it
 * @level: one of the four
 */
const char *r5s_sampler_level_name(enum raid5stat_level level)
{
	return level_names[level];
}

static void set_running(bool on)
{
	mutex_lock(&apply_mutex);
	spin_lock(&holds_lock);
	running = on;
	spin_unlock(&holds_lock);
	mutex_unlock(&apply_mutex);
}

/* A socket was closed. Arming is left to a work item, so that close() does not take long. */
static int on_release(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	if (take_out(n->net, n->portid, &closed))
		schedule_work(&apply_work);
	return NOTIFY_DONE;
}

static struct notifier_block netlink_notifier = { .notifier_call = on_release };

/* Names or 0 to 3. May come before init and after exit. */
static int level_set(const char *text, const struct kernel_param *kp)
{
	int level = sysfs_match_string(level_names, text);
	u8 number;

	if (level < 0) {
		if (kstrtou8(text, 0, &number) || number > RAID5STAT_LEVEL_LATENCY) {
			pr_err("raid5stat: level is one of off, gauges, counters, latency, or 0 to 3\n");
			return -EINVAL;
		}
		level = number;
	}
	WRITE_ONCE(level_floor, level);
	/* Not here: sysfs holds locks that arming, which reads sysfs, must not be taken under. */
	spin_lock(&holds_lock);
	if (running)
		schedule_work(&apply_work);
	spin_unlock(&holds_lock);
	return 0;
}

static int level_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", level_names[READ_ONCE(level_floor)]);
}

static const struct kernel_param_ops level_ops = { .set = level_set, .get = level_get };
module_param_cb(level, &level_ops, NULL, 0644);
MODULE_PARM_DESC(level, "least that is measured: off, gauges (default), counters or latency");

/**
 * r5s_sampler_init() - arm what the floor asks for; the probes are there
 *
 * Return: 0 or a negative error number.
 */
int r5s_sampler_init(void)
{
	int err = netlink_register_notifier(&netlink_notifier);

	if (err)
		return err;
	set_running(true);
	apply();
	return 0;
}

/**
 * r5s_sampler_exit() - drop all subscriptions; the family is gone
 */
void r5s_sampler_exit(void)
{
	struct hold *h, *next;

	netlink_unregister_notifier(&netlink_notifier);
	set_running(false);
	cancel_work_sync(&apply_work);
	end_closed();
	list_for_each_entry_safe(h, next, &holds, list)
		end(h);
}
