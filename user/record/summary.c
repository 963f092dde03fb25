// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "record/recorder.h"
#include "record/series.h"

#define SECOND 1e9
#define LONGEST_NS (31 * INT64_C(86400000000000))	/* longer is no run, but a damaged store */

enum {
	MAX_LAG = 5,		/* samples each way */
	MAX_LINES = 100000
};

const struct r5s_summary_title r5s_summary_titles[R5S_SUMMARY_COLUMNS] = {
	[R5S_SUMMARY_FILES] = { "files_per_s", "files", "/s", 1, 7 },
	[R5S_SUMMARY_SIZE] = { "size", "size", "stripes", 0, 7 },
	[R5S_SUMMARY_FLOOR] = { "floor", "floor", "stripes", 0, 7 },
	[R5S_SUMMARY_ACTIVE] = { "active", "active", "stripes", 0, 7 },
	[R5S_SUMMARY_WAITS] = { "waits_per_s", "waits", "/s", 0, 6 },
	[R5S_SUMMARY_WAIT_MS] = { "wait_ms_per_s", "wait", "ms/s", 1, 8 },
	[R5S_SUMMARY_FULL] = { "full_per_s", "full", "str/s", 0, 6 },
	[R5S_SUMMARY_RCW] = { "rcw_per_s", "rcw", "str/s", 0, 6 },
	[R5S_SUMMARY_RMW] = { "rmw_per_s", "rmw", "str/s", 0, 6 },
	[R5S_SUMMARY_DIRTY] = { "dirty_mib", "dirty", "MiB", 1, 7 },
	[R5S_SUMMARY_WRITEBACK] = { "writeback_mib", "wrback", "MiB", 1, 7 },
	[R5S_SUMMARY_SHRUNK] = { "shrunk", "shrunk", "stripes", 0, 7 },
};

const char *r5s_summary_setting(const struct r5s_summary *s, const char *key)
{
	for (size_t i = 0; i < s->settings.n; i++)
		if (s->settings.setting[i].key && !strcmp(s->settings.setting[i].key, key))
			return s->settings.setting[i].value;
	return NULL;
}

static uint64_t number(const struct r5s_summary *s, const char *key, uint64_t otherwise)
{
	const char *v = r5s_summary_setting(s, key);

	return v && v[0] >= '0' && v[0] <= '9' ? strtoull(v, NULL, 10) : otherwise;
}

/* A time of which two can be added. */
static int64_t time_of(const struct r5s_summary *s, const char *key)
{
	uint64_t t = number(s, key, 0);

	return t < INT64_MAX / 2 ? (int64_t)t : INT64_MAX / 2;
}

/* One column from one metric, or from several that are added up. */
static int column(struct r5s_summary *s, struct r5s_series *all, enum r5s_summary_column c,
		  const char *metric, double scale)
{
	double *v = s->column[c], *part = malloc((s->n_lines + 1) * sizeof(*part));

	if (!part)
		return -ENOMEM;
	r5s_series_lines(all, metric, s->start_t_ns, s->end_t_ns, s->step_s, part, s->n_lines);
	for (size_t i = 0; i < s->n_lines; i++) {
		if (isnan(v[i]))
			v[i] = part[i] * scale;
		else if (!isnan(part[i]))
			v[i] += part[i] * scale;
	}
	free(part);
	return 0;
}

