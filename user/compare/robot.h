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

enum { R5S_ROBOT_RUNS = 3 };	/* that one group must have at least */

/** r5s_robot_class_of - by the metric's name */
enum r5s_robot_class r5s_robot_class_of(const char *key);

/**
 * r5s_robot_changed - min, median and max cross, and by enough
 * @key: metric
 * @base: values that are there
 * @n_base: their number
 * @head: the other group
 * @n_head: their number
 *
 * Reorders both. The plausibility limits are those that concern what we record.
 */
bool r5s_robot_changed(const char *key, double *base, size_t n_base, double *head, size_t n_head);

/** r5s_robot_median - element n/2 of the sorted values, NaN for none; sorts */
double r5s_robot_median(double *x, size_t n);

/** r5s_robot_monitor - bytes of a key's first part ("iostat" of "iostat.md0.w/s") */
size_t r5s_robot_monitor(const char *key);

#endif
