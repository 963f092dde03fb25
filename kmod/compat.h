/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernels: no other file knows LINUX_VERSION_CODE. */
#ifndef R5S_COMPAT_H
#define R5S_COMPAT_H

#include <linux/blkdev.h>
#include <linux/device.h>
#include <linux/device/class.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/numa.h>
#include <linux/ptrace.h>
#include <linux/shrinker.h>
#include <linux/version.h>
#include <net/genetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "raid5stat needs Linux 6.1 or later; build it for such a kernel with KERNEL=<release>"
#endif
#ifndef CONFIG_DYNAMIC_FTRACE
#error "raid5stat needs a kernel with CONFIG_DYNAMIC_FTRACE=y, which all Debian kernels have"
#endif
#ifndef CONFIG_KPROBES
#error "raid5stat needs a kernel with CONFIG_KPROBES=y, which all Debian kernels have"
#endif

/*
 * Generated operations of genetlink. Before 6.2 there are no split ones: the table compiles as one
 * of plain operations, of which r5s_genl_register() makes one for each command.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define genl_split_ops		genl_ops
#define split_ops		ops
#define n_split_ops		n_ops
#define R5S_GENL_MERGE		1
#else
#define R5S_GENL_MERGE		0
#endif

#define R5S_GENL_OPS_MAX	16

#if R5S_GENL_MERGE
/* A merged operation has the policy of its do; of ours, no dump takes an attribute. */
static inline int r5s_genl_bare_dump(struct netlink_callback *cb)
{
	const struct genl_dumpit_info *info = genl_dumpit_info(cb);
	unsigned int i;

	for (i = 1; info->attrs && i <= info->op.maxattr; i++)
		if (info->attrs[i])
			return -EINVAL;
	return 0;
}
#endif

/**
 * r5s_genl_register() - register a family whose table of operations was generated
 * @family: written here, so it may be __ro_after_init when called by module init
 *
 * Context: process.
 * Return: 0 or a negative error number; -E2BIG if there are more than %R5S_GENL_OPS_MAX operations.
 */
static inline int r5s_genl_register(struct genl_family *family)
{
#if R5S_GENL_MERGE
	static struct genl_ops merged[R5S_GENL_OPS_MAX];
	unsigned int i, j, n = 0;

	for (i = 0; i < family->n_ops; i++) {
		const struct genl_ops *op = &family->ops[i];

		for (j = 0; j < n && merged[j].cmd != op->cmd; j++)
			;
		if (j == R5S_GENL_OPS_MAX)
			return -E2BIG;
		if (j == n) {
			merged[n] = *op;
			if (op->dumpit)
				merged[n].start = r5s_genl_bare_dump;
			n++;
		} else {
			if (op->doit)
				merged[j].doit = op->doit;
			if (op->dumpit) {
				merged[j].start = r5s_genl_bare_dump;
				merged[j].dumpit = op->dumpit;
				merged[j].done = op->done;
			}
			if (op->policy) {
				merged[j].policy = op->policy;
				merged[j].maxattr = op->maxattr;
			}
			merged[j].flags |= op->flags;
		}
	}
	for (i = 0; i < n; i++)
		merged[i].flags &= ~(GENL_CMD_CAP_DO | GENL_CMD_CAP_DUMP);
	family->ops = merged;
	family->n_ops = n;
#else
	/* Without a policy an operation takes any attribute; before 6.2 it takes none. */
	static const struct nla_policy no_attr[2] = { [1] = { .type = NLA_REJECT } };
	static struct genl_split_ops strict[R5S_GENL_OPS_MAX];
	unsigned int i;

	if (family->n_split_ops > R5S_GENL_OPS_MAX)
		return -E2BIG;
	for (i = 0; i < family->n_split_ops; i++) {
		strict[i] = family->split_ops[i];
		if (strict[i].policy)
			continue;
		strict[i].policy = no_attr;
		strict[i].maxattr = ARRAY_SIZE(no_attr) - 1;
	}
	family->split_ops = strict;
#endif
	return genl_register_family(family);
}

/*
 * Arguments of a traced function. 6.1 has no ftrace_regs_get_argument(), and its ftrace_get_regs()
 * gives NULL unless all registers were saved; the arguments are saved all the same.
 */
#ifndef FTRACE_OPS_FL_SAVE_ARGS
#ifdef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
#define FTRACE_OPS_FL_SAVE_ARGS	0
#else
#define FTRACE_OPS_FL_SAVE_ARGS	FTRACE_OPS_FL_SAVE_REGS
#endif
#endif

static __always_inline unsigned long r5s_fregs_arg(struct ftrace_regs *fregs, unsigned int n)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return ftrace_regs_get_argument(fregs, n);
#else
	return regs_get_kernel_argument(&fregs->regs, n);
#endif
}

/* Classes became constant in 6.4; the iterator of 6.1 does not write to them either. */
static inline void r5s_class_dev_iter_init(struct class_dev_iter *iter, const struct class *class,
					   const struct device_type *type)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	class_dev_iter_init(iter, (struct class *)class, NULL, type);
#else
	class_dev_iter_init(iter, class, NULL, type);
#endif
}

/**
 * r5s_alloc_disk() - allocate a gendisk that is never added
 *
 * Return: the disk, or NULL without memory.
 */
static inline struct gendisk *r5s_alloc_disk(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
	return blk_alloc_disk(NUMA_NO_NODE);
#else
	struct gendisk *disk = blk_alloc_disk(NULL, NUMA_NO_NODE);

	return IS_ERR(disk) ? NULL : disk;
#endif
}

/*
 * When the block layer counts a request of md: at its start up to 6.2, at its end since. Reads that
 * bypass the stripe cache are accounted by md_account_bio() since 6.6.
 */
#define R5S_COUNTS_AT_END	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0))
#define R5S_ACCOUNTS_ALL_READS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0))

/* What flushes the bitmap: a function of the bitmap up to 6.11, of the array since. */
#define R5S_UNPLUG_TAKES_MDDEV	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))
#if R5S_UNPLUG_TAKES_MDDEV
#define R5S_BITMAP_UNPLUG	"md_mod:bitmap_unplug"
#else
#define R5S_BITMAP_UNPLUG	"md_mod:md_bitmap_unplug"
#endif

/* khugepaged is not counted as direct reclaim since 6.2. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define R5S_KHUGEPAGED_EVENT(events, name)	((events)[name##_KHUGEPAGED])
#else
#define R5S_KHUGEPAGED_EVENT(events, name)	0
#endif

/* A shrinker that is not part of a struct, since 6.7. */
static inline void *r5s_shrinker_data(const struct shrinker *shrink)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return shrink->private_data;
#else
	return NULL;
#endif
}

#endif /* R5S_COMPAT_H */