static int make_lines(struct r5s_summary *s, struct r5s_series *all)
{
	double span = (double)(s->end_t_ns - s->start_t_ns) / SECOND;
	double mib = (double)number(s, R5S_SUMMARY_PAGE, 4096) / 1048576.0;
	int err = 0;

	if (span / s->step_s > MAX_LINES)
		s->step_s = ceil(span / MAX_LINES);
	s->n_lines = r5s_series_count(s->start_t_ns, s->end_t_ns, s->step_s);
	s->t_s = calloc(s->n_lines + 1, sizeof(*s->t_s));
	if (!s->t_s)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_lines; i++)
		s->t_s[i] = fmin(s->step_s * (double)(i + 1), span);
	for (int c = 0; c < R5S_SUMMARY_COLUMNS; c++) {
		s->column[c] = malloc((s->n_lines + 1) * sizeof(double));
		if (!s->column[c])
			return -ENOMEM;
		for (size_t i = 0; i < s->n_lines; i++)
			s->column[c][i] = NAN;
	}
	err = err ? err : column(s, all, R5S_SUMMARY_FILES, R5S_RECORDER_FILES, 1);
	err = err ? err : column(s, all, R5S_SUMMARY_SIZE, "cache.size", 1);
	err = err ? err : column(s, all, R5S_SUMMARY_FLOOR, "cache.floor", 1);
	err = err ? err : column(s, all, R5S_SUMMARY_ACTIVE, "cache.active", 1);
	err = err ? err : column(s, all, R5S_SUMMARY_WAITS, "cache.waits_begun", 1);
	err = err ? err : column(s, all, R5S_SUMMARY_WAIT_MS, "cache.wait_user_ns", 1e-6);
	err = err ? err : column(s, all, R5S_SUMMARY_WAIT_MS, "cache.wait_sync_ns", 1e-6);
	err = err ? err : column(s, all, R5S_SUMMARY_WAIT_MS, "cache.wait_reshape_ns", 1e-6);
	err = err ? err : column(s, all, R5S_SUMMARY_FULL, "writes.stripes_full", 1);
	err = err ? err : column(s, all, R5S_SUMMARY_RCW, "writes.stripes_rcw", 1);
	err = err ? err : column(s, all, R5S_SUMMARY_RMW, "writes.stripes_rmw", 1);
	err = err ? err : column(s, all, R5S_SUMMARY_DIRTY, "writeback.dirty", mib);
	err = err ? err : column(s, all, R5S_SUMMARY_WRITEBACK, "writeback.writeback", mib);
	err = err ? err : column(s, all, R5S_SUMMARY_SHRUNK, "cache.drop_ok", 1);
	/* A number of stripes, not a rate. */
	for (size_t i = 0; !err && i < s->n_lines; i++)
		s->column[R5S_SUMMARY_SHRUNK][i] *= s->t_s[i] - (i ? s->t_s[i - 1] : 0);
	return err;
}

static void make_totals(struct r5s_summary *s, struct r5s_series *all)
{
	for (int m = 0; m < R5S_METRICS; m++) {
		const struct r5s_metric_info *i = &r5s_metric_table[m];
		struct r5s_summary_range range;

		r5s_series_range(all, i->name, &range.seen, &range.min, &range.max);
		s->seen[m] = range.seen;
		if (r5s_metric_grows(i))
			s->total[m].seen = r5s_series_total(all, i->name, &s->total[m].delta);
		else if (m == R5S_METRIC_CACHE_SIZE)
			s->size = range;
		else if (m == R5S_METRIC_CACHE_BYTES)
			s->bytes = range;
	}
	r5s_series_range(all, R5S_RECORDER_SYSFS, &s->sysfs.seen, &s->sysfs.min, &s->sysfs.max);
}

/* The best first: least q, then the stronger one. */
static int by_worth(const void *a, const void *b)
{
	const struct r5s_correlate_result *x = a, *y = b;

	if (x->q < y->q || x->q > y->q)
		return x->q < y->q ? -1 : 1;
	if (fabs(x->rho) < fabs(y->rho) || fabs(x->rho) > fabs(y->rho))
		return fabs(x->rho) > fabs(y->rho) ? -1 : 1;
	return (int)x->tag - (int)y->tag;
}

