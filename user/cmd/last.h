/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `show` saw the last time this user called it, so that it can tell rates.
 */
#ifndef R5S_CMD_LAST_H
#define R5S_CMD_LAST_H

#include "source/snapshot.h"

/**
 * r5s_last_load - the counters of the last call in this boot
 * @out: empty when there was none, or its file cannot be read
 *
 * The file lies below $XDG_RUNTIME_DIR, else $XDG_STATE_HOME, else $HOME/.local/state.
 */
void r5s_last_load(struct r5s_snapshots *out);

/** r5s_last_find - the earlier snapshot of the same array, NULL when there is none to subtract */
const struct r5s_snapshot *r5s_last_find(const struct r5s_snapshots *last,
					 const struct r5s_snapshot *now);

/**
 * r5s_last_save - keep these for the next call
 * @last: what was loaded: arrays that were not shown now are kept
 * @now: shown now
 * @n: their number
 *
 * Return: 0, or a negative errno.
 */
int r5s_last_save(const struct r5s_snapshots *last, const struct r5s_snapshot *now, size_t n);

#endif
