/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_COUNTER_H
#define R5S_COUNTER_H

#include <linux/bitmap.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/raid5stat.h>

#include "../include/raid5stat-metrics-gen.h"

/* One number for each metric of an array, in the order of the netlink spec. */
enum r5s_metric {
#define X(set, name, text, kind, unit, level, help) R5S_M_##set##_##name,
	R5S_ARRAY_METRICS(X)
#undef X
	R5S_M_COUNT
};

enum r5s_kind { R5S_KIND_GAUGE, R5S_KIND_COUNTER, R5S_KIND_TIME, R5S_KIND_FLAG };

/**
 * struct r5s_metric_desc - what the netlink spec says of a metric
 * @name: "set.name", as a person reads it
 * @unit: its unit
 * @set: attribute of the set in an array, such as R5S_A_ARRAY_CACHE
 * @attr: attribute in that set, such as R5S_A_CACHE_SIZE
 * @kind: gauge, counter, time or flag
 * @level: lowest enum raid5stat_level at which it is measured
 */
struct r5s_metric_desc {
	const char *name;
	const char *unit;
	u16 set;
	u16 attr;
	u8 kind;
	u8 level;
};

extern const struct r5s_metric_desc r5s_metric_desc[R5S_M_COUNT];

/* Bucket b > 0 holds [2^(b-1), 2^b) ns, the last one all above: 4.6 minutes. */
#define R5S_HIST_BUCKETS 40
#define R5S_WAITERS (RAID5STAT_WAITER_RESHAPE + 1)

/* What one CPU counted for one array; only ever added to, by this_cpu operations. */
struct r5s_counters {
	u64 value[R5S_M_COUNT];
	u64 hist[R5S_WAITERS][R5S_HIST_BUCKETS];
};

/**
 * struct r5s_snapshot - all metrics of an array at one moment
 * @has: which values were measured; the others are absent, not 0
 */
struct r5s_snapshot {
	u64 id;
	char name[32];
	bool has_dev;
	dev_t dev;
	u64 sequence;
	u64 mono_ns;
	u64 boot_ns;
	u64 since_ns;		/* 0: nothing is counted */
	u64 latency_since_ns;	/* 0: nothing is timed */
	u64 gauges_ns;		/* 0: no gauges */
	DECLARE_BITMAP(has, R5S_M_COUNT);
	u64 value[R5S_M_COUNT];
};

static inline void r5s_snapshot_set(struct r5s_snapshot *s, enum r5s_metric m, u64 v)
{
	s->value[m] = v;
	__set_bit(m, s->has);
}

u64 r5s_counter_fold(const struct r5s_counters __percpu *c, enum r5s_metric m);
void r5s_counter_fold_hist(const struct r5s_counters __percpu *c, enum raid5stat_waiter w,
			   u64 bucket[R5S_HIST_BUCKETS]);

#endif /* R5S_COUNTER_H */
