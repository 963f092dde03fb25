// SPDX-License-Identifier: GPL-2.0
/* Numbers into attributes. */
#include <linux/bitmap.h>
#include <linux/kdev_t.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "array.h"
#include "census.h"
#include "event.h"
#include "netlink-gen.h"
#include "netlink-put.h"
#include "node.h"
#include "probe.h"
#include "sampler.h"
#include "version.h"

#define REASON_MAX 256
#define FEEDS_MAX 1024
#define EVENT_MAX 512

/* Names of the metrics that a probe feeds, separated by blanks. */
static int put_feeds(struct sk_buff *skb, const struct r5s_probe_state *st)
{
	static const char * const node_name[R5S_N_COUNT] = {
#define X(set, name, text, kind, unit, level, help) \
		[R5S_N_##name] = text,
		R5S_NODE_METRICS(X)
#undef X
	};
	const enum r5s_node_metric *node = st->feeds_node;
	const enum r5s_metric *feeds = st->feeds;
	char *text;
	size_t n = 0;
	int err;

	if (*feeds == R5S_M_COUNT && !node)
		return 0;
	text = kmalloc(FEEDS_MAX, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	for (; *feeds != R5S_M_COUNT; feeds++)
		n += scnprintf(text + n, FEEDS_MAX - n, "%s%s", n ? " " : "",
			       r5s_metric_desc[*feeds].name);
	for (; node && *node != R5S_N_COUNT; node++)
		n += scnprintf(text + n, FEEDS_MAX - n, "%s%s", n ? " " : "", node_name[*node]);
	err = nla_put_string(skb, R5S_A_PROBE_FEEDS, text);
	kfree(text);
	return err;
}

static int put_probe(struct sk_buff *skb, const struct r5s_probe_state *st)
{
	struct nlattr *nest = nla_nest_start(skb, R5S_A_INFO_PROBE);
	int err;

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, R5S_A_PROBE_SYMBOL, st->symbol) ||
	    nla_put_string(skb, R5S_A_PROBE_MECHANISM, st->mechanism) ||
	    nla_put_u32(skb, R5S_A_PROBE_LEVEL, st->level) ||
	    (st->armed && nla_put_flag(skb, R5S_A_PROBE_ARMED)) ||
	    (st->error && nla_put_s32(skb, R5S_A_PROBE_ERROR, st->error)) ||
	    nla_put_u64_64bit(skb, R5S_A_PROBE_MISSED, st->missed, R5S_A_PROBE_PAD))
		return -EMSGSIZE;
	err = put_feeds(skb, st);
	if (err)
		return err;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_reason(struct sk_buff *skb)
{
	char *text = kmalloc(REASON_MAX, GFP_KERNEL);
	int err = 0;

	if (!text)
		return -ENOMEM;
	if (r5s_layout_reason(text, REASON_MAX))
		err = nla_put_string(skb, R5S_A_INFO_LAYOUT_REASON, text);
	kfree(text);
	return err;
}

/**
 * r5s_put_info() - what the module is and which probes work
 * @skb: message
 *
 * Context: process.
 */
int r5s_put_info(struct sk_buff *skb)
{
	struct r5s_probe_state st;
	unsigned int i;
	int err;

	if (nla_put_string(skb, R5S_A_INFO_VERSION, R5S_VERSION) ||
	    nla_put_string(skb, R5S_A_INFO_KERNEL, init_utsname()->release) ||
	    nla_put_u32(skb, R5S_A_INFO_LAYOUT, r5s_layout_mode()))
		return -EMSGSIZE;
	err = put_reason(skb);
	if (err)
		return err;
	if (nla_put_u32(skb, R5S_A_INFO_LEVEL, r5s_probe_level()) ||
	    nla_put_u32(skb, R5S_A_INFO_LEVEL_FLOOR, r5s_sampler_floor()) ||
	    (r5s_probe_raid456_live() && nla_put_flag(skb, R5S_A_INFO_RAID456)) ||
	    nla_put_u64_64bit(skb, R5S_A_INFO_EVENTS_LOST, r5s_event_lost(), R5S_A_INFO_PAD) ||
	    nla_put_u64_64bit(skb, R5S_A_INFO_WAITS_UNTRACKED, r5s_probe_waits_untracked(),
			      R5S_A_INFO_PAD))
		return -EMSGSIZE;
	for (i = 0; !r5s_probe_describe(i, &st); i++) {
		err = put_probe(skb, &st);
		if (err)
			return err;
	}
	return 0;
}

static int put_stamp(struct sk_buff *skb, int attr, u64 ns)
{
	return ns ? nla_put_u64_64bit(skb, attr, ns, R5S_A_ARRAY_PAD) : 0;
}

/* What was measured. Metrics of a set follow each other, and the pad attribute is 1 in each set. */
static int put_metrics(struct sk_buff *skb, const struct r5s_snapshot *s)
{
	struct nlattr *nest = NULL;
	unsigned int m;
	u16 set = 0;

	for_each_set_bit(m, s->has, R5S_M_COUNT) {
		const struct r5s_metric_desc *d = &r5s_metric_desc[m];

		if (d->set != set) {
			if (nest)
				nla_nest_end(skb, nest);
			set = d->set;
			nest = nla_nest_start(skb, set);
			if (!nest)
				return -EMSGSIZE;
		}
		if (nla_put_u64_64bit(skb, d->attr, s->value[m], R5S_A_CACHE_PAD))
			return -EMSGSIZE;
	}
	if (nest)
		nla_nest_end(skb, nest);
	return 0;
}

/**
 * r5s_put_array() - a snapshot of an array
 * @skb: message
 * @s: the snapshot
 */
int r5s_put_array(struct sk_buff *skb, const struct r5s_snapshot *s)
{
	if (nla_put_u64_64bit(skb, R5S_A_ARRAY_ID, s->id, R5S_A_ARRAY_PAD) ||
	    nla_put_string(skb, R5S_A_ARRAY_NAME, s->name))
		return -EMSGSIZE;
	if (s->has_dev && (nla_put_u32(skb, R5S_A_ARRAY_MAJOR, MAJOR(s->dev)) ||
			   nla_put_u32(skb, R5S_A_ARRAY_MINOR, MINOR(s->dev))))
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, R5S_A_ARRAY_SEQUENCE, s->sequence, R5S_A_ARRAY_PAD) ||
	    put_stamp(skb, R5S_A_ARRAY_MONO_NS, s->mono_ns) ||
	    put_stamp(skb, R5S_A_ARRAY_BOOT_NS, s->boot_ns) ||
	    put_stamp(skb, R5S_A_ARRAY_SINCE_NS, s->since_ns) ||
	    put_stamp(skb, R5S_A_ARRAY_LATENCY_SINCE_NS, s->latency_since_ns) ||
	    put_stamp(skb, R5S_A_ARRAY_GAUGES_NS, s->gauges_ns))
		return -EMSGSIZE;
	return put_metrics(skb, s);
}

