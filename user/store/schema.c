// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The schema, one step a version. A published step is never edited: add the next one.
 */
#include "store/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static const char *const step[R5S_STORE_VERSION] = {
	/* 0 -> 1 */
	"CREATE TABLE meta("
	"	key TEXT PRIMARY KEY,"
	"	value TEXT NOT NULL"
	") WITHOUT ROWID;"

	"CREATE TABLE runs("
	"	id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"	uuid TEXT NOT NULL UNIQUE,"
	"	status TEXT NOT NULL CHECK (status IN"
	"		('running', 'complete', 'failed', 'killed', 'incomplete')),"
	"	started_real_ns INTEGER NOT NULL,"
	"	started_mono_ns INTEGER NOT NULL,"
	"	ended_real_ns INTEGER,"
	"	last_t_ns INTEGER NOT NULL DEFAULT 0,"
	"	host TEXT,"
	"	kernel TEXT,"
	"	module_version TEXT,"
	"	tool_version TEXT,"
	"	command TEXT,"		/* quoted for a shell */
	"	argv TEXT,"		/* JSON array */
	"	cwd TEXT,"
	"	array_name TEXT,"
	"	exit_status INTEGER,"
	"	signal INTEGER,"
	"	note TEXT,"
	"	pid INTEGER,"		/* the recorder, to know whether it still lives */
	"	pid_start INTEGER,"
	"	pid_ns INTEGER,"
	"	boot_id TEXT"
	");"

	"CREATE TABLE settings("
	"	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	"	key TEXT NOT NULL,"
	"	value TEXT NOT NULL,"
	"	PRIMARY KEY (run_id, key)"
	") WITHOUT ROWID;"

	"CREATE TABLE arrays("
	"	id INTEGER PRIMARY KEY,"
	"	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	"	name TEXT NOT NULL,"
	"	epoch INTEGER NOT NULL,"
	"	UNIQUE (run_id, name, epoch)"
	");"

	"CREATE TABLE array_facts("
	"	array_id INTEGER NOT NULL REFERENCES arrays(id) ON DELETE CASCADE,"
	"	key TEXT NOT NULL,"
	"	value TEXT NOT NULL,"
	"	PRIMARY KEY (array_id, key)"
	") WITHOUT ROWID;"

	"CREATE TABLE metrics("
	"	id INTEGER PRIMARY KEY,"
	"	name TEXT NOT NULL UNIQUE,"
	"	unit TEXT,"
	"	kind TEXT NOT NULL CHECK (kind IN ('gauge', 'counter', 'time', 'histogram')),"
	"	help TEXT"
	");"

	/* last_t_ns is NULL while a track is being recorded, and stays so when the recorder dies. */
	"CREATE TABLE tracks("
	"	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	"	track_id INTEGER NOT NULL,"
	"	array_id INTEGER REFERENCES arrays(id) ON DELETE CASCADE,"
	"	metric_id INTEGER NOT NULL REFERENCES metrics(id),"
	"	first_t_ns INTEGER NOT NULL,"
	"	last_t_ns INTEGER,"
	"	PRIMARY KEY (run_id, track_id)"
	") WITHOUT ROWID;"
	"CREATE INDEX tracks_array ON tracks(array_id);"
	"CREATE INDEX tracks_metric ON tracks(metric_id);"

	/*
	 * No foreign key from track_id: it would want an index as large as the table. The check
	 * looks for samples without a track instead.
	 */
	"CREATE TABLE samples("
	"	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	"	t_ns INTEGER NOT NULL,"
	"	track_id INTEGER NOT NULL,"
	"	value NUMERIC,"
	"	PRIMARY KEY (run_id, t_ns, track_id)"
	") WITHOUT ROWID;"

	"CREATE TABLE fsmark_rows("
	"	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	"	iteration INTEGER NOT NULL,"
	"	t_ns INTEGER,"
	"	fsuse_pct REAL, count INTEGER, size_bytes INTEGER,"
	"	files_per_sec REAL, files_per_sec_text TEXT, app_overhead_us INTEGER,"
	"	creat_min_us INTEGER, creat_avg_us INTEGER, creat_max_us INTEGER,"
	"	write_min_us INTEGER, write_avg_us INTEGER, write_max_us INTEGER,"
	"	fsync_min_us INTEGER, fsync_avg_us INTEGER, fsync_max_us INTEGER,"
	"	sync_min_us INTEGER, sync_avg_us INTEGER, sync_max_us INTEGER,"
	"	close_min_us INTEGER, close_avg_us INTEGER, close_max_us INTEGER,"
	"	unlink_min_us INTEGER, unlink_avg_us INTEGER, unlink_max_us INTEGER,"
	"	PRIMARY KEY (run_id, iteration)"
	") WITHOUT ROWID;"

	"CREATE TABLE events("
	"	id INTEGER PRIMARY KEY,"
	"	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	"	t_ns INTEGER NOT NULL,"
	"	array TEXT,"
	"	kind TEXT NOT NULL,"
	"	text TEXT"
	");"
	"CREATE INDEX events_run ON events(run_id, t_ns);"

	"CREATE TABLE output("
	"	id INTEGER PRIMARY KEY,"
	"	run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	"	t_ns INTEGER NOT NULL,"
	"	stream INTEGER NOT NULL CHECK (stream IN (1, 2)),"
	"	text TEXT NOT NULL"
	");"
	"CREATE INDEX output_run ON output(run_id);"

	"CREATE VIEW track_names AS"
	"	SELECT t.run_id, t.track_id, a.name AS array, m.name AS metric, m.unit, m.kind,"
	"		t.first_t_ns, t.last_t_ns"
	"	FROM tracks t JOIN metrics m ON m.id = t.metric_id"
	"		LEFT JOIN arrays a ON a.id = t.array_id;"

	/* CROSS JOIN keeps the order: one pass over the samples, whatever is asked. */
	"CREATE VIEW series AS"
	"	SELECT s.run_id, s.t_ns, a.name AS array, m.name AS metric, m.unit, m.kind, s.value"
	"	FROM samples s CROSS JOIN tracks t ON t.run_id = s.run_id AND t.track_id = s.track_id"
	"		CROSS JOIN metrics m ON m.id = t.metric_id"
	"		LEFT JOIN arrays a ON a.id = t.array_id;"

	"INSERT INTO meta VALUES ('program', 'raid5stat'),"
	"	('samples', 'a row when the value changed, at least every 10 s; NULL: absent');",

	/* 1 -> 2: where a merged run came from, and the list of runs as a person reads it */
	"ALTER TABLE runs ADD COLUMN origin TEXT;"
	"CREATE VIEW run_list AS"
	"	SELECT id, datetime(started_real_ns / 1000000000, 'unixepoch') AS started_utc,"
	"		last_t_ns / 1e9 AS seconds, status, host, array_name, command, note, origin"
	"	FROM runs;"
};

