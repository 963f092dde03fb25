// SPDX-License-Identifier: GPL-2.0
/* Which arrays exist, from their birth to their death. */
#include <linux/blkdev.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "array.h"
#include "debugfs.h"
#include "disk.h"
#include "event.h"
#include "snapshot.h"

/* Arrays that hooks have seen and adopt() has not taken; what is left out is seen again. */
#define PENDING 32
/* An array under construction that md has not started by then has died unseen. */
#define BIRTH_NS (10 * NSEC_PER_SEC)

static void *const filling = (void *)1;

/* What a hook tells of an unknown array. */
struct pending {
	void *conf;	/* NULL: free; filling; else the rest is valid until it is NULL again */
	void *mddev;
	void *bdi;
	dev_t dev;
	bool is_dm;
	char name[32];
};

struct hlist_head r5s_array_hash[1 << R5S_ARRAY_HASH_BITS];

static struct pending pending[PENDING];
static atomic_t deaths;			/* tells the work item that a conf may have died under it */

static DEFINE_MUTEX(array_mutex);
static LIST_HEAD(arrays);		/* by id; array_mutex */
static u64 last_id;			/* array_mutex */
static u64 scans;			/* array_mutex */
static bool opened;			/* layout may be used; array_mutex */
static bool changed;			/* debugfs is to be told; array_mutex */
static enum raid5stat_level counting;	/* array_mutex */

static struct workqueue_struct *array_wq;
static void pending_work(struct work_struct *work);
static DECLARE_WORK(array_work, pending_work);

static void kick(struct irq_work *work)
{
	queue_work(array_wq, &array_work);
}

static DEFINE_IRQ_WORK(array_irq_work, kick);

/**
 * r5s_array_unknown() - a hook has met an array that is not in the hash
 * @conf: struct r5conf, live
 * @mddev: its struct mddev, live
 *
 * Context: any; takes no lock and allocates nothing.
 */
void r5s_array_unknown(void *conf, void *mddev)
{
	struct pending *p = NULL;
	struct gendisk *disk;
	unsigned int i;

	if (!conf || !mddev)
		return;
	for (i = 0; i < PENDING; i++)
		if (READ_ONCE(pending[i].conf) == conf)
			return;
	for (i = 0; i < PENDING && !p; i++)
		if (!cmpxchg(&pending[i].conf, NULL, filling))
			p = &pending[i];
	if (!p)
		return;

	p->mddev = mddev;
	disk = R5S_READ_POINTER(mddev, mddev, gendisk);
	p->is_dm = !disk;
	p->bdi = disk ? disk->bdi : NULL;
	p->dev = disk ? disk_devt(disk) : 0;
	strscpy(p->name, disk ? disk->disk_name : "", sizeof(p->name));
	/* Pairs with adopt(): the rest is written. */
	smp_store_release(&p->conf, conf);
	irq_work_queue(&array_irq_work);
}

/**
 * r5s_array_died() - free_conf() has returned
 * @conf: what was a struct r5conf, not dereferenced
 *
 * Context: any; takes no lock.
 */
void r5s_array_died(void *conf)
{
	struct r5s_array *a;
	unsigned int i;

	atomic_inc(&deaths);
	for (i = 0; i < PENDING; i++)
		cmpxchg(&pending[i].conf, conf, NULL);
	/* Pairs with hash_array(): adopt() hashes first, then looks at the pending ones. */
	smp_mb();
	preempt_disable_notrace();
	a = r5s_array_find(conf);
	if (a)
		cmpxchg(&a->conf, conf, NULL);
	preempt_enable_notrace();
	if (a)
		irq_work_queue(&array_irq_work);
}

static void destroy(struct r5s_array *a)
{
	free_percpu(a->counters);
	kfree(a->base);
	kfree(a);
}

static void destroy_work(struct work_struct *work)
{
	destroy(container_of(to_rcu_work(work), struct r5s_array, free_work));
}

static struct r5s_array *create(const struct pending *p)
{
	struct r5s_array *a = kzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return NULL;
	a->counters = alloc_percpu(struct r5s_counters);
	a->base = kzalloc(sizeof(*a->base), GFP_KERNEL);
	if (!a->counters || !a->base) {
		destroy(a);
		return NULL;
	}
	a->conf = p->conf;
	a->mddev = p->mddev;
	a->bdi = p->bdi;
	a->dev = p->dev;
	a->is_dm = p->is_dm;
	a->published = p->is_dm;
	a->born_ns = ktime_get_ns();
	seqcount_init(&a->hook_seq);
	INIT_RCU_WORK(&a->free_work, destroy_work);
	strscpy(a->name, p->name, sizeof(a->name));
	return a;
}

