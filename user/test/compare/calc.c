// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The statistics on their own: over samples given as text, over many comparisons of equal groups
 * (false alarms), and over many with a planted shift (power).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "analysis/compare.h"
#include "analysis/stats.h"
#include "test/tap.h"

enum { MOST = 400, COMPARISONS = 10000, ROWS = 40, STUDIES = 2500, RUNS = 8, COVER = 2000 };

#define ALPHA 0.05
#define SPREAD 0.03		/* of the mean: a steady fs_mark */

/* "na nb values" a line; answers with U, p, exact, shift. */
static int answer(void)
{
	size_t na, nb;
	double x[MOST];

	while (scanf("%zu %zu", &na, &nb) == 2) {
		struct r5s_stats_test t;
		struct r5s_stats_shift s;

		if (na + nb > MOST)
			return 1;
		for (size_t i = 0; i < na + nb; i++)
			if (scanf("%lf", &x[i]) != 1)
				return 1;
		r5s_stats_test(x, na, x + na, nb, &t);
		r5s_stats_shift(x, na, x + na, nb, 0, 1, &s);
		printf("%.17g %.17g %d %.17g\n", t.u, t.p, t.exact, s.shift);
	}
	return 0;
}

static void sample(gsl_rng *rng, double *x, size_t n, double mean, double sd, double step)
{
	for (size_t i = 0; i < n; i++) {
		x[i] = mean + gsl_ran_gaussian(rng, sd);
		if (step > 0)
			x[i] = round(x[i] / step) * step;
	}
}

/* Groups of one distribution: how often does a single test call them different? */
static void false_alarms(gsl_rng *rng, size_t na, size_t nb, double step)
{
	double a[MOST], b[MOST], rate, bound;
	int alarms = 0;

	for (int i = 0; i < COMPARISONS; i++) {
		struct r5s_stats_test t;

		sample(rng, a, na, 1, SPREAD, step);
		sample(rng, b, nb, 1, SPREAD, step);
		r5s_stats_test(a, na, b, nb, &t);
		alarms += t.p <= ALPHA;
	}
	rate = (double)alarms / COMPARISONS;
	/* Three standard errors above what the test promises. */
	bound = ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / COMPARISONS);
	ok(rate <= bound, "%zu against %zu runs%s: %.2f %% of %d A/A comparisons called different, bound %.2f %%",
	   na, nb, step > 0 ? ", rounded in steps" : "", 100 * rate, COMPARISONS, 100 * bound);
}

/* Whole comparisons of ROWS metrics: how many find anything where nothing is? */
static void false_tables(gsl_rng *rng)
{
	struct r5s_compare_options o = { .alpha = ALPHA, .seed = 1 };
	int alarms = 0;
	double rate, bound = ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / STUDIES);

	for (int i = 0; i < STUDIES; i++) {
		struct r5s_matrix m[2];
		struct r5s_compare_summary sum;
		struct r5s_result r;

		for (int g = 0; g < 2; g++) {
			r5s_matrix_init(&m[g], g ? "b" : "a");
			for (int run = 0; run < RUNS; run++) {
				r5s_matrix_run_add(&m[g], "run");
				for (int k = 0; k < ROWS; k++) {
					char key[16];

					snprintf(key, sizeof(key), "x.%d", k);
					r5s_matrix_put(&m[g], key, (size_t)run,
						       1 + gsl_ran_gaussian(rng, SPREAD), false);
				}
			}
		}
		r5s_compare_groups(m, 2, &o, &r, &sum);
		alarms += sum.verdict == R5S_COMPARE_DIFFERENT;
		r5s_result_free(&r);
		r5s_matrix_free(&m[0]);
		r5s_matrix_free(&m[1]);
	}
	rate = (double)alarms / STUDIES;
	ok(rate <= bound, "%.2f %% of %d A/A tables of %d rows find a difference, bound %.2f %%",
	   100 * rate, STUDIES, ROWS, 100 * bound);
}

static double power(gsl_rng *rng, size_t n, double shift)
{
	double a[MOST], b[MOST];
	int found = 0;

	for (int i = 0; i < COMPARISONS; i++) {
		struct r5s_stats_test t;

		sample(rng, a, n, 1, SPREAD, 0);
		sample(rng, b, n, 1 + shift, SPREAD, 0);
		r5s_stats_test(a, n, b, n, &t);
		found += t.p <= ALPHA;
	}
	return (double)found / COMPARISONS;
}

