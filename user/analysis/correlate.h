/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lagged rank correlation of two equally spaced series that remember their past.
 *
 * Samples a tenth of a second apart are not independent: two unrelated series that both drift
 * "correlate" beyond doubt when every sample counts as one observation. So p and interval use the
 * number of effectively independent samples, n_eff, from the autocorrelations of both: the formula,
 * and where its sum stops, is in correlate.c.
 */
#ifndef R5S_ANALYSIS_CORRELATE_H
#define R5S_ANALYSIS_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	R5S_CORRELATE_MIN_NEFF = 8	/* below this nothing is said but "too short to tell" */
};

enum r5s_correlate_kind {
	R5S_CORRELATE_GAUGE,	/* the level itself */
	R5S_CORRELATE_COUNTER	/* its rate: difference per second */
};

/**
 * struct r5s_correlate_point - one stored sample
 * @t_ns: time since the run began
 * @value: NaN where the metric was absent
 */
struct r5s_correlate_point {
	int64_t t_ns;
	double value;
};

/**
 * struct r5s_correlate_opts - how to look
 * @period_s: distance of two samples, seconds
 * @max_lag: look at -max_lag..max_lag samples
 * @min_neff: fewer independent samples than this are "too short to tell"; 0 takes
 *	R5S_CORRELATE_MIN_NEFF
 * @level: of the interval; 0 takes 0.95
 */
struct r5s_correlate_opts {
	double period_s;
	int max_lag;
	double min_neff;
	double level;
};

/**
 * struct r5s_correlate_result - one metric at one lag
 * @tag: the caller's, not touched
 * @lag: samples by which x moves before y (negative: after)
 * @n: pairs used
 * @rho: Spearman's rank correlation; NaN when a side does not vary
 * @n_eff: effectively independent pairs, at most @n
 * @p: two-sided, from @n_eff; NaN when too short
 * @q: false discovery rate at which this would be called a finding; set by
 *	r5s_correlate_adjust(), NaN before
 * @low: lower end of the interval; NaN when too short
 * @high: upper end
 * @too_short: @n_eff is below the minimum: say nothing else about this pair
 * @need_s: when @too_short, how long the run would have to be at least, seconds; else 0
 */
struct r5s_correlate_result {
	size_t tag;
	int lag;
	size_t n;
	double rho;
	double n_eff;
	double p;
	double q;
	double low;
	double high;
	bool too_short;
	double need_s;
};

/**
 * r5s_correlate_grid - stored samples onto an equally spaced grid
 * @pts: samples in order of time
 * @n_pts: their number
 * @kind: a gauge gives its level at the grid points, a counter its rate over the step before
 * @t0_ns: first grid point
 * @period_ns: step, above 0
 * @hold_ns: a sample speaks for at most this long after it; then the grid point is missing. The
 *	last sample is no exception.
 * @out: @n_out results, NaN where missing (a counter's first point always)
 * @n_out: grid points
 *
 * A counter that went down was restarted: that step is missing, not negative.
 */
void r5s_correlate_grid(const struct r5s_correlate_point *pts, size_t n_pts,
			enum r5s_correlate_kind kind, int64_t t0_ns, int64_t period_ns,
			int64_t hold_ns, double *out, size_t n_out);

/**
 * r5s_correlate_pair - one lag
 * @x: metric, NaN where missing
 * @y: file rate, NaN where missing
 * @n: samples in each
 * @lag: pairs are x[i] with y[i + lag]
 * @opts: see there; max_lag is not used
 * @res: filled in, tag apart
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_correlate_pair(const double *x, const double *y, size_t n, int lag,
		       const struct r5s_correlate_opts *opts, struct r5s_correlate_result *res);

/**
 * r5s_correlate_lags - every lag from -max_lag to max_lag
 * @x: metric, NaN where missing
 * @y: file rate, NaN where missing
 * @n: samples in each
 * @opts: see there
 * @res: 2 * max_lag + 1 results, in order of lag; tag untouched
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_correlate_lags(const double *x, const double *y, size_t n,
		       const struct r5s_correlate_opts *opts, struct r5s_correlate_result *res);

/**
 * r5s_correlate_adjust - false discovery control over everything that was looked at
 * @res: all metrics at all lags of one report
 * @n: their number
 *
 * Benjamini and Hochberg's step-up over the results with a p; the others keep q = NaN. Looking at
 * more lags therefore costs: best lags must be chosen after this, from the same array.
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_correlate_adjust(struct r5s_correlate_result *res, size_t n);

/**
 * r5s_correlate_best - the lag that stands for a metric
 * @res: results of one metric
 * @n: their number
 *
 * The smallest p; among equals the larger |rho|, then the lag nearest 0.
 *
 * Return: its index; -1 when none has a p.
 */
int r5s_correlate_best(const struct r5s_correlate_result *res, size_t n);

#endif
