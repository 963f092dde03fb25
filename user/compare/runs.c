// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/runs.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "workload/fsmark.h"

enum { KEY_MAX = 256, UUID_LEAST = 4 };

#define WINDOW_FILES "files.window_files"
#define WINDOW_NS "files.window_ns"
#define ELAPSED_NS "command.elapsed_ns"

int r5s_runs_open(struct r5s_runs *r, const char *path)
{
	struct r5s_store **store = realloc(r->store, (r->stores + 1) * sizeof(*store));
	struct r5s_store_runs *list;
	struct r5s_runs_item *item;
	int err;

	if (!store)
		return -ENOMEM;
	r->store = store;
	list = realloc(r->list, (r->stores + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	r->list = list;
	list[r->stores] = (struct r5s_store_runs){ 0 };
	err = r5s_store_open(&store[r->stores], path, R5S_STORE_READ);
	if (!err)
		err = r5s_store_run_list(store[r->stores], &list[r->stores]);
	r->stores++;
	if (err) {
		snprintf(r->error, sizeof(r->error), "%s", store[r->stores - 1] ?
			 r5s_store_error(store[r->stores - 1]) : strerror(-err));
		return err;
	}
	item = realloc(r->item, (r->n + list[r->stores - 1].n + 1) * sizeof(*item));
	if (!item)
		return -ENOMEM;
	r->item = item;
	for (size_t i = 0; !err && i < list[r->stores - 1].n; i++) {
		struct r5s_runs_item *to = &r->item[r->n++];

		*to = (struct r5s_runs_item){ .store = store[r->stores - 1],
					      .run = &list[r->stores - 1].run[i] };
		err = r5s_store_setting_list(to->store, to->run->id, &to->settings);
		if (err)
			snprintf(r->error, sizeof(r->error), "%s", r5s_store_error(to->store));
	}
	return err;
}

void r5s_runs_close(struct r5s_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		r5s_store_settings_free(&r->item[i].settings);
	for (size_t i = 0; i < r->stores; i++) {
		r5s_store_runs_free(&r->list[i]);
		r5s_store_close(r->store[i]);
	}
	free(r->item);
	free(r->list);
	free(r->store);
	*r = (struct r5s_runs){ 0 };
}

const char *r5s_runs_value(const struct r5s_runs_item *item, const char *key)
{
	const struct r5s_store_run *run = item->run;
	const struct {
		const char *key;
		const char *value;
	} facts[] = {
		{ "host", run->host }, { "kernel", run->kernel }, { "array", run->array },
		{ "status", r5s_store_status_name(run->status) }, { "command", run->command },
		{ "note", run->note }, { "module", run->module_version },
		{ "tool", run->tool_version }, { "cwd", run->cwd }, { "uuid", run->uuid },
		{ "db", r5s_store_file(item->store) },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!strcmp(key, facts[i].key))
			return facts[i].value;
	for (size_t i = 0; i < item->settings.n; i++)
		if (!strcmp(key, item->settings.setting[i].key))
			return item->settings.setting[i].value;
	return NULL;
}

/* -1: no such form, else 0 or 1. */
static int by_number(const struct r5s_runs_item *item, const char *one, int64_t last)
{
	size_t digits = strspn(one, "0123456789"), len = strlen(one);
	int64_t from, to;

	if (!strcmp(one, "last"))
		return item->run->id == last;
	if (digits && digits == len)
		return item->run->id == strtoll(one, NULL, 10);
	if (digits && one[digits] == '-' && one[digits + 1] &&
	    strspn(one + digits + 1, "0123456789") == len - digits - 1) {
		from = strtoll(one, NULL, 10);
		to = strtoll(one + digits + 1, NULL, 10);
		return item->run->id >= from && item->run->id <= to;
	}
	return -1;
}

bool r5s_runs_select(const struct r5s_runs_item *item, const char *what, int64_t last)
{
	char *copy = strdup(what), *save = NULL;
	bool numbers = false, number_fits = false, keys_fit = true;

	for (char *one = copy ? strtok_r(copy, ",", &save) : NULL; one;
	     one = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(one, '=');
		int fits;

		if (equals) {
			const char *value;

			*equals = '\0';
			value = r5s_runs_value(item, one);
			keys_fit &= value && !fnmatch(equals + 1, value, 0);
			continue;
		}
		fits = by_number(item, one, last);
		if (fits < 0)
			fits = strlen(one) >= UUID_LEAST && item->run->uuid &&
			       !strncmp(one, item->run->uuid, strlen(one));
		numbers = true;
		number_fits |= fits;
	}
	free(copy);
	return keys_fit && (!numbers || number_fits);
}

static double setting_number(const struct r5s_runs_item *item, const char *key)
{
	const char *text = r5s_runs_value(item, key);
	char *end;
	double v = text ? strtod(text, &end) : NAN;

	return text && end != text && !*end ? v : NAN;
}

/* Mean over time: between two rows the value held. */
static double gauge(const struct r5s_store_series *s)
{
	double sum = 0, time = 0, last = NAN;

	for (size_t i = 0; i < s->n; i++) {
		int64_t until = i + 1 < s->n ? s->point[i + 1].t_ns : s->last_t_ns;
		double span = (double)(until - s->point[i].t_ns);

		if (isnan(s->point[i].value))
			continue;
		last = s->point[i].value;
		sum += span * last;
		time += span;
	}
	return time > 0 ? sum / time : last;
}

/* What it grew by, piece by piece where it was absent in between. */
static double growth(const struct r5s_store_series *s)
{
	double sum = 0, before = NAN;
	bool seen = false;

	for (size_t i = 0; i < s->n; i++) {
		double v = s->point[i].value;

		if (!isnan(v) && !isnan(before)) {
			seen = true;
			sum += v >= before ? v - before : v;
		}
		before = v;
	}
	return seen ? sum : NAN;
}

static int put_series(struct r5s_matrix *m, size_t run, const struct r5s_runs_item *item)
{
	struct r5s_store_tracks tracks = { 0 };
	struct r5s_store_series *series = NULL;
	int err = r5s_store_track_list(item->store, item->run->id, &tracks);

	if (!err && tracks.n) {
		series = calloc(tracks.n, sizeof(*series));
		err = series ? r5s_store_series_load(item->store, item->run->id, &tracks, series) :
			       -ENOMEM;
	}
	for (size_t i = 0; !err && i < tracks.n; i++) {
		const struct r5s_store_track *t = &tracks.track[i];
		double v = t->kind == R5S_STORE_GAUGE ? gauge(&series[i]) : growth(&series[i]);
		char key[KEY_MAX];

		if (isnan(v))
			continue;
		snprintf(key, sizeof(key), "%s%s%s", t->array ? t->array : "", t->array ? "." : "",
			 t->metric);
		err = r5s_matrix_put(m, key, run, v, t->kind != R5S_STORE_GAUGE);
		if (!err && t->unit)
			err = r5s_matrix_unit_put(m, key, t->unit);
	}
	for (size_t i = 0; series && i < tracks.n; i++)
		r5s_store_series_free(&series[i]);
	free(series);
	r5s_store_tracks_free(&tracks);
	return err;
}

static int put_rates(struct r5s_matrix *m, size_t run, const struct r5s_runs_item *item)
{
	struct r5s_fsmark_row *rows = NULL;
	size_t n = 0;
	double rate = 0, overhead = 0, files, ns;
	int err = r5s_store_fsmark_list(item->store, item->run->id, &rows, &n);

	for (size_t i = 0; i < n; i++) {
		rate += rows[i].files_per_sec;
		overhead += (double)rows[i].app_overhead_us;
	}
	free(rows);
	if (!err && n && !isnan(rate))
		err = r5s_matrix_put(m, "fsmark.files_per_sec", run, rate / (double)n, false);
	if (!err && n)
		err = r5s_matrix_put(m, "fsmark.app_overhead", run, overhead / (double)n, n == 1);
	files = setting_number(item, WINDOW_FILES);
	ns = setting_number(item, WINDOW_NS);
	if (!err && files > 0 && ns > 0)
		err = r5s_matrix_put(m, "files_per_sec.true", run, files / (ns / 1e9), false);
	ns = setting_number(item, ELAPSED_NS);
	if (!err && ns > 0)
		err = r5s_matrix_put(m, "time.elapsed_time", run, ns / 1e9, false);
	return err;
}

/* fs_mark's threads, 0 when it is another command. */
static unsigned int threads_of(const struct r5s_store_run *run)
{
	struct json_object *o = run->argv_json ? json_tokener_parse(run->argv_json) : NULL;
	size_t n = json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
	char **argv = calloc(n + 1, sizeof(*argv));
	struct r5s_fsmark_args args = { 0 };
	unsigned int threads = 0;
	int at;

	for (size_t i = 0; argv && i < n; i++)
		argv[i] = (char *)(json_object_get_string(json_object_array_get_idx(o, i)) ?: "");
	at = argv && n ? r5s_fsmark_find((int)n, argv) : -1;
	if (argv && at >= 0) {
		if (!r5s_fsmark_args_parse(&args, (int)n - at, argv + at, NULL, 0))
			threads = args.threads;
		r5s_fsmark_args_free(&args);
	}
	free(argv);
	json_object_put(o);
	return threads;
}

static int64_t newest(const struct r5s_runs *r, const struct r5s_store *store)
{
	int64_t last = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->item[i].store == store && r->item[i].run->id > last)
			last = r->item[i].run->id;
	return last;
}

static bool fits(const struct r5s_runs *r, const struct r5s_runs_item *item, const char *what,
		 const char *key, const char *value)
{
	const char *has = key ? r5s_runs_value(item, key) : NULL;

	if (key && (!has || (value && strcmp(has, value))))
		return false;
	return !what || r5s_runs_select(item, what, newest(r, item->store));
}

long r5s_runs_values(const struct r5s_runs *r, const char *what, const char *key,
		     const char ***value)
{
	long n = 0;

	*value = calloc(r->n + 1, sizeof(**value));
	if (!*value)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++) {
		const char *v = r5s_runs_value(&r->item[i], key);
		long k = 0;

		if (!v || !fits(r, &r->item[i], what, key, NULL))
			continue;
		while (k < n && strcmp((*value)[k], v))
			k++;
		if (k == n)
			(*value)[n++] = v;
	}
	return n;
}

