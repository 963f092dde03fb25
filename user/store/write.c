// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What recording puts into the store: collected in memory, written once a second.
 */
#include "store/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	QUICK_BUSY_MS = 100	/* a sampler must not wait long: it tries again a second later */
};

static const char *const sql[ST_COUNT] = {
	[ST_SAMPLE] = "INSERT OR REPLACE INTO samples(run_id, t_ns, track_id, value)"
		" VALUES (?, ?, ?, ?)",
	[ST_TRACK] = "INSERT INTO tracks(run_id, track_id, array_id, metric_id, first_t_ns)"
		" VALUES (?, ?, nullif(?, 0), ?, ?)",
	[ST_EVENT] = "INSERT INTO events(run_id, t_ns, array, kind, text) VALUES (?, ?, ?, ?, ?)",
	[ST_OUTPUT] = "INSERT INTO output(run_id, t_ns, stream, text) VALUES (?, ?, ?, ?)",
	[ST_FSMARK] = "INSERT OR REPLACE INTO fsmark_rows VALUES"
		" (?, ?, ?, ?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ST_HEARTBEAT] = "UPDATE runs SET last_t_ns = ? WHERE id = ?",
	[ST_METRIC_FIND] = "SELECT id FROM metrics WHERE name = ?",
	[ST_METRIC_ADD] = "INSERT OR IGNORE INTO metrics(name, unit, kind, help) VALUES (?, ?, ?, ?)",
};

static int statement(struct r5s_store *s, enum statement which, sqlite3_stmt **st)
{
	int err = 0;

	if (!s->st[which])
		err = r5s_store_prepare(s, sql[which], &s->st[which]);
	*st = s->st[which];
	return err;
}

static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(st, at);
}

/* Runs a statement that yields no rows, and lets go of what was bound. */
static int finish(struct r5s_store *s, sqlite3_stmt *st, const char *doing)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? 0 : r5s_store_fail(s, rc, doing);
}

/* The tables of tracks. */

static size_t slot_of(const struct r5s_store *s, int64_t array, int64_t metric)
{
	uint64_t h = (uint64_t)metric * UINT64_C(0x9e3779b97f4a7c15) +
		     (uint64_t)array * UINT64_C(0xc2b2ae3d27d4eb4f);
	size_t at = (size_t)(h >> 32) & (s->tracks_room - 1);

	while (s->track[at].id && (s->track[at].array != array || s->track[at].metric != metric))
		at = (at + 1) & (s->tracks_room - 1);
	return at;
}

static int more_tracks(struct r5s_store *s)
{
	struct track *old = s->track;
	size_t old_room = s->tracks_room;
	size_t room = old_room ? 2 * old_room : 1024;
	struct track *p = calloc(room, sizeof(*p));

	if (!p)
		return r5s_store_refuse(s, -ENOMEM, "out of memory");
	s->track = p;
	s->tracks_room = room;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].id)
			p[slot_of(s, old[i].array, old[i].metric)] = old[i];
	free(old);
	return 0;
}

static int find_track(struct r5s_store *s, int64_t array, int64_t metric, int64_t t_ns,
		      struct track **out)
{
	struct track *t;
	int err;

	if (2 * (s->n_tracks + 1) > s->tracks_room) {
		err = more_tracks(s);
		if (err)
			return err;
	}
	t = &s->track[slot_of(s, array, metric)];
	if (!t->id) {
		t->array = array;
		t->metric = metric;
		t->id = (int64_t)++s->n_tracks;
		t->first_t_ns = t_ns;
		t->row_t_ns = INT64_MIN;
	}
	*out = t;
	return 0;
}

/* What waits. */

static void item_free(struct item *it)
{
	if (it->type == ITEM_FSMARK) {
		free(it->row);
	} else if (it->type != ITEM_SAMPLE) {
		free(it->text.array);
		free(it->text.kind);
		free(it->text.text);
	}
}

void r5s_store_pending_free(struct r5s_store *s)
{
	for (size_t i = 0; i < s->n_items; i++)
		item_free(&s->item[i]);
	free(s->item);
	free(s->track);
	s->item = NULL;
	s->track = NULL;
	s->n_items = s->items_room = s->n_tracks = s->tracks_room = s->tracks_stored = 0;
}

