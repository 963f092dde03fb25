/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_PROBE_H
#define R5S_PROBE_H

#include <linux/types.h>
#include <uapi/linux/raid5stat.h>

#include "counter.h"

/**
 * struct r5s_probe_state - one line of the table of probes, as netlink and debugfs show it
 * @symbol: "module:function" or "system:tracepoint"
 * @mechanism: "ftrace", "kretprobe" or "tracepoint"
 * @level: armed from this level on
 * @armed: now
 * @error: of the last try to arm it, 0 if it worked or was not tried
 * @missed: calls that a kretprobe missed
 * @feeds: the metrics that it feeds, R5S_M_COUNT ends the list
 */
struct r5s_probe_state {
	const char *symbol;
	const char *mechanism;
	enum raid5stat_level level;
	bool armed;
	int error;
	u64 missed;
	const enum r5s_metric *feeds;
};

int r5s_probe_init(void);
void r5s_probe_exit(void);
void r5s_probe_set_level(enum raid5stat_level level);
enum raid5stat_level r5s_probe_level(void);
bool r5s_probe_raid456_live(void);
bool r5s_probe_feeds(enum r5s_metric m);
int r5s_probe_describe(unsigned int i, struct r5s_probe_state *st);
u64 r5s_probe_waits_untracked(void);

#endif /* R5S_PROBE_H */