int r5s_runs_group(struct r5s_runs *r, const char *what, const char *key, const char *value,
		   bool incomplete, struct r5s_matrix *m, unsigned int *threads, size_t *left_out)
{
	char source[KEY_MAX];
	int err = r5s_matrix_init(m, value && !what ? value : what ? what : "all");
	bool first = true;

	*threads = 0;
	*left_out = 0;
	for (size_t i = 0; !err && i < r->n; i++) {
		const struct r5s_runs_item *item = &r->item[i];
		unsigned int t;
		long run;

		if (!fits(r, item, what, key, value))
			continue;
		if (item->run->status != R5S_STORE_COMPLETE && !incomplete) {
			++*left_out;
			continue;
		}
		snprintf(source, sizeof(source), "%s:%" PRId64, r5s_store_file(item->store),
			 item->run->id);
		run = r5s_matrix_run_add(m, source);
		err = run < 0 ? (int)run : put_series(m, (size_t)run, item);
		if (!err)
			err = put_rates(m, (size_t)run, item);
		if (err)
			snprintf(r->error, sizeof(r->error), "%s", r5s_store_error(item->store));
		t = threads_of(item->run);
		*threads = first || *threads == t ? t : 0;
		first = false;
	}
	if (!err && !m->runs)
		err = -ENOENT;
	return err;
}
