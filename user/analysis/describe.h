/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series in a few numbers.
 */
#ifndef R5S_ANALYSIS_DESCRIBE_H
#define R5S_ANALYSIS_DESCRIBE_H

#include <stddef.h>

/**
 * struct r5s_describe - summary; every figure is NaN when nothing was there
 * @n: values that are not NaN
 * @missing: values that are
 * @min: smallest
 * @p5: 5 % of the values are below, interpolated
 * @median: half
 * @p95: 95 %
 * @max: largest
 * @mean: arithmetic mean
 * @sd: sample standard deviation (divides by n - 1); NaN for n < 2
 */
struct r5s_describe {
	size_t n;
	size_t missing;
	double min;
	double p5;
	double median;
	double p95;
	double max;
	double mean;
	double sd;
};

/**
 * r5s_describe_series - summarise
 * @x: values, NaN where missing
 * @n: their number
 * @out: filled in
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_describe_series(const double *x, size_t n, struct r5s_describe *out);

#endif