/**
 * r5s_put_node() - a NUMA node
 * @skb: message
 * @nid: its number
 * @s: its snapshot
 */
int r5s_put_node(struct sk_buff *skb, int nid, const struct r5s_node_snapshot *s)
{
	static const u16 attr[R5S_N_COUNT] = {
#define X(set, name, text, kind, unit, level, help) \
		[R5S_N_##name] = R5S_A_##set##_##name,
		R5S_NODE_METRICS(X)
#undef X
	};
	unsigned int m;

	if (nla_put_u32(skb, R5S_A_NODE_ID, nid))
		return -EMSGSIZE;
	for_each_set_bit(m, s->has, R5S_N_COUNT)
		if (nla_put_u64_64bit(skb, attr[m], s->value[m], R5S_A_NODE_PAD))
			return -EMSGSIZE;
	return nla_put_u64_64bit(skb, R5S_A_NODE_MONO_NS, s->mono_ns, R5S_A_NODE_PAD);
}

static int put_bucket(struct sk_buff *skb, unsigned int b, u64 count)
{
	struct nlattr *nest = nla_nest_start(skb, R5S_A_HIST_BUCKET);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, R5S_A_BUCKET_FROM_NS, b ? BIT_ULL(b - 1) : 0,
			      R5S_A_BUCKET_PAD))
		return -EMSGSIZE;
	if (b < R5S_HIST_BUCKETS - 1 &&
	    nla_put_u64_64bit(skb, R5S_A_BUCKET_BELOW_NS, BIT_ULL(b), R5S_A_BUCKET_PAD))
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, R5S_A_BUCKET_COUNT, count, R5S_A_BUCKET_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * r5s_put_hist() - a histogram
 * @skb: message
 * @waiter: enum raid5stat_waiter, or -1 for all of them
 * @h: the histogram
 */
int r5s_put_hist(struct sk_buff *skb, int waiter, const struct r5s_hist *h)
{
	unsigned int b;

	if (nla_put_u64_64bit(skb, R5S_A_HIST_ID, h->id, R5S_A_HIST_PAD) ||
	    nla_put_string(skb, R5S_A_HIST_NAME, h->name) ||
	    (waiter >= 0 && nla_put_u32(skb, R5S_A_HIST_WAITER, waiter)) ||
	    nla_put_u64_64bit(skb, R5S_A_HIST_COUNT, h->count, R5S_A_HIST_PAD) ||
	    nla_put_u64_64bit(skb, R5S_A_HIST_TOTAL_NS, h->total_ns, R5S_A_HIST_PAD))
		return -EMSGSIZE;
	for (b = 0; b < R5S_HIST_BUCKETS; b++)
		if (put_bucket(skb, b, h->bucket[b]))
			return -EMSGSIZE;
	return 0;
}

