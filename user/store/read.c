// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading runs, tracks, series, events and settings back.
 */
#include "store/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A column as text to free(); NULL stays NULL. */
static char *text(sqlite3_stmt *st, int at, bool *short_of_memory)
{
	const unsigned char *p = sqlite3_column_text(st, at);
	char *copy;

	if (!p) {
		*short_of_memory |= sqlite3_column_type(st, at) != SQLITE_NULL;
		return NULL;
	}
	copy = strdup((const char *)p);
	*short_of_memory |= !copy;
	return copy;
}

/* A time so far away that no two can be subtracted is none: half the range is 146 years each way. */
static int64_t stamp(sqlite3_stmt *st, int at)
{
	int64_t t = sqlite3_column_int64(st, at);

	return t > INT64_MAX / 2 ? INT64_MAX / 2 : t < INT64_MIN / 2 ? INT64_MIN / 2 : t;
}

/* Runs. */

#define RUN_COLUMNS "id, uuid, status, started_real_ns, started_mono_ns, ended_real_ns, last_t_ns," \
	" host, kernel, module_version, tool_version, command, argv, cwd, array_name, note," \
	" exit_status, signal, pid, pid_start, pid_ns, boot_id"

struct run_list {
	struct r5s_store_runs *runs;
	size_t room;
};

static enum r5s_store_status status_of(sqlite3_stmt *st)
{
	const char *name = (const char *)sqlite3_column_text(st, 2);
	const char *boot = (const char *)sqlite3_column_text(st, 21);
	struct r5s_store_life l;
	int status = R5S_STORE_INCOMPLETE;

	for (int i = 0; name && i <= R5S_STORE_INCOMPLETE; i++)
		if (!strcmp(name, r5s_store_status_name((enum r5s_store_status)i)))
			status = i;
	if (status != R5S_STORE_RUNNING)
		return (enum r5s_store_status)status;
	l.pid = sqlite3_column_int64(st, 18);
	l.pid_start = sqlite3_column_int64(st, 19);
	l.pid_ns = sqlite3_column_int64(st, 20);
	snprintf(l.boot_id, sizeof(l.boot_id), "%s", boot ? boot : "");
	return r5s_store_life_gone(&l) ? R5S_STORE_INCOMPLETE : R5S_STORE_RUNNING;
}

static int run_row(struct r5s_store *s, sqlite3_stmt *st, void *out)
{
	struct run_list *l = out;
	struct r5s_store_run *r;
	bool mem = false;

	r = r5s_store_grow(l->runs->run, l->runs->n, &l->room, sizeof(*r));
	if (!r)
		return r5s_store_no_memory(s);
	l->runs->run = r;
	r = &l->runs->run[l->runs->n++];
	r->id = sqlite3_column_int64(st, 0);
	r->uuid = text(st, 1, &mem);
	r->status = status_of(st);
	r->started_real_ns = stamp(st, 3);
	r->started_mono_ns = stamp(st, 4);
	r->ended_real_ns = stamp(st, 5);
	r->last_t_ns = stamp(st, 6);
	r->host = text(st, 7, &mem);
	r->kernel = text(st, 8, &mem);
	r->module_version = text(st, 9, &mem);
	r->tool_version = text(st, 10, &mem);
	r->command = text(st, 11, &mem);
	r->argv_json = text(st, 12, &mem);
	r->cwd = text(st, 13, &mem);
	r->array = text(st, 14, &mem);
	r->note = text(st, 15, &mem);
	r->exit_status = sqlite3_column_type(st, 16) == SQLITE_NULL ? -1 : sqlite3_column_int(st, 16);
	r->signal = sqlite3_column_int(st, 17);
	r->pid = sqlite3_column_int64(st, 18);
	return mem ? r5s_store_no_memory(s) : 0;
}

void r5s_store_runs_free(struct r5s_store_runs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		char *const p[] = {
			r->run[i].uuid, r->run[i].host, r->run[i].kernel, r->run[i].module_version,
			r->run[i].tool_version, r->run[i].command, r->run[i].argv_json,
			r->run[i].cwd, r->run[i].array, r->run[i].note
		};

		for (size_t k = 0; k < sizeof(p) / sizeof(p[0]); k++)
			free(p[k]);
	}
	free(r->run);
	memset(r, 0, sizeof(*r));
}

