// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: how many samples are independent
 *
 * With autocorrelations a(k) of x and b(k) of y, both of ranks,
 *
 *	n_eff = n / (1 + 2 sum_{k=1..K} (1 - k/n) a(k) b(k)),   at most n
 *
 * (Bartlett). Two choices matter, and correlate's test measures what comes of them:
 *
 * The sum stops before the first k with a(k) b(k) <= 0, and at K = n/4 (never above 1000). Beyond the
 * first sign change the estimates are noise that would only add variance. The product decides, not
 * one factor: two series that alternate (a < 0, b < 0) are as dependent as two that drift.
 *
 * Subtracting the sample's own mean pulls every a(k) down by about tau/n, tau = 1 + 2 sum a(k). Left
 * alone, this makes series with a long memory look shorter than they are and p too small (7 to 8 %
 * at nominal 5 % for n = 60, AR(1) 0.97), so it is added back: a <- (a + tau/n) / (1 + tau/n).
 */
#include "analysis/correlate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "analysis/rank.h"

enum {
	MAX_MEMORY = 1000,	/* samples */
	BIAS_ROUNDS = 3
};

/* One series, made ready for every lag. */
struct side {
	const double *v;
	size_t *order;		/* indices of the values that are there, ascending by value */
	size_t n_order;
	double *acf;		/* of the ranks, from lag 0 */
	size_t n_acf;
	bool varies;
};

struct work {
	struct side x;
	struct side y;
	size_t n;
	double *rank_x;		/* by index of x */
	double *rank_y;		/* by index of x too: of its partner */
	double *pair;		/* 2 n: the ranks without gaps */
};

void r5s_correlate_grid(const struct r5s_correlate_point *pts, size_t n_pts,
			enum r5s_correlate_kind kind, int64_t t0_ns, int64_t period_ns,
			int64_t hold_ns, double *out, size_t n_out)
{
	double before = NAN;
	size_t next = 0;

	for (size_t i = 0; i < n_out; i++) {
		int64_t t = t0_ns + (int64_t)i * period_ns;
		double now = NAN;

		while (next < n_pts && pts[next].t_ns <= t)
			next++;
		if (next && t - pts[next - 1].t_ns <= hold_ns)
			now = pts[next - 1].value;
		if (kind == R5S_CORRELATE_GAUGE)
			out[i] = now;
		else if (now >= before)		/* false when one is NaN */
			out[i] = (now - before) / ((double)period_ns / 1e9);
		else
			out[i] = NAN;
		before = now;
	}
}

/*
 * Autocorrelation of ranks with gaps: pairs that are there, scaled to the usual divisor n, which is
 * what the correction for the mean expects.
 */
static void autocorrelate(struct side *s, const double *centred, size_t n)
{
	double var = 0;
	size_t valid = s->n_order;

	for (size_t i = 0; i < n; i++)
		if (!isnan(centred[i]))
			var += centred[i] * centred[i];
	s->varies = var > 0;
	s->acf[0] = 1;
	for (size_t k = 1; k < s->n_acf; k++) {
		double sum = 0;
		size_t pairs = 0;

		for (size_t i = 0; i + k < n; i++) {
			double product = centred[i] * centred[i + k];

			if (isnan(product))
				continue;
			sum += product;
			pairs++;
		}
		s->acf[k] = 0;
		if (s->varies && pairs)
			s->acf[k] = sum / (double)pairs * (double)valid / var *
				    (1 - (double)k / (double)n);
	}
}

static void undo_mean(struct side *s)
{
	double n = (double)s->n_order, tau = 1;

	if (!s->n_order)
		return;
	for (int round = 0; round < BIAS_ROUNDS; round++) {
		double sum = 1;

		for (size_t k = 1; k < s->n_acf && s->acf[k] + tau / n > 0; k++)
			sum += 2 * (s->acf[k] + tau / n);
		tau = fmin(sum, n / 2);
	}
	for (size_t k = 1; k < s->n_acf; k++)
		s->acf[k] = (s->acf[k] + tau / n) / (1 + tau / n);
}

