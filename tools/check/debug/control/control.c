// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs on purpose, one a load, to see that the checkers of a debug kernel fire:
 * insmod control.ko bug=use-after-free|lock-inversion|leak|sleep-in-atomic|shift
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *bug = "";
module_param(bug, charp, 0400);

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);

static void use_after_free(void)
{
	volatile char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return;
	kfree((void *)p);
	pr_info("control: %d\n", p[8]);
}

static void lock_inversion(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

/* Several, since a stale pointer on some stack may hide one of them from kmemleak. */
static void leak(void)
{
	int i;

	for (i = 0; i < 16; i++) {
		char *p = kmalloc(4000, GFP_KERNEL);

		if (p)
			snprintf(p, 4000, "control");
	}
}

static void sleep_in_atomic(void)
{
	spin_lock(&first);
	msleep(1);
	spin_unlock(&first);
}

static void shift(void)
{
	volatile int by = 77;

	pr_info("control: %d\n", 1 << by);
}

static int __init control_init(void)
{
	static const struct {
		const char *name;
		void (*plant)(void);
	} bugs[] = {
		{ "use-after-free", use_after_free },
		{ "lock-inversion", lock_inversion },
		{ "leak", leak },
		{ "sleep-in-atomic", sleep_in_atomic },
		{ "shift", shift },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++)
		if (!strcmp(bugs[i].name, bug)) {
			bugs[i].plant();
			return 0;
		}
	pr_err("control: no bug named %s\n", bug);
	return -EINVAL;
}

static void __exit control_exit(void)
{
}

module_init(control_init);
module_exit(control_exit);
MODULE_DESCRIPTION("Bugs on purpose, to see that a debug kernel's checkers fire");
MODULE_LICENSE("GPL");