static int runs_where(struct r5s_store *s, const char *sql, const char *bind, int64_t id,
		      struct r5s_store_runs *out)
{
	struct run_list l = { .runs = out };
	sqlite3_stmt *st = NULL;
	int err;

	memset(out, 0, sizeof(*out));
	err = r5s_store_prepare(s, sql, &st);
	if (err)
		return err;
	if (bind)
		sqlite3_bind_text(st, 1, bind, -1, SQLITE_STATIC);
	else if (id)
		sqlite3_bind_int64(st, 1, id);
	err = r5s_store_each_row(s, st, run_row, &l, "reading runs");
	if (err)
		r5s_store_runs_free(out);
	return err;
}

int r5s_store_run_list(struct r5s_store *s, struct r5s_store_runs *out)
{
	return runs_where(s, "SELECT " RUN_COLUMNS " FROM runs ORDER BY id", NULL, 0, out);
}

int r5s_store_run_get(struct r5s_store *s, const char *name, struct r5s_store_runs *out)
{
	size_t len = strlen(name);
	int err;

	memset(out, 0, sizeof(*out));
	if (!strcmp(name, "last"))
		err = runs_where(s, "SELECT " RUN_COLUMNS " FROM runs ORDER BY id DESC LIMIT 1", NULL, 0,
				 out);
	else if (len && len < 18 && strspn(name, "0123456789") == len)
		err = runs_where(s, "SELECT " RUN_COLUMNS " FROM runs WHERE id = ?", NULL,
				 strtoll(name, NULL, 10), out);
	else
		err = 0;
	/* A number that is no run may still be the beginning of a uuid. */
	if (!err && !out->n && len >= 4)
		err = runs_where(s, "SELECT " RUN_COLUMNS " FROM runs"
				    " WHERE substr(uuid, 1, length(?1)) = lower(?1)", name, 0, out);
	if (err || out->n == 1)
		return err;
	err = out->n ?
		r5s_store_refuse(s, -EINVAL, "%s fits %zu runs: give more of the uuid", name, out->n) :
		r5s_store_refuse(s, -ENOENT, "no run %s in %s: list the runs to see which there are",
				 name, s->file);
	r5s_store_runs_free(out);
	return err;
}

/* Tracks. */

struct track_list {
	struct r5s_store_tracks *tracks;
	size_t room;
};

static int track_row(struct r5s_store *s, sqlite3_stmt *st, void *out)
{
	struct track_list *l = out;
	struct r5s_store_track *t;
	const char *kind;
	bool mem = false;

	t = r5s_store_grow(l->tracks->track, l->tracks->n, &l->room, sizeof(*t));
	if (!t)
		return r5s_store_no_memory(s);
	l->tracks->track = t;
	t = &l->tracks->track[l->tracks->n++];
	t->id = sqlite3_column_int64(st, 0);
	t->array_id = sqlite3_column_int64(st, 1);
	t->array = text(st, 2, &mem);
	t->metric_id = sqlite3_column_int64(st, 3);
	t->metric = text(st, 4, &mem);
	t->unit = text(st, 5, &mem);
	t->help = text(st, 6, &mem);
	t->kind = R5S_STORE_GAUGE;
	kind = (const char *)sqlite3_column_text(st, 7);
	for (int i = 0; kind && i <= R5S_STORE_HISTOGRAM; i++)
		if (!strcmp(kind, r5s_store_kind_name((enum r5s_store_kind)i)))
			t->kind = (enum r5s_store_kind)i;
	t->first_t_ns = stamp(st, 8);
	/* A recorder that died could not say when; the run's heartbeat is the best there is. */
	t->last_t_ns = stamp(st, 9);
	return mem ? r5s_store_no_memory(s) : 0;
}

void r5s_store_tracks_free(struct r5s_store_tracks *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->track[i].array);
		free(t->track[i].metric);
		free(t->track[i].unit);
		free(t->track[i].help);
	}
	free(t->track);
	memset(t, 0, sizeof(*t));
}

