// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include "analysis/correlate.h"
#include "analysis/rank.h"

double r5s_stats_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : NAN;
}

double r5s_stats_spread(const double *x, size_t n)
{
	double mean = r5s_stats_mean(x, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return n ? sqrt(sum / (double)n) : NAN;
}

/*
 * In how many of the C(n, k) choices is the sum of doubled ranks at most (at least) the observed
 * one? ways[j][s] counts choices of j ranks with sum s; exact in doubles up to C(40, 20).
 */
static int tails(const long *rank, size_t n, size_t k, long sum, double *low, double *high)
{
	long total = 0;
	size_t width;
	double *ways, all = 0;

	for (size_t i = 0; i < n; i++)
		total += rank[i];
	width = (size_t)total + 1;
	ways = calloc((k + 1) * width, sizeof(*ways));
	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0, reach = 0; i < n; i++) {
		size_t r = (size_t)rank[i];

		reach += r;
		for (size_t j = i + 1 < k ? i + 1 : k; j >= 1; j--) {
			double *to = ways + j * width + r;
			const double *from = ways + (j - 1) * width;

			for (size_t s = 0; s + r <= reach; s++)
				to[s] += from[s];
		}
	}
	*low = 0;
	*high = 0;
	for (size_t s = 0; s < width; s++) {
		double w = ways[k * width + s];

		all += w;
		if ((long)s <= sum)
			*low += w;
		if ((long)s >= sum)
			*high += w;
	}
	*low /= all;
	*high /= all;
	free(ways);
	return 0;
}

static double normal_p(const double *rank, size_t na, size_t nb, double u)
{
	size_t n = na + nb;
	double ties = 0, sd, z;
	double *sorted = malloc(n * sizeof(*sorted));

	if (!sorted)
		return NAN;
	memcpy(sorted, rank, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && sorted[end] == sorted[i]; end++)
			;
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	free(sorted);
	sd = sqrt((double)na * (double)nb / 12 *
		  ((double)n + 1 - ties / ((double)n * (double)(n - 1))));
	if (!(sd > 0))
		return 1;
	z = (fabs(u - (double)na * (double)nb / 2) - 0.5) / sd;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(z));
}

int r5s_stats_test(const double *a, size_t na, const double *b, size_t nb,
		   struct r5s_stats_test *out)
{
	size_t n = na + nb;
	double *x, *rank, sum = 0;
	int err;

	*out = (struct r5s_stats_test){ .u = NAN, .p = NAN };
	if (!na || !nb)
		return 0;
	x = malloc(2 * n * sizeof(*x));
	if (!x)
		return -ENOMEM;
	rank = x + n;
	memcpy(x, a, na * sizeof(*x));
	memcpy(x + na, b, nb * sizeof(*x));
	err = r5s_rank_average(x, n, rank);
	if (err)
		goto out;
	for (size_t i = na; i < n; i++)
		sum += rank[i];
	out->u = sum - (double)nb * ((double)nb + 1) / 2;
	if (n <= R5S_STATS_EXACT_MAX) {
		long doubled[R5S_STATS_EXACT_MAX], seen = 0;
		size_t k = na < nb ? na : nb, from = na < nb ? 0 : na;
		double low, high;

		for (size_t i = 0; i < n; i++)
			doubled[i] = lround(2 * rank[i]);
		for (size_t i = from; i < from + k; i++)
			seen += doubled[i];
		err = tails(doubled, n, k, seen, &low, &high);
		if (!err)
			out->p = fmin(1, 2 * fmin(low, high));
		out->exact = true;
	} else {
		out->p = normal_p(rank, na, nb, out->u);
		if (isnan(out->p))
			err = -ENOMEM;
	}
out:
	free(x);
	return err;
}

double r5s_stats_least_p(size_t na, size_t nb)
{
	double ways = 1;

	if (!na || !nb)
		return 1;
	for (size_t i = 1; i <= na; i++)
		ways *= (double)(nb + i) / (double)i;
	return fmin(1, 2 / ways);
}

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The k-th smallest, from 0; reorders x. */
static double select_kth(double *x, long n, long k)
{
	long lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = x[lo + (hi - lo) / 2];
		long i = lo, j = hi;

		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i <= j) {
				double t = x[i];

				x[i++] = x[j];
				x[j--] = t;
			}
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}
	return x[k];
}

