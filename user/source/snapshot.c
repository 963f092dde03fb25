// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/snapshot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void parse_set(struct r5s_attrs attrs, enum r5s_metric_set set, struct r5s_snapshot *out)
{
	const struct nlattr *a;
	int rem, m;

	r5s_attr_each(a, attrs, rem) {
		m = r5s_metric_find(set, nla_type(a));
		if (m >= 0)
			out->has[m] = r5s_attr_u64(a, &out->value[m]);
	}
}

int r5s_snapshot_parse(struct r5s_attrs attrs, struct r5s_snapshot *out)
{
	const struct nlattr *a;
	bool major = false, minor = false;
	int rem;

	memset(out, 0, sizeof(*out));
	r5s_attr_each(a, attrs, rem) {
		switch (nla_type(a)) {
		case R5S_A_ARRAY_ID:
			r5s_attr_u64(a, &out->id);
			break;
		case R5S_A_ARRAY_NAME:
			r5s_attr_text(a, out->name, sizeof(out->name));
			break;
		case R5S_A_ARRAY_MAJOR:
			major = r5s_attr_u32(a, &out->major);
			break;
		case R5S_A_ARRAY_MINOR:
			minor = r5s_attr_u32(a, &out->minor);
			break;
		case R5S_A_ARRAY_SEQUENCE:
			r5s_attr_u64(a, &out->sequence);
			break;
		case R5S_A_ARRAY_MONO_NS:
			r5s_attr_u64(a, &out->mono_ns);
			break;
		case R5S_A_ARRAY_BOOT_NS:
			r5s_attr_u64(a, &out->boot_ns);
			break;
		case R5S_A_ARRAY_SINCE_NS:
			r5s_attr_u64(a, &out->since_ns);
			break;
		case R5S_A_ARRAY_LATENCY_SINCE_NS:
			r5s_attr_u64(a, &out->latency_since_ns);
			break;
		case R5S_A_ARRAY_GAUGES_NS:
			r5s_attr_u64(a, &out->gauges_ns);
			break;
		case R5S_A_ARRAY_CACHE:
			parse_set(r5s_attr_nest(a), R5S_METRIC_SET_CACHE, out);
			break;
		case R5S_A_ARRAY_WRITES:
			parse_set(r5s_attr_nest(a), R5S_METRIC_SET_WRITES, out);
			break;
		case R5S_A_ARRAY_RECLAIM:
			parse_set(r5s_attr_nest(a), R5S_METRIC_SET_RECLAIM, out);
			break;
		case R5S_A_ARRAY_WRITEBACK:
			parse_set(r5s_attr_nest(a), R5S_METRIC_SET_WRITEBACK, out);
			break;
		case R5S_A_ARRAY_JOURNAL:
			parse_set(r5s_attr_nest(a), R5S_METRIC_SET_JOURNAL, out);
			break;
		case R5S_A_ARRAY_ABOUT:
			parse_set(r5s_attr_nest(a), R5S_METRIC_SET_ABOUT, out);
			break;
		}
	}
	out->has_dev = major && minor;
	return 0;
}

int r5s_snapshot_parse_node(struct r5s_attrs attrs, struct r5s_node *out)
{
	const struct nlattr *a;
	int rem, m;

	memset(out, 0, sizeof(*out));
	r5s_attr_each(a, attrs, rem) {
		m = r5s_metric_node_find(nla_type(a));
		if (m >= 0)
			out->has[m] = r5s_attr_u64(a, &out->value[m]);
		else if (nla_type(a) == R5S_A_NODE_ID)
			r5s_attr_u32(a, &out->id);
		else if (nla_type(a) == R5S_A_NODE_MONO_NS)
			r5s_attr_u64(a, &out->mono_ns);
	}
	return 0;
}

static int count(struct r5s_attrs attrs, int type)
{
	const struct nlattr *a;
	int rem, n = 0;

	r5s_attr_each(a, attrs, rem)
		n += nla_type(a) == type;
	return n;
}

static void parse_probe(struct r5s_attrs attrs, struct r5s_probe *p)
{
	const struct nlattr *a;
	int rem;

	r5s_attr_each(a, attrs, rem) {
		switch (nla_type(a)) {
		case R5S_A_PROBE_SYMBOL:
			r5s_attr_text(a, p->symbol, sizeof(p->symbol));
			break;
		case R5S_A_PROBE_MECHANISM:
			r5s_attr_text(a, p->mechanism, sizeof(p->mechanism));
			break;
		case R5S_A_PROBE_LEVEL:
			r5s_attr_u32(a, &p->level);
			break;
		case R5S_A_PROBE_ARMED:
			p->armed = true;
			break;
		case R5S_A_PROBE_ERROR:
			r5s_attr_u32(a, (uint32_t *)&p->error);
			break;
		case R5S_A_PROBE_MISSED:
			p->has_missed = r5s_attr_u64(a, &p->missed);
			break;
		case R5S_A_PROBE_FEEDS:
			r5s_attr_text(a, p->feeds, sizeof(p->feeds));
			break;
		}
	}
}

