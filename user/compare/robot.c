// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/robot.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "analysis/direction.h"

enum { TRIM_SHIFT = 5, TRIM_MOST = 3, VARIANCE_RUNS = 10 };

#define RATIO_MOST 5.0
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

static bool plausible(const char *key, double highest, double delta)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!fnmatch(limits[i].pattern, key, 0))
			return highest >= limits[i].most && delta >= limits[i].most / 2;
	return true;
}

/* A trimmed, sorted group. */
struct group {
	const double *x;
	size_t n;
	double median;
};

static double least(const struct group *g)
{
	return g->x[0];
}

static double most(const struct group *g)
{
	return g->x[g->n - 1];
}

static double range(const struct group *g)
{
	return most(g) - least(g);
}

/* One above the other, as the rule asks. */
static bool above(const struct group *hi, const struct group *lo, const struct r5s_robot_rule *rule)
{
	double gap = least(hi) - most(lo), medians = hi->median - lo->median;

	if (rule->distance > 0 && (hi->n < R5S_ROBOT_RUNS || lo->n < R5S_ROBOT_RUNS))
		return gap > rule->distance * fmax(range(hi), range(lo));
	if (rule->distance > 0)
		return gap > medians / 2 && !(gap == 1 && least(hi) == floor(least(hi)));
	if (rule->gap > 0)
		return gap > 0 && gap > medians * rule->gap;
	return least(hi) > lo->median && hi->median > most(lo);
}

static bool scatters(const struct group *a, const struct group *b, double factor)
{
	if (factor <= 0 || a->n < VARIANCE_RUNS || b->n < VARIANCE_RUNS)
		return false;
	return range(a) * b->median > factor * range(b) * a->median ||
	       range(b) * a->median > factor * range(a) * b->median;
}

bool r5s_robot_changed(const char *key, double *base, size_t n_base, double *head, size_t n_head,
		       const struct r5s_robot_rule *rule)
{
	static const struct r5s_robot_rule usual;
	enum r5s_robot_class class = r5s_robot_class_of(key);
	bool profile = !strncmp(key, "perf-profile", 12);
	struct group a, b;
	double low, high, ratio;

	rule = rule ?: &usual;
	if (!n_base || !n_head)
		return false;
	gsl_sort(base, 1, n_base);
	gsl_sort(head, 1, n_head);
	if (class == R5S_ROBOT_FAILURE)
		return base[n_base - 1] != head[n_head - 1];
	if (n_base < R5S_ROBOT_RUNS && n_head < R5S_ROBOT_RUNS)
		return false;
	trim(&base, &n_base, TRIM_MOST);
	trim(&head, &n_head, n_base <= TRIM_MOST ? 1 : TRIM_MOST);
	a = (struct group){ base, n_base, base[n_base / 2] };
	b = (struct group){ head, n_head, head[n_head / 2] };
	if (profile && rule->profile > 0)
		return a.median > rule->profile || b.median > rule->profile;
	if (scatters(&a, &b, rule->variance))
		return true;
	if (!above(&a, &b, rule) && !above(&b, &a, rule))
		return false;
	if (profile)
		return true;
	low = fmin(a.median, b.median);
	high = fmax(a.median, b.median);
	ratio = low <= 0 ? RATIO_MOST : fmin(high / low, RATIO_MOST);
	if (ratio <= RATIO_LEAST_PERF || (ratio <= RATIO_LEAST && class == R5S_ROBOT_MONITOR))
		return false;
	return plausible(key, fmax(most(&a), most(&b)), high - low);
}