static int correlate_all(struct r5s_summary *s, struct r5s_series *all, const double *y,
			 double *x, struct r5s_correlate_result *res, size_t n, int max_lag)
{
	const struct r5s_correlate_opts opts = { .period_s = s->corr_period_s,
						 .max_lag = max_lag };
	size_t lags = (size_t)max_lag * 2 + 1, used = 0;
	int err = 0;

	for (int m = 0; m < R5S_METRICS && !err; m++) {
		struct r5s_correlate_result *r = &res[used * lags];

		if (!s->seen[m] || r5s_metric_table[m].set == R5S_METRIC_SET_ABOUT)
			continue;
		r5s_series_lines(all, r5s_metric_table[m].name, s->start_t_ns, s->end_t_ns,
				 s->corr_period_s, x, n);
		s->flat[m] = r5s_series_flat(x, n);
		if (s->flat[m])
			continue;
		err = r5s_correlate_lags(x, y, n, &opts, r);
		for (size_t i = 0; i < lags; i++)
			r[i].tag = (size_t)m;
		used++;
	}
	if (err)
		return err;
	err = r5s_correlate_adjust(res, used * lags);
	for (size_t i = 0; i < used && !err; i++) {
		int best = r5s_correlate_best(&res[i * lags], lags);
		const struct r5s_correlate_result *mid = &res[i * lags + (size_t)max_lag];

		if (best >= 0) {
			s->corr[s->n_corr++] = res[i * lags + (size_t)best];
		} else {
			s->too_short[mid->tag] = true;
			if (isnan(s->need_s) || mid->need_s < s->need_s)
				s->need_s = mid->need_s;
		}
	}
	if (s->n_corr)
		qsort(s->corr, s->n_corr, sizeof(*s->corr), by_worth);
	return err;
}

static int make_correlations(struct r5s_summary *s, struct r5s_series *all)
{
	size_t n = (size_t)((double)(s->end_t_ns - s->start_t_ns) / SECOND / s->corr_period_s);
	int max_lag = n / 4 < MAX_LAG ? (int)(n / 4) : MAX_LAG, err = -ENOMEM;
	size_t lags = (size_t)max_lag * 2 + 1;
	double *y = malloc((n + 1) * sizeof(*y)), *x = malloc((n + 1) * sizeof(*x));
	struct r5s_correlate_result *res = calloc(R5S_METRICS * lags, sizeof(*res));

	s->need_s = NAN;
	s->corr = calloc(R5S_METRICS, sizeof(*s->corr));
	if (!y || !x || !res || !s->corr)
		goto out;
	r5s_series_lines(all, R5S_RECORDER_FILES, s->start_t_ns, s->end_t_ns, s->corr_period_s, y,
			 n);
	s->no_rate = true;
	for (size_t i = 0; i < n; i++)
		s->no_rate = s->no_rate && isnan(y[i]);
	err = s->no_rate ? 0 : correlate_all(s, all, y, x, res, n, max_lag);
out:
	free(y);
	free(x);
	free(res);
	return err;
}

static int parse_fsmark(struct r5s_summary *s, struct r5s_store *store, int64_t run)
{
	char *text = NULL;
	size_t len;
	int err;

	err = r5s_store_output_get(store, run, 1, &text, &len);
	if (err)
		return err;
	err = r5s_fsmark_feed(&s->fsmark, text, len);
	if (!err && r5s_fsmark_finish(&s->fsmark) < 0)
		err = -ENOMEM;
	free(text);
	return err;
}

static int parse_command(struct r5s_summary *s)
{
	struct json_object *words = json_tokener_parse(s->runs.run[0].argv_json ?: "");
	int argc = 0, at, err = -ENOMEM;
	char **argv;

	if (json_object_is_type(words, json_type_array))
		argc = (int)json_object_array_length(words);
	argv = calloc((size_t)argc + 1, sizeof(*argv));
	if (!argv)
		goto out;
	/* json-c keeps the strings, nobody changes them. */
	for (int i = 0; i < argc; i++)
		argv[i] = (char *)(json_object_get_string(json_object_array_get_idx(words,
										    (size_t)i)) ?: "");
	at = r5s_fsmark_find(argc, argv);
	s->has_fsmark = at >= 0;
	err = 0;
	if (at >= 0)
		err = r5s_fsmark_args_parse(&s->fsmark_args, argc - at, argv + at, NULL, 0);
	if (err == -EINVAL)
		err = 0;
out:
	free(argv);
	json_object_put(words);
	return err;
}

