// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/direction.h"
#include "analysis/stats.h"

enum { NEED_MOST = 1000 };

#define INCOMPLETE "last_state.is_incomplete_run"
#define LEVEL 0.95
#define POWER 0.8
#define CLASSIC_DECIMALS_BELOW 100	/* the 2015 printer's rule for fractions */

/* One comparison at work. */
struct work {
	const struct r5s_matrix *m;
	size_t n;
	const struct r5s_compare_options *o;
	struct r5s_result *out;
	double *a;	/* values of the base, of the head, and copies that may be reordered */
	double *b;
	double *ca;
	double *cb;
};

/* The runs' values. Of a run that did not end only what says what went wrong counts. */
static size_t values(const struct r5s_matrix *m, const char *key, bool failure, double *x)
{
	const struct r5s_matrix_metric *metric = r5s_matrix_find(m, key);
	const struct r5s_matrix_metric *cut = failure ? NULL : r5s_matrix_find(m, INCOMPLETE);
	size_t n = 0;

	for (size_t i = 0; metric && i < m->runs; i++) {
		double v = r5s_matrix_value(metric, i);

		if (!isnan(v) && !(cut && r5s_matrix_value(cut, i) > 0))
			x[n++] = v;
	}
	return n;
}

static void describe(struct r5s_result_cell *c, const double *x, double *copy, size_t n)
{
	double mean = r5s_stats_mean(x, n);

	c->n = n;
	if (!n)
		return;
	memcpy(copy, x, n * sizeof(*x));
	c->median = r5s_robot_median(copy, n);
	c->min = copy[0];
	c->max = copy[n - 1];
	/* Adding up equal values must not leave a trace of rounding. */
	c->mean = c->min == c->max ? c->min : mean;
	c->spread_printed = n > 1;
	if (n > 1 && c->mean != 0)
		c->spread = c->min == c->max ? 0 : 100 * r5s_stats_spread(x, n) / fabs(mean);
}

static void failures(struct r5s_result_cell *c, const double *x, size_t n, size_t runs)
{
	c->runs = runs;
	c->fails = 0;
	for (size_t i = 0; i < n; i++)
		c->fails += x[i] > 0;
}

static int one_row(struct work *w, struct r5s_result_row *row, struct r5s_compare_summary *sum)
{
	struct r5s_result_cell *base = &row->cell[0];
	size_t na = 0, nb;
	bool whole = true, small = false, missing = false;
	int err = 0;

	row->failure = r5s_robot_class_of(row->key) == R5S_ROBOT_FAILURE;
	for (size_t g = 0; !err && g < w->n; g++) {
		const struct r5s_matrix_metric *metric = r5s_matrix_find(&w->m[g], row->key);
		struct r5s_result_cell *c = &row->cell[g];
		double *x = g ? w->b : w->a;
		struct r5s_stats_test test;

		nb = values(&w->m[g], row->key, row->failure, x);
		if (!g)
			na = nb;
		if (metric && !row->unit && (metric->unit || r5s_direction_unit(row->key))) {
			row->unit = strdup(metric->unit ?: r5s_direction_unit(row->key));
			if (!row->unit)
				return -ENOMEM;
		}
		if (metric)
			whole &= metric->integer;
		for (size_t i = 0; i < nb; i++)
			small |= x[i] != 0 && fabs(x[i]) < CLASSIC_DECIMALS_BELOW;
		missing |= !row->failure && nb < w->m[g].runs;
		describe(c, x, w->cb, nb);
		if (row->failure)
			failures(c, x, nb, w->m[g].runs);
		if (!g)
			continue;
		if (row->failure) {
			c->kind = c->runs && base->runs ? R5S_RESULT_ABSOLUTE : R5S_RESULT_NO_CHANGE;
			c->change = 100 * ((double)c->fails / (double)c->runs -
					   (double)base->fails / (double)base->runs);
			c->robot = c->fails != base->fails;
			continue;
		}
		r5s_result_change(row, g, R5S_RESULT_OWN, c);
		memcpy(w->ca, w->a, na * sizeof(*w->ca));
		memcpy(w->cb, w->b, nb * sizeof(*w->cb));
		c->robot = r5s_robot_changed(&w->o->rule, row->key, w->ca, na, w->cb, nb);
		err = r5s_stats_test(w->a, na, w->b, nb, &test);
		c->p = test.p;
		c->exact = test.exact;
		c->detectable = r5s_stats_detectable(w->a, na, w->b, nb, w->o->alpha, POWER);
		if (!isnan(c->p)) {
			double least = r5s_stats_least_p(na, nb);

			sum->tested++;
			if (least < sum->least_p) {
				sum->least_p = least;
				sum->least_base = na;
				sum->least_head = nb;
			}
		}
	}
	row->real = !whole && small;
	sum->missing_rows += missing;
	return err;
}

