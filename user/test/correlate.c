// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates, ranks and lagged correlation.
 *
 * "correlate pairs" prints random pairs with what we make of them, for scipy to judge (run.sh).
 */
#include "tap.h"

#include <errno.h>
#include <time.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "analysis/correlate.h"
#include "analysis/describe.h"
#include "analysis/rank.h"
#include "analysis/rate.h"

enum {
	PAIRS = 1000,
	LONGEST = 6000
};

static gsl_rng *rng;

static void ar1(double *x, size_t n, double phi)
{
	x[0] = gsl_ran_gaussian(rng, 1 / sqrt(1 - phi * phi));
	for (size_t i = 1; i < n; i++)
		x[i] = phi * x[i - 1] + gsl_ran_gaussian(rng, 1);
}

static void test_rate(void)
{
	struct r5s_rate_input in = { .fsmark_files_per_sec = 6.4, .fsmark_files = 10240,
		.threads = 64, .window_files = 10240, .window_ns = 1115 * UINT64_C(1000000000),
		.elapsed_ns = 1200 * UINT64_C(1000000000) };
	struct r5s_rates r;

	r5s_rate_compute(&in, &r);
	ok_num(r.rate[R5S_RATE_WINDOW].files_per_sec, 9.1838565, 1e-6, "10240 files in 1115 s: 9.18/s");
	ok_num(r.rate[R5S_RATE_ELAPSED].files_per_sec, 8.5333333, 1e-6, "elapsed figure");
	ok_num(r.rate[R5S_RATE_FSMARK].step, 6.4, 1e-12, "64 threads: step 6.4");
	ok(fabs(r.rate[R5S_RATE_FSMARK].low - 3.2) < 1e-12 &&
	   fabs(r.rate[R5S_RATE_FSMARK].high - 9.6) < 1e-12, "6.4 may be 3.2 to 9.6: 9.18 is inside");
	ok(r.warn == R5S_RATE_WARN_QUANTISED && r.judged == R5S_RATE_WINDOW,
	   "quantised; the window judges");
	in.fsmark_files_per_sec = 19.2;
	r5s_rate_compute(&in, &r);
	ok(r.warn & R5S_RATE_WARN_APART, "far above the window: threads far apart");
	in.fsmark_files_per_sec = 9000;
	in.threads = 1;
	in.window_files = 10239;
	r5s_rate_compute(&in, &r);
	ok(!(r.warn & R5S_RATE_WARN_QUANTISED) && (r.warn & R5S_RATE_WARN_COUNT),
	   "1 thread, 9000 files/s: fine enough; a file is missing");
	in = (struct r5s_rate_input){ .fsmark_files_per_sec = NAN };
	r5s_rate_compute(&in, &r);
	ok(isnan(r.rate[0].files_per_sec) && isnan(r.rate[1].files_per_sec) &&
	   isnan(r.rate[2].files_per_sec) && r.judged == -1 && !r.warn,
	   "nothing known: absent, not 0");
	in.fsmark_files = 100;
	in.elapsed_ns = 10 * UINT64_C(1000000000);
	r5s_rate_compute(&in, &r);
	ok(r.judged == R5S_RATE_ELAPSED && r.rate[R5S_RATE_ELAPSED].files_per_sec == 10,
	   "imported run: elapsed is the fallback");
}

static void test_rank(void)
{
	static const double x[] = { 3, 1, 4, 1, 5, 9, 2, 6 }, want[] = { 4, 1.5, 5, 1.5, 6, 8, 3, 7 };
	double rank[8], low, high, rho;
	bool good = true;

	r5s_rank_average(x, 8, rank);
	for (int i = 0; i < 8; i++)
		good &= rank[i] == want[i];
	ok(good, "ranks, a tie shares its places");
	r5s_rank_spearman(x, x, 8, &rho);
	ok(rho == 1 && r5s_rank_p(rho, 8) == 0, "with itself: 1");
	r5s_rank_spearman(x, (double[8]){ 2, 2, 2, 2, 2, 2, 2, 2 }, 8, &rho);
	ok(isnan(rho) && isnan(r5s_rank_p(rho, 8)), "one side does not vary: no number");
	ok(isnan(r5s_rank_p(0.5, 2)) && isnan(r5s_rank_pearson(x, x, 1)), "too few: no number");
	r5s_rank_interval(0.5, 30, 0.95, &low, &high);
	/* atanh 0.5 = 0.549306; 1.959964 * sqrt(1.125 / 27) = 0.400076 */
	ok(fabs(low - tanh(0.549306 - 0.400076)) < 1e-5 &&
	   fabs(high - tanh(0.549306 + 0.400076)) < 1e-5, "interval of 0.5 from 30: %.4f..%.4f", low,
	   high);
	r5s_rank_interval(0.5, 3, 0.95, &low, &high);
	ok(isnan(low) && isnan(high), "interval from 3: none");
}

