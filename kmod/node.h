/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_NODE_H
#define R5S_NODE_H

#include <linux/bitmap.h>
#include <linux/types.h>

#include "../include/raid5stat-metrics-gen.h"

enum r5s_node_metric {
#define X(set, name, text, kind, unit, level, help) R5S_N_##name,
	R5S_NODE_METRICS(X)
#undef X
	R5S_N_COUNT
};

struct r5s_node_snapshot {
	u64 mono_ns;
	DECLARE_BITMAP(has, R5S_N_COUNT);
	u64 value[R5S_N_COUNT];
};

int r5s_node_init(void);
void r5s_node_exit(void);
void r5s_node_snapshot(int nid, struct r5s_node_snapshot *s);
/* Called by hooks. */
void r5s_node_count(int nid, enum r5s_node_metric m, u64 n);

#endif /* R5S_NODE_H */