static int prepare(struct side *s, const double *v, size_t n)
{
	double *value = calloc(n + 1, sizeof(*value));
	double *rank = malloc((n + 1) * sizeof(*rank));
	double *centred = malloc((n + 1) * sizeof(*centred));
	size_t *index = malloc((n + 1) * sizeof(*index));
	size_t k = 0;
	int err = -ENOMEM;

	s->v = v;
	s->n_acf = n / 4 < MAX_MEMORY ? n / 4 + 1 : MAX_MEMORY + 1;
	s->order = malloc((n + 1) * sizeof(*s->order));
	s->acf = malloc(s->n_acf * sizeof(*s->acf));
	if (!value || !rank || !centred || !index || !s->order || !s->acf)
		goto out_free;
	for (size_t i = 0; i < n; i++) {
		centred[i] = NAN;
		if (isnan(v[i]))
			continue;
		value[k] = v[i];
		index[k++] = i;
	}
	s->n_order = k;
	err = r5s_rank_average(value, k, rank);
	if (err)
		goto out_free;
	gsl_sort_index(s->order, value, 1, k);
	for (size_t i = 0; i < k; i++) {
		s->order[i] = index[s->order[i]];
		centred[index[i]] = rank[i] - ((double)k + 1) / 2;
	}
	autocorrelate(s, centred, n);
	undo_mean(s);
out_free:
	free(value);
	free(rank);
	free(centred);
	free(index);
	return err;
}

static void work_free(struct work *w)
{
	free(w->x.order);
	free(w->x.acf);
	free(w->y.order);
	free(w->y.acf);
	free(w->rank_x);
	free(w->rank_y);
	free(w->pair);
}

static int work_init(struct work *w, const double *x, const double *y, size_t n)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->n = n;
	w->rank_x = malloc((n + 1) * sizeof(*w->rank_x));
	w->rank_y = malloc((n + 1) * sizeof(*w->rank_y));
	w->pair = malloc((2 * n + 1) * sizeof(*w->pair));
	err = w->rank_x && w->rank_y && w->pair ? 0 : -ENOMEM;
	if (!err)
		err = prepare(&w->x, x, n);
	if (!err)
		err = prepare(&w->y, y, n);
	if (err)
		work_free(w);
	return err;
}

/* Does index i of one side have its partner at i + shift of the other? */
static bool paired(const double *other, size_t n, size_t i, long shift)
{
	long at = (long)i + shift;

	return at >= 0 && at < (long)n && !isnan(other[at]);
}

/*
 * Ranks among the pairs of this lag only: walking the sorted values and passing over those without a
 * partner costs O(n) where sorting again would cost O(n log n) per lag.
 */
static size_t rank_pairs(const struct side *s, const double *other, size_t n, long shift, long to,
			 double *rank)
{
	size_t places = 0;

	for (size_t i = 0, end; i < s->n_order; i = end) {
		size_t members = 0;

		for (end = i; end < s->n_order && s->v[s->order[end]] == s->v[s->order[i]]; end++)
			members += paired(other, n, s->order[end], shift);
		for (size_t k = i; k < end; k++)
			if (paired(other, n, s->order[k], shift))
				rank[(long)s->order[k] + to] =
					(double)places + ((double)members + 1) / 2;
		places += members;
	}
	return places;
}

static double effective(const struct work *w, size_t n)
{
	size_t last = w->x.n_acf < n / 4 + 1 ? w->x.n_acf : n / 4 + 1;
	double sum = 0, n_eff;

	for (size_t k = 1; k < last; k++) {
		double product = w->x.acf[k] * w->y.acf[k];

		if (product <= 0)
			break;
		sum += (1 - (double)k / (double)n) * product;
	}
	n_eff = (double)n / (1 + 2 * sum);
	return n_eff;
}

