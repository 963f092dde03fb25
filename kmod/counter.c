// SPDX-License-Identifier: GPL-2.0
/* The table of metrics, and how per-CPU counts become one number. */
#include <linux/cpumask.h>

#include "counter.h"

const struct r5s_metric_desc r5s_metric_desc[R5S_M_COUNT] = {
#define X(set_, name_, text, kind_, unit_, level_, help) \
	[R5S_M_##set_##_##name_] = { \
		.name = text, \
		.unit = unit_, \
		.set = R5S_A_ARRAY_##set_, \
		.attr = R5S_A_##set_##_##name_, \
		.kind = R5S_KIND_##kind_, \
		.level = RAID5STAT_LEVEL_##level_, \
	},
	R5S_ARRAY_METRICS(X)
#undef X
};

/**
 * r5s_counter_fold() - the sum of a counter over all CPUs
 * @c: the counters of an array
 * @m: which one
 *
 * CPUs that went offline still count. Adds that happen meanwhile may or may not be in it.
 *
 * Return: the sum, in the unit of the metric.
 */
u64 r5s_counter_fold(const struct r5s_counters __percpu *c, enum r5s_metric m)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(c, cpu)->value[m]);
	return sum;
}

/**
 * r5s_counter_fold_hist() - the histogram of waits over all CPUs
 * @c: the counters of an array
 * @w: on whose behalf was waited
 * @bucket: set to the number of waits in each bucket
 */
void r5s_counter_fold_hist(const struct r5s_counters __percpu *c, enum raid5stat_waiter w,
			   u64 bucket[R5S_HIST_BUCKETS])
{
	unsigned int b;
	int cpu;

	for (b = 0; b < R5S_HIST_BUCKETS; b++)
		bucket[b] = 0;
	for_each_possible_cpu(cpu)
		for (b = 0; b < R5S_HIST_BUCKETS; b++)
			bucket[b] += READ_ONCE(per_cpu_ptr(c, cpu)->hist[w][b]);
}