static void hash_array(struct r5s_array *a)
{
	lockdep_assert_held(&array_mutex);
	a->id = ++last_id;
	a->scan = scans;
	if (a->is_dm)
		scnprintf(a->name, sizeof(a->name), "dm-raid-%llu", a->id);
	r5s_snapshot_stamp(a, counting, a->born_ns);
	changed = true;
	list_add_tail(&a->list, &arrays);
	hlist_add_head_rcu(&a->node, &r5s_array_hash[hash_ptr(a->conf, R5S_ARRAY_HASH_BITS)]);
	/* Pairs with r5s_array_died(): either it finds the array or we see that it ran. */
	smp_mb();
}

/* The array of this conf, unless it was one of another mddev whose death was not seen. */
static struct r5s_array *known(void *conf, void *mddev)
{
	struct r5s_array *a;

	lockdep_assert_held(&array_mutex);
	list_for_each_entry(a, &arrays, list) {
		if (READ_ONCE(a->conf) != conf)
			continue;
		if (a->mddev == mddev)
			return a;
		cmpxchg(&a->conf, conf, NULL);
	}
	return NULL;
}

/* Take an array that a hook has seen. It is not touched: it may be gone. */
static void adopt(struct pending *p)
{
	int before = atomic_read_acquire(&deaths);
	struct pending copy;
	struct r5s_array *a;
	void *conf;

	/* Pairs with r5s_array_unknown(). */
	conf = smp_load_acquire(&p->conf);
	if (!conf || conf == filling)
		return;
	copy = *p;
	copy.conf = conf;
	a = create(&copy);
	if (!a) {
		cmpxchg(&p->conf, conf, NULL);
		return;
	}

	mutex_lock(&array_mutex);
	if (!opened || known(conf, copy.mddev)) {
		cmpxchg(&p->conf, conf, NULL);
		mutex_unlock(&array_mutex);
		destroy(a);
		return;
	}
	hash_array(a);
	if (cmpxchg(&p->conf, conf, NULL) != conf || atomic_read(&deaths) != before)
		cmpxchg(&a->conf, conf, NULL);
	r5s_event_raise(RAID5STAT_EVENT_KIND_ARRAY_ADDED, a, NULL, 0);
	mutex_unlock(&array_mutex);
}

/* Take the dead out of the table. Not under the mutex, since readers of debugfs are waited for. */
static void reap(void)
{
	struct r5s_array *a, *next;
	LIST_HEAD(gone);
	bool sync;

	mutex_lock(&array_mutex);
	list_for_each_entry_safe(a, next, &arrays, list) {
		if (READ_ONCE(a->conf))
			continue;
		hlist_del_rcu(&a->node);
		list_move_tail(&a->list, &gone);
		changed = true;
	}
	sync = changed;
	changed = false;
	mutex_unlock(&array_mutex);

	if (sync)
		r5s_debugfs_sync();
	list_for_each_entry_safe(a, next, &gone, list) {
		r5s_event_raise(RAID5STAT_EVENT_KIND_ARRAY_GONE, a, NULL, 0);
		queue_rcu_work(array_wq, &a->free_work);
	}
}

static void pending_work(struct work_struct *work)
{
	unsigned int i;

	for (i = 0; i < PENDING; i++)
		adopt(&pending[i]);
	reap();
}

/* An md disk that runs raid4/5/6: note that it lives, take it if it is new. */
static struct r5s_array *meet(struct gendisk *disk)
{
	int before = atomic_read(&deaths);
	void *mddev = disk->private_data;
	struct pending found = { .mddev = mddev, .bdi = disk->bdi, .dev = disk_devt(disk) };
	struct r5s_array *a;

	found.conf = r5s_disk_lock(mddev);
	r5s_disk_unlock(mddev);
	if (!found.conf)
		return NULL;
	a = known(found.conf, mddev);
	if (a) {
		a->published = true;
		a->scan = scans;
		return NULL;
	}

