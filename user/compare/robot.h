/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel test robot's own rule for "changed", without its zero filling.
 */
#ifndef R5S_COMPARE_ROBOT_H
#define R5S_COMPARE_ROBOT_H

#include <stdbool.h>
#include <stddef.h>

enum r5s_robot_class {
	R5S_ROBOT_RESULT,	/* a test suite's own number */
	R5S_ROBOT_MONITOR,
	R5S_ROBOT_PERF,		/* a monitor whose numbers count as performance */
	R5S_ROBOT_FAILURE
};

enum {
	R5S_ROBOT_RUNS = 3,		/* that one group must have at least */
	R5S_ROBOT_VARIANCE_RUNS = 10	/* that both must have to compare their ranges */
};

/**
 * struct r5s_robot_rule - what the robot's command line can change; all 0 is its default
 * @gap: changed when the ranges are apart by more than this part of the medians' distance; 0: unused
 * @distance: with fewer than R5S_ROBOT_RUNS runs the ranges must be apart by this many times the
 *	wider of them, with more by half of the medians' distance; 0: unused
 * @variance: changed when one range, relative to its median, is this many times the other, with
 *	R5S_ROBOT_VARIANCE_RUNS runs in both groups; 0: unused
 * @profile: perf-profile rows count when a median reaches beyond it, in percent; 0: unused
 * @whole: groups of fewer than R5S_ROBOT_RUNS runs are looked at
 * @deny: leave out what the robot's list of unwanted metrics leaves out since 2022
 */
struct r5s_robot_rule {
	double gap;
	double distance;
	double variance;
	double profile;
	bool whole;
	bool deny;
};

/**
 * r5s_robot_rule_parse - from words
 * @rule: set
 * @text: "gap=0.5,whole", ...; names as above, numbers above 0
 *
 * Return: 0, or -EINVAL.
 */
int r5s_robot_rule_parse(struct r5s_robot_rule *rule, const char *text);

/** r5s_robot_denied - is it on the robot's list of metrics that reports do not show? */
bool r5s_robot_denied(const char *key);

/** r5s_robot_class_of - by the metric's name */
enum r5s_robot_class r5s_robot_class_of(const char *key);

/**
 * r5s_robot_changed - min, median and max cross, and by enough
 * @rule: other tests instead of that one
 * @key: metric
 * @base: values that are there
 * @n_base: their number
 * @head: the other group
 * @n_head: their number
 *
 * Reorders both. The plausibility limits are those that concern what we record.
 */
bool r5s_robot_changed(const struct r5s_robot_rule *rule, const char *key, double *base,
		       size_t n_base, double *head, size_t n_head);

/** r5s_robot_median - element n/2 of the sorted values, NaN for none; sorts */
double r5s_robot_median(double *x, size_t n);

/** r5s_robot_monitor - bytes of a key's first part ("iostat" of "iostat.md0.w/s") */
size_t r5s_robot_monitor(const char *key);

#endif