int r5s_snapshot_parse_info(struct r5s_attrs attrs, struct r5s_info *out)
{
	const struct nlattr *a;
	int rem;

	memset(out, 0, sizeof(*out));
	out->probe = calloc(count(attrs, R5S_A_INFO_PROBE) + 1, sizeof(*out->probe));
	if (!out->probe)
		return -ENOMEM;
	r5s_attr_each(a, attrs, rem) {
		switch (nla_type(a)) {
		case R5S_A_INFO_VERSION:
			r5s_attr_text(a, out->version, sizeof(out->version));
			break;
		case R5S_A_INFO_KERNEL:
			r5s_attr_text(a, out->kernel, sizeof(out->kernel));
			break;
		case R5S_A_INFO_LAYOUT:
			out->has_layout = r5s_attr_u32(a, &out->layout);
			break;
		case R5S_A_INFO_LAYOUT_REASON:
			r5s_attr_text(a, out->layout_reason, sizeof(out->layout_reason));
			break;
		case R5S_A_INFO_LEVEL:
			out->has_level = r5s_attr_u32(a, &out->level);
			break;
		case R5S_A_INFO_LEVEL_FLOOR:
			r5s_attr_u32(a, &out->level_floor);
			break;
		case R5S_A_INFO_RAID456:
			out->raid456 = true;
			break;
		case R5S_A_INFO_EVENTS_LOST:
			r5s_attr_u64(a, &out->events_lost);
			break;
		case R5S_A_INFO_WAITS_UNTRACKED:
			r5s_attr_u64(a, &out->waits_untracked);
			break;
		case R5S_A_INFO_PROBE:
			parse_probe(r5s_attr_nest(a), &out->probe[out->n_probes++]);
			break;
		}
	}
	return 0;
}

static void parse_bucket(struct r5s_attrs attrs, struct r5s_bucket *b)
{
	const struct nlattr *a;
	int rem;

	b->below_ns = UINT64_MAX;
	r5s_attr_each(a, attrs, rem) {
		if (nla_type(a) == R5S_A_BUCKET_FROM_NS)
			r5s_attr_u64(a, &b->from_ns);
		else if (nla_type(a) == R5S_A_BUCKET_BELOW_NS)
			r5s_attr_u64(a, &b->below_ns);
		else if (nla_type(a) == R5S_A_BUCKET_COUNT)
			r5s_attr_u64(a, &b->count);
	}
}

int r5s_snapshot_parse_hist(struct r5s_attrs attrs, struct r5s_hist *out)
{
	const struct nlattr *a;
	int rem;

	memset(out, 0, sizeof(*out));
	out->bucket = calloc(count(attrs, R5S_A_HIST_BUCKET) + 1, sizeof(*out->bucket));
	if (!out->bucket)
		return -ENOMEM;
	r5s_attr_each(a, attrs, rem) {
		if (nla_type(a) == R5S_A_HIST_WAITER)
			r5s_attr_u32(a, &out->waiter);
		else if (nla_type(a) == R5S_A_HIST_COUNT)
			r5s_attr_u64(a, &out->count);
		else if (nla_type(a) == R5S_A_HIST_TOTAL_NS)
			r5s_attr_u64(a, &out->total_ns);
		else if (nla_type(a) == R5S_A_HIST_BUCKET)
			parse_bucket(r5s_attr_nest(a), &out->bucket[out->n++]);
	}
	return 0;
}

static void parse_census_row(struct r5s_attrs attrs, bool list, struct r5s_census_row *row)
{
	const struct nlattr *a;
	bool sector = false;
	int rem;

	r5s_attr_each(a, attrs, rem) {
		int t = nla_type(a);

		if (t == (list ? R5S_A_CENSUS_LIST_NAME : R5S_A_CENSUS_FLAG_NAME))
			r5s_attr_text(a, row->name, sizeof(row->name));
		else if (t == (list ? R5S_A_CENSUS_LIST_STRIPES : R5S_A_CENSUS_FLAG_STRIPES))
			r5s_attr_u64(a, &row->stripes);
		else if (list && t == R5S_A_CENSUS_LIST_OLDEST_SECTOR)
			sector = r5s_attr_u64(a, &row->oldest_sector);
		else if (list && t == R5S_A_CENSUS_LIST_OLDEST_STATE)
			r5s_attr_u64(a, &row->oldest_state);
	}
	row->has_oldest = sector;
}

