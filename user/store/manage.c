// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looking after the file: deleting and annotating runs, giving space back, taking over the runs of
 * another store.
 */
#include "store/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One statement with a run's id and perhaps a text; Return: rows that changed, or a negative errno. */
static int change(struct r5s_store *s, const char *sql, int64_t id, const char *text,
		  const char *doing)
{
	sqlite3_stmt *st = NULL;
	int rc, err = r5s_store_prepare(s, sql, &st);

	if (err)
		return err;
	sqlite3_bind_int64(st, 1, id);
	if (text)
		sqlite3_bind_text(st, 2, text, -1, SQLITE_STATIC);
	rc = sqlite3_step(st);
	err = rc == SQLITE_DONE ? sqlite3_changes(s->db) : r5s_store_fail(s, rc, doing);
	sqlite3_finalize(st);
	return err;
}

int r5s_store_run_delete(struct r5s_store *s, int64_t run)
{
	struct r5s_store_runs r;
	char name[32];
	int err = r5s_store_writable(s);

	if (err)
		return err;
	snprintf(name, sizeof(name), "%" PRId64, run);
	err = r5s_store_run_get(s, name, &r);
	if (err)
		return err;
	if (r.run[0].status == R5S_STORE_RUNNING)
		err = r5s_store_refuse(s, -EBUSY, "run %" PRId64 " is being recorded by pid %" PRId64
				       ": end it first", run, r.run[0].pid);
	r5s_store_runs_free(&r);
	if (err)
		return err;
	err = change(s, "DELETE FROM runs WHERE id = ?", run, NULL, "deleting a run");
	return err < 0 ? err : 0;
}

int r5s_store_run_note(struct r5s_store *s, int64_t run, const char *note)
{
	int n = r5s_store_writable(s);

	if (!n)
		n = change(s, "UPDATE runs SET note = ?2 WHERE id = ?1", run, note, "writing a note");
	if (!n)
		return r5s_store_refuse(s, -ENOENT, "no run %" PRId64 " in %s", run, s->file);
	return n < 0 ? n : 0;
}

int r5s_store_vacuum(struct r5s_store *s)
{
	int err = r5s_store_writable(s);

	if (!err)
		err = r5s_store_exec(s, "VACUUM", "giving space back");
	if (!err)
		err = r5s_store_exec(s, "PRAGMA wal_checkpoint(TRUNCATE)", "giving space back");
	return err;
}

/* Merging: "o" is the other store, map tells which of its runs became which of ours. */

#define RUN_COLUMNS "uuid, status, started_real_ns, started_mono_ns, ended_real_ns, last_t_ns," \
	" host, kernel, module_version, tool_version, command, argv, cwd, array_name, exit_status," \
	" signal, note, pid, pid_start, pid_ns, boot_id"

#define FSMARK_COLUMNS "iteration, t_ns, fsuse_pct, count, size_bytes, files_per_sec," \
	" files_per_sec_text, app_overhead_us, creat_min_us, creat_avg_us, creat_max_us," \
	" write_min_us, write_avg_us, write_max_us, fsync_min_us, fsync_avg_us, fsync_max_us," \
	" sync_min_us, sync_avg_us, sync_max_us, close_min_us, close_avg_us, close_max_us," \
	" unlink_min_us, unlink_avg_us, unlink_max_us"

/* ?1: the other's run. What hangs on it follows by uuid. */
static const char *const take_over[] = {
	"DELETE FROM main.runs WHERE uuid = (SELECT uuid FROM o.runs WHERE id = ?1)",
	"INSERT INTO main.runs(" RUN_COLUMNS ") SELECT " RUN_COLUMNS " FROM o.runs WHERE id = ?1",
	"INSERT OR REPLACE INTO map SELECT ?1, last_insert_rowid()",
	"UPDATE main.runs SET origin = ?2 WHERE id = (SELECT ours FROM map WHERE theirs = ?1)",
	"INSERT INTO main.settings SELECT m.ours, key, value FROM o.settings JOIN map m"
	" ON m.theirs = run_id WHERE run_id = ?1",
	"INSERT INTO main.arrays(run_id, name, epoch) SELECT m.ours, name, epoch FROM o.arrays"
	" JOIN map m ON m.theirs = run_id WHERE run_id = ?1",
	"INSERT INTO main.array_facts SELECT n.id, f.key, f.value FROM o.array_facts f"
	" JOIN o.arrays a ON a.id = f.array_id JOIN map m ON m.theirs = a.run_id"
	" JOIN main.arrays n ON n.run_id = m.ours AND n.name = a.name AND n.epoch = a.epoch"
	" WHERE a.run_id = ?1",
	"INSERT OR IGNORE INTO main.metrics(name, unit, kind, help)"
	" SELECT name, unit, kind, help FROM o.metrics WHERE id IN"
	" (SELECT metric_id FROM o.tracks WHERE run_id = ?1)",
	"INSERT INTO main.tracks SELECT m.ours, t.track_id, n.id, nm.id, t.first_t_ns, t.last_t_ns"
	" FROM o.tracks t JOIN map m ON m.theirs = t.run_id JOIN o.metrics om ON om.id = t.metric_id"
	" JOIN main.metrics nm ON nm.name = om.name LEFT JOIN o.arrays a ON a.id = t.array_id"
	" LEFT JOIN main.arrays n ON n.run_id = m.ours AND n.name = a.name AND n.epoch = a.epoch"
	" WHERE t.run_id = ?1",
	"INSERT INTO main.samples SELECT m.ours, t_ns, track_id, value FROM o.samples JOIN map m"
	" ON m.theirs = run_id WHERE run_id = ?1 ORDER BY t_ns, track_id",
	"INSERT INTO main.fsmark_rows(run_id, " FSMARK_COLUMNS ") SELECT m.ours, " FSMARK_COLUMNS
	" FROM o.fsmark_rows JOIN map m ON m.theirs = run_id WHERE run_id = ?1",
	"INSERT INTO main.events(run_id, t_ns, array, kind, text)"
	" SELECT m.ours, t_ns, array, kind, text FROM o.events JOIN map m ON m.theirs = run_id"
	" WHERE run_id = ?1 ORDER BY id",
	"INSERT INTO main.output(run_id, t_ns, stream, text) SELECT m.ours, t_ns, stream, text"
	" FROM o.output JOIN map m ON m.theirs = run_id WHERE run_id = ?1 ORDER BY id",
};

