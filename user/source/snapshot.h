/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the module says, as structures: one parser for each kind of message.
 *
 * Unknown attributes are passed over, missing or short ones are absent. A parser never fails but
 * for memory.
 */
#ifndef R5S_SOURCE_SNAPSHOT_H
#define R5S_SOURCE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/raid5stat.h>

#include "metric.h"
#include "source/attr.h"

enum { R5S_SNAPSHOT_NAME = 128 };

/**
 * struct r5s_snapshot - one array at one moment
 * @id: never used again; 0 when not told
 * @name: kernel name, from outside: escape it before showing it
 * @has_dev: major and minor are known
 * @sequence: grows by one with every snapshot of the array
 * @mono_ns: CLOCK_MONOTONIC of the snapshot
 * @boot_ns: CLOCK_BOOTTIME of it
 * @since_ns: CLOCK_MONOTONIC from which the counters count; 0 while they do not
 * @latency_since_ns: the same for times
 * @gauges_ns: CLOCK_MONOTONIC at which the gauges were read; 0 when not told
 * @has: whether a metric is there
 * @value: its value, else 0
 */
struct r5s_snapshot {
	uint64_t id;
	char name[R5S_SNAPSHOT_NAME];
	bool has_dev;
	uint32_t major;
	uint32_t minor;
	uint64_t sequence;
	uint64_t mono_ns;
	uint64_t boot_ns;
	uint64_t since_ns;
	uint64_t latency_since_ns;
	uint64_t gauges_ns;
	bool has[R5S_METRICS];
	uint64_t value[R5S_METRICS];
};

struct r5s_snapshots {
	struct r5s_snapshot *array;
	size_t n;
};

struct r5s_node {
	uint32_t id;
	uint64_t mono_ns;
	bool has[R5S_NODE_METRICS_COUNT];
	uint64_t value[R5S_NODE_METRICS_COUNT];
};

struct r5s_nodes {
	struct r5s_node *node;
	size_t n;
};

/**
 * struct r5s_probe - a hook of the module
 * @error: 0, or a negative error number of the last try to arm it
 * @feeds: names of metrics, separated by blanks
 */
struct r5s_probe {
	char symbol[96];
	char mechanism[32];
	uint32_t level;
	bool armed;
	int32_t error;
	bool has_missed;
	uint64_t missed;
	char feeds[512];
};

struct r5s_info {
	char version[64];
	char kernel[128];
	bool has_layout;
	uint32_t layout;	/* enum raid5stat_layout_mode */
	char layout_reason[256];
	bool has_level;
	uint32_t level;
	uint32_t level_floor;
	bool raid456;
	uint64_t events_lost;
	uint64_t waits_untracked;
	struct r5s_probe *probe;
	size_t n_probes;
};

struct r5s_bucket {
	uint64_t from_ns;
	uint64_t below_ns;	/* UINT64_MAX in the last one */
	uint64_t count;
};

struct r5s_hist {
	uint32_t waiter;
	uint64_t count;
	uint64_t total_ns;
	struct r5s_bucket *bucket;
	size_t n;
};

struct r5s_census_row {
	char name[64];
	uint64_t stripes;
	bool has_oldest;
	uint64_t oldest_sector;
	uint64_t oldest_state;
};

struct r5s_census {
	bool has_hashed;
	uint64_t hashed;
	bool has_in_use;
	uint64_t in_use;
	struct r5s_census_row *flag;
	size_t n_flags;
	struct r5s_census_row *list;
	size_t n_lists;
};

/**
 * struct r5s_event - something happened to an array
 * @has_size: @size and @active are told
 * @count: stripes freed or calls missed, 0 when not told
 * @lost: events lost since the last one delivered
 */
struct r5s_event {
	uint32_t kind;		/* enum raid5stat_event_kind */
	uint64_t mono_ns;
	uint64_t id;
	char name[R5S_SNAPSHOT_NAME];
	bool has_size;
	uint64_t size;
	uint64_t active;
	bool has_state;
	uint64_t state;
	uint64_t count;
	char probe[96];
	uint64_t lost;
};

/* Each fills @out from the attributes behind the generic netlink header. 0, or -ENOMEM. */
int r5s_snapshot_parse(struct r5s_attrs attrs, struct r5s_snapshot *out);
int r5s_snapshot_parse_node(struct r5s_attrs attrs, struct r5s_node *out);
int r5s_snapshot_parse_info(struct r5s_attrs attrs, struct r5s_info *out);
int r5s_snapshot_parse_hist(struct r5s_attrs attrs, struct r5s_hist *out);
int r5s_snapshot_parse_census(struct r5s_attrs attrs, struct r5s_census *out);
int r5s_snapshot_parse_event(struct r5s_attrs attrs, struct r5s_event *out);

void r5s_snapshot_free_info(struct r5s_info *i);
void r5s_snapshot_free_hist(struct r5s_hist *h);
void r5s_snapshot_free_census(struct r5s_census *c);

/** r5s_snapshot_event_name - "blocked", "shrink-burst", ...; "unknown" for a newer module's */
const char *r5s_snapshot_event_name(uint32_t kind);

/** r5s_snapshot_layout_name - "none", "build", "btf" */
const char *r5s_snapshot_layout_name(uint32_t mode);

/**
 * r5s_snapshot_rate - change of a counter per second
 * @then: the earlier snapshot
 * @now: the later one of the same array
 * @m: a counter or time
 *
 * Return: per second (of a time: ns per second); NaN when it is missing in one of them, went down,
 * counting was restarted between them, or no time passed.
 */
double r5s_snapshot_rate(const struct r5s_snapshot *then, const struct r5s_snapshot *now,
			 enum r5s_metric m);

#endif