int r5s_store_track_list(struct r5s_store *s, int64_t run, struct r5s_store_tracks *out)
{
	struct track_list l = { .tracks = out };
	int err;

	memset(out, 0, sizeof(*out));
	err = r5s_store_each_of(s,
		"SELECT t.track_id, t.array_id, a.name, m.id, m.name, m.unit, m.help, m.kind,"
		" t.first_t_ns, ifnull(t.last_t_ns, r.last_t_ns)"
		" FROM tracks t JOIN runs r ON r.id = t.run_id JOIN metrics m ON m.id = t.metric_id"
		" LEFT JOIN arrays a ON a.id = t.array_id WHERE t.run_id = ? ORDER BY t.track_id",
		      run, track_row, &l, "reading the tracks");
	if (err)
		r5s_store_tracks_free(out);
	return err;
}

/* Series. */

struct track_at {
	int64_t id;
	size_t i;
};

struct loading {
	const struct r5s_store_tracks *tracks;
	struct r5s_store_series *series;
	size_t *room;
	struct track_at *at;	/* by id: an id is what the file says, any number */
};

static int add_point(struct r5s_store *s, struct r5s_store_series *p, size_t *room, int64_t t_ns,
		     double value)
{
	void *more = r5s_store_grow(p->point, p->n, room, sizeof(*p->point));

	if (!more)
		return r5s_store_no_memory(s);
	p->point = more;
	p->point[p->n].t_ns = t_ns;
	p->point[p->n++].value = value;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int sample_row(struct r5s_store *s, sqlite3_stmt *st, void *out)
{
	struct loading *l = out;
	int64_t track = sqlite3_column_int64(st, 1);
	const struct track_at *at;
	double value = NAN;

	at = bsearch(&track, l->at, l->tracks->n, sizeof(*l->at), by_id);
	if (!at)
		return 0;
	if (sqlite3_column_type(st, 2) != SQLITE_NULL)
		value = sqlite3_column_double(st, 2);
	return add_point(s, &l->series[at->i], &l->room[at->i], stamp(st, 0), value);
}

/* The value held until the last sample, which made no row when nothing had changed. */
static int close_series(struct r5s_store *s, struct loading *l, size_t i)
{
	struct r5s_store_series *p = &l->series[i];
	struct r5s_store_point last;

	p->last_t_ns = l->tracks->track[i].last_t_ns;
	if (!p->n)
		return 0;
	last = p->point[p->n - 1];
	if (p->last_t_ns > last.t_ns + R5S_STORE_REPEAT_NS)
		p->last_t_ns = last.t_ns + R5S_STORE_REPEAT_NS;
	if (p->last_t_ns <= last.t_ns) {
		p->last_t_ns = last.t_ns;
		return 0;
	}
	return add_point(s, p, &l->room[i], p->last_t_ns, last.value);
}

int r5s_store_series_load(struct r5s_store *s, int64_t run, const struct r5s_store_tracks *tracks,
			  struct r5s_store_series *out)
{
	struct loading l = { .tracks = tracks, .series = out };
	sqlite3_stmt *st = NULL;
	int err = 0;

	memset(out, 0, tracks->n * sizeof(*out));
	l.room = calloc(tracks->n + 1, sizeof(*l.room));
	l.at = calloc(tracks->n + 1, sizeof(*l.at));
	if (!l.room || !l.at) {
		err = r5s_store_no_memory(s);
		goto out_free;
	}
	for (size_t i = 0; i < tracks->n; i++)
		l.at[i] = (struct track_at){ tracks->track[i].id, i };
	qsort(l.at, tracks->n, sizeof(*l.at), by_id);
	err = r5s_store_prepare(s, "SELECT t_ns, track_id, value FROM samples WHERE run_id = ?"
				   " ORDER BY t_ns, track_id", &st);
	if (err)
		goto out_free;
	sqlite3_bind_int64(st, 1, run);
	err = r5s_store_each_row(s, st, sample_row, &l, "reading the samples");
	for (size_t i = 0; i < tracks->n && !err; i++)
		err = close_series(s, &l, i);
	for (size_t i = 0; i < tracks->n && err; i++)
		r5s_store_series_free(&out[i]);
out_free:
	free(l.room);
	free(l.at);
	return err;
}

int r5s_store_series_get(struct r5s_store *s, int64_t run, int64_t track,
			 struct r5s_store_series *out)
{
	struct r5s_store_tracks all, wanted = { .n = 1 };
	int err = r5s_store_track_list(s, run, &all);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	for (size_t i = 0; i < all.n; i++)
		if (all.track[i].id == track)
			wanted.track = &all.track[i];
	if (wanted.track)
		err = r5s_store_series_load(s, run, &wanted, out);
	else
		err = r5s_store_refuse(s, -ENOENT, "run %" PRId64 " has no track %" PRId64, run, track);
	r5s_store_tracks_free(&all);
	return err;
}

void r5s_store_series_free(struct r5s_store_series *p)
{
	free(p->point);
	memset(p, 0, sizeof(*p));
}

/* Events and facts. */

struct event_list {
	struct r5s_store_events *events;
	size_t room;
};

static int event_row(struct r5s_store *s, sqlite3_stmt *st, void *out)
{
	struct event_list *l = out;
	struct r5s_store_event *e;
	bool mem = false;

	e = r5s_store_grow(l->events->event, l->events->n, &l->room, sizeof(*e));
	if (!e)
		return r5s_store_no_memory(s);
	l->events->event = e;
	e = &l->events->event[l->events->n++];
	e->t_ns = stamp(st, 0);
	e->array = text(st, 1, &mem);
	e->kind = text(st, 2, &mem) ?: strdup("");
	e->text = text(st, 3, &mem);
	return mem ? r5s_store_no_memory(s) : 0;
}

int r5s_store_event_list(struct r5s_store *s, int64_t run, struct r5s_store_events *out)
{
	struct event_list l = { .events = out };
	int err;

	memset(out, 0, sizeof(*out));
	err = r5s_store_each_of(s, "SELECT t_ns, array, kind, text FROM events WHERE run_id = ?"
				   " ORDER BY t_ns, id",
		      run, event_row, &l, "reading the events");
	if (err)
		r5s_store_events_free(out);
	return err;
}

void r5s_store_events_free(struct r5s_store_events *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->event[i].array);
		free(e->event[i].kind);
		free(e->event[i].text);
	}
	free(e->event);
	memset(e, 0, sizeof(*e));
}