/* The same metric under two meanings cannot become one track. */
static int same_meaning(struct r5s_store *s, int64_t run)
{
	sqlite3_stmt *st = NULL;
	int rc, err;

	err = r5s_store_prepare(s,
		"SELECT ours.name, ours.kind, ifnull(ours.unit, '-'), theirs.kind, ifnull(theirs.unit, '-')"
		" FROM o.tracks t JOIN o.metrics theirs ON theirs.id = t.metric_id"
		" JOIN main.metrics ours ON ours.name = theirs.name"
		" WHERE t.run_id = ? AND (ours.kind <> theirs.kind OR ours.unit IS NOT theirs.unit)"
		" LIMIT 1", &st);
	if (err)
		return err;
	sqlite3_bind_int64(st, 1, run);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		err = r5s_store_refuse(s, -EEXIST, "metric %s is a %s in %s here and a %s in %s there: keep "
			"the two stores apart", sqlite3_column_text(st, 0), sqlite3_column_text(st, 1),
			sqlite3_column_text(st, 2), sqlite3_column_text(st, 3),
			sqlite3_column_text(st, 4));
	else if (rc != SQLITE_DONE)
		err = r5s_store_fail(s, rc, "comparing the metrics");
	sqlite3_finalize(st);
	return err;
}

/* One transaction a run, so that a recorder on the same file waits shortly. */
static int merge_run(struct r5s_store *s, int64_t run, const char *origin)
{
	int n = 0, err = r5s_store_exec(s, "BEGIN IMMEDIATE", "merging");

	if (err)
		return err;
	err = same_meaning(s, run);
	for (size_t i = 0; i < sizeof(take_over) / sizeof(take_over[0]) && !err; i++) {
		n = change(s, take_over[i], run, strstr(take_over[i], "?2") ? origin : NULL, "merging");
		if (n < 0)
			err = n;
	}
	if (!err)
		err = r5s_store_exec(s, "COMMIT", "merging");
	if (err)
		r5s_store_rollback(s);
	return err;
}

/* Is there the same run here, with no less in it? */
static int known(struct r5s_store *s, const struct r5s_store_run *r, bool *out)
{
	sqlite3_stmt *st = NULL;
	int rc, err = r5s_store_prepare(s, "SELECT 1 FROM main.runs WHERE uuid = ?"
		" AND (status NOT IN ('running', 'incomplete') OR last_t_ns >= ?)", &st);

	if (err)
		return err;
	sqlite3_bind_text(st, 1, r->uuid, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, r->last_t_ns);
	rc = sqlite3_step(st);
	*out = rc == SQLITE_ROW;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = r5s_store_fail(s, rc, "merging");
	sqlite3_finalize(st);
	return err;
}

static int attach(struct r5s_store *s, const char *path)
{
	sqlite3_stmt *st = NULL;
	int rc, err = r5s_store_exec(s, "PRAGMA trusted_schema = OFF; CREATE TEMP TABLE IF NOT EXISTS"
		" map(theirs INTEGER PRIMARY KEY, ours INTEGER)", "merging");

	if (!err)
		err = r5s_store_prepare(s, "ATTACH ? AS o", &st);
	if (err)
		return err;
	sqlite3_bind_text(st, 1, path, -1, SQLITE_STATIC);
	rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : r5s_store_fail(s, rc, "opening the other store");
}

int r5s_store_merge(struct r5s_store *s, const char *path, struct r5s_store_merge *out)
{
	struct r5s_store *other = NULL;
	struct r5s_store_runs runs = { 0 };
	bool attached = false;
	int err = r5s_store_writable(s);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	/* All that can be wrong with a file is found and said by opening it as a store. */
	err = r5s_store_open(&other, path, R5S_STORE_READ);
	if (!err)
		err = r5s_store_run_list(other, &runs);
	if (err) {
		r5s_store_refuse(s, err, "%s", other ? r5s_store_error(other) : "out of memory");
		goto out;
	}
	err = attach(s, path);
	attached = !err;
	for (size_t i = 0; i < runs.n && !err; i++) {
		bool have = false;

		if (runs.run[i].status == R5S_STORE_RUNNING) {
			out->running++;
			continue;
		}
		err = known(s, &runs.run[i], &have);
		if (!err && !have)
			err = merge_run(s, runs.run[i].id, path);
		out->known += have;
		out->merged += !err && !have;
	}
	/* A run that its recorder left behind comes over as it is written there: running. */
	if (!err)
		err = r5s_store_life_sweep(s);
out:
	if (attached)
		r5s_store_exec(s, "DETACH o", "merging");
	r5s_store_runs_free(&runs);
	r5s_store_close(other);
	return err;
}