static int put_flag(struct sk_buff *skb, const char *name, u64 stripes)
{
	struct nlattr *nest = nla_nest_start(skb, R5S_A_CENSUS_FLAG);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, R5S_A_CENSUS_FLAG_NAME, name) ||
	    nla_put_u64_64bit(skb, R5S_A_CENSUS_FLAG_STRIPES, stripes, R5S_A_CENSUS_FLAG_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_list(struct sk_buff *skb, const char *name, const struct r5s_census_list *l)
{
	struct nlattr *nest = nla_nest_start(skb, R5S_A_CENSUS_LIST);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, R5S_A_CENSUS_LIST_NAME, name) ||
	    nla_put_u64_64bit(skb, R5S_A_CENSUS_LIST_STRIPES, l->stripes, R5S_A_CENSUS_LIST_PAD))
		return -EMSGSIZE;
	if (l->stripes &&
	    (nla_put_u64_64bit(skb, R5S_A_CENSUS_LIST_OLDEST_SECTOR, l->sector,
			       R5S_A_CENSUS_LIST_PAD) ||
	     nla_put_u64_64bit(skb, R5S_A_CENSUS_LIST_OLDEST_STATE, l->state,
			       R5S_A_CENSUS_LIST_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * r5s_put_census() - the stripes of an array, counted
 * @skb: message
 * @c: the census
 */
int r5s_put_census(struct sk_buff *skb, const struct r5s_census *c)
{
	const char *name;
	unsigned int i, bit;

	if (nla_put_u64_64bit(skb, R5S_A_CENSUS_ID, c->id, R5S_A_CENSUS_PAD) ||
	    nla_put_string(skb, R5S_A_CENSUS_NAME, c->name) ||
	    nla_put_u64_64bit(skb, R5S_A_CENSUS_HASHED, c->hashed, R5S_A_CENSUS_PAD) ||
	    nla_put_u64_64bit(skb, R5S_A_CENSUS_IN_USE, c->in_use, R5S_A_CENSUS_PAD))
		return -EMSGSIZE;
	for (i = 0; (name = r5s_census_flag_name(i, &bit)); i++)
		if (bit < BITS_PER_LONG && put_flag(skb, name, c->flag[bit]))
			return -EMSGSIZE;
	for (i = 0; i < R5S_CENSUS_LISTS; i++)
		if (c->list[i].known && put_list(skb, r5s_census_list_name(i), &c->list[i]))
			return -EMSGSIZE;
	return 0;
}

static int put_event(struct sk_buff *skb, const struct r5s_event *e)
{
	if (nla_put_u32(skb, R5S_A_EVENT_KIND, e->kind) ||
	    nla_put_u64_64bit(skb, R5S_A_EVENT_MONO_NS, e->mono_ns, R5S_A_EVENT_PAD))
		return -EMSGSIZE;
	if (e->id && (nla_put_u64_64bit(skb, R5S_A_EVENT_ID, e->id, R5S_A_EVENT_PAD) ||
		      nla_put_string(skb, R5S_A_EVENT_NAME, e->name)))
		return -EMSGSIZE;
	if (e->has_cache &&
	    (nla_put_u64_64bit(skb, R5S_A_EVENT_SIZE, e->size, R5S_A_EVENT_PAD) ||
	     nla_put_u64_64bit(skb, R5S_A_EVENT_ACTIVE, e->active, R5S_A_EVENT_PAD) ||
	     nla_put_u64_64bit(skb, R5S_A_EVENT_STATE, e->state, R5S_A_EVENT_PAD)))
		return -EMSGSIZE;
	if ((e->kind == RAID5STAT_EVENT_KIND_SHRINK_BURST || e->probe) &&
	    nla_put_u64_64bit(skb, R5S_A_EVENT_COUNT, e->count, R5S_A_EVENT_PAD))
		return -EMSGSIZE;
	if (e->probe && nla_put_string(skb, R5S_A_EVENT_PROBE, e->probe))
		return -EMSGSIZE;
	if (e->lost && nla_put_u64_64bit(skb, R5S_A_EVENT_LOST, e->lost, R5S_A_EVENT_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * r5s_put_event_multicast() - send an event to whoever listens
 * @e: the event
 *
 * Context: process; the family is registered.
 * Return: 0, -ESRCH if nobody listens, or another negative error number.
 */
int r5s_put_event_multicast(const struct r5s_event *e)
{
	struct sk_buff *skb;
	void *hdr;

	if (!genl_has_listeners(&raid5stat_nl_family, &init_net, RAID5STAT_NLGRP_EVENT))
		return -ESRCH;
	skb = genlmsg_new(EVENT_MAX, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put(skb, 0, 0, &raid5stat_nl_family, 0, R5S_CMD_EVENT);
	if (!hdr || put_event(skb, e)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_multicast(&raid5stat_nl_family, skb, 0, RAID5STAT_NLGRP_EVENT, GFP_KERNEL);
}
