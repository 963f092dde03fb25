/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of metrics, as the reader sees it. It comes from the netlink spec.
 */
#ifndef R5S_METRIC_H
#define R5S_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raid5stat-metrics-gen.h"

#define R5S_METRIC_ID(set, metric, ...) R5S_METRIC_##set##_##metric,
enum r5s_metric {
	R5S_ARRAY_METRICS(R5S_METRIC_ID)
	R5S_METRICS
};
enum r5s_node_metric {
	R5S_NODE_METRICS(R5S_METRIC_ID)
	R5S_NODE_METRICS_COUNT
};
#undef R5S_METRIC_ID

enum r5s_metric_set {
	R5S_METRIC_SET_CACHE,
	R5S_METRIC_SET_WRITES,
	R5S_METRIC_SET_RECLAIM,
	R5S_METRIC_SET_WRITEBACK,
	R5S_METRIC_SET_JOURNAL,
	R5S_METRIC_SET_ABOUT,
	R5S_METRIC_SET_NODE,
	R5S_METRIC_SETS
};

enum r5s_metric_kind {
	R5S_METRIC_GAUGE,
	R5S_METRIC_COUNTER,
	R5S_METRIC_TIME,	/* a counter of nanoseconds */
	R5S_METRIC_FLAG		/* a gauge of 0 or 1 */
};

/**
 * struct r5s_metric_info - what is known of a metric
 * @set: family
 * @attr: its attribute number inside the family's nest
 * @name: "cache.size"; key in JSON and in the store
 * @kind: how to read a value
 * @unit: of a value
 * @level: enum raid5stat_level from which on it is measured
 * @help: one sentence
 */
struct r5s_metric_info {
	enum r5s_metric_set set;
	int attr;
	const char *name;
	enum r5s_metric_kind kind;
	const char *unit;
	int level;
	const char *help;
};

extern const struct r5s_metric_info r5s_metric_table[R5S_METRICS];
extern const struct r5s_metric_info r5s_metric_node_table[R5S_NODE_METRICS_COUNT];

/** r5s_metric_find - metric of an attribute; -1 when this program does not know it */
int r5s_metric_find(enum r5s_metric_set set, int attr);
int r5s_metric_node_find(int attr);

/** r5s_metric_grows - is it a counter, of events or of time? */
bool r5s_metric_grows(const struct r5s_metric_info *m);

const char *r5s_metric_set_name(enum r5s_metric_set set);
const char *r5s_metric_kind_name(enum r5s_metric_kind kind);
const char *r5s_metric_level_name(unsigned int level);

/**
 * r5s_metric_level_parse - a level's number
 * @text: "off", "gauges", "counters", "latency" or 0..3
 *
 * Return: the level, or -EINVAL.
 */
int r5s_metric_level_parse(const char *text);

/**
 * r5s_metric_word - name of a state
 * @m: metric
 * @value: as measured
 *
 * Return: a word for metrics whose values are an enumeration (sync action, consistency, ...), else
 * NULL; "unknown" for a value without a name.
 */
const char *r5s_metric_word(enum r5s_metric m, uint64_t value);

#endif
