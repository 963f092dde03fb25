/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group of runs: one number per metric and run, or none.
 */
#ifndef R5S_COMPARE_MATRIX_H
#define R5S_COMPARE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct r5s_matrix_metric - one metric over the runs of a group
 * @key: name
 * @unit: NULL when not known
 * @v: one value per run, NaN where the run has none; use r5s_matrix_value()
 * @room: runs that @v can hold; runs beyond it have no value
 * @integer: every value was written as a whole number (the robot prints by that)
 */
struct r5s_matrix_metric {
	char *key;
	char *unit;
	double *v;
	size_t room;
	bool integer;
};

/**
 * struct r5s_matrix - a group
 * @name: what the user called it, or a commit
 * @testcase: "testbox/benchmark/sub-testcase" when known, else NULL
 * @runs: number of runs
 * @source: where each run comes from
 */
struct r5s_matrix {
	char *name;
	char *testcase;
	size_t runs;
	char **source;
	struct r5s_matrix_metric *metric;
	size_t n;

	/* Private to matrix.c. */
	size_t source_room;
	size_t metric_room;
	size_t *slot;
	size_t slots;
};

/**
 * r5s_matrix_init - an empty group
 * @m: caller's memory
 * @name: copied
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_matrix_init(struct r5s_matrix *m, const char *name);
void r5s_matrix_free(struct r5s_matrix *m);

/**
 * r5s_matrix_run_add - one more run
 * @m: group
 * @source: its origin, copied
 *
 * Return: its column, or -ENOMEM.
 */
long r5s_matrix_run_add(struct r5s_matrix *m, const char *source);

/**
 * r5s_matrix_put - a run's value
 * @m: group
 * @key: metric, made when new
 * @run: column
 * @value: NaN removes it
 * @integer: was it written as a whole number?
 *
 * Return: 0, -EINVAL for an unknown run, -ENOMEM.
 */
int r5s_matrix_put(struct r5s_matrix *m, const char *key, size_t run, double value, bool integer);

/** r5s_matrix_unit_put - the unit of a metric; the first one stays */
int r5s_matrix_unit_put(struct r5s_matrix *m, const char *key, const char *unit);

/** r5s_matrix_find - the metric of that name, NULL when there is none */
const struct r5s_matrix_metric *r5s_matrix_find(const struct r5s_matrix *m, const char *key);

/** r5s_matrix_value - NaN where the run has no value */
double r5s_matrix_value(const struct r5s_matrix_metric *metric, size_t run);

/**
 * r5s_matrix_present - the values that are there
 * @m: group
 * @metric: its metric, may be NULL
 * @out: room for @m->runs values
 *
 * Return: their number.
 */
size_t r5s_matrix_present(const struct r5s_matrix *m, const struct r5s_matrix_metric *metric,
			  double *out);

#endif