static void make_rates(struct r5s_summary *s, struct r5s_series *all)
{
	struct r5s_rate_input *in = &s->input;
	double files;
	int64_t first, last;

	in->fsmark_files_per_sec = s->has_fsmark ? r5s_fsmark_mean(&s->fsmark) : NAN;
	in->threads = s->fsmark.threads;
	if (s->fsmark.n_rows)
		in->fsmark_files = s->fsmark.rows[s->fsmark.n_rows - 1].count;
	in->elapsed_ns = number(s, R5S_SUMMARY_ELAPSED, 0);
	s->windows = number(s, R5S_SUMMARY_WINDOWS, 0);
	if (s->windows && number(s, R5S_SUMMARY_CREATES, 0) &&
	    !number(s, R5S_SUMMARY_OVERFLOW, 0)) {
		in->window_files = number(s, R5S_SUMMARY_WINDOW_FILES, 0);
		in->window_ns = number(s, R5S_SUMMARY_WINDOW_NS, 0);
	} else if (!number(s, R5S_SUMMARY_OVERFLOW, 0) &&
		   r5s_series_growth(all, R5S_RECORDER_FILES, &first, &last, &files)) {
		s->window_estimated = true;
		in->window_files = (uint64_t)files;
		in->window_ns = (uint64_t)(last - first);
	}
	r5s_rate_compute(in, &s->rates);
}

int r5s_summary_make(struct r5s_summary *s, struct r5s_store *store, const char *run,
		     double every_s)
{
	struct r5s_series all = { 0 };
	int64_t id;
	int err;

	memset(s, 0, sizeof(*s));
	r5s_fsmark_init(&s->fsmark);
	s->step_s = every_s;
	s->corr_period_s = 1;
	err = r5s_store_run_get(store, run, &s->runs);
	if (err)
		return err;
	id = s->runs.run[0].id;
	err = r5s_store_setting_list(store, id, &s->settings);
	err = err ? err : r5s_store_event_list(store, id, &s->events);
	err = err ? err : r5s_series_load(&all, store, id);
	err = err ? err : parse_fsmark(s, store, id);
	err = err ? err : parse_command(s);
	if (err)
		goto out;
	s->start_t_ns = time_of(s, R5S_SUMMARY_START);
	s->end_t_ns = s->start_t_ns + time_of(s, R5S_SUMMARY_ELAPSED);
	if (s->end_t_ns == s->start_t_ns)
		s->end_t_ns = s->runs.run[0].last_t_ns;
	if (s->end_t_ns < s->start_t_ns)
		s->end_t_ns = s->start_t_ns;
	if (s->end_t_ns - s->start_t_ns > LONGEST_NS) {
		err = -ERANGE;
		goto out;
	}
	make_rates(s, &all);
	make_totals(s, &all);
	err = make_lines(s, &all);
	err = err ? err : make_correlations(s, &all);
out:
	r5s_series_free(&all);
	return err;
}

void r5s_summary_free(struct r5s_summary *s)
{
	r5s_store_runs_free(&s->runs);
	r5s_store_settings_free(&s->settings);
	r5s_store_events_free(&s->events);
	r5s_fsmark_free(&s->fsmark);
	r5s_fsmark_args_free(&s->fsmark_args);
	free(s->t_s);
	for (int c = 0; c < R5S_SUMMARY_COLUMNS; c++)
		free(s->column[c]);
	free(s->corr);
	memset(s, 0, sizeof(*s));
}
