// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Idle states, summed over the CPUs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/classes.h"
#include "source/sysfs.h"

#define CPUS "devices/system/cpu"

enum { STATES = 16 };		/* the kernel's own CPUIDLE_STATE_MAX is 10 */

struct idle {
	char name[32];
	uint64_t time_us, usage;
};

static void add(struct idle *all, size_t *n, const struct idle *one)
{
	size_t i = 0;

	while (i < *n && strcmp(all[i].name, one->name))
		i++;
	if (i == STATES)
		return;
	if (i == *n)
		all[(*n)++] = *one;
	else {
		all[i].time_us += one->time_us;
		all[i].usage += one->usage;
	}
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->sys, CPUS "/cpu0/cpuidle/state0/name",
			       "no idle states: a virtual machine, or no cpuidle driver", why,
			       room);
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	const char *sys = s->root.sys;
	struct idle all[STATES], one;
	unsigned int *cpu;
	size_t n, states = 0;
	int err = r5s_source_numbers(sys, CPUS, "cpu", &cpu, &n);

	for (size_t i = 0; !err && i < n; i++)
		for (int st = 0; st < STATES; st++) {
			if (r5s_sysfs_text(sys, one.name, sizeof(one.name),
					   CPUS "/cpu%u/cpuidle/state%d/name", cpu[i], st) <= 0 ||
			    r5s_sysfs_number(sys, &one.time_us,
					     CPUS "/cpu%u/cpuidle/state%d/time", cpu[i], st) ||
			    r5s_sysfs_number(sys, &one.usage,
					     CPUS "/cpu%u/cpuidle/state%d/usage", cpu[i], st))
				break;
			add(all, &states, &one);
		}
	free(cpu);
	for (size_t i = 0; i < states; i++) {
		r5s_values_add(out, R5S_VALUE_COUNTER, "us", all[i].time_us, "cpuidle.%s.time",
			       all[i].name);
		r5s_values_add(out, R5S_VALUE_COUNTER, NULL, all[i].usage, "cpuidle.%s.usage",
			       all[i].name);
	}
	return err;
}

const struct r5s_source_class r5s_source_cpuidle = {
	.name = "cpuidle", .interval_ms = R5S_SOURCE_BEGIN_END, .probe = probe, .sample = sample,
};
