// SPDX-License-Identifier: GPL-2.0-or-later
#include "privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	enum r5s_privilege privilege;
	unsigned int capability;
} needs[] = {
	{ R5S_PRIVILEGE_SUBSCRIBE, CAP_NET_ADMIN },
	{ R5S_PRIVILEGE_FILES, CAP_SYS_ADMIN },
	{ R5S_PRIVILEGE_MODULE, CAP_SYS_MODULE },
	{ R5S_PRIVILEGE_READ, CAP_DAC_READ_SEARCH },
	{ R5S_PRIVILEGE_STORE, CAP_DAC_OVERRIDE },
	{ R5S_PRIVILEGE_SIGNAL, CAP_KILL },
	{ R5S_PRIVILEGE_COUNT, CAP_PERFMON },
};

/* libc has no wrapper; version 3 comes in two halves of 32. */
struct sets {
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3];
};

static int get(struct sets *s)
{
	*s = (struct sets){ .head.version = _LINUX_CAPABILITY_VERSION_3 };
	return syscall(SYS_capget, &s->head, s->half) ? -errno : 0;
}

static int set(struct sets *s)
{
	return syscall(SYS_capset, &s->head, s->half) ? -errno : 0;
}

int r5s_privilege_keep(unsigned int keep)
{
	uint32_t mask[_LINUX_CAPABILITY_U32S_3] = { 0 };
	struct sets s;
	int err;

	if (keep & R5S_PRIVILEGE_ALL)
		return 0;
	err = get(&s);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (keep & needs[i].privilege)
			mask[needs[i].capability / 32] |= UINT32_C(1) << needs[i].capability % 32;
	/* The inheritable set stays: what root's programs get by it is none of ours. */
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		s.half[i].effective &= mask[i];
		if (!(keep & R5S_PRIVILEGE_START))
			s.half[i].permitted &= mask[i];
	}
	return set(&s);
}

int r5s_privilege_child(void)
{
	struct sets s;
	int err = get(&s);

	if (err)
		return err;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		s.half[i].effective = s.half[i].permitted;
	return set(&s);
}
