// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/lkpjson.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, DEPTH = 8, RUNS_MAX = 100000 };

#define SOURCES "stats_source"

/* From samples to a run's number: LKP's prefixes, as far as they concern what is in such files. */
static const char *const deltas[] = { "cpuidle.*", "interrupts.*", "numa-numastat.*", "energy.*",
				      "ethtool.*", "diskstats.*_*",
				      "proc-vmstat.allocstall*", "proc-vmstat.compact_*",
				      "proc-vmstat.kswapd_*", "proc-vmstat.nr_dirtied",
				      "proc-vmstat.nr_written", "proc-vmstat.numa_*",
				      "proc-vmstat.pg*", "proc-vmstat.pswp*",
				      "proc-vmstat.slabs_scanned", "proc-vmstat.thp_*",
				      "proc-vmstat.unevictable_pgs_*", "numa-vmstat.*.nr_dirtied",
				      "numa-vmstat.*.nr_written", "numa-vmstat.*.numa_*",
				      "numa-vmstat.*.pg*" };

int r5s_lkpjson_load(const char *path, char **text, size_t *len)
{
	gzFile f;
	size_t room = CHUNK, n = 0;
	char *buf = NULL;
	int err = 0, got;

	errno = 0;
	f = gzopen(path, "rb");
	if (!f)
		return errno ? -errno : -ENOMEM;
	for (;;) {
		char *p = realloc(buf, room + 1);

		if (!p) {
			err = -ENOMEM;
			break;
		}
		buf = p;
		got = gzread(f, buf + n, (unsigned int)(room - n));
		if (got <= 0) {
			int code;

			gzerror(f, &code);
			if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
				err = code == Z_ERRNO && errno ? -errno : -EBADMSG;
			break;
		}
		n += (size_t)got;
		if (n > R5S_LKPJSON_BYTES_MAX) {
			err = -EFBIG;
			break;
		}
		if (n == room)
			room *= 2;
	}
	gzclose(f);
	if (err) {
		free(buf);
		return err;
	}
	buf[n] = '\0';
	*text = buf;
	*len = n;
	return 0;
}

/* NaN for what is no number. */
static double number(struct json_object *v, bool *integer)
{
	*integer = json_object_is_type(v, json_type_int);
	if (!*integer && !json_object_is_type(v, json_type_double))
		return NAN;
	return json_object_get_double(v);
}

static int put(struct r5s_matrix *m, const char *key, size_t run, struct json_object *v)
{
	bool integer;
	double x = number(v, &integer);

	return isfinite(x) ? r5s_matrix_put(m, key, run, x, integer) : 0;
}

static int read_flat(struct r5s_matrix *m, struct json_object *o, const char *source)
{
	long run = r5s_matrix_run_add(m, source);
	int err = run < 0 ? (int)run : 0;

	json_object_object_foreach(o, key, v)
		if (!err)
			err = put(m, key, (size_t)run, v);
	return err;
}

static int read_matrix(struct r5s_matrix *m, struct json_object *o, struct json_object *sources,
		       const char *source)
{
	size_t runs = sources ? json_object_array_length(sources) : 0, from = m->runs;
	int err = 0;

	json_object_object_foreach(o, name, array)
		if (!sources && *name && json_object_is_type(array, json_type_array) &&
		    json_object_array_length(array) > runs)
			runs = json_object_array_length(array);
	if (runs > RUNS_MAX)
		return -EBADMSG;
	for (size_t i = 0; !err && i < runs; i++) {
		struct json_object *s = sources ? json_object_array_get_idx(sources, i) : NULL;
		const char *text = s && json_object_is_type(s, json_type_string) ?
				   json_object_get_string(s) : source;

		err = r5s_matrix_run_add(m, text) < 0 ? -ENOMEM : 0;
	}
	json_object_object_foreach(o, key, v) {
		size_t n = json_object_is_type(v, json_type_array) ? json_object_array_length(v) : 0;

		if (!strcmp(key, SOURCES))
			continue;
		for (size_t i = 0; !err && i < n && i < runs; i++)
			err = put(m, key, from + i, json_object_array_get_idx(v, i));
	}
	return err;
}

static size_t longest_column(struct json_object *o, const char *key)
{
	size_t part = strcspn(key, ".") + 1, most = 0;

	json_object_object_foreach(o, other, v)
		if (!strncmp(other, key, part) && json_object_is_type(v, json_type_array) &&
		    json_object_array_length(v) > most)
			most = json_object_array_length(v);
	return most;
}

static double aggregate(struct json_object *o, const char *key, struct json_object *v,
			bool *integer)
{
	size_t n = json_object_array_length(v);
	bool delta = false, sum, one;
	double total = 0, first = NAN, last = NAN;

	*integer = true;
	for (size_t i = 0; i < sizeof(deltas) / sizeof(deltas[0]); i++)
		delta |= !fnmatch(deltas[i], key, 0);
	sum = (!strncmp(key, "time.", 5) && !strstr(key, "elapsed_time") &&
	       !strstr(key, "maximum_resident")) || !strncmp(key, "perf-stat.total", 15);
	for (size_t i = 0; i < n; i++) {
		double x = number(json_object_array_get_idx(v, i), &one);

		if (!isfinite(x))
			continue;
		*integer &= one;
		first = isnan(first) ? x : first;
		last = x;
		total += x;
	}
	if (isnan(last) || n == 1)
		return last;
	if (delta)
		return last - first;
	if (sum)
		return total;
	*integer = false;
	/* LKP divides by the monitor's longest column. */
	return total / (double)longest_column(o, key);
}