	strscpy(found.name, disk->disk_name, sizeof(found.name));
	a = create(&found);
	if (!a)
		return NULL;
	a->published = true;
	hash_array(a);
	if (atomic_read(&deaths) == before)
		return a;
	/* Some array died meanwhile; if it was this one, unhashed yet, nobody else tells. */
	if (r5s_disk_lock(mddev) != found.conf)
		cmpxchg(&a->conf, found.conf, NULL);
	r5s_disk_unlock(mddev);
	return a;
}

/**
 * r5s_array_scan() - look for md arrays that no hook has told of, and for those that are gone
 *
 * Context: process.
 */
void r5s_array_scan(void)
{
	struct r5s_disk_walk w;
	struct gendisk *disk;
	struct r5s_array *a;
	u64 now;

	mutex_lock(&array_mutex);
	if (!opened)
		goto out;
	scans++;
	now = ktime_get_ns();
	r5s_disk_walk_begin(&w);
	while ((disk = r5s_disk_walk_next(&w))) {
		a = meet(disk);
		if (a)
			r5s_event_raise(RAID5STAT_EVENT_KIND_ARRAY_ADDED, a, NULL, 0);
	}
	r5s_disk_walk_end(&w);
	list_for_each_entry(a, &arrays, list)
		if (!a->is_dm && a->scan != scans && (a->published || now - a->born_ns > BIRTH_NS))
			WRITE_ONCE(a->conf, NULL);
out:
	mutex_unlock(&array_mutex);
	reap();
}

/**
 * r5s_array_open() - from now on the layout is valid and arrays are looked for
 *
 * Context: process.
 */
void r5s_array_open(void)
{
	mutex_lock(&array_mutex);
	opened = r5s_layout.valid;
	mutex_unlock(&array_mutex);
	r5s_array_scan();
}

/**
 * r5s_array_forget_all() - raid456 goes away, and all its arrays are gone
 *
 * Hooks are disarmed. When this returns nobody uses the layout, until r5s_array_open().
 *
 * Context: process.
 */
void r5s_array_forget_all(void)
{
	struct r5s_array *a;
	unsigned int i;

	mutex_lock(&array_mutex);
	opened = false;
	for (i = 0; i < PENDING; i++)
		WRITE_ONCE(pending[i].conf, NULL);
	list_for_each_entry(a, &arrays, list)
		WRITE_ONCE(a->conf, NULL);
	mutex_unlock(&array_mutex);
	reap();
}

/**
 * r5s_array_rebase() - counting is about to begin: subtract what was counted before
 * @level: the level whose probes are about to be armed
 *
 * Context: process; no probe of a level that does not count now is armed.
 */
void r5s_array_rebase(enum raid5stat_level level)
{
	struct r5s_array *a;

	mutex_lock(&array_mutex);
	list_for_each_entry(a, &arrays, list)
		r5s_snapshot_rebase(a, level);
	mutex_unlock(&array_mutex);
}

/**
 * r5s_array_counting() - the probes of a level, and only these, are armed
 * @level: the level
 *
 * Context: process.
 */
void r5s_array_counting(enum raid5stat_level level)
{
	u64 now = ktime_get_ns();
	struct r5s_array *a;

	mutex_lock(&array_mutex);
	counting = level;
	list_for_each_entry(a, &arrays, list)
		r5s_snapshot_stamp(a, level, now);
	mutex_unlock(&array_mutex);
}

static struct r5s_array *by_id(u64 id)
{
	struct r5s_array *a;

	lockdep_assert_held(&array_mutex);
	list_for_each_entry(a, &arrays, list)
		if (a->id == id && READ_ONCE(a->conf))
			return a;
	return NULL;
}

/* The gendisk of an md array, NULL if it is gone; either way the caller ends the walk. */
static struct gendisk *disk_of(const struct r5s_array *a, struct r5s_disk_walk *w)
{
	struct gendisk *disk;

	r5s_disk_walk_begin(w);
	do
		disk = r5s_disk_walk_next(w);
	while (disk && disk->private_data != a->mddev);
	return disk;
}

/**
 * r5s_array_snapshot() - all metrics of an array
 * @id: the array
 * @s: filled
 *
 * Context: process.
 * Return: 0, or -ENODEV if there is no such array (any more).
 */
