// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/rank.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

int r5s_rank_average(const double *x, size_t n, double *rank)
{
	size_t *order = malloc((n + 1) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	gsl_sort_index(order, x, 1, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && x[order[end]] == x[order[i]]; end++)
			;
		/* Places i + 1 .. end: their mean. */
		for (size_t k = i; k < end; k++)
			rank[order[k]] = ((double)i + 1 + (double)end) / 2;
	}
	free(order);
	return 0;
}

double r5s_rank_pearson(const double *x, const double *y, size_t n)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0, r;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		mx += x[i];
		my += y[i];
	}
	mx /= (double)n;
	my /= (double)n;
	for (size_t i = 0; i < n; i++) {
		double dx = x[i] - mx, dy = y[i] - my;

		xx += dx * dx;
		yy += dy * dy;
		xy += dx * dy;
	}
	if (!(xx > 0) || !(yy > 0))
		return NAN;
	r = xy / sqrt(xx * yy);
	return r > 1 ? 1 : r < -1 ? -1 : r;
}

int r5s_rank_spearman(const double *x, const double *y, size_t n, double *rho)
{
	double *rank = malloc((2 * n + 1) * sizeof(*rank));
	int err = rank ? 0 : -ENOMEM;

	if (!err)
		err = r5s_rank_average(x, n, rank);
	if (!err)
		err = r5s_rank_average(y, n, rank + n);
	if (!err)
		*rho = r5s_rank_pearson(rank, rank + n, n);
	free(rank);
	return err;
}

double r5s_rank_p(double rho, double n)
{
	double t;

	if (isnan(rho) || !(n > 2))
		return NAN;
	if (fabs(rho) >= 1)
		return 0;
	t = fabs(rho) * sqrt((n - 2) / ((1 - rho) * (1 + rho)));
	return 2 * gsl_cdf_tdist_Q(t, n - 2);
}

void r5s_rank_interval(double rho, double n, double level, double *low, double *high)
{
	double z, half;

	*low = NAN;
	*high = NAN;
	if (isnan(rho) || !(n > 3))
		return;
	if (fabs(rho) >= 1) {
		*low = rho;
		*high = rho;
		return;
	}
	z = atanh(rho);
	half = gsl_cdf_ugaussian_Pinv((1 + level) / 2) * sqrt((1 + rho * rho / 2) / (n - 3));
	*low = tanh(z - half);
	*high = tanh(z + half);
}