static int identify(struct r5s_store *s, int64_t *version, bool *empty)
{
	int64_t app = 0, objects = 0;
	int err;

	err = r5s_store_pragma(s, "PRAGMA application_id", &app);
	if (!err)
		err = r5s_store_pragma(s, "PRAGMA user_version", version);
	if (!err)
		err = r5s_store_pragma(s, "SELECT count(*) FROM sqlite_schema", &objects);
	if (err)
		return err;
	*empty = !objects && !app && !*version;
	if (!*empty && app != R5S_STORE_APPLICATION_ID)
		return r5s_store_refuse(s, -EPROTO,
			"%s is a database of another program: nothing was changed. Choose another file with RAID5STAT_DB",
			s->file);
	if (*version > R5S_STORE_VERSION)
		return r5s_store_refuse(s, -EPROTO,
			"%s was written by a newer raid5stat (schema %" PRId64 ", this one knows %d): nothing was changed. Update raid5stat, or choose another file with RAID5STAT_DB",
			s->file, *version, R5S_STORE_VERSION);
	return 0;
}

static int upgrade(struct r5s_store *s, int64_t version)
{
	char sql[256];
	int err = 0;

	for (; version < R5S_STORE_VERSION && !err; version++)
		err = r5s_store_exec(s, step[version], "creating the tables");
	if (err)
		return err;
	snprintf(sql, sizeof(sql),
		 "PRAGMA application_id = %d; PRAGMA user_version = %d;"
		 "INSERT OR REPLACE INTO meta VALUES ('schema', '%d');",
		 R5S_STORE_APPLICATION_ID, R5S_STORE_VERSION, R5S_STORE_VERSION);
	return r5s_store_exec(s, sql, "writing the schema version");
}

int r5s_store_schema(struct r5s_store *s)
{
	int64_t version = 0;
	bool empty = false;
	int err;

	/* One snapshot: another process may be creating the tables between two questions. */
	err = r5s_store_exec(s, "BEGIN", "opening");
	if (!err)
		err = identify(s, &version, &empty);
	r5s_store_rollback(s);
	if (err || (!empty && version == R5S_STORE_VERSION))
		return err;
	/* What is read has been there since version 1. */
	if (!(s->flags & R5S_STORE_WRITE))
		return !empty ? 0 : r5s_store_refuse(s, -ENOENT,
			"%s holds no runs yet: record one with raid5stat run", s->file);
	err = r5s_store_exec(s, "BEGIN IMMEDIATE", "opening");
	if (err)
		return err;
	/* Another process may have done it while this one waited for the lock. */
	err = identify(s, &version, &empty);
	if (!err && version < R5S_STORE_VERSION)
		err = upgrade(s, version);
	if (!err)
		err = r5s_store_exec(s, "COMMIT", "creating the tables");
	if (err)
		r5s_store_rollback(s);
	return err;
}
