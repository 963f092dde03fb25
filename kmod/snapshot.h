/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_SNAPSHOT_H
#define R5S_SNAPSHOT_H

#include "array.h"

/* All of these are called under the array mutex. */
void r5s_snapshot_rebase(struct r5s_array *a, enum raid5stat_level level);
void r5s_snapshot_stamp(struct r5s_array *a, enum raid5stat_level level, u64 now);
void r5s_snapshot_take(struct r5s_array *a, struct gendisk *disk, struct r5s_snapshot *s);
int r5s_snapshot_hist(struct r5s_array *a, int waiter, struct r5s_hist *h);

#endif /* R5S_SNAPSHOT_H */
