/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as a table: from runs of our own or read back from a mail, printed in any style.
 */
#ifndef R5S_COMPARE_RESULT_H
#define R5S_COMPARE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

/* Who printed it, or who shall. */
enum r5s_result_style {
	R5S_RESULT_OWN,
	R5S_RESULT_CLASSIC,		/* the robot's printer of 2015 */
	R5S_RESULT_CLASSIC_2016,	/* "change" without sign and decimals */
	R5S_RESULT_MODERN_2017,		/* ncompare, every spread printed */
	R5S_RESULT_MODERN,		/* ncompare, spreads above 2 % */
	R5S_RESULT_SUMMARY,		/* one row per test case */
	R5S_RESULT_GRID			/* a plain table with named columns */
};

enum r5s_result_kind {
	R5S_RESULT_NO_CHANGE,		/* nothing printed, or one side is missing */
	R5S_RESULT_PERCENT,
	R5S_RESULT_ABSOLUTE,
	R5S_RESULT_FROM_ZERO		/* the base is 0: there is no percentage */
};

/**
 * struct r5s_result_cell - a metric in one group
 * @mean: over the runs that have a value; NaN when none has
 * @spread: standard deviation (divides by n) in percent of the mean; NaN when not known
 * @spread_printed: a report printed it, or a printer should
 * @decimals: digits after the point as read; -1 for exponent form or when not read
 * @percent_sign: the value itself was followed by %
 * @n: runs with a value, 0 when a report did not say
 * @runs: runs of the group
 * @fails: runs that failed (failure rows)
 * @min, @median, @max: over the runs; @median is the robot's, element n/2
 * @minutes: run time (summary rows), NaN when not known
 * @change: against the base, in percent or in the metric's unit
 * @change_decimals: as read, -1 when not read
 * @p, @q: NaN when not tested
 * @shift, @low, @high: Hodges-Lehmann and its interval, NaN when not made
 * @bootstrap: the interval was resampled
 * @exact: the p is exact
 * @detectable: the smallest change that these runs would have shown, in the metric's unit; NaN
 *	when not known, infinite when none
 * @robot: the robot would call it changed
 */
struct r5s_result_cell {
	double mean;
	double spread;
	bool spread_printed;
	int decimals;
	bool percent_sign;
	size_t n;
	size_t runs;
	size_t fails;
	double min;
	double median;
	double max;
	double minutes;
	enum r5s_result_kind kind;
	double change;
	int change_decimals;
	double p;
	double q;
	double shift;
	double low;
	double high;
	bool bootstrap;
	bool exact;
	double detectable;
	bool robot;
};

/**
 * struct r5s_result_row - a metric
 * @key: name; in summaries the test case
 * @unit: NULL when not known
 * @failure: a failure row: @fails and @runs of its cells count
 * @real: any value was written as a fraction (the robot's formats depend on it)
 * @line: where it was read, 0 when it was not
 * @step: fs_mark's rounding step in files/s, 0 when the row is none of it
 * @on_step: both means are whole multiples of the step
 * @step_decides: the difference is not larger than what the rounding can make
 * @true_rate: files/s by the clock, per cell; NULL when not known
 * @true_rate_from: words for where it comes from
 */
struct r5s_result_row {
	char *key;
	char *unit;
	bool failure;
	bool real;
	unsigned int line;
	double step;
	bool on_step;
	bool step_decides;
	double *true_rate;
	const char *true_rate_from;
	struct r5s_result_cell *cell;
};

/**
 * struct r5s_result_group - a column
 * @name: commit, kernel, tag, ...
 * @title: what was behind it in brackets; NULL for none
 * @runs: 0 when not known
 */
struct r5s_result_group {
	char *name;
	char *title;
	size_t runs;
};

/**
 * struct r5s_result - a table
 * @style: as it was read; R5S_RESULT_OWN for our own runs
 * @testcase: "testbox/benchmark/sub-testcase", NULL when not known
 * @axes, @values: the modern header's two lines, NULL when there was none
 * @head: header words of a grid
 * @group: columns, the first is the base
 * @row: rows
 */
struct r5s_result {
	enum r5s_result_style style;
	char *testcase;
	char *axes;
	char *values;
	char *head;
	struct r5s_result_group *group;
	size_t groups;
	struct r5s_result_row *row;
	size_t rows;
	size_t room;
};

void r5s_result_init(struct r5s_result *r, enum r5s_result_style style);
void r5s_result_free(struct r5s_result *r);

/** r5s_result_group_add - a column; rows must not exist yet. Return: 0, or -ENOMEM. */
int r5s_result_group_add(struct r5s_result *r, const char *name, const char *title, size_t runs);

/**
 * r5s_result_row_add - a row whose cells hold nothing yet
 * @r: table with its groups
 * @key: copied
 *
 * Return: the row, valid until the next one is added; NULL without memory.
 */
struct r5s_result_row *r5s_result_row_add(struct r5s_result *r, const char *key);

/** r5s_result_rows_keep - drop the rows that keep() does not want, in place */
void r5s_result_rows_keep(struct r5s_result *r,
			  bool (*keep)(const struct r5s_result_row *row, void *arg), void *arg);

/**
 * r5s_result_style_parse - a style's number
 * @name: "own", "classic", "classic-2016", "modern", "modern-2017"
 *
 * Return: the style, or -EINVAL.
 */
int r5s_result_style_parse(const char *name);
const char *r5s_result_style_name(enum r5s_result_style style);

/** r5s_result_metric - what a row measures: its key, or in a summary what its test case achieves */
const char *r5s_result_metric(const struct r5s_result *r, const struct r5s_result_row *row);

/**
 * r5s_result_absolute - does a style show a difference instead of a percentage?
 * @key: metric
 * @style: classic never does, classic-2016 for perf-profile and latency_stats, the others for
 *	perf-profile and names that end in %
 */
bool r5s_result_absolute(const char *key, enum r5s_result_style style);

/**
 * r5s_result_change - a change from the two means
 * @row: its row
 * @group: head
 * @style: decides between percentage and difference
 * @cell: kind and change are set; NO_CHANGE when a mean is missing
 */
void r5s_result_change(const struct r5s_result_row *row, size_t group,
		       enum r5s_result_style style, struct r5s_result_cell *cell);

#endif
