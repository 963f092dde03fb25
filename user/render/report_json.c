// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/report.h"

#include <errno.h>
#include <math.h>

#include "render/json.h"

static void put_run(struct json_object *root, const struct r5s_summary *s, const char *file)
{
	const struct r5s_store_run *r = &s->runs.run[0];
	struct json_object *o = r5s_json_object(root, "run"), *argv, *list;
	char words[256];

	r5s_json_i64(o, "id", r->id);
	r5s_json_text(o, "uuid", r->uuid);
	r5s_json_text(o, "database", file);
	r5s_json_text(o, "status", r5s_store_status_name(r->status));
	r5s_report_status(s, words, sizeof(words));
	r5s_json_text(o, "status_text", words);
	if (r->exit_status >= 0)
		r5s_json_i64(o, "exit_status", r->exit_status);
	if (r->signal)
		r5s_json_i64(o, "signal", r->signal);
	r5s_json_i64(o, "started_real_ns", r->started_real_ns);
	r5s_json_text(o, "host", r->host);
	r5s_json_text(o, "kernel", r->kernel);
	r5s_json_text(o, "module_version", r->module_version);
	r5s_json_text(o, "tool_version", r->tool_version);
	r5s_json_text(o, "command", r->command);
	/* Not as it is: it may hold what is no UTF-8. */
	argv = json_tokener_parse(r->argv_json ? r->argv_json : "[]");
	list = r5s_json_array(o, "argv");
	for (size_t i = 0; json_object_is_type(argv, json_type_array) && i < json_object_array_length(argv); i++)
		r5s_json_text(list, NULL, json_object_get_string(json_object_array_get_idx(argv, i)));
	json_object_put(argv);
	r5s_json_text(o, "cwd", r->cwd);
	r5s_json_text(o, "array", r->array);
	r5s_json_text(o, "note", r->note);
	r5s_json_double(o, "seconds", (double)(s->end_t_ns - s->start_t_ns) / 1e9);
}

static void put_rates(struct json_object *root, const struct r5s_summary *s)
{
	static const char *const keys[R5S_RATE_KINDS] = { "fsmark", "window", "elapsed" };
	struct json_object *o = r5s_json_object(root, "file_rate"), *r, *warn;

	for (int k = 0; k < R5S_RATE_KINDS; k++) {
		if (isnan(s->rates.rate[k].files_per_sec))
			continue;
		r = r5s_json_object(o, keys[k]);
		r5s_json_double(r, "files_per_s", s->rates.rate[k].files_per_sec);
		if (!isnan(s->rates.rate[k].step))
			r5s_json_double(r, "step", s->rates.rate[k].step);
		r5s_json_double(r, "low", s->rates.rate[k].low);
		r5s_json_double(r, "high", s->rates.rate[k].high);
	}
	if (s->rates.judged >= 0)
		r5s_json_text(o, "judged", keys[s->rates.judged]);
	if (s->input.fsmark_files)
		r5s_json_u64(o, "fsmark_files", s->input.fsmark_files);
	if (s->input.threads)
		r5s_json_u64(o, "threads", s->input.threads);
	if (s->input.window_files) {
		r5s_json_u64(o, "window_files", s->input.window_files);
		r5s_json_u64(o, "window_ns", s->input.window_ns);
		r5s_json_bool(o, "window_estimated", s->window_estimated);
	}
	if (s->input.elapsed_ns)
		r5s_json_u64(o, "elapsed_ns", s->input.elapsed_ns);
	warn = r5s_json_array(o, "notes");
	for (unsigned int bit = 1; bit <= R5S_RATE_WARN_COUNT; bit <<= 1)
		if (s->rates.warn & bit)
			json_object_array_add(warn, r5s_json_new_text(
				r5s_rate_warn_text((enum r5s_rate_warn)bit)));
	if (s->has_fsmark && s->fsmark.note[0])
		json_object_array_add(warn, r5s_json_new_text(s->fsmark.note));
}