int r5s_snapshot_parse_census(struct r5s_attrs attrs, struct r5s_census *out)
{
	const struct nlattr *a;
	int rem;

	memset(out, 0, sizeof(*out));
	out->flag = calloc(count(attrs, R5S_A_CENSUS_FLAG) + 1, sizeof(*out->flag));
	out->list = calloc(count(attrs, R5S_A_CENSUS_LIST) + 1, sizeof(*out->list));
	if (!out->flag || !out->list) {
		r5s_snapshot_free_census(out);
		return -ENOMEM;
	}
	r5s_attr_each(a, attrs, rem) {
		if (nla_type(a) == R5S_A_CENSUS_HASHED)
			out->has_hashed = r5s_attr_u64(a, &out->hashed);
		else if (nla_type(a) == R5S_A_CENSUS_IN_USE)
			out->has_in_use = r5s_attr_u64(a, &out->in_use);
		else if (nla_type(a) == R5S_A_CENSUS_FLAG)
			parse_census_row(r5s_attr_nest(a), false, &out->flag[out->n_flags++]);
		else if (nla_type(a) == R5S_A_CENSUS_LIST)
			parse_census_row(r5s_attr_nest(a), true, &out->list[out->n_lists++]);
	}
	return 0;
}

int r5s_snapshot_parse_event(struct r5s_attrs attrs, struct r5s_event *out)
{
	const struct nlattr *a;
	int rem;

	memset(out, 0, sizeof(*out));
	out->kind = UINT32_MAX;
	r5s_attr_each(a, attrs, rem) {
		switch (nla_type(a)) {
		case R5S_A_EVENT_KIND:
			r5s_attr_u32(a, &out->kind);
			break;
		case R5S_A_EVENT_MONO_NS:
			r5s_attr_u64(a, &out->mono_ns);
			break;
		case R5S_A_EVENT_ID:
			r5s_attr_u64(a, &out->id);
			break;
		case R5S_A_EVENT_NAME:
			r5s_attr_text(a, out->name, sizeof(out->name));
			break;
		case R5S_A_EVENT_SIZE:
			out->has_size = r5s_attr_u64(a, &out->size);
			break;
		case R5S_A_EVENT_ACTIVE:
			r5s_attr_u64(a, &out->active);
			break;
		case R5S_A_EVENT_STATE:
			out->has_state = r5s_attr_u64(a, &out->state);
			break;
		case R5S_A_EVENT_COUNT:
			r5s_attr_u64(a, &out->count);
			break;
		case R5S_A_EVENT_PROBE:
			r5s_attr_text(a, out->probe, sizeof(out->probe));
			break;
		case R5S_A_EVENT_LOST:
			r5s_attr_u64(a, &out->lost);
			break;
		}
	}
	return 0;
}

void r5s_snapshot_free_info(struct r5s_info *i)
{
	free(i->probe);
	i->probe = NULL;
	i->n_probes = 0;
}

void r5s_snapshot_free_hist(struct r5s_hist *h)
{
	free(h->bucket);
	h->bucket = NULL;
	h->n = 0;
}

void r5s_snapshot_free_census(struct r5s_census *c)
{
	free(c->flag);
	free(c->list);
	memset(c, 0, sizeof(*c));
}

const char *r5s_snapshot_event_name(uint32_t kind)
{
	static const char *const names[] = {
		[RAID5STAT_EVENT_KIND_ARRAY_ADDED] = "array-added",
		[RAID5STAT_EVENT_KIND_ARRAY_GONE] = "array-gone",
		[RAID5STAT_EVENT_KIND_BLOCKED] = "blocked",
		[RAID5STAT_EVENT_KIND_UNBLOCKED] = "unblocked",
		[RAID5STAT_EVENT_KIND_SHRINK_BURST] = "shrink-burst",
		[RAID5STAT_EVENT_KIND_GROW_FAILED] = "grow-failed",
		[RAID5STAT_EVENT_KIND_PROBE_LOST] = "probe-lost",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

const char *r5s_snapshot_layout_name(uint32_t mode)
{
	switch (mode) {
	case RAID5STAT_LAYOUT_MODE_NONE:
		return "none";
	case RAID5STAT_LAYOUT_MODE_BUILD:
		return "build";
	case RAID5STAT_LAYOUT_MODE_BTF:
		return "btf";
	}
	return "unknown";
}

double r5s_snapshot_rate(const struct r5s_snapshot *then, const struct r5s_snapshot *now,
			 enum r5s_metric m)
{
	if (!then->has[m] || !now->has[m] || now->value[m] < then->value[m] ||
	    now->mono_ns <= then->mono_ns || !r5s_metric_grows(&r5s_metric_table[m]))
		return NAN;
	if (r5s_metric_table[m].level >= RAID5STAT_LEVEL_COUNTERS &&
	    then->since_ns != now->since_ns)
		return NAN;
	if (r5s_metric_table[m].level >= RAID5STAT_LEVEL_LATENCY &&
	    then->latency_since_ns != now->latency_since_ns)
		return NAN;
	return (double)(now->value[m] - then->value[m]) /
	       ((double)(now->mono_ns - then->mono_ns) / 1e9);
}