static int read_samples(struct r5s_matrix *m, struct json_object *o, const char *source)
{
	long run = r5s_matrix_run_add(m, source);
	int err = run < 0 ? (int)run : 0;

	json_object_object_foreach(o, key, v) {
		const char *dot = strchr(key, '.');
		bool integer;
		double x;

		if (err || !json_object_is_type(v, json_type_array) ||
		    !json_object_array_length(v) || (dot && !strcmp(dot, ".time")))
			continue;
		x = aggregate(o, key, v, &integer);
		if (isfinite(x))
			err = r5s_matrix_put(m, key, (size_t)run, x, integer);
	}
	return err;
}

int r5s_lkpjson_read(struct r5s_matrix *m, const char *text, size_t len, const char *source)
{
	struct json_tokener *tok = json_tokener_new_ex(DEPTH);
	struct json_object *o, *sources = NULL;
	bool arrays = false, samples = false;
	int err = -EBADMSG;

	if (!tok)
		return -ENOMEM;
	o = len < INT32_MAX ? json_tokener_parse_ex(tok, text, (int)len) : NULL;
	json_tokener_free(tok);
	if (!json_object_is_type(o, json_type_object))
		goto out;
	if (json_object_object_get_ex(o, SOURCES, &sources) &&
	    !json_object_is_type(sources, json_type_array))
		goto out;
	json_object_object_foreach(o, key, v) {
		const char *dot = strchr(key, '.');

		arrays |= json_object_is_type(v, json_type_array);
		samples |= dot && !strcmp(dot, ".time") && json_object_is_type(v, json_type_array);
	}
	if (!arrays)
		err = read_flat(m, o, source);
	else if (samples && !sources)
		err = read_samples(m, o, source);
	else
		err = read_matrix(m, o, sources, source);
out:
	json_object_put(o);
	return err;
}

/* Plain or packed, by the name. */
struct writer {
	gzFile f;
	bool first;
	int err;
};

static void begin(struct writer *w, const char *path)
{
	size_t len = strlen(path);

	*w = (struct writer){ .first = true };
	errno = 0;
	w->f = gzopen(path, len > 3 && !strcmp(path + len - 3, ".gz") ? "wb" : "wbT");
	if (!w->f)
		w->err = errno ? -errno : -ENOMEM;
	else if (gzputs(w->f, "{") < 0)
		w->err = -EIO;
}

static void put_text(struct writer *w, const char *text)
{
	if (!w->err && gzputs(w->f, text) < 0)
		w->err = -EIO;
}

static void put_string(struct writer *w, const char *text)
{
	struct json_object *s = json_object_new_string(text);

	if (!s) {
		w->err = -ENOMEM;
		return;
	}
	put_text(w, json_object_to_json_string_ext(s, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(s);
}

static void put_key(struct writer *w, const char *key)
{
	put_text(w, w->first ? "\n  " : ",\n  ");
	w->first = false;
	put_string(w, key);
	put_text(w, ": ");
}

/* The shortest form that reads back the same; fractions keep a point. */
static void put_number(struct writer *w, double v, bool integer)
{
	char text[40];

	if (integer && fabs(v) < 1e15) {
		snprintf(text, sizeof(text), "%.0f", v);
	} else {
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, v);
			if (strtod(text, NULL) == v)
				break;
		}
		if (!strpbrk(text, ".e"))
			strcat(text, ".0");
	}
	put_text(w, text);
}

static int end(struct writer *w)
{
	put_text(w, "\n}\n");
	if (w->f && gzclose(w->f) != Z_OK && !w->err)
		w->err = -EIO;
	return w->err;
}

int r5s_lkpjson_write(const struct r5s_matrix *m, const char *path)
{
	struct writer w;

	begin(&w, path);
	for (size_t i = 0; i < m->n; i++) {
		const struct r5s_matrix_metric *metric = &m->metric[i];
		size_t n = m->runs;

		while (n && isnan(r5s_matrix_value(metric, n - 1)))
			n--;
		if (!n)
			continue;
		put_key(&w, metric->key);
		put_text(&w, "[\n");
		for (size_t run = 0; run < n; run++) {
			double v = r5s_matrix_value(metric, run);

			put_text(&w, run ? ",\n    " : "    ");
			put_number(&w, isnan(v) ? 0 : v, metric->integer);
		}
		put_text(&w, "\n  ]");
	}
	put_key(&w, SOURCES);
	put_text(&w, m->runs ? "[\n" : "[");
	for (size_t run = 0; run < m->runs; run++) {
		put_text(&w, run ? ",\n    " : "    ");
		put_string(&w, m->source[run]);
	}
	put_text(&w, "\n  ]");
	return end(&w);
}

int r5s_lkpjson_run_write(const struct r5s_matrix *m, size_t run, const char *path)
{
	struct writer w;

	begin(&w, path);
	for (size_t i = 0; i < m->n; i++) {
		double v = r5s_matrix_value(&m->metric[i], run);

		if (isnan(v))
			continue;
		put_key(&w, m->metric[i].key);
		put_number(&w, v, m->metric[i].integer);
	}
	return end(&w);
}

int r5s_lkpjson_flat_write(const struct r5s_matrix *m, double (*figure)(const double *x, size_t n),
			   const char *path)
{
	double *x = malloc((m->runs + 1) * sizeof(*x));
	struct writer w;

	if (!x)
		return -ENOMEM;
	begin(&w, path);
	for (size_t i = 0; i < m->n; i++) {
		size_t n = r5s_matrix_present(m, &m->metric[i], x);

		if (!n)
			continue;
		put_key(&w, m->metric[i].key);
		put_number(&w, figure(x, n), false);
	}
	free(x);
	return end(&w);
}