int r5s_array_snapshot(u64 id, struct r5s_snapshot *s)
{
	struct r5s_disk_walk w;
	struct r5s_array *a;
	int err = -ENODEV;

	mutex_lock(&array_mutex);
	a = by_id(id);
	if (!a)
		goto out;
	if (a->is_dm || !opened) {
		r5s_snapshot_take(a, NULL, s);
	} else {
		r5s_snapshot_take(a, disk_of(a, &w), s);
		r5s_disk_walk_end(&w);
	}
	err = 0;
out:
	mutex_unlock(&array_mutex);
	return err;
}

/**
 * r5s_array_hist() - histogram of the waits of an array
 * @id: the array
 * @waiter: enum raid5stat_waiter, or -1 for all of them
 * @h: filled
 *
 * Context: process.
 * Return: 0, -ENODEV if there is no such array, -ENODATA while waits are not timed.
 */
int r5s_array_hist(u64 id, int waiter, struct r5s_hist *h)
{
	struct r5s_array *a;
	int err = -ENODEV;

	mutex_lock(&array_mutex);
	a = by_id(id);
	if (a)
		err = r5s_snapshot_hist(a, waiter, h);
	mutex_unlock(&array_mutex);
	return err;
}

/**
 * r5s_array_with() - do something with a live md array
 * @id: the array
 * @fn: called once
 * @arg: for @fn
 *
 * Context: process.
 * Return: what @fn returned; -ENODEV if there is no such array, -EOPNOTSUPP under dm-raid, where no
 * gendisk would keep it.
 */
int r5s_array_with(u64 id, r5s_array_live_fn fn, void *arg)
{
	struct r5s_disk_walk w;
	struct gendisk *disk;
	struct r5s_array *a;
	int err = -ENODEV;

	mutex_lock(&array_mutex);
	a = by_id(id);
	if (!a || !opened)
		goto out;
	if (a->is_dm) {
		err = -EOPNOTSUPP;
		goto out;
	}
	disk = disk_of(a, &w);
	if (disk)
		err = fn(a, disk, arg);
	r5s_disk_walk_end(&w);
out:
	mutex_unlock(&array_mutex);
	return err;
}

/**
 * r5s_array_next() - iterate over the arrays
 * @id: 0 or the previous one
 *
 * Return: the lowest id above @id, 0 at the end.
 */
u64 r5s_array_next(u64 id)
{
	struct r5s_array *a;
	u64 next = 0;

	mutex_lock(&array_mutex);
	list_for_each_entry(a, &arrays, list) {
		if (a->id > id && READ_ONCE(a->conf)) {
			next = a->id;
			break;
		}
	}
	mutex_unlock(&array_mutex);
	return next;
}

/**
 * r5s_array_name() - the name of an array
 * @id: the array
 * @name: gets it
 * @size: of @name, bytes
 *
 * Return: 0 or -ENODEV.
 */
int r5s_array_name(u64 id, char *name, size_t size)
{
	struct r5s_array *a;

	mutex_lock(&array_mutex);
	a = by_id(id);
	if (a)
		strscpy(name, a->name, size);
	mutex_unlock(&array_mutex);
	return a ? 0 : -ENODEV;
}

/**
 * r5s_array_by_name() - the id of an array
 * @name: such as md0 or dm-raid-3
 *
 * Return: the id, or 0.
 */
u64 r5s_array_by_name(const char *name)
{
	struct r5s_array *a;
	u64 id = 0;

	mutex_lock(&array_mutex);
	list_for_each_entry(a, &arrays, list)
		if (READ_ONCE(a->conf) && !strcmp(a->name, name))
			id = a->id;
	mutex_unlock(&array_mutex);
	return id;
}

/**
 * r5s_array_init() - prepare the table
 *
 * Return: 0 or a negative error number.
 */
int r5s_array_init(void)
{
	int err = r5s_disk_init();

	if (err)
		return err;
	array_wq = alloc_workqueue("raid5stat", WQ_UNBOUND, 0);
	return array_wq ? 0 : -ENOMEM;
}

/**
 * r5s_array_exit() - free all; hooks are disarmed and nobody reads
 */
void r5s_array_exit(void)
{
	irq_work_sync(&array_irq_work);
	cancel_work_sync(&array_work);
	r5s_array_forget_all();
	rcu_barrier();
	destroy_workqueue(array_wq);
}
