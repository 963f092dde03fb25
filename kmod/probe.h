/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_PROBE_H
#define R5S_PROBE_H

#include <linux/types.h>
#include <uapi/linux/raid5stat.h>

#include "counter.h"
#include "node.h"

/**
 * struct r5s_probe_state - one line of the table of probes, as netlink and debugfs show it
 * @symbol: "module:function" or "system:tracepoint"
 * @mechanism: "ftrace", "kretprobe" or "tracepoint"
 * @level: armed from this level on
 * @armed: now
 * @error: of the last try to arm it, 0 if it worked or was not tried
 * @missed: calls that a kretprobe missed
 * @feeds: the metrics that it feeds, R5S_M_COUNT ends the list
 * @feeds_node: the same of NUMA nodes, R5S_N_COUNT ends the list; may be NULL
 */
struct r5s_probe_state {
	const char *symbol;
	const char *mechanism;
	enum raid5stat_level level;
	bool armed;
	int error;
	u64 missed;
	const enum r5s_metric *feeds;
	const enum r5s_node_metric *feeds_node;
};

int r5s_probe_init(void);
void r5s_probe_exit(void);
void r5s_probe_set_level(enum raid5stat_level level);
enum raid5stat_level r5s_probe_level(void);
bool r5s_probe_raid456_live(void);
bool r5s_probe_feeds(enum r5s_metric m);
bool r5s_probe_feeds_node(enum r5s_node_metric m);
int r5s_probe_describe(unsigned int i, struct r5s_probe_state *st);
u64 r5s_probe_waits_untracked(void);

/**
 * struct r5s_range - the code of a function, by which hooks know their caller
 * @start: its first byte
 * @size: bytes, 0 while it is not known
 */
struct r5s_range {
	unsigned long start;
	unsigned long size;
};

/* Set before any hook that reads them is armed. */
extern struct r5s_range r5s_probe_get_active;	/* raid5_get_active_stripe() */
extern struct r5s_range r5s_probe_cache_scan;	/* raid5_cache_scan() */

static __always_inline bool r5s_range_has(const struct r5s_range *r, unsigned long ip)
{
	return ip - r->start < r->size;
}

#endif /* R5S_PROBE_H */
