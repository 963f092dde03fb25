// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/correlate.h"

#define SECOND INT64_C(1000000000)
#define SAMPLE_NS (SECOND / 10)

/* The store repeats a value at least that often; a sample late by more than the rest is missing. */
#define HOLD_NS (R5S_STORE_REPEAT_NS + 2 * SECOND)

int r5s_series_load(struct r5s_series *all, struct r5s_store *store, int64_t run)
{
	int err;

	memset(all, 0, sizeof(*all));
	err = r5s_store_track_list(store, run, &all->tracks);
	if (err)
		return err;
	all->series = calloc(all->tracks.n + 1, sizeof(*all->series));
	if (!all->series)
		return -ENOMEM;
	return r5s_store_series_load(store, run, &all->tracks, all->series);
}

void r5s_series_free(struct r5s_series *all)
{
	for (size_t i = 0; all->series && i < all->tracks.n; i++)
		r5s_store_series_free(&all->series[i]);
	free(all->series);
	all->series = NULL;
	r5s_store_tracks_free(&all->tracks);
}

size_t r5s_series_count(int64_t start_t_ns, int64_t end_t_ns, double step_s)
{
	double lines = (double)(end_t_ns - start_t_ns) / 1e9 / step_s;
	size_t n;

	if (!(lines > 0))
		return 0;
	n = (size_t)lines;
	return !n || lines - (double)n >= 0.2 ? n + 1 : n;
}

static bool is(const struct r5s_series *all, size_t i, const char *metric)
{
	return all->tracks.track[i].metric && !strcmp(all->tracks.track[i].metric, metric);
}

static void add_track(const struct r5s_series *all, size_t i, int64_t start, int64_t end,
		      int64_t step, double *grid, double *out, size_t n)
{
	const struct r5s_store_series *s = &all->series[i];
	struct r5s_correlate_point *pts = malloc((s->n + 1) * sizeof(*pts));
	enum r5s_correlate_kind kind = all->tracks.track[i].kind == R5S_STORE_GAUGE ?
		R5S_CORRELATE_GAUGE : R5S_CORRELATE_COUNTER;
	int64_t rest = end - start - (int64_t)(n - 1) * step;
	double last[2];

	if (!pts)
		return;
	for (size_t k = 0; k < s->n; k++)
		pts[k] = (struct r5s_correlate_point){ s->point[k].t_ns, s->point[k].value };
	r5s_correlate_grid(pts, s->n, kind, start, step, HOLD_NS, grid, n + 1);
	for (size_t k = 0; k < n; k++)
		if (isnan(out[k]))
			out[k] = grid[k + 1];
	/* The last line may be a short one. */
	if (rest > 0 && rest < step) {
		r5s_correlate_grid(pts, s->n, kind, start + (int64_t)(n - 1) * step, rest, HOLD_NS,
				   last, 2);
		if (!isnan(last[1]))
			out[n - 1] = last[1];
	}
	free(pts);
}

void r5s_series_lines(const struct r5s_series *all, const char *metric, int64_t start_t_ns,
		      int64_t end_t_ns, double step_s, double *out, size_t n)
{
	double *grid = malloc((n + 1) * sizeof(*grid));

	for (size_t k = 0; k < n; k++)
		out[k] = NAN;
	for (size_t i = 0; grid && n && i < all->tracks.n; i++)
		if (is(all, i, metric))
			add_track(all, i, start_t_ns, end_t_ns, (int64_t)(step_s * 1e9), grid, out, n);
	free(grid);
}

bool r5s_series_flat(const double *v, size_t n)
{
	double first = NAN;

	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i]))
			continue;
		if (isnan(first))
			first = v[i];
		else if (v[i] < first || v[i] > first)
			return false;
	}
	return true;
}

void r5s_series_range(const struct r5s_series *all, const char *metric, bool *seen, double *min,
		      double *max)
{
	*seen = false;
	*min = *max = NAN;
	for (size_t i = 0; i < all->tracks.n; i++) {
		if (!is(all, i, metric))
			continue;
		for (size_t k = 0; k < all->series[i].n; k++) {
			double v = all->series[i].point[k].value;

			if (isnan(v))
				continue;
			*min = *seen ? fmin(*min, v) : v;
			*max = *seen ? fmax(*max, v) : v;
			*seen = true;
		}
	}
}

bool r5s_series_total(const struct r5s_series *all, const char *metric, double *delta)
{
	bool seen = false;

	*delta = 0;
	for (size_t i = 0; i < all->tracks.n; i++) {
		double before = NAN;

		if (!is(all, i, metric))
			continue;
		for (size_t k = 0; k < all->series[i].n; k++) {
			double v = all->series[i].point[k].value;

			if (!isnan(v) && !isnan(before)) {
				seen = true;
				if (v > before)
					*delta += v - before;
			}
			before = v;
		}
	}
	return seen;
}

bool r5s_series_growth(const struct r5s_series *all, const char *metric, int64_t *first_t_ns,
		       int64_t *last_t_ns, double *delta)
{
	bool grew = false;

	*delta = 0;
	for (size_t i = 0; i < all->tracks.n; i++) {
		const struct r5s_store_series *s = &all->series[i];

		for (size_t k = 1; k < s->n && is(all, i, metric); k++) {
			const struct r5s_store_point *a = &s->point[k - 1], *b = &s->point[k];

			if (!(b->value > a->value))
				continue;
			if (!grew)
				*first_t_ns = b->t_ns - a->t_ns > SAMPLE_NS ?
					b->t_ns - SAMPLE_NS : a->t_ns;
			grew = true;
			*last_t_ns = b->t_ns;
			*delta += b->value - a->value;
		}
	}
	return grew;
}
