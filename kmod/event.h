/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_EVENT_H
#define R5S_EVENT_H

#include <linux/types.h>
#include <uapi/linux/raid5stat.h>

struct r5s_array;

/* Safe in any context, takes no lock and allocates nothing; when the ring is full the event is counted as lost. */
void r5s_event_raise(enum raid5stat_event_kind kind, const struct r5s_array *a, const void *conf, u64 count);
void r5s_event_probe_lost(const char *symbol, u64 missed);
u64 r5s_event_lost(void);
int r5s_event_init(void);
void r5s_event_exit(void);

#endif /* R5S_EVENT_H */
