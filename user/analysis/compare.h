/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of runs against the first of them.
 */
#ifndef R5S_ANALYSIS_COMPARE_H
#define R5S_ANALYSIS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/matrix.h"
#include "compare/result.h"
#include "compare/robot.h"

/**
 * struct r5s_compare_options - how
 * @alpha: false discovery rate, and level of single tests, e.g. 0.05
 * @seed: of the resampling
 * @everything: keep rows that neither rule calls changed
 * @named: @wanted names metrics: they are shown, changed or not
 * @rule: the robot's
 * @wanted: which metrics at all; NULL takes all. Decides before the discovery rate is controlled:
 *	fewer rows looked at cost less.
 * @arg: given to it
 */
struct r5s_compare_options {
	double alpha;
	uint64_t seed;
	bool everything;
	bool named;
	struct r5s_robot_rule rule;
	bool (*wanted)(const char *key, void *arg);
	void *arg;
};

/* What the whole comparison says. */
enum r5s_compare_verdict {
	R5S_COMPARE_DIFFERENT,
	R5S_COMPARE_SAME,	/* no difference shown, and one could have been */
	R5S_COMPARE_TOO_FEW	/* so few runs that no difference, however big, would have shown */
};

/**
 * struct r5s_compare_summary - figures for the sentences below the table
 * @verdict: see there
 * @tested: pairs of groups and metrics that were tested
 * @found: of these, with q <= alpha
 * @robot: rows that the robot's rule calls changed
 * @least_p: smallest p that any tested pair could have had
 * @least_base, @least_head: the sizes of the groups that could
 * @need: runs per group (equal groups) so that one row among @tested could pass
 * @missing_rows: rows with a run without a value
 */
struct r5s_compare_summary {
	enum r5s_compare_verdict verdict;
	size_t tested;
	size_t found;
	size_t robot;
	double least_p;
	size_t least_base;
	size_t least_head;
	size_t need;
	size_t missing_rows;
};

/**
 * r5s_compare_groups - compare
 * @m: groups, the first is the base
 * @n: their number, at least 2
 * @o: how
 * @out: table; to be freed in every case
 * @sum: figures
 *
 * Cost grows with runs times metrics; intervals are made only for rows that
 * either rule calls changed, and for what the workload achieved.
 *
 * Return: 0, -EINVAL for fewer than 2 groups, -ENOMEM.
 */
int r5s_compare_groups(const struct r5s_matrix *m, size_t n, const struct r5s_compare_options *o,
		       struct r5s_result *out, struct r5s_compare_summary *sum);

#endif
