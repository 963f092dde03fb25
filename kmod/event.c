// SPDX-License-Identifier: GPL-2.0
/* Events, from hooks to the multicast group. */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "array.h"
#include "event.h"
#include "layout.h"
#include "netlink-put.h"

#define RING 256

/* @ready is the number of the event in it, counted from 1, written when the event is whole. */
struct slot {
	unsigned long ready;
	struct r5s_event event;
};

static struct slot ring[RING];
static atomic_long_t head;		/* events that hooks took a slot for */
static unsigned long tail;		/* events that were taken out, by the work item only */
static atomic64_t lost;
static u64 lost_told;			/* only by the work item */

static DEFINE_MUTEX(send_mutex);
static bool opened;			/* the family is there; send_mutex */

static void send(struct work_struct *work);
static DECLARE_WORK(send_work, send);

static void kick(struct irq_work *work)
{
	schedule_work(&send_work);
}

static DEFINE_IRQ_WORK(event_irq_work, kick);

static void deliver(struct r5s_event *event)
{
	u64 now = atomic64_read(&lost);
	int err;

	event->lost = now - lost_told;
	err = r5s_put_event_multicast(event);
	if (!err)
		lost_told = now;
	else if (err != -ESRCH)
		atomic64_inc(&lost);
}

static void send(struct work_struct *work)
{
	struct r5s_event event;
	struct slot *slot;

	mutex_lock(&send_mutex);
	for (;;) {
		slot = &ring[tail % RING];
		/* Pairs with publish(). */
		if (smp_load_acquire(&slot->ready) != tail + 1)
			break;
		event = slot->event;
		/* Only now may a hook take the slot again. */
		smp_store_release(&tail, tail + 1);
		if (opened)
			deliver(&event);
	}
	mutex_unlock(&send_mutex);
}

static struct slot *take_slot(unsigned long *number)
{
	long at = atomic_long_read(&head);

	do {
		/* Pairs with send(). */
		if (at - smp_load_acquire(&tail) >= RING) {
			atomic64_inc(&lost);
			return NULL;
		}
	} while (!atomic_long_try_cmpxchg(&head, &at, at + 1));
	*number = at + 1;
	return &ring[at % RING];
}

static void publish(struct slot *slot, unsigned long number)
{
	/* Pairs with send(): the event is whole. */
	smp_store_release(&slot->ready, number);
	irq_work_queue(&event_irq_work);
}

/**
 * r5s_event_raise() - tell whoever listens
 * @kind: what happened
 * @a: to which array
 * @conf: its struct r5conf if the caller holds it as a live argument, else NULL
 * @count: stripes freed, for a shrink burst
 *
 * Context: any.
 */
void r5s_event_raise(enum raid5stat_event_kind kind, const struct r5s_array *a, const void *conf,
		     u64 count)
{
	unsigned long number;
	struct slot *slot = take_slot(&number);
	struct r5s_event *e;

	if (!slot)
		return;
	e = &slot->event;
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->mono_ns = ktime_get_mono_fast_ns();
	e->id = a->id;
	memcpy(e->name, a->name, sizeof(e->name));
	e->count = count;
	if (conf) {
		e->has_cache = true;
		e->size = R5S_READ_INT(conf, r5conf, max_nr_stripes);
		e->active = R5S_READ_ATOMIC(conf, r5conf, active_stripes);
		e->state = R5S_READ_ULONG(conf, r5conf, cache_state);
	}
	publish(slot, number);
}

/**
 * r5s_event_probe_lost() - tell that a probe cannot be armed or missed calls
 * @symbol: the probe; must stay
 * @missed: calls that it missed
 *
 * Context: any.
 */
void r5s_event_probe_lost(const char *symbol, u64 missed)
{
	unsigned long number;
	struct slot *slot = take_slot(&number);
	struct r5s_event *e;

	if (!slot)
		return;
	e = &slot->event;
	memset(e, 0, sizeof(*e));
	e->kind = RAID5STAT_EVENT_KIND_PROBE_LOST;
	e->mono_ns = ktime_get_mono_fast_ns();
	e->count = missed;
	e->probe = symbol;
	publish(slot, number);
}

/**
 * r5s_event_lost() - events that could not be delivered
 */
u64 r5s_event_lost(void)
{
	return atomic64_read(&lost);
}

/**
 * r5s_event_open() - the family is registered: deliver
 */
void r5s_event_open(void)
{
	mutex_lock(&send_mutex);
	opened = true;
	mutex_unlock(&send_mutex);
}

/**
 * r5s_event_close() - the family is about to go: events are dropped from now on
 */
void r5s_event_close(void)
{
	mutex_lock(&send_mutex);
	opened = false;
	mutex_unlock(&send_mutex);
}

/**
 * r5s_event_exit() - wait for what is under way; nobody raises events any more
 */
void r5s_event_exit(void)
{
	irq_work_sync(&event_irq_work);
	cancel_work_sync(&send_work);
}