struct setting_list {
	struct r5s_store_settings *settings;
	size_t room;
};

static int setting_row(struct r5s_store *s, sqlite3_stmt *st, void *out)
{
	struct setting_list *l = out;
	struct r5s_store_setting *e;
	bool mem = false;

	e = r5s_store_grow(l->settings->setting, l->settings->n, &l->room, sizeof(*e));
	if (!e)
		return r5s_store_no_memory(s);
	l->settings->setting = e;
	e = &l->settings->setting[l->settings->n++];
	e->key = text(st, 0, &mem) ?: strdup("");
	e->value = text(st, 1, &mem);
	return mem ? r5s_store_no_memory(s) : 0;
}

static int settings_where(struct r5s_store *s, const char *sql, int64_t id,
			  struct r5s_store_settings *out)
{
	struct setting_list l = { .settings = out };
	int err;

	memset(out, 0, sizeof(*out));
	err = r5s_store_each_of(s, sql, id, setting_row, &l, "reading the settings");
	if (err)
		r5s_store_settings_free(out);
	return err;
}

int r5s_store_setting_list(struct r5s_store *s, int64_t run, struct r5s_store_settings *out)
{
	return settings_where(s, "SELECT key, value FROM settings WHERE run_id = ? ORDER BY key", run,
			      out);
}

int r5s_store_array_list(struct r5s_store *s, int64_t array, struct r5s_store_settings *out)
{
	return settings_where(s, "SELECT key, value FROM array_facts WHERE array_id = ? ORDER BY key",
			      array, out);
}

void r5s_store_settings_free(struct r5s_store_settings *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->setting[i].key);
		free(e->setting[i].value);
	}
	free(e->setting);
	memset(e, 0, sizeof(*e));
}
