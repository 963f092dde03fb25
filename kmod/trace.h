/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raid5stat

#if !defined(R5S_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define R5S_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(r5s_cache,
	TP_PROTO(u64 id, int size, int active),
	TP_ARGS(id, size, active),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(int, size)
		__field(int, active)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->size = size;
		__entry->active = active;
	),
	TP_printk("array=%llu size=%d active=%d", __entry->id, __entry->size, __entry->active)
);

/* The cache got one stripe more. */
DEFINE_EVENT(r5s_cache, cache_grow, TP_PROTO(u64 id, int size, int active),
	     TP_ARGS(id, size, active));

/* The cache has one stripe less. */
DEFINE_EVENT(r5s_cache, cache_shrink, TP_PROTO(u64 id, int size, int active),
	     TP_ARGS(id, size, active));

/* A task begins to wait and no other one waited. */
DEFINE_EVENT(r5s_cache, blocked, TP_PROTO(u64 id, int size, int active),
	     TP_ARGS(id, size, active));

/* The last waiting task has got its stripe. */
DEFINE_EVENT(r5s_cache, unblocked, TP_PROTO(u64 id, int size, int active),
	     TP_ARGS(id, size, active));

DECLARE_EVENT_CLASS(r5s_wait,
	TP_PROTO(u64 id, int waiter, int size, int active, u64 ns),
	TP_ARGS(id, waiter, size, active, ns),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, ns)
		__field(int, waiter)
		__field(int, size)
		__field(int, active)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->ns = ns;
		__entry->waiter = waiter;
		__entry->size = size;
		__entry->active = active;
	),
	TP_printk("array=%llu waiter=%s size=%d active=%d ns=%llu", __entry->id,
		  __print_symbolic(__entry->waiter, { 0, "user" }, { 1, "sync" }, { 2, "reshape" }),
		  __entry->size, __entry->active, __entry->ns)
);

/* A task begins to wait for a stripe; ns is 0. */
DEFINE_EVENT(r5s_wait, wait_begin, TP_PROTO(u64 id, int waiter, int size, int active, u64 ns),
	     TP_ARGS(id, waiter, size, active, ns));

/* A task's wait has ended; ns is 0 where it was not timed. */
DEFINE_EVENT(r5s_wait, wait_end, TP_PROTO(u64 id, int waiter, int size, int active, u64 ns),
	     TP_ARGS(id, waiter, size, active, ns));

#endif /* R5S_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
