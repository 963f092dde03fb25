/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_GAUGE_H
#define R5S_GAUGE_H

#include "counter.h"

struct gendisk;
struct r5s_node_snapshot;

/*
 * Each fills the gauges of its family into a snapshot and leaves absent what this kernel does not
 * have. Those with a conf are called under mddev->lock, or from a hook that holds conf as its
 * argument, and neither sleep nor take a lock.
 */
void r5s_cache_gauges(struct r5s_snapshot *s, const void *conf);
void r5s_writes_gauges(struct r5s_snapshot *s, const void *conf);
void r5s_journal_gauges(struct r5s_snapshot *s, const void *conf);
void r5s_about_gauges(struct r5s_snapshot *s, const void *conf);
/* These need a referenced gendisk, or nothing, and take no lock but RCU. */
void r5s_writeback_gauges(struct r5s_snapshot *s, struct gendisk *disk);
void r5s_reclaim_gauges(struct r5s_snapshot *s);

#endif /* R5S_GAUGE_H */
