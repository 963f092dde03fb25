/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two groups of runs: are they different, by how much, and could we have seen it?
 */
#ifndef R5S_ANALYSIS_STATS_H
#define R5S_ANALYSIS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	R5S_STATS_EXACT_MAX = 40,	/* runs of both groups together */
	R5S_STATS_PAIRS_MAX = 100,	/* pairs up to which the interval is resampled */
	R5S_STATS_RESAMPLES = 1000
};

/** r5s_stats_mean - arithmetic mean, NaN for n = 0 */
double r5s_stats_mean(const double *x, size_t n);

/** r5s_stats_spread - standard deviation of the runs themselves (divides by n), NaN for n = 0 */
double r5s_stats_spread(const double *x, size_t n);

/**
 * struct r5s_stats_test - Mann-Whitney
 * @u: U of the second group: pairs where it is larger, ties count half
 * @p: two-sided: twice the smaller tail, at most 1; NaN when a group is empty
 * @exact: from the exact distribution given the ties, else from the normal one (tie and
 *	continuity corrected)
 */
struct r5s_stats_test {
	double u;
	double p;
	bool exact;
};

/**
 * r5s_stats_test - do both groups come from one distribution?
 * @a: first group, no NaN
 * @na: its size
 * @b: second group
 * @nb: its size
 * @out: filled in
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_stats_test(const double *a, size_t na, const double *b, size_t nb,
		   struct r5s_stats_test *out);

/**
 * r5s_stats_least_p - the smallest two-sided p that groups of this size can give
 * @na: size of one
 * @nb: size of the other
 *
 * Return: 2 / C(na + nb, na), at most 1; 1 when one is empty.
 */
double r5s_stats_least_p(size_t na, size_t nb);

/**
 * struct r5s_stats_shift - Hodges-Lehmann: the median of all differences b - a
 * @shift: in the metric's unit; NaN when a group is empty
 * @low: lower end of the interval; NaN when a group has fewer than 2 runs
 * @high: upper end
 * @bootstrap: the interval is from resampling (percentiles), else from the ranks
 */
struct r5s_stats_shift {
	double shift;
	double low;
	double high;
	bool bootstrap;
};

/**
 * r5s_stats_shift - by how much is b above a?
 * @a: first group, no NaN
 * @na: its size
 * @b: second group
 * @nb: its size
 * @level: of the interval, e.g. 0.95; 0 leaves the interval out
 * @seed: of the resampling; the same seed gives the same interval
 * @out: filled in
 *
 * Resamples R5S_STATS_RESAMPLES times up to R5S_STATS_PAIRS_MAX pairs; above it the interval
 * inverts the rank test, which there agrees with it and costs one pass.
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_stats_shift(const double *a, size_t na, const double *b, size_t nb, double level,
		    uint64_t seed, struct r5s_stats_shift *out);

/**
 * r5s_stats_adjust - Benjamini and Hochberg
 * @p: p values, NaN is passed over
 * @n: their number
 * @q: results; NaN where p is
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_stats_adjust(const double *p, size_t n, double *q);

/**
 * r5s_stats_detectable - the change that groups like these would have shown
 * @a: first group
 * @na: its size
 * @b: second group
 * @nb: its size
 * @alpha: level of the test, e.g. 0.05
 * @power: e.g. 0.8
 *
 * From the spread within both groups (pooled, divides by na + nb - 2): the shift of a normal
 * metric which the rank test at @alpha finds with probability @power. An estimate: with few runs
 * the spread itself is little known.
 *
 * Return: in the metric's unit; infinite when groups of this size can show nothing; NaN when the
 * spread is not known.
 */
double r5s_stats_detectable(const double *a, size_t na, const double *b, size_t nb, double alpha,
			    double power);

#endif