/* Return: 1 when there is no room any more and the item is lost. */
static int push(struct r5s_store *s, const struct item *it)
{
	if (s->n_items >= R5S_STORE_PENDING_MAX) {
		s->lost++;
		return 1;
	}
	if (s->n_items == s->items_room) {
		size_t room = s->items_room ? 2 * s->items_room : 1024;
		void *p = reallocarray(s->item, room, sizeof(*s->item));

		if (!p)
			return r5s_store_refuse(s, -ENOMEM, "out of memory");
		s->item = p;
		s->items_room = room;
	}
	s->item[s->n_items++] = *it;
	if (it->t_ns > s->last_t_ns)
		s->last_t_ns = it->t_ns;
	return 0;
}

static int check_run(struct r5s_store *s, int64_t run)
{
	int err = r5s_store_writable(s);

	if (!err && (!run || run != s->run))
		return r5s_store_refuse(s, -EINVAL, "run %" PRId64 " is not the one being recorded", run);
	return err;
}

/* Once a second. A file that is locked for a moment is no failure: everything is kept. */
static int maybe_flush(struct r5s_store *s)
{
	int64_t now = r5s_store_clock(CLOCK_MONOTONIC);
	int err;

	if (now - s->flushed_mono_ns < R5S_STORE_FLUSH_NS)
		return 0;
	err = r5s_store_flush_quick(s);
	return err == -EBUSY && s->n_items < R5S_STORE_PENDING_MAX ? 0 : err;
}

static bool same(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return false;
	return a->type == VALUE_NULL || (a->type == VALUE_INT ? a->i == b->i : a->r == b->r);
}

static int sample(struct r5s_store *s, int64_t run, int64_t array, int64_t metric, int64_t t_ns,
		  const struct value *value)
{
	struct item it = { .type = ITEM_SAMPLE, .t_ns = t_ns };
	struct track *t;
	int err;

	err = check_run(s, run);
	if (!err)
		err = find_track(s, array, metric, t_ns, &t);
	if (err)
		return err;
	if (t->row_t_ns != INT64_MIN && t_ns < t->last_t_ns)
		return r5s_store_refuse(s, -EINVAL, "a sample at %" PRId64 " ns after one at %" PRId64 " ns",
					t_ns, t->last_t_ns);
	if (t->row_t_ns == INT64_MIN || !same(value, &t->value) ||
	    t_ns - t->row_t_ns >= R5S_STORE_REPEAT_NS) {
		it.sample.track = t->id;
		it.sample.value = *value;
		err = push(s, &it);
		if (err < 0)
			return err;
		t->value = *value;
		/* A lost row is written as soon as there is room again. */
		t->row_t_ns = err ? INT64_MIN : t_ns;
	}
	t->last_t_ns = t_ns;
	if (t_ns > s->last_t_ns)
		s->last_t_ns = t_ns;
	return maybe_flush(s);
}

int r5s_store_sample_u64(struct r5s_store *s, int64_t run, int64_t array, int64_t metric,
			 int64_t t_ns, uint64_t value)
{
	struct value v = { .type = VALUE_INT, .i = (int64_t)value };

	if (value > INT64_MAX) {
		v.type = VALUE_REAL;
		v.r = (double)value;
	}
	return sample(s, run, array, metric, t_ns, &v);
}

int r5s_store_sample_double(struct r5s_store *s, int64_t run, int64_t array, int64_t metric,
			    int64_t t_ns, double value)
{
	struct value v = { .type = VALUE_REAL, .r = value };

	if (isnan(value))
		v.type = VALUE_NULL;
	return sample(s, run, array, metric, t_ns, &v);
}

int r5s_store_sample_absent(struct r5s_store *s, int64_t run, int64_t array, int64_t metric,
			    int64_t t_ns)
{
	struct value v = { .type = VALUE_NULL };

	return sample(s, run, array, metric, t_ns, &v);
}

static int push_or_free(struct r5s_store *s, struct item *it, bool complete)
{
	int err = complete ? push(s, it) : r5s_store_refuse(s, -ENOMEM, "out of memory");

	if (err)
		item_free(it);
	return err < 0 ? err : maybe_flush(s);
}