static void test_grid(void)
{
	static const struct r5s_correlate_point p[] = {
		{ 0, 10 }, { 1000, 20 }, { 3000, 50 }, { 4000, NAN }, { 5000, 5 }, { 6000, 6 }
	};
	double out[10];

	r5s_correlate_grid(p, 6, R5S_CORRELATE_GAUGE, 500, 1000, 2000, out, 10);
	ok(out[0] == 10 && out[1] == 20 && out[2] == 20 && out[3] == 50 && isnan(out[4]) &&
	   out[5] == 5 && out[6] == 6, "gauge: the newest value at or before");
	ok(out[7] == 6 && isnan(out[8]) && isnan(out[9]), "and not longer than it may speak for");
	r5s_correlate_grid(p, 6, R5S_CORRELATE_COUNTER, 500, 1000, 2000, out, 7);
	ok(isnan(out[0]) && fabs(out[1] - 1e7) < 1 && out[2] == 0 && fabs(out[3] - 3e7) < 1 &&
	   isnan(out[4]) && isnan(out[5]) && fabs(out[6] - 1e6) < 1, "counter: rate per second");
	r5s_correlate_grid((struct r5s_correlate_point[]){ { 0, 9 }, { 1000, 2 }, { 2000, 3 } }, 3,
			   R5S_CORRELATE_COUNTER, 0, 1000, 2000, out, 3);
	ok(isnan(out[1]) && fabs(out[2] - 1e6) < 1, "a restarted counter is a gap, not a negative rate");
}

/* The pair function against the plain definition on the pairs that remain. */
static void test_lags(void)
{
	struct r5s_correlate_opts o = { .period_s = 0.1, .max_lag = 20 };
	struct r5s_correlate_result res[41], alone;
	double x[500], y[500], a[500], b[500], rho;
	bool same = true, single = true;

	for (int i = 0; i < 500; i++)
		x[i] = floor(gsl_ran_gaussian(rng, 3));	/* many ties */
	for (int i = 0; i < 500; i++)
		y[i] = i >= 7 ? x[i - 7] + gsl_ran_gaussian(rng, 1) : 0;
	for (int i = 0; i < 500; i += 17)
		x[i] = NAN;
	for (int i = 3; i < 500; i += 29)
		y[i] = NAN;
	r5s_correlate_lags(x, y, 500, &o, res);
	for (int lag = -20; lag <= 20; lag++) {
		size_t n = 0;

		for (int i = 0; i < 500; i++) {
			if (i + lag < 0 || i + lag >= 500 || isnan(x[i]) || isnan(y[i + lag]))
				continue;
			a[n] = x[i];
			b[n++] = y[i + lag];
		}
		r5s_rank_spearman(a, b, n, &rho);
		same &= res[lag + 20].n == n && fabs(res[lag + 20].rho - rho) < 1e-12;
		r5s_correlate_pair(x, y, 500, lag, &o, &alone);
		single &= alone.rho == res[lag + 20].rho && alone.p == res[lag + 20].p &&
			  alone.lag == lag;
	}
	ok(same, "each lag equals Spearman of the pairs that are there, with ties and gaps");
	ok(single, "one lag alone equals the same lag among all");
	r5s_correlate_adjust(res, 41);
	ok(r5s_correlate_best(res, 41) == 27, "x moves 7 samples before y: lag +7 (index %d)",
	   r5s_correlate_best(res, 41));
	ok(res[27].rho > 0.9 && res[27].q < 1e-10 && res[27].low < res[27].rho &&
	   res[27].high > res[27].rho, "found: rho %.3f, q %.2g", res[27].rho, res[27].q);
}

