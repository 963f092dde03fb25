// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/robot.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "analysis/direction.h"

enum { TRIM_SHIFT = 5, TRIM_MOST = 3 };

#define RATIO_MOST 5.0
#define GAP_DISTANCE 2
#define RATIO_LEAST 1.05
#define RATIO_LEAST_PERF 1.01

/* Names whose rows say that something went wrong (or did not). */
static const char *const failures[] = { "dmesg.*", "last_state.*", "stderr.*", "*.fail", "*.error",
					"*.warn", "*.pass", "kmsg.*" };

static const char *const perf[] = { "iostat.*", "proc-vmstat.*", "perf-stat.*", "vmstat.io.*",
				    "vmstat.cpu.*", "vmstat.system.*", "vmstat.swap.*",
				    "turbostat.*Watt", "turbostat.*Busy%", "turbostat.%Busy",
				    "time.*", "boot-*", "pmeter.*", "energy.*" };

/* A row counts only when its values reach "most"; a whole-number limit asks for half of it as change. */
struct limit {
	const char *pattern;
	double most;
};

static const struct limit limits[] = {
	{ "*time.elapsed_time*", 10 },
	{ "*time.system_time", 10 },
	{ "*time.user_time", 10 },
	{ "*context_switches", 1000 },
	{ "*page_faults", 1000 },
	{ "*time.file_system_*puts", 10000 },
	{ "iostat.*.avgrq-sz", 200 },
	{ "iostat.*await*", 50 },
	{ "iostat.*.%util", 10 },
	{ "iostat.*.[rw]/s", 50 },
	{ "iostat.*.[rw]kB/s", 100 },
	{ "vmstat.io.b[io]", 100 },
	{ "vmstat.system.in", 100 },
	{ "vmstat.system.cs", 100 },
	{ "vmstat.cpu.sy", 50 },
	{ "vmstat.cpu.*", 10 },
	{ "*vmstat*nr_*", 100 },
	{ "interrupts.*", 100 },
	{ "perf-profile.*", 1 },
	{ "iostat.*", 1 },
	{ "slabinfo.*", 100 },
	{ "proc-vmstat.*", 1000 },
	{ "meminfo.*", 1000 },
	{ "softirqs.*", 10000 },
};

static bool one_of(const char *const *patterns, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], key, 0))
			return true;
	return false;
}

enum r5s_robot_class r5s_robot_class_of(const char *key)
{
	if (one_of(failures, sizeof(failures) / sizeof(failures[0]), key) &&
	    !strstr(key, ".time.") && !strstr(key, ".timestamp:") && !strstr(key, ".bootstage:"))
		return R5S_ROBOT_FAILURE;
	if (r5s_direction_is_result(key))
		return R5S_ROBOT_RESULT;
	return one_of(perf, sizeof(perf) / sizeof(perf[0]), key) ? R5S_ROBOT_PERF :
								   R5S_ROBOT_MONITOR;
}

size_t r5s_robot_monitor(const char *key)
{
	return strcspn(key, ".");
}

double r5s_robot_median(double *x, size_t n)
{
	gsl_sort(x, 1, n);
	return n ? x[n / 2] : NAN;
}

/* Drops the outermost values of big groups. */
static void trim(double **x, size_t *n, size_t most)
{
	size_t margin = *n >> TRIM_SHIFT;

	margin = margin < most ? margin : most;
	*x += margin;
	*n -= 2 * margin;
}

static bool plausible(const char *key, double most, double delta)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!fnmatch(limits[i].pattern, key, 0))
			return most >= limits[i].most && delta >= limits[i].most / 2;
	return true;
}

/* A sorted group after trimming. */
struct range {
	double low;
	double median;
	double high;
	size_t n;
};

static struct range range_of(const double *x, size_t n)
{
	return (struct range){ x[0], x[n / 2], x[n - 1], n };
}

static bool is_whole(double v)
{
	return v == floor(v);
}

static bool apart(const struct r5s_robot_rule *rule, const struct range *low,
		  const struct range *high)
{
	double gap = high->low - low->high, medians = high->median - low->median;

	if (rule->gap > 0)
		return gap > 0 && gap > medians * rule->gap;
	if (rule->distance > 0) {
		if (low->n < R5S_ROBOT_RUNS || high->n < R5S_ROBOT_RUNS)
			return gap > rule->distance * fmax(low->high - low->low,
							   high->high - high->low);
		if (gap == 1 && is_whole(high->low) && is_whole(low->high))
			return false;
		return gap > 0 && gap > medians / GAP_DISTANCE;
	}
	return high->low > low->median && high->median > low->high;
}

static bool spreads(const struct r5s_robot_rule *rule, const struct range *a,
		    const struct range *b)
{
	double la = a->high - a->low, lb = b->high - b->low;

	if (a->n < R5S_ROBOT_VARIANCE_RUNS || b->n < R5S_ROBOT_VARIANCE_RUNS)
		return false;
	return la * b->median > rule->variance * lb * a->median ||
	       lb * a->median > rule->variance * la * b->median;
}

bool r5s_robot_changed(const struct r5s_robot_rule *rule, const char *key, double *base,
		       size_t n_base, double *head, size_t n_head)
{
	enum r5s_robot_class class = r5s_robot_class_of(key);
	bool profile = !strncmp(key, "perf-profile", 12);
	struct range a, b;
	double low, high, ratio;

	if (!n_base || !n_head || (rule->deny && r5s_robot_denied(key)))
		return false;
	gsl_sort(base, 1, n_base);
	gsl_sort(head, 1, n_head);
	if (class == R5S_ROBOT_FAILURE)
		return base[n_base - 1] != head[n_head - 1];
	if (!rule->whole && n_base < R5S_ROBOT_RUNS && n_head < R5S_ROBOT_RUNS)
		return false;
	trim(&base, &n_base, TRIM_MOST);
	trim(&head, &n_head, n_base <= TRIM_MOST ? 1 : TRIM_MOST);
	a = range_of(base, n_base);
	b = range_of(head, n_head);
	if (profile && rule->profile > 0)
		return a.median > rule->profile || b.median > rule->profile;
	if (rule->variance > 0)
		return spreads(rule, &a, &b);
	if (!apart(rule, &a, &b) && !apart(rule, &b, &a))
		return false;
	if (profile)
		return true;
	low = fmin(a.median, b.median);
	high = fmax(a.median, b.median);
	ratio = low <= 0 ? RATIO_MOST : fmin(high / low, RATIO_MOST);
	if (ratio <= RATIO_LEAST_PERF || (ratio <= RATIO_LEAST && class == R5S_ROBOT_MONITOR))
		return false;
	return plausible(key, fmax(a.high, b.high), high - low);
}