int r5s_store_event_add(struct r5s_store *s, int64_t run, int64_t t_ns, const char *array,
			const char *kind, const char *text)
{
	struct item it = { .type = ITEM_EVENT, .t_ns = t_ns };
	int err = check_run(s, run);

	if (err)
		return err;
	it.text.array = array ? strdup(array) : NULL;
	it.text.kind = strdup(kind);
	it.text.text = text ? strdup(text) : NULL;
	return push_or_free(s, &it, it.text.kind && !array == !it.text.array && !text == !it.text.text);
}

int r5s_store_output_add(struct r5s_store *s, int64_t run, int64_t t_ns, int stream,
			 const char *text, size_t len)
{
	struct item it = { .type = ITEM_OUTPUT, .t_ns = t_ns, .number = stream };
	int err = check_run(s, run);

	if (err || !len)
		return err;
	it.text.text = malloc(len);
	if (it.text.text)
		memcpy(it.text.text, text, len);
	it.text.len = len;
	return push_or_free(s, &it, it.text.text);
}

int r5s_store_fsmark_add(struct r5s_store *s, int64_t run, unsigned int iteration, int64_t t_ns,
			 const struct r5s_fsmark_row *row)
{
	struct item it = { .type = ITEM_FSMARK, .t_ns = t_ns, .number = (int)iteration };
	int err = check_run(s, run);

	if (err)
		return err;
	it.row = malloc(sizeof(*it.row));
	if (it.row)
		*it.row = *row;
	return push_or_free(s, &it, it.row);
}

/* The flush. */

static void bind_value(sqlite3_stmt *st, int at, const struct value *v)
{
	if (v->type == VALUE_INT)
		sqlite3_bind_int64(st, at, v->i);
	else if (v->type == VALUE_REAL)
		sqlite3_bind_double(st, at, v->r);
	else
		sqlite3_bind_null(st, at);
}

static void bind_fsmark(sqlite3_stmt *st, const struct r5s_fsmark_row *r)
{
	const uint32_t has = r->has;

	if (has & 1 << R5S_FSMARK_COL_FSUSE)
		sqlite3_bind_double(st, 4, r->fsuse_pct);
	if (has & 1 << R5S_FSMARK_COL_COUNT)
		sqlite3_bind_int64(st, 5, (int64_t)r->count);
	if (has & 1 << R5S_FSMARK_COL_SIZE)
		sqlite3_bind_int64(st, 6, (int64_t)r->size);
	if (!isnan(r->files_per_sec))
		sqlite3_bind_double(st, 7, r->files_per_sec);
	if (has & 1 << R5S_FSMARK_COL_RATE)
		sqlite3_bind_text(st, 8, r->files_per_sec_text, -1, SQLITE_STATIC);
	if (has & 1 << R5S_FSMARK_COL_OVERHEAD)
		sqlite3_bind_int64(st, 9, (int64_t)r->app_overhead_us);
	for (int c = 0; c < R5S_FSMARK_CALLS; c++) {
		if (!(has & UINT32_C(1) << (R5S_FSMARK_COL_CALLS + c)))
			continue;
		sqlite3_bind_int64(st, 10 + 3 * c, (int64_t)r->call[c].min_us);
		sqlite3_bind_int64(st, 11 + 3 * c, (int64_t)r->call[c].avg_us);
		sqlite3_bind_int64(st, 12 + 3 * c, (int64_t)r->call[c].max_us);
	}
}

static int write_item(struct r5s_store *s, const struct item *it)
{
	static const enum statement which[] = {
		[ITEM_SAMPLE] = ST_SAMPLE, [ITEM_EVENT] = ST_EVENT, [ITEM_OUTPUT] = ST_OUTPUT,
		[ITEM_FSMARK] = ST_FSMARK
	};
	sqlite3_stmt *st;
	int err = statement(s, which[it->type], &st);

	if (err)
		return err;
	sqlite3_bind_int64(st, 1, s->run);
	sqlite3_bind_int64(st, 2, it->t_ns);
	switch (it->type) {
	case ITEM_SAMPLE:
		sqlite3_bind_int64(st, 3, it->sample.track);
		bind_value(st, 4, &it->sample.value);
		break;
	case ITEM_EVENT:
		bind_text(st, 3, it->text.array);
		bind_text(st, 4, it->text.kind);
		bind_text(st, 5, it->text.text);
		break;
	case ITEM_OUTPUT:
		sqlite3_bind_int(st, 3, it->number);
		sqlite3_bind_text64(st, 4, it->text.text, it->text.len, SQLITE_STATIC, SQLITE_UTF8);
		break;
	case ITEM_FSMARK:
		sqlite3_bind_int(st, 2, it->number);
		if (it->t_ns >= 0)
			sqlite3_bind_int64(st, 3, it->t_ns);
		bind_fsmark(st, it->row);
		break;
	}
	return finish(s, st, "recording");
}