static void test_short(void)
{
	struct r5s_correlate_opts o = { .period_s = 0.1, .max_lag = 0 };
	struct r5s_correlate_result r;
	double x[300], y[300];

	for (int i = 0; i < 300; i++) {
		x[i] = i;
		y[i] = 2 * i + (i & 1);
	}
	r5s_correlate_pair(x, y, 300, 0, &o, &r);
	ok(r.too_short && isnan(r.p) && isnan(r.low) && r.need_s > 30,
	   "two ramps over 30 s: n_eff %.1f, too short, needs %.0f s", r.n_eff, r.need_s);
	r5s_correlate_pair(x, y, 5, 0, &o, &r);
	ok(r.too_short && r.need_s >= 0.8, "5 samples: too short");
	r5s_correlate_pair(x, y, 0, 0, &o, &r);
	ok(r.too_short && r.n == 0 && isnan(r.rho), "no samples");
	for (int i = 0; i < 300; i++)
		y[i] = 4;
	r5s_correlate_pair(x, y, 300, 0, &o, &r);
	ok(isnan(r.rho) && isnan(r.p), "a flat series: no number");
	for (int i = 0; i < 300; i++)
		y[i] = NAN;
	r5s_correlate_pair(x, y, 300, 5, &o, &r);
	ok(r.too_short && !r.n, "an absent series");
}

static void test_adjust(void)
{
	/* Benjamini and Hochberg by hand: p(k) m / k, then the running minimum from the top. */
	static const double p[] = { 0.01, NAN, 0.04, 0.039, 0.005 }, q[] = { 0.02, NAN, 0.04, 0.04, 0.02 };
	struct r5s_correlate_result r[5];
	bool good = true;

	for (int i = 0; i < 5; i++) {
		memset(&r[i], 0, sizeof(r[i]));
		r[i].p = p[i];
	}
	ok(!r5s_correlate_adjust(r, 5), "adjust");
	for (int i = 0; i < 5; i++)
		good &= isnan(q[i]) ? isnan(r[i].q) : fabs(r[i].q - q[i]) < 1e-15;
	ok(good, "q values as by hand, absent stays absent");
	ok(r5s_correlate_best(r, 5) == 4 && r5s_correlate_best(&r[1], 1) == -1, "best");
}

/* Independent pairs that remember: how many does a test at 5 % call related? */
static double false_rate(size_t n, double phi_x, double phi_y, int runs, double *naive, double *told)
{
	struct r5s_correlate_opts o = { .period_s = 0.1 };
	static double x[LONGEST], y[LONGEST];
	int hits = 0, naive_hits = 0, tested = 0;

	for (int i = 0; i < runs; i++) {
		struct r5s_correlate_result r;

		ar1(x, n, phi_x);
		ar1(y, n, phi_y);
		r5s_correlate_pair(x, y, n, 0, &o, &r);
		naive_hits += r5s_rank_p(r.rho, (double)n) < 0.05;
		if (r.too_short)
			continue;
		tested++;
		hits += r.p < 0.05;
	}
	*naive = 100.0 * naive_hits / runs;
	*told = 100.0 * tested / runs;
	return tested ? 100.0 * hits / tested : 0;
}

static void test_false_discoveries(void)
{
	static const struct {
		size_t n;
		double phi_x;
		double phi_y;
	} c[] = {
		{ 600, 0.9, 0.9 }, { 600, 0, 0 }, { 600, 0.97, 0.97 }, { 600, 0.9, 0.3 },
		{ 150, 0.9, 0.9 }, { 60, 0.5, 0.5 }, { 600, -0.7, -0.7 }
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		double naive, told;
		double rate = false_rate(c[i].n, c[i].phi_x, c[i].phi_y, PAIRS, &naive, &told);

		ok(rate <= 7, "false findings at 5 %%: %.1f %% of %d pairs, AR(1) %.2f and %.2f, n %zu"
		   " (every sample counted: %.1f %%; long enough: %.0f %%)", rate, PAIRS, c[i].phi_x,
		   c[i].phi_y, c[i].n, naive, told);
	}
}

