// SPDX-License-Identifier: GPL-2.0
/* How many stripes carry which flag and wait on which list, counted on demand. */
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "array.h"
#include "census.h"
#include "disk.h"

/* NR_HASH of md. */
#define BUCKETS (PAGE_SIZE / sizeof(struct hlist_head))

/**
 * r5s_census_list_name() - name of a list, as md calls it
 * @list: which one
 */
const char *r5s_census_list_name(enum r5s_census_lists list)
{
	static const char *const names[R5S_CENSUS_LISTS] = {
		[R5S_CENSUS_HANDLE] = "handle",
		[R5S_CENSUS_LOPRIO] = "loprio",
		[R5S_CENSUS_HOLD] = "hold",
		[R5S_CENSUS_DELAYED] = "delayed",
		[R5S_CENSUS_BITMAP] = "bitmap",
	};

	return names[list];
}

/**
 * r5s_census_flag_name() - walk the stripe flags that this kernel has
 * @i: counts from 0
 * @bit: gets its bit number, BITS_PER_LONG where this kernel does not have it
 *
 * Return: its name, NULL when @i is past the end.
 */
const char *r5s_census_flag_name(unsigned int i, unsigned int *bit)
{
	const char *name;
	int value;

	name = r5s_layout_enum(R5S_GROUP_STRIPE, i, &value);
	if (name)
		*bit = value >= 0 && value < BITS_PER_LONG ? value : BITS_PER_LONG;
	return name;
}

static void count_bucket(struct r5s_census *c, void *conf, unsigned int bucket, int most)
{
	struct hlist_head *table = R5S_READ_POINTER(conf, r5conf, stripe_hashtbl);
	unsigned int locks = R5S_COUNT(r5conf, hash_locks);
	spinlock_t *lock = (spinlock_t *)R5S_PTR(conf, r5conf, hash_locks) + bucket % locks;
	struct hlist_node *node;
	unsigned long state;
	unsigned int bit;
	void *sh;

	spin_lock_irq(lock);
	hlist_for_each(node, &table[bucket]) {
		if (most-- <= 0)
			break;
		sh = R5S_CONTAINER(node, stripe_head, hash);
		state = R5S_READ_ULONG(sh, stripe_head, state);
		c->hashed++;
		if (R5S_READ_ATOMIC(sh, stripe_head, count))
			c->in_use++;
		for_each_set_bit(bit, &state, BITS_PER_LONG)
			c->flag[bit]++;
	}
	spin_unlock_irq(lock);
}

/* Entries join at the tail, so the first has waited longest. Called under device_lock. */
static void count_list(struct r5s_census_list *l, const struct list_head *head, int most)
{
	const struct list_head *entry;
	void *sh;

	l->known = true;
	if (!l->stripes && !list_empty(head)) {
		sh = R5S_CONTAINER(head->next, stripe_head, lru);
		l->sector = R5S_READ_U64(sh, stripe_head, sector);
		l->state = R5S_READ_ULONG(sh, stripe_head, state);
	}
	list_for_each(entry, head) {
		if (most-- <= 0)
			break;
		l->stripes++;
	}
}

/* Those of the workers of group_thread_cnt, where there are any. Called under device_lock. */
static void count_groups(struct r5s_census *c, void *conf, int most)
{
	struct r5s_census_list *handle = &c->list[R5S_CENSUS_HANDLE];
	struct r5s_census_list *loprio = &c->list[R5S_CENSUS_LOPRIO];
	void *group;
	int i, n;

	if (!R5S_HAS(r5conf, worker_groups) || !R5S_HAS(r5conf, group_cnt) ||
	    !R5S_HAS(r5worker_group, handle_list) || !R5S_HAS(r5worker_group, loprio_list))
		return;
	group = R5S_READ_POINTER(conf, r5conf, worker_groups);
	n = group ? R5S_READ_INT(conf, r5conf, group_cnt) : 0;
	for (i = 0; i < n; i++, group += R5S_SIZEOF(r5worker_group)) {
		count_list(handle, R5S_PTR(group, r5worker_group, handle_list), most);
		count_list(loprio, R5S_PTR(group, r5worker_group, loprio_list), most);
	}
}

static void count_lists(struct r5s_census *c, void *conf, int most)
{
	spinlock_t *lock = R5S_PTR(conf, r5conf, device_lock);

	spin_lock_irq(lock);
	if (R5S_HAS(r5conf, handle_list))
		count_list(&c->list[R5S_CENSUS_HANDLE], R5S_PTR(conf, r5conf, handle_list), most);
	if (R5S_HAS(r5conf, loprio_list))
		count_list(&c->list[R5S_CENSUS_LOPRIO], R5S_PTR(conf, r5conf, loprio_list), most);
	if (R5S_HAS(r5conf, hold_list))
		count_list(&c->list[R5S_CENSUS_HOLD], R5S_PTR(conf, r5conf, hold_list), most);
	if (R5S_HAS(r5conf, delayed_list))
		count_list(&c->list[R5S_CENSUS_DELAYED], R5S_PTR(conf, r5conf, delayed_list), most);
	if (R5S_HAS(r5conf, bitmap_list))
		count_list(&c->list[R5S_CENSUS_BITMAP], R5S_PTR(conf, r5conf, bitmap_list), most);
	count_groups(c, conf, most);
	spin_unlock_irq(lock);
}

/* A bucket of the hash table, and after the last one the lists. */
static void count_some(struct r5s_census *c, void *conf, unsigned int bucket)
{
	int size = R5S_READ_INT(conf, r5conf, max_nr_stripes) + 1;

	if (bucket < BUCKETS)
		count_bucket(c, conf, bucket, size);
	else
		count_lists(c, conf, size);
}

/*
 * mddev->lock is taken anew for each bucket, so that nobody waits for it for long. No more than the
 * cache's stripes are counted, so that no list that changes under us can hold us.
 */
static int count(struct r5s_array *a, struct gendisk *disk, void *arg)
{
	struct r5s_census *c = arg;
	unsigned int bucket;
	void *conf;

	memset(c, 0, sizeof(*c));
	c->id = a->id;
	strscpy(c->name, a->name, sizeof(c->name));
	for (bucket = 0; bucket <= BUCKETS; bucket++) {
		conf = r5s_disk_lock(a->mddev);
		if (conf && conf == READ_ONCE(a->conf))
			count_some(c, conf, bucket);
		else
			conf = NULL;
		r5s_disk_unlock(a->mddev);
		if (!conf)
			return -ENODEV;
		cond_resched();
	}
	return 0;
}

/**
 * r5s_census_take() - count the stripes of an array
 * @id: the array
 * @c: filled
 *
 * Stripes move meanwhile: one may be counted twice or not at all.
 *
 * Context: process.
 * Return: 0, -ENODEV if there is no such array (any more), -EOPNOTSUPP under dm-raid.
 */
int r5s_census_take(u64 id, struct r5s_census *c)
{
	return r5s_array_with(id, count, c);
}