static void shifts(gsl_rng *rng)
{
	double a[MOST], b[MOST], p, need, mean = 0, cover = 0;

	for (size_t n = 3; n <= 12; n++) {
		p = power(rng, n, 0.05);
		printf("# a planted +5 %% at a spread of %g %%: %zu runs a group find it in %.1f %% of %d comparisons\n",
		       100 * SPREAD, n, 100 * p, COMPARISONS);
		if (n == 3)
			ok(p == 0, "3 against 3 runs can show nothing: least p is 0.1");
		if (n == 8)
			ok(p > 0.8, "8 against 8 runs find +5 %% more than 4 times in 5");
	}
	for (size_t n = 6; n <= 20; n += 7) {
		/* The figure that we print, averaged over what the groups happen to scatter. */
		need = 0;
		for (int i = 0; i < COVER; i++) {
			sample(rng, a, n, 1, SPREAD, 0);
			sample(rng, b, n, 1, SPREAD, 0);
			need += r5s_stats_detectable(a, n, b, n, ALPHA, 0.8) / COVER;
		}
		p = power(rng, n, need);
		ok(p > 0.7 && p < 0.9, "detectable change for %zu runs, %.2f %%: found in %.1f %% (stated: 80)",
		   n, 100 * need, 100 * p);
	}
	for (int i = 0; i < COVER; i++) {
		struct r5s_stats_shift s;

		sample(rng, a, 8, 1, SPREAD, 0);
		sample(rng, b, 8, 1.05, SPREAD, 0);
		r5s_stats_shift(a, 8, b, 8, 0.95, (uint64_t)i, &s);
		mean += s.shift / COVER;
		cover += (s.low <= 0.05 && s.high >= 0.05) / (double)COVER;
	}
	ok_num(mean, 0.05, 0.002, "the shift is estimated without bias");
	/* Percentile intervals of 8 runs are known to be a little short. */
	ok(cover > 0.88 && cover < 0.98, "95 %% bootstrap interval of 8 against 8 runs covers the truth in %.1f %%",
	   100 * cover);
	cover = 0;
	for (int i = 0; i < COVER; i++) {
		struct r5s_stats_shift s;

		sample(rng, a, 25, 1, SPREAD, 0);
		sample(rng, b, 25, 1.05, SPREAD, 0);
		r5s_stats_shift(a, 25, b, 25, 0.95, 1, &s);
		cover += (!s.bootstrap && s.low <= 0.05 && s.high >= 0.05) / (double)COVER;
	}
	ok(cover > 0.93 && cover < 0.97, "95 %% rank interval of 25 against 25 runs covers the truth in %.1f %%",
	   100 * cover);
}

static void edges(void)
{
	static const double one[] = { 1, 1, 1, 1, 1 }, up[] = { 1, 2, 3, 4, 5 };
	static const double above[] = { 6, 7, 8, 9, 10 };
	struct r5s_stats_test t;
	struct r5s_stats_shift s, again;
	double p[] = { 0.01, NAN, 0.04, 0.03 }, q[4];

	r5s_stats_test(one, 5, one, 5, &t);
	ok_num(t.p, 1, 0, "all equal: p is 1");
	r5s_stats_test(up, 5, above, 5, &t);
	ok_num(t.p, 2.0 / 252, 1e-15, "apart, 5 against 5: 2 / C(10, 5)");
	ok_num(r5s_stats_least_p(5, 5), 2.0 / 252, 1e-15, "which is the least p that they can have");
	ok_num(r5s_stats_least_p(3, 3), 0.1, 1e-15, "3 against 3: 0.1");
	r5s_stats_test(up, 0, above, 5, &t);
	ok_num(t.p, NAN, 0, "an empty group has no p");
	r5s_stats_shift(up, 5, above, 5, 0.95, 7, &s);
	r5s_stats_shift(up, 5, above, 5, 0.95, 7, &again);
	ok_num(s.shift, 5, 0, "shift of 1..5 to 6..10");
	ok(s.low == again.low && s.high == again.high && s.low < 5 && s.high > 5,
	   "the same seed gives the same interval, around the shift");
	r5s_stats_shift(up, 1, above, 5, 0.95, 7, &s);
	ok_num(s.low, NAN, 0, "a single run has no interval");
	r5s_stats_adjust(p, 4, q);
	/* By hand: 3 tests; 0.01 3/1 = 0.03, 0.03 3/2 = 0.045 -> 0.04, 0.04 3/3 = 0.04. */
	ok(fabs(q[0] - 0.03) < 1e-12 && isnan(q[1]) && fabs(q[2] - 0.04) < 1e-12 &&
	   fabs(q[3] - 0.04) < 1e-12, "Benjamini-Hochberg by hand, a missing p passed over");
	ok(isinf(r5s_stats_detectable(up, 3, above, 3, 0.05, 0.8)),
	   "3 against 3: no change, however big, is detectable");
}

int main(int argc, char **argv)
{
	gsl_rng *rng;

	if (argc > 1 && !strcmp(argv[1], "answer"))
		return answer();
	rng = gsl_rng_alloc(gsl_rng_taus2);
	gsl_rng_set(rng, 1);
	edges();
	false_alarms(rng, 5, 5, 0);
	false_alarms(rng, 4, 9, 0);
	false_alarms(rng, 10, 10, 0.02);
	false_alarms(rng, 30, 30, 0);
	false_tables(rng);
	shifts(rng);
	gsl_rng_free(rng);
	return tap_done();
}