static void put_lines(struct json_object *root, const struct r5s_summary *s)
{
	struct json_object *lines = r5s_json_array(root, "lines"), *o;

	for (size_t i = 0; i < s->n_lines; i++) {
		o = r5s_json_object(lines, NULL);
		r5s_json_double(o, "t_s", s->t_s[i]);
		for (int c = 0; c < R5S_SUMMARY_COLUMNS; c++)
			if (!isnan(s->column[c][i]))
				r5s_json_double(o, r5s_summary_titles[c].key, s->column[c][i]);
	}
}

static void put_range(struct json_object *root, const char *key, const struct r5s_summary_range *r)
{
	struct json_object *o;

	if (!r->seen)
		return;
	o = r5s_json_object(root, key);
	r5s_json_double(o, "min", r->min);
	r5s_json_double(o, "max", r->max);
}

static void put_totals(struct json_object *root, const struct r5s_summary *s)
{
	struct json_object *o = r5s_json_object(root, "totals"), *m;

	for (int i = 0; i < R5S_METRICS; i++) {
		if (!s->total[i].seen)
			continue;
		m = r5s_json_object(o, r5s_metric_table[i].name);
		r5s_json_double(m, "value", s->total[i].delta);
		r5s_json_text(m, "unit", r5s_metric_table[i].unit);
	}
	put_range(root, "cache_size", &s->size);
	put_range(root, "cache_bytes", &s->bytes);
	put_range(root, "sysfs_stripe_cache_size", &s->sysfs);
}

static void put_correlations(struct json_object *root, const struct r5s_summary *s)
{
	struct json_object *o = r5s_json_object(root, "correlation"), *list, *c;

	r5s_json_bool(o, "file_rate_recorded", !s->no_rate);
	r5s_json_double(o, "period_s", s->corr_period_s);
	if (!s->n_corr && s->need_s > 0)
		r5s_json_double(o, "need_s", s->need_s);
	list = r5s_json_array(o, "metrics");
	for (size_t i = 0; i < s->n_corr; i++) {
		const struct r5s_correlate_result *r = &s->corr[i];

		c = r5s_json_object(list, NULL);
		r5s_json_text(c, "metric", r5s_metric_table[r->tag].name);
		r5s_json_double(c, "rho", r->rho);
		r5s_json_double(c, "low", r->low);
		r5s_json_double(c, "high", r->high);
		r5s_json_double(c, "leads_by_s", r->lag * s->corr_period_s);
		r5s_json_u64(c, "n", r->n);
		r5s_json_double(c, "n_eff", r->n_eff);
		r5s_json_double(c, "p", r->p);
		r5s_json_double(c, "q", r->q);
	}
	list = r5s_json_array(o, "too_short");
	for (int m = 0; m < R5S_METRICS; m++)
		if (s->too_short[m])
			json_object_array_add(list, r5s_json_new_text(r5s_metric_table[m].name));
}

static void put_settings(struct json_object *root, const struct r5s_summary *s)
{
	struct json_object *o = r5s_json_object(root, "settings");

	for (size_t i = 0; i < s->settings.n; i++)
		r5s_json_text(o, s->settings.setting[i].key, s->settings.setting[i].value);
}

static void put_events(struct json_object *root, const struct r5s_summary *s)
{
	struct json_object *list = r5s_json_array(root, "events"), *o;

	for (size_t i = 0; i < s->events.n; i++) {
		const struct r5s_store_event *e = &s->events.event[i];

		o = r5s_json_object(list, NULL);
		r5s_json_double(o, "t_s", (double)(e->t_ns - s->start_t_ns) / 1e9);
		r5s_json_text(o, "kind", e->kind);
		if (e->array)
			r5s_json_text(o, "array", e->array);
		if (e->text)
			r5s_json_text(o, "text", e->text);
	}
}

int r5s_report_json(const struct r5s_summary *s, const char *file, FILE *out)
{
	struct json_object *root = json_object_new_object();
	int err;

	if (!root)
		return -ENOMEM;
	put_run(root, s, file);
	put_rates(root, s);
	r5s_json_double(root, "seconds_per_line", s->step_s);
	put_lines(root, s);
	put_totals(root, s);
	put_correlations(root, s);
	put_events(root, s);
	put_settings(root, s);
	err = r5s_json_print(root, out, true);
	json_object_put(root);
	return err;
}
