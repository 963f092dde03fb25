/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_ATTACH_H
#define R5S_ATTACH_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "compat.h"

enum r5s_mechanism { R5S_FTRACE, R5S_KRETPROBE, R5S_TRACEPOINT };

/**
 * struct r5s_attachment - handlers, and where they are attached
 * @mechanism: how
 * @hook: handler for ftrace
 * @enter: handlers for a kretprobe, which keeps a struct r5s_call between them
 * @leave: NULL if the return does not matter
 * @trace: handler for a tracepoint
 * @symbol: of the last try, "module:function" or "system:tracepoint"
 * @attached: now; the rest is what the mechanism needs
 */
struct r5s_attachment {
	enum r5s_mechanism mechanism;
	ftrace_func_t hook;
	kretprobe_handler_t enter;
	kretprobe_handler_t leave;
	void *trace;

	const char *symbol;
	bool attached;
	unsigned long address;
	struct ftrace_ops ops;
	struct kretprobe rp;
	struct tracepoint *tp;
};

struct r5s_range;

int r5s_attach_to(struct r5s_attachment *at, const char *symbol);
u64 r5s_attach_undo(struct r5s_attachment *at);
u64 r5s_attach_missed(const struct r5s_attachment *at);
unsigned long r5s_attach_address(const char *symbol);
void r5s_attach_find_range(struct r5s_range *r, const char *symbol);

#endif /* R5S_ATTACH_H */