static double median(double *x, size_t n)
{
	double high = select_kth(x, (long)n, (long)(n / 2)), low;

	if (n % 2)
		return high;
	/* Everything before n / 2 is now at most x[n / 2]. */
	low = x[0];
	for (size_t i = 1; i < n / 2; i++)
		low = fmax(low, x[i]);
	return (low + high) / 2;
}

static double pairs_median(const double *a, size_t na, const double *b, size_t nb, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			room[n++] = b[j] - a[i];
	return median(room, n);
}

static int resample(const double *a, size_t na, const double *b, size_t nb, double level,
		    uint64_t seed, double *room, struct r5s_stats_shift *out)
{
	double *got = malloc((R5S_STATS_RESAMPLES + na + nb) * sizeof(*got));
	double *x, *y, tail = (1 - level) / 2;

	if (!got)
		return -ENOMEM;
	x = got + R5S_STATS_RESAMPLES;
	y = x + na;
	for (int r = 0; r < R5S_STATS_RESAMPLES; r++) {
		for (size_t i = 0; i < na; i++)
			x[i] = a[draw(&seed) % na];
		for (size_t j = 0; j < nb; j++)
			y[j] = b[draw(&seed) % nb];
		got[r] = pairs_median(x, na, y, nb, room);
	}
	gsl_sort(got, 1, R5S_STATS_RESAMPLES);
	out->low = got[(size_t)(tail * R5S_STATS_RESAMPLES)];
	out->high = got[R5S_STATS_RESAMPLES - 1 - (size_t)(tail * R5S_STATS_RESAMPLES)];
	out->bootstrap = true;
	free(got);
	return 0;
}

int r5s_stats_shift(const double *a, size_t na, const double *b, size_t nb, double level,
		    uint64_t seed, struct r5s_stats_shift *out)
{
	size_t pairs = na * nb;
	double *room;
	int err = 0;

	*out = (struct r5s_stats_shift){ .shift = NAN, .low = NAN, .high = NAN };
	if (!pairs)
		return 0;
	room = malloc(pairs * sizeof(*room));
	if (!room)
		return -ENOMEM;
	out->shift = pairs_median(a, na, b, nb, room);
	if (level > 0 && na > 1 && nb > 1) {
		if (pairs <= R5S_STATS_PAIRS_MAX) {
			err = resample(a, na, b, nb, level, seed, room, out);
		} else {
			double z = gsl_cdf_ugaussian_Pinv((1 + level) / 2);
			double half = z * sqrt((double)pairs * (double)(na + nb + 1) / 12);
			long k = (long)floor((double)pairs / 2 - half);

			k = k < 0 ? 0 : k;
			out->low = select_kth(room, (long)pairs, k);
			out->high = select_kth(room, (long)pairs, (long)pairs - 1 - k);
		}
	}
	free(room);
	return err;
}

int r5s_stats_adjust(const double *p, size_t n, double *q)
{
	struct r5s_correlate_result *res = calloc(n + 1, sizeof(*res));
	int err;

	if (!res)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		res[i].p = p[i];
		res[i].q = NAN;
	}
	err = r5s_correlate_adjust(res, n);
	for (size_t i = 0; i < n; i++)
		q[i] = res[i].q;
	free(res);
	return err;
}

double r5s_stats_detectable(const double *a, size_t na, const double *b, size_t nb, double alpha,
			    double power)
{
	double sa = r5s_stats_spread(a, na), sb = r5s_stats_spread(b, nb), df, sd;

	if (na + nb < 3 || !na || !nb)
		return NAN;
	if (r5s_stats_least_p(na, nb) > alpha)
		return INFINITY;
	df = (double)(na + nb - 2);
	sd = sqrt(((double)na * sa * sa + (double)nb * sb * sb) / df);
	/* pi / 3 is what ranks cost against Student's t on normal data. */
	return (gsl_cdf_tdist_Pinv(1 - alpha / 2, df) + gsl_cdf_tdist_Pinv(power, df)) * sd *
	       sqrt(1 / (double)na + 1 / (double)nb) * sqrt(M_PI / 3);
}