static void one_lag(struct work *w, int lag, const struct r5s_correlate_opts *opts,
		    struct r5s_correlate_result *res)
{
	double least = opts->min_neff > 0 ? opts->min_neff : R5S_CORRELATE_MIN_NEFF;
	double level = opts->level > 0 ? opts->level : 0.95;
	size_t pairs = 0;

	for (size_t i = 0; i < w->n; i++)
		w->rank_x[i] = NAN;
	res->n = rank_pairs(&w->x, w->y.v, w->n, lag, 0, w->rank_x);
	rank_pairs(&w->y, w->x.v, w->n, -(long)lag, -(long)lag, w->rank_y);
	for (size_t i = 0; i < w->n; i++) {
		if (isnan(w->rank_x[i]))
			continue;
		w->pair[pairs] = w->rank_x[i];
		w->pair[w->n + pairs++] = w->rank_y[i];
	}
	res->lag = lag;
	res->rho = r5s_rank_pearson(w->pair, w->pair + w->n, pairs);
	res->n_eff = effective(w, pairs);
	res->p = NAN;
	res->q = NAN;
	res->low = NAN;
	res->high = NAN;
	res->need_s = 0;
	res->too_short = res->n_eff < least;
	if (res->too_short) {
		double stretch = pairs ? (double)pairs / res->n_eff : 1;

		res->need_s = (ceil(least * stretch) + abs(lag)) * opts->period_s;
		return;
	}
	res->p = r5s_rank_p(res->rho, res->n_eff);
	r5s_rank_interval(res->rho, res->n_eff, level, &res->low, &res->high);
}

int r5s_correlate_pair(const double *x, const double *y, size_t n, int lag,
		       const struct r5s_correlate_opts *opts, struct r5s_correlate_result *res)
{
	struct work w;
	int err = work_init(&w, x, y, n);

	if (err)
		return err;
	one_lag(&w, lag, opts, res);
	work_free(&w);
	return 0;
}

int r5s_correlate_lags(const double *x, const double *y, size_t n,
		       const struct r5s_correlate_opts *opts, struct r5s_correlate_result *res)
{
	struct work w;
	int err = work_init(&w, x, y, n);

	if (err)
		return err;
	for (int lag = -opts->max_lag; lag <= opts->max_lag; lag++)
		one_lag(&w, lag, opts, &res[lag + opts->max_lag]);
	work_free(&w);
	return 0;
}

int r5s_correlate_adjust(struct r5s_correlate_result *res, size_t n)
{
	double *p = calloc(n + 1, sizeof(*p));
	size_t *index = malloc((n + 1) * sizeof(*index));
	size_t *order = malloc((n + 1) * sizeof(*order));
	size_t m = 0;
	double least = 1;
	int err = p && index && order ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		res[i].q = NAN;
		if (isnan(res[i].p))
			continue;
		p[m] = res[i].p;
		index[m++] = i;
	}
	if (!err)
		gsl_sort_index(order, p, 1, m);
	/* From the largest p down: q never rises on the way to smaller ones. */
	for (size_t k = m; k > 0 && !err; k--) {
		least = fmin(least, p[order[k - 1]] * (double)m / (double)k);
		res[index[order[k - 1]]].q = least;
	}
	free(p);
	free(index);
	free(order);
	return err;
}

int r5s_correlate_best(const struct r5s_correlate_result *res, size_t n)
{
	int best = -1;

	for (size_t i = 0; i < n; i++) {
		const struct r5s_correlate_result *a = &res[i], *b = best < 0 ? NULL : &res[best];

		if (isnan(a->p))
			continue;
		if (!b || a->p < b->p ||
		    (a->p == b->p && (fabs(a->rho) > fabs(b->rho) ||
				      (fabs(a->rho) == fabs(b->rho) && abs(a->lag) < abs(b->lag)))))
			best = (int)i;
	}
	return best;
}