static int write_tracks(struct r5s_store *s)
{
	for (size_t i = 0; i < s->tracks_room && s->tracks_stored < s->n_tracks; i++) {
		const struct track *t = &s->track[i];
		sqlite3_stmt *st;
		int err;

		if (!t->id || t->stored)
			continue;
		err = statement(s, ST_TRACK, &st);
		if (err)
			return err;
		sqlite3_bind_int64(st, 1, s->run);
		sqlite3_bind_int64(st, 2, t->id);
		sqlite3_bind_int64(st, 3, t->array);
		sqlite3_bind_int64(st, 4, t->metric);
		sqlite3_bind_int64(st, 5, t->first_t_ns);
		err = finish(s, st, "recording");
		if (err)
			return err;
	}
	return 0;
}

static int write_all(struct r5s_store *s)
{
	sqlite3_stmt *st;
	int err = write_tracks(s);

	for (size_t i = 0; i < s->n_items && !err; i++)
		err = write_item(s, &s->item[i]);
	if (!err)
		err = statement(s, ST_HEARTBEAT, &st);
	if (err)
		return err;
	sqlite3_bind_int64(st, 1, s->last_t_ns);
	sqlite3_bind_int64(st, 2, s->run);
	return finish(s, st, "recording");
}

static int flush(struct r5s_store *s)
{
	int err;

	s->flushed_mono_ns = r5s_store_clock(CLOCK_MONOTONIC);
	if (!s->run)
		return 0;
	err = r5s_store_exec(s, "BEGIN IMMEDIATE", "recording");
	if (!err)
		err = write_all(s);
	if (!err)
		err = r5s_store_exec(s, "COMMIT", "recording");
	if (err) {
		r5s_store_rollback(s);
		return err;
	}
	for (size_t i = 0; i < s->tracks_room && s->tracks_stored < s->n_tracks; i++) {
		if (s->track[i].id && !s->track[i].stored) {
			s->track[i].stored = true;
			s->tracks_stored++;
		}
	}
	for (size_t i = 0; i < s->n_items; i++)
		item_free(&s->item[i]);
	s->n_items = 0;
	return 0;
}

int r5s_store_flush(struct r5s_store *s)
{
	int err = r5s_store_writable(s);

	return err ? err : flush(s);
}

int r5s_store_flush_quick(struct r5s_store *s)
{
	int err;

	sqlite3_busy_timeout(s->db, QUICK_BUSY_MS);
	err = flush(s);
	sqlite3_busy_timeout(s->db, R5S_STORE_BUSY_MS);
	return err;
}

uint64_t r5s_store_lost(const struct r5s_store *s)
{
	return s->lost;
}

/* Small things that are written at once. */

int r5s_store_metric_id(struct r5s_store *s, const char *name, const char *unit,
			enum r5s_store_kind kind, const char *help, int64_t *metric)
{
	sqlite3_stmt *find, *add;
	int rc, err;

	err = statement(s, ST_METRIC_FIND, &find);
	for (int tries = 0; !err && tries < 2; tries++) {
		sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
		rc = sqlite3_step(find);
		if (rc == SQLITE_ROW)
			*metric = sqlite3_column_int64(find, 0);
		sqlite3_reset(find);
		sqlite3_clear_bindings(find);
		if (rc == SQLITE_ROW)
			return 0;
		if (rc != SQLITE_DONE)
			return r5s_store_fail(s, rc, "looking up a metric");
		err = r5s_store_writable(s);
		if (!err)
			err = statement(s, ST_METRIC_ADD, &add);
		if (err)
			return err;
		bind_text(add, 1, name);
		bind_text(add, 2, unit);
		bind_text(add, 3, r5s_store_kind_name(kind));
		bind_text(add, 4, help);
		err = finish(s, add, "adding a metric");
	}
	return err ? err : r5s_store_refuse(s, -EINVAL, "metric %s cannot be added", name);
}
