/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_EVENT_H
#define R5S_EVENT_H

#include <linux/types.h>
#include <uapi/linux/raid5stat.h>

struct r5s_array;

/* In any context: no lock, no allocation; when the ring is full the event is counted as lost. */
void r5s_event_raise(enum raid5stat_event_kind kind, const struct r5s_array *a, const void *conf,
		     u64 count);
void r5s_event_probe_lost(const char *symbol, u64 missed);

/* Called from process context. */
u64 r5s_event_lost(void);
void r5s_event_open(void);
void r5s_event_close(void);
void r5s_event_exit(void);

/**
 * struct r5s_event - something that happened
 * @id: of the array, 0 for events without one
 * @has_cache: @size, @active and @state were read
 * @probe: the probe that was lost, or NULL
 * @lost: events lost since the last one that was delivered
 */
struct r5s_event {
	enum raid5stat_event_kind kind;
	u64 mono_ns;
	u64 id;
	char name[32];
	bool has_cache;
	u64 size;
	u64 active;
	u64 state;
	u64 count;
	const char *probe;
	u64 lost;
};

#endif /* R5S_EVENT_H */
