// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Beginning and ending a run, and the facts that belong to it.
 */
#include "store/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <json-c/json.h>

#include "render/json.h"

static int one(struct r5s_store *s, sqlite3_stmt *st, const char *doing)
{
	int rc = sqlite3_step(st);

	return rc == SQLITE_DONE ? 0 : r5s_store_fail(s, rc, doing);
}

/* Quotes a word so that a shell reads it back, when it needs that. */
static void put_quoted(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./=:,+@%";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	}
	putc('\'', out);
}

static char *command_line(const char *const *argv)
{
	char *buf = NULL;
	size_t len;
	FILE *out = open_memstream(&buf, &len);

	if (!out)
		return NULL;
	for (int i = 0; argv[i]; i++) {
		if (i)
			putc(' ', out);
		put_quoted(out, argv[i]);
	}
	if (fclose(out)) {
		free(buf);
		return NULL;
	}
	return buf;
}

static char *argv_json(const char *const *argv)
{
	struct json_object *a = json_object_new_array();
	char *text = NULL;

	for (int i = 0; a && argv[i]; i++)
		json_object_array_add(a, r5s_json_new_text(argv[i]));
	if (a)
		text = strdup(json_object_to_json_string_ext(a, JSON_C_TO_STRING_PLAIN |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(a);
	return text;
}

static int insert_run(struct r5s_store *s, const struct r5s_store_begin *b, const char *command,
		      const char *json)
{
	struct r5s_store_life life;
	struct utsname u;
	char uuid[37];
	sqlite3_stmt *st = NULL;
	int err;

	err = r5s_store_prepare(s,
		"INSERT INTO runs(uuid, status, started_real_ns, started_mono_ns, host, kernel,"
		" module_version, tool_version, command, argv, cwd, array_name, note,"
		" pid, pid_start, pid_ns, boot_id)"
		" VALUES (?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &st);
	if (err)
		return err;
	r5s_store_uuid(uuid);
	r5s_store_life_self(&life);
	uname(&u);
	s->run_mono_ns = r5s_store_clock(CLOCK_MONOTONIC);
	sqlite3_bind_text(st, 1, uuid, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, r5s_store_clock(CLOCK_REALTIME));
	sqlite3_bind_int64(st, 3, s->run_mono_ns);
	sqlite3_bind_text(st, 4, u.nodename, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 5, u.release, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 6, b->module_version, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 7, b->tool_version, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 8, command, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 9, json, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 10, b->cwd, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 11, b->array, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 12, b->note, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 13, life.pid);
	sqlite3_bind_int64(st, 14, life.pid_start);
	sqlite3_bind_int64(st, 15, life.pid_ns);
	sqlite3_bind_text(st, 16, life.boot_id, -1, SQLITE_STATIC);
	err = one(s, st, "starting a run");
	sqlite3_finalize(st);
	return err;
}

int r5s_store_run_begin(struct r5s_store *s, const struct r5s_store_begin *b, int64_t *run)
{
	char *command = NULL, *json = NULL;
	int err = r5s_store_writable(s);

	if (!err && s->run)
		err = r5s_store_refuse(s, -EINVAL, "run %" PRId64 " has not ended yet", s->run);
	if (err)
		return err;
	if (b->argv) {
		command = command_line(b->argv);
		json = argv_json(b->argv);
		if (!command || !json)
			err = r5s_store_refuse(s, -ENOMEM, "out of memory");
	}
	if (!err)
		err = insert_run(s, b, command, json);
	free(command);
	free(json);
	if (err)
		return err;
	s->run = sqlite3_last_insert_rowid(s->db);
	s->last_t_ns = 0;
	s->lost = 0;
	s->flushed_mono_ns = s->run_mono_ns;
	*run = s->run;
	return 0;
}

int64_t r5s_store_run_now(const struct r5s_store *s)
{
	return r5s_store_run_t(s, r5s_store_clock(CLOCK_MONOTONIC));
}

int64_t r5s_store_run_t(const struct r5s_store *s, int64_t mono_ns)
{
	return mono_ns - s->run_mono_ns;
}

static int close_tracks(struct r5s_store *s)
{
	sqlite3_stmt *st = NULL;
	int err = r5s_store_prepare(s, "UPDATE tracks SET last_t_ns = ?"
				       " WHERE run_id = ? AND track_id = ?", &st);

	for (size_t i = 0; i < s->tracks_room && !err; i++) {
		if (!s->track[i].id)
			continue;
		sqlite3_bind_int64(st, 1, s->track[i].last_t_ns);
		sqlite3_bind_int64(st, 2, s->run);
		sqlite3_bind_int64(st, 3, s->track[i].id);
		err = one(s, st, "ending a run");
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	return err;
}

static int close_run(struct r5s_store *s, const struct r5s_store_end *end)
{
	sqlite3_stmt *st = NULL;
	int err;

	err = r5s_store_prepare(s,
		"UPDATE runs SET status = ?, ended_real_ns = ?, exit_status = ?, signal = ?,"
		" note = CASE WHEN ?5 IS NULL THEN note ELSE ifnull(note || '; ', '') || ?5 END"
		" WHERE id = ?", &st);
	if (err)
		return err;
	sqlite3_bind_text(st, 1, r5s_store_status_name(end->status), -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, r5s_store_clock(CLOCK_REALTIME));
	if (end->exit_status >= 0)
		sqlite3_bind_int(st, 3, end->exit_status);
	if (end->signal)
		sqlite3_bind_int(st, 4, end->signal);
	sqlite3_bind_text(st, 5, end->note, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 6, s->run);
	err = one(s, st, "ending a run");
	sqlite3_finalize(st);
	return err;
}

int r5s_store_run_end(struct r5s_store *s, int64_t run, const struct r5s_store_end *end)
{
	int err = r5s_store_writable(s);

	if (!err && (!run || run != s->run || end->status == R5S_STORE_RUNNING))
		err = r5s_store_refuse(s, -EINVAL, "run %" PRId64 " cannot be ended here", run);
	if (!err)
		err = r5s_store_flush(s);
	if (!err)
		err = r5s_store_exec(s, "BEGIN IMMEDIATE", "ending a run");
	if (err)
		return err;
	err = close_tracks(s);
	if (!err)
		err = close_run(s, end);
	if (!err)
		err = r5s_store_exec(s, "COMMIT", "ending a run");
	if (err) {
		r5s_store_rollback(s);
		return err;
	}
	s->run = 0;
	r5s_store_pending_free(s);
	return 0;
}

static int put(struct r5s_store *s, const char *sql_put, const char *sql_remove, int64_t id,
	       const char *key, const char *value)
{
	sqlite3_stmt *st = NULL;
	int err = r5s_store_writable(s);

	if (!err)
		err = r5s_store_prepare(s, value ? sql_put : sql_remove, &st);
	if (err)
		return err;
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_text(st, 2, key, -1, SQLITE_STATIC);
	if (value)
		sqlite3_bind_text(st, 3, value, -1, SQLITE_STATIC);
	err = one(s, st, "writing a setting");
	sqlite3_finalize(st);
	return err;
}

int r5s_store_setting_put(struct r5s_store *s, int64_t run, const char *key, const char *value)
{
	return put(s, "INSERT INTO settings(run_id, key, value) VALUES (?, ?, ?)"
		      " ON CONFLICT DO UPDATE SET value = excluded.value",
		   "DELETE FROM settings WHERE run_id = ? AND key = ?", run, key, value);
}

int r5s_store_array_put(struct r5s_store *s, int64_t array, const char *key, const char *value)
{
	return put(s, "INSERT INTO array_facts(array_id, key, value) VALUES (?, ?, ?)"
		      " ON CONFLICT DO UPDATE SET value = excluded.value",
		   "DELETE FROM array_facts WHERE array_id = ? AND key = ?", array, key, value);
}

int r5s_store_array_add(struct r5s_store *s, int64_t run, const char *name, uint64_t epoch,
			int64_t *array)
{
	sqlite3_stmt *st = NULL;
	int rc, err = r5s_store_writable(s);

	if (!err)
		err = r5s_store_prepare(s,
			"INSERT INTO arrays(run_id, name, epoch) VALUES (?, ?, ?)"
			" ON CONFLICT DO UPDATE SET epoch = excluded.epoch RETURNING id", &st);
	if (err)
		return err;
	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_text(st, 2, name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 3, (int64_t)epoch);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		*array = sqlite3_column_int64(st, 0);
		rc = sqlite3_step(st);
	}
	if (rc != SQLITE_DONE)
		err = r5s_store_fail(s, rc, "adding an array");
	sqlite3_finalize(st);
	return err;
}