static int rows_make(struct work *w, struct r5s_compare_summary *sum)
{
	int err = 0;

	for (size_t g = 0; !err && g < w->n; g++) {
		for (size_t i = 0; !err && i < w->m[g].n; i++) {
			const char *key = w->m[g].metric[i].key;
			struct r5s_result_row *row;
			bool seen = false;

			for (size_t k = 0; !seen && k < g; k++)
				seen = r5s_matrix_find(&w->m[k], key);
			if (seen || (w->o->rule.deny && r5s_robot_denied(key)) ||
			    (w->o->wanted && !w->o->wanted(key, w->o->arg)))
				continue;
			row = r5s_result_row_add(w->out, key);
			err = row ? one_row(w, row, sum) : -ENOMEM;
		}
	}
	return err;
}

static int adjust(struct r5s_result *r, double alpha, struct r5s_compare_summary *sum)
{
	size_t heads = r->groups - 1, n = r->rows * heads;
	double *p = malloc((2 * n + 1) * sizeof(*p)), *q;
	int err;

	if (!p)
		return -ENOMEM;
	q = p + n;
	for (size_t i = 0; i < n; i++)
		p[i] = r->row[i / heads].cell[1 + i % heads].p;
	err = r5s_stats_adjust(p, n, q);
	for (size_t i = 0; !err && i < n; i++) {
		struct r5s_result_cell *c = &r->row[i / heads].cell[1 + i % heads];

		c->q = q[i];
		sum->found += c->q <= alpha;
		sum->robot += c->robot;
	}
	free(p);
	return err;
}

static bool is_shown(const struct r5s_result_row *row, const struct work *w)
{
	if (w->o->named)
		return true;
	for (size_t g = 1; g < w->n; g++)
		if (row->cell[g].robot || row->cell[g].q <= w->o->alpha)
			return true;
	/* What the workload achieved is shown in any case. */
	return !row->failure && r5s_robot_class_of(row->key) == R5S_ROBOT_RESULT &&
	       !strstr(row->key, ".time.");
}

static bool stays(const struct r5s_result_row *row, void *arg)
{
	const struct work *w = arg;

	return w->o->everything || is_shown(row, w);
}

static int intervals(struct work *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->out->rows; i++) {
		struct r5s_result_row *row = &w->out->row[i];
		size_t na = values(&w->m[0], row->key, row->failure, w->a);

		/* Resampling costs: not for rows that are only there because all were asked for. */
		for (size_t g = 1; !err && !row->failure && is_shown(row, w) && g < w->n; g++) {
			struct r5s_result_cell *c = &row->cell[g];
			struct r5s_stats_shift s;
			size_t nb = values(&w->m[g], row->key, row->failure, w->b);

			err = r5s_stats_shift(w->a, na, w->b, nb, LEVEL, w->o->seed, &s);
			c->shift = s.shift;
			c->low = s.low;
			c->high = s.high;
			c->bootstrap = s.bootstrap;
		}
	}
	return err;
}

/* One row alone must reach alpha / tested, which is what the first step of the control asks. */
static void judge(struct r5s_compare_summary *sum, double alpha)
{
	double ask = alpha / (double)(sum->tested ? sum->tested : 1);

	for (sum->need = 1; sum->need < NEED_MOST; sum->need++)
		if (r5s_stats_least_p(sum->need, sum->need) <= ask)
			break;
	if (sum->found)
		sum->verdict = R5S_COMPARE_DIFFERENT;
	else if (!sum->tested || sum->least_p > ask)
		sum->verdict = R5S_COMPARE_TOO_FEW;
	else
		sum->verdict = R5S_COMPARE_SAME;
}

int r5s_compare_groups(const struct r5s_matrix *m, size_t n, const struct r5s_compare_options *o,
		       struct r5s_result *out, struct r5s_compare_summary *sum)
{
	struct work w = { .m = m, .n = n, .o = o, .out = out };
	size_t most = 1;
	int err = n < 2 ? -EINVAL : 0;

	r5s_result_init(out, R5S_RESULT_OWN);
	*sum = (struct r5s_compare_summary){ .least_p = 1 };
	for (size_t g = 0; !err && g < n; g++) {
		most = m[g].runs > most ? m[g].runs : most;
		err = r5s_result_group_add(out, m[g].name, NULL, m[g].runs);
	}
	if (!err && m[0].testcase) {
		out->testcase = strdup(m[0].testcase);
		err = out->testcase ? 0 : -ENOMEM;
	}
	w.a = malloc(4 * most * sizeof(*w.a));
	if (!w.a)
		err = -ENOMEM;
	if (!err) {
		w.b = w.a + most;
		w.ca = w.b + most;
		w.cb = w.ca + most;
		err = rows_make(&w, sum);
	}
	if (!err)
		err = adjust(out, o->alpha, sum);
	if (!err) {
		r5s_result_rows_keep(out, stays, &w);
		err = intervals(&w);
		judge(sum, o->alpha);
	}
	free(w.a);
	return err;
}