/* Control over a whole report: all lags of all metrics, none of which is related. */
static void test_false_reports(void)
{
	enum { REPORTS = 100, METRICS = 20, LAGS = 11, N = 600 };
	struct r5s_correlate_opts o = { .period_s = 0.1, .max_lag = LAGS / 2 };
	static struct r5s_correlate_result r[METRICS * LAGS];
	static double x[N], y[N];
	int wrong = 0;

	for (int k = 0; k < REPORTS; k++) {
		bool any = false;

		ar1(y, N, 0.9);
		for (int m = 0; m < METRICS; m++) {
			ar1(x, N, 0.8);
			r5s_correlate_lags(x, y, N, &o, r + m * LAGS);
		}
		r5s_correlate_adjust(r, METRICS * LAGS);
		for (int i = 0; i < METRICS * LAGS; i++)
			any |= r[i].q <= 0.05;
		wrong += any;
	}
	ok(wrong <= 10, "reports of 20 unrelated metrics at 11 lags with any finding at q 5 %%: %d of %d",
	   wrong, REPORTS);
}

static void test_power(void)
{
	struct r5s_correlate_opts o = { .period_s = 0.1 };
	static double x[600], y[600], noise[600];
	int found = 0;

	for (int k = 0; k < 200; k++) {
		struct r5s_correlate_result r;

		ar1(x, 600, 0.9);
		ar1(noise, 600, 0.9);
		for (int i = 0; i < 600; i++)
			y[i] = x[i] + noise[i];
		r5s_correlate_pair(x, y, 600, 0, &o, &r);
		found += r.p < 0.05;
	}
	ok(found >= 190, "related pairs found: %d of 200 (half of the variance shared)", found);
}

static void test_describe(void)
{
	static const double x[] = { 4, NAN, 1, 3, 2, NAN, 5 };
	struct r5s_describe d;

	r5s_describe_series(x, 7, &d);
	ok(d.n == 5 && d.missing == 2 && d.min == 1 && d.max == 5 && d.median == 3 && d.mean == 3 &&
	   fabs(d.sd - 1.5811388300841898) < 1e-12 && fabs(d.p95 - 4.8) < 1e-12, "describe");
	r5s_describe_series(x + 1, 1, &d);
	ok(!d.n && d.missing == 1 && isnan(d.mean) && isnan(d.max), "describe nothing: absent");
}

static void test_speed(void)
{
	struct r5s_correlate_opts o = { .period_s = 0.1, .max_lag = 20 };
	static struct r5s_correlate_result r[41];
	static double x[LONGEST], y[LONGEST];
	clock_t t;

	ar1(x, LONGEST, 0.99);
	ar1(y, LONGEST, 0.99);
	t = clock();
	r5s_correlate_lags(x, y, LONGEST, &o, r);
	printf("# 41 lags of 10 minutes at 10 Hz: %.1f ms\n",
	       1e3 * (double)(clock() - t) / CLOCKS_PER_SEC);
}

/* "n tied rho p" and the two series, one value a word. */
static int print_pairs(void)
{
	for (int k = 0; k < 300; k++) {
		size_t n = 4 + gsl_rng_uniform_int(rng, 200);
		double grain = k % 3 ? 0 : 1 + (double)gsl_rng_uniform_int(rng, 3);
		double x[256], y[256], rho;

		for (size_t i = 0; i < n; i++) {
			x[i] = gsl_ran_gaussian(rng, 3);
			y[i] = gsl_ran_gaussian(rng, 3) + (k % 5) * 0.5 * x[i];
			if (grain > 0) {
				x[i] = floor(x[i] / grain);
				y[i] = floor(y[i] / grain);
			}
		}
		r5s_rank_spearman(x, y, n, &rho);
		printf("%.17g %.17g", rho, r5s_rank_p(rho, (double)n));
		for (size_t i = 0; i < n; i++)
			printf(" %.17g", x[i]);
		for (size_t i = 0; i < n; i++)
			printf(" %.17g", y[i]);
		putchar('\n');
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 20261130);
	if (argc > 1 && !strcmp(argv[1], "pairs")) {
		status = print_pairs();
	} else {
		test_rate();
		test_rank();
		test_grid();
		test_lags();
		test_short();
		test_adjust();
		test_false_discoveries();
		test_false_reports();
		test_power();
		test_describe();
		test_speed();
		status = tap_done();
	}
	gsl_rng_free(rng);
	return status;
}
