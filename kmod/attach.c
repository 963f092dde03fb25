// SPDX-License-Identifier: GPL-2.0
/* How a handler is attached to a function or a tracepoint, and taken off again. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kallsyms.h>
#include <linux/string.h>

#include "attach.h"
#include "handlers.h"
#include "probe.h"

#define CALLS_MIN	64	/* concurrent calls that a kretprobe can follow, at least */
#define CALLS_PER_CPU	4

/**
 * r5s_attach_address() - where a function is
 * @symbol: "module:function"
 *
 * A disabled kprobe is how a module finds what is not exported.
 * Context: process.
 * Return: its address, or 0 if this kernel does not have it now.
 */
unsigned long r5s_attach_address(const char *symbol)
{
	struct kprobe kp = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	unsigned long address;

	if (register_kprobe(&kp))
		return 0;
	address = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return address;
}

/**
 * r5s_attach_find_range() - where the code of a function is
 * @r: set; its size is 0 if this kernel does not have it now
 * @symbol: "module:function"
 *
 * Context: process.
 */
void r5s_attach_find_range(struct r5s_range *r, const char *symbol)
{
	unsigned long address = r5s_attach_address(symbol), offset, size;
	char text[KSYM_SYMBOL_LEN];
	const char *plus;

	r->size = 0;
	if (!address)
		return;
	/* "name+0xOFFSET/0xSIZE [module]" */
	sprint_symbol(text, address);
	plus = strchr(text, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, &size) != 2)
		return;
	r->start = address - offset;
	r->size = size;
}

static int attach_ftrace(struct r5s_attachment *at)
{
	int ret;

	at->address = r5s_attach_address(at->symbol);
	if (!at->address)
		return -ENOENT;
	at->ops.func = at->hook;
	at->ops.flags = FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_SAVE_ARGS;
	/* Without its filter it would be called for every function of the kernel. */
	ret = ftrace_set_filter_ip(&at->ops, at->address, 0, 0);
	if (ret)
		return ret;
	ret = register_ftrace_function(&at->ops);
	if (ret)
		ftrace_set_filter_ip(&at->ops, at->address, 1, 0);
	return ret;
}

static void undo_ftrace(struct r5s_attachment *at)
{
	int ret = unregister_ftrace_function(&at->ops);

	if (ret) {
		pr_err("cannot let go of %s, error %d: save your data and reboot\n",
		       at->symbol, ret);
		return;
	}
	ftrace_set_filter_ip(&at->ops, at->address, 1, 0);
}

static int attach_kretprobe(struct r5s_attachment *at)
{
	memset(&at->rp, 0, sizeof(at->rp));
	at->rp.kp.symbol_name = at->symbol;
	at->rp.entry_handler = at->enter;
	at->rp.handler = at->leave;
	at->rp.data_size = sizeof(struct r5s_call);
	at->rp.maxactive = max_t(int, CALLS_MIN, CALLS_PER_CPU * nr_cpu_ids);
	return register_kretprobe(&at->rp);
}

static void match_tracepoint(struct tracepoint *tp, void *arg)
{
	struct r5s_attachment *at = arg;

	if (!strcmp(tp->name, strchr(at->symbol, ':') + 1))
		at->tp = tp;
}

static int attach_tracepoint(struct r5s_attachment *at)
{
	at->tp = NULL;
	for_each_kernel_tracepoint(match_tracepoint, at);
	return at->tp ? tracepoint_probe_register(at->tp, at->trace, NULL) : -ENOENT;
}

/**
 * r5s_attach_to() - attach handlers
 * @at: to be attached; its state is all zero the first time
 * @symbol: where, a constant
 *
 * Context: process; the caller serializes.
 * Return: 0 or a negative error number; -ENOENT if this kernel does not have @symbol now.
 */
int r5s_attach_to(struct r5s_attachment *at, const char *symbol)
{
	int ret;

	at->symbol = symbol;
	switch (at->mechanism) {
	case R5S_FTRACE:
		ret = attach_ftrace(at);
		break;
	case R5S_KRETPROBE:
		ret = attach_kretprobe(at);
		break;
	default:
		ret = attach_tracepoint(at);
	}
	at->attached = !ret;
	return ret;
}

/**
 * r5s_attach_undo() - take the handlers off
 * @at: what was attached
 *
 * The handler of a tracepoint may run until tracepoint_synchronize_unregister(), the others do not
 * run any more.
 * Context: process; the caller serializes.
 * Return: calls that were missed since it was attached.
 */
u64 r5s_attach_undo(struct r5s_attachment *at)
{
	u64 missed;

	switch (at->mechanism) {
	case R5S_FTRACE:
		undo_ftrace(at);
		break;
	case R5S_KRETPROBE:
		unregister_kretprobe(&at->rp);
		break;
	default:
		tracepoint_probe_unregister(at->tp, at->trace, NULL);
	}
	missed = r5s_attach_missed(at);
	at->attached = false;
	return missed;
}

/**
 * r5s_attach_missed() - calls missed since it was attached
 * @at: the attachment
 *
 * Context: process; the caller serializes.
 * Return: how many; only kretprobes miss calls.
 */
u64 r5s_attach_missed(const struct r5s_attachment *at)
{
	return at->attached && at->mechanism == R5S_KRETPROBE ? at->rp.nmissed : 0;
}
