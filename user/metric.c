// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/raid5stat.h>

#define ROW(s, m, n, k, u, l, h) { R5S_METRIC_SET_##s, R5S_A_##s##_##m, n, R5S_METRIC_##k, u, \
	RAID5STAT_LEVEL_##l, h },
const struct r5s_metric_info r5s_metric_table[R5S_METRICS] = { R5S_ARRAY_METRICS(ROW) };
const struct r5s_metric_info r5s_metric_node_table[R5S_NODE_METRICS_COUNT] = {
	R5S_NODE_METRICS(ROW)
};
#undef ROW

static const char *const set_names[R5S_METRIC_SETS] = {
	"cache", "writes", "reclaim", "writeback", "journal", "about", "node"
};
static const char *const kind_names[] = { "gauge", "counter", "time", "flag" };
static const char *const level_names[] = { "off", "gauges", "counters", "latency" };
static const char *const sync_words[] = {
	"idle", "resync", "check", "repair", "recover", "reshape", "frozen"
};
static const char *const consistency_words[] = { "none", "resync", "bitmap", "ppl", "journal" };
static const char *const journal_words[] = { "write-through", "write-back" };
static const char *const quiesce_words[] = { "open", "stopped", "stopping" };
static const char *const rmw_words[] = { "never", "when cheaper", "preferred" };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int r5s_metric_find(enum r5s_metric_set set, int attr)
{
	for (int i = 0; i < R5S_METRICS; i++)
		if (r5s_metric_table[i].set == set && r5s_metric_table[i].attr == attr)
			return i;
	return -1;
}

int r5s_metric_node_find(int attr)
{
	for (int i = 0; i < R5S_NODE_METRICS_COUNT; i++)
		if (r5s_metric_node_table[i].attr == attr)
			return i;
	return -1;
}

bool r5s_metric_grows(const struct r5s_metric_info *m)
{
	return m->kind == R5S_METRIC_COUNTER || m->kind == R5S_METRIC_TIME;
}

const char *r5s_metric_set_name(enum r5s_metric_set set)
{
	return set < R5S_METRIC_SETS ? set_names[set] : "unknown";
}

const char *r5s_metric_kind_name(enum r5s_metric_kind kind)
{
	return kind < COUNT(kind_names) ? kind_names[kind] : "unknown";
}

const char *r5s_metric_level_name(unsigned int level)
{
	return level < COUNT(level_names) ? level_names[level] : "unknown";
}

int r5s_metric_level_parse(const char *text)
{
	for (size_t i = 0; i < COUNT(level_names); i++) {
		char digit[2] = { (char)('0' + i), '\0' };

		if (!strcmp(text, level_names[i]) || !strcmp(text, digit))
			return (int)i;
	}
	return -EINVAL;
}

static const char *word(const char *const *words, size_t n, uint64_t value)
{
	return value < n ? words[value] : "unknown";
}

const char *r5s_metric_word(enum r5s_metric m, uint64_t value)
{
	switch (m) {
	case R5S_METRIC_ABOUT_SYNC_ACTION:
		return word(sync_words, COUNT(sync_words), value);
	case R5S_METRIC_ABOUT_CONSISTENCY:
		return word(consistency_words, COUNT(consistency_words), value);
	case R5S_METRIC_JOURNAL_MODE:
		return word(journal_words, COUNT(journal_words), value);
	case R5S_METRIC_CACHE_QUIESCE:
		return word(quiesce_words, COUNT(quiesce_words), value);
	case R5S_METRIC_ABOUT_RMW_LEVEL:
		return word(rmw_words, COUNT(rmw_words), value);
	default:
		break;
	}
	if (r5s_metric_table[m].kind == R5S_METRIC_FLAG)
		return value ? "yes" : "no";
	return NULL;
}
