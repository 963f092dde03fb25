// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening and closing the store, and its errors in words.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/internal.h"

enum {
	CHECKPOINT_PAGES = 4000	/* 16 MiB: rare, because it waits for a disk that may be busy */
};

static const char *const status_name[] = {
	"running", "complete", "failed", "killed", "incomplete"
};

static const char *const kind_name[] = { "gauge", "counter", "time", "histogram" };

const char *r5s_store_status_name(enum r5s_store_status status)
{
	return status <= R5S_STORE_INCOMPLETE ? status_name[status] : NULL;
}

const char *r5s_store_kind_name(enum r5s_store_kind kind)
{
	return kind <= R5S_STORE_HISTOGRAM ? kind_name[kind] : NULL;
}

int64_t r5s_store_clock(int clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

char *r5s_store_path(void)
{
	const char *env = getenv("RAID5STAT_DB");
	char *path = NULL;

	if (env && *env)
		return strdup(env);
	env = getenv("XDG_STATE_HOME");
	if (env && env[0] == '/')	/* the XDG rules: a relative path is ignored */
		return asprintf(&path, "%s/raid5stat/runs.db", env) < 0 ? NULL : path;
	env = getenv("HOME");
	if (!env || !*env)
		return NULL;
	return asprintf(&path, "%s/.local/state/raid5stat/runs.db", env) < 0 ? NULL : path;
}

const char *r5s_store_error(const struct r5s_store *s)
{
	return s ? s->error : "out of memory";
}

const char *r5s_store_word(const struct r5s_store *s)
{
	return s->word;
}

const char *r5s_store_file(const struct r5s_store *s)
{
	return s->file;
}

int r5s_store_refuse(struct r5s_store *s, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	return err;
}

int r5s_store_fail(struct r5s_store *s, int rc, const char *doing)
{
	int sys = s->db ? sqlite3_system_errno(s->db) : 0;
	const char *text = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);

	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return r5s_store_refuse(s, -ENOMEM, "out of memory while %s", doing);
	case SQLITE_FULL:
		return r5s_store_refuse(s, -ENOSPC,
			"no space left while %s: %s keeps what it had. Free space there, or choose another file with RAID5STAT_DB",
			doing, s->file);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return r5s_store_refuse(s, -EBUSY,
			"%s is locked by another process while %s: end it (fuser -v shows it) and try again",
			s->file, doing);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return r5s_store_refuse(s, -EROFS,
			"%s cannot be written while %s (%s): check its owner and mode, or choose another file with RAID5STAT_DB",
			s->file, doing, text);
	case SQLITE_NOTADB:
		return r5s_store_refuse(s, -EPROTO,
			"%s is not an SQLite database: nothing was changed. Choose another file with RAID5STAT_DB",
			s->file);
	case SQLITE_CORRUPT:
		return r5s_store_refuse(s, -EIO,
			"%s is damaged (%s): keep a copy, then \"sqlite3 %s .recover\" saves what can be read",
			s->file, text, s->file);
	case SQLITE_CANTOPEN:
		return r5s_store_refuse(s, sys == ENOENT ? -ENOENT : -EIO,
			"%s cannot be opened: %s", s->file, sys ? strerror(sys) : text);
	default:
		if (sys == ENOSPC || sys == EDQUOT)
			return r5s_store_refuse(s, -ENOSPC,
				"no space left while %s: %s keeps what it had. Free space there, or choose another file with RAID5STAT_DB",
				doing, s->file);
		return r5s_store_refuse(s, -EIO, "%s: %s while %s%s%s", s->file, text, doing,
					sys ? ": " : "", sys ? strerror(sys) : "");
	}
}

int r5s_store_exec(struct r5s_store *s, const char *sql, const char *doing)
{
	int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return rc ? r5s_store_fail(s, rc, doing) : 0;
}

int r5s_store_prepare(struct r5s_store *s, const char *sql, sqlite3_stmt **st)
{
	int rc = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, st, NULL);

	return rc ? r5s_store_fail(s, rc, "preparing a query") : 0;
}

int r5s_store_pragma(struct r5s_store *s, const char *sql, int64_t *value)
{
	sqlite3_stmt *st = NULL;
	int rc, err;

	err = r5s_store_prepare(s, sql, &st);
	if (err)
		return err;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*value = sqlite3_column_int64(st, 0);
	else if (rc != SQLITE_DONE)
		err = r5s_store_fail(s, rc, "reading the schema");
	sqlite3_finalize(st);
	return err;
}

void r5s_store_rollback(struct r5s_store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

int r5s_store_writable(struct r5s_store *s)
{
	if (s->flags & R5S_STORE_WRITE)
		return 0;
	return r5s_store_refuse(s, -EROFS, "%s was opened for reading only", s->file);
}

static int make_dirs(struct r5s_store *s)
{
	char *path = strdup(s->file);
	int err = 0;

	if (!path)
		return r5s_store_refuse(s, -ENOMEM, "out of memory");
	for (char *p = strchr(path + 1, '/'); p && !err; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			err = r5s_store_refuse(s, -errno, "directory %s cannot be made: %s. Choose another file with RAID5STAT_DB",
					       path, strerror(errno));
		*p = '/';
	}
	free(path);
	return err;
}

/* SQLite gives the -wal and -shm files the mode of the main file. */
static int make_file(struct r5s_store *s)
{
	int err = make_dirs(s);
	int fd;

	if (err)
		return err;
	fd = open(s->file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return r5s_store_refuse(s, -errno, "%s cannot be made: %s. Choose another file with RAID5STAT_DB",
					s->file, strerror(errno));
	close(fd);
	return 0;
}

/* Changing the journal mode does not wait for a lock by itself. */
static int set_journal(struct r5s_store *s, const char *sql)
{
	int64_t until = r5s_store_clock(CLOCK_MONOTONIC) + R5S_STORE_BUSY_MS * INT64_C(1000000);
	int rc;

	do {
		rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
		if ((rc & 0xff) != SQLITE_BUSY)
			break;
		sqlite3_sleep(20);
	} while (r5s_store_clock(CLOCK_MONOTONIC) < until);
	return rc;
}

/* Does a first look work? A file with a WAL needs memory that processes share. */
static int look(struct r5s_store *s)
{
	return sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
}

static bool no_shared_memory(int rc)
{
	return rc == SQLITE_IOERR_SHMMAP || rc == SQLITE_IOERR_SHMOPEN || rc == SQLITE_IOERR_SHMLOCK ||
	       rc == SQLITE_IOERR_SHMSIZE || rc == SQLITE_CANTOPEN || rc == SQLITE_PROTOCOL;
}

/* One process alone needs no shared memory: so the WAL can be taken back where it cannot be used. */
static int without_wal(struct r5s_store *s)
{
	int rc = sqlite3_exec(s->db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);

	if (!rc)
		rc = look(s);
	if (!rc)
		rc = set_journal(s, "PRAGMA journal_mode = DELETE");
	if (!rc)
		rc = sqlite3_exec(s->db, "PRAGMA locking_mode = NORMAL", NULL, NULL, NULL);
	if (!rc)
		rc = look(s);	/* lets go of the lock */
	if (rc)
		return r5s_store_fail(s, rc, "opening without a write-ahead log");
	snprintf(s->word, sizeof(s->word), "%s: this file system cannot share memory between processes, so "
		 "a rollback journal is kept instead of a write-ahead log: slower, and readers and the "
		 "recorder wait for each other. A local file system is better (--db, RAID5STAT_DB)",
		 s->file);
	return 0;
}

static int set_wal(struct r5s_store *s)
{
	int rc = set_journal(s, "PRAGMA journal_mode = WAL");

	if (!rc)
		rc = look(s);
	if (no_shared_memory(rc))
		return without_wal(s);
	return rc ? r5s_store_fail(s, rc, "opening") : 0;
}

/* A file that was made elsewhere may have a WAL that cannot be used here. */
static int first_look(struct r5s_store *s)
{
	int rc = look(s);

	if (!no_shared_memory(rc) || access(s->file, R_OK))
		return 0;	/* everything else is said by who asks next */
	if (s->flags & R5S_STORE_WRITE)
		return without_wal(s);
	return r5s_store_refuse(s, -EIO, "%s cannot be read where it is: it has a write-ahead log, and %s. "
		"Copy it and its -wal file to a local file system and read it there (--db)", s->file,
		rc == SQLITE_CANTOPEN ? "its directory cannot be written" :
					"this file system cannot share memory between processes");
}

/* The file may come from anybody: its schema runs nothing, its rows cannot be without end. */
static int distrust(struct r5s_store *s)
{
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return r5s_store_exec(s, "PRAGMA cell_size_check = ON", "opening");
}

static int open_db(struct r5s_store *s)
{
	bool write = s->flags & R5S_STORE_WRITE;
	char sql[64];
	int rc, err;

	if (write && (s->flags & R5S_STORE_CREATE)) {
		err = make_file(s);
		if (err)
			return err;
	} else if (access(s->file, F_OK)) {
		return r5s_store_refuse(s, -ENOENT,
			"%s: %s. Record a run first (raid5stat run), or choose another file with RAID5STAT_DB",
			s->file, strerror(errno));
	}
	rc = sqlite3_open_v2(s->file, &s->db, SQLITE_OPEN_NOMUTEX |
			     (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY), NULL);
	if (rc)
		return r5s_store_fail(s, rc, "opening");
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, R5S_STORE_BUSY_MS);
	err = distrust(s);
	if (!err)
		err = r5s_store_exec(s, "PRAGMA foreign_keys = ON", "opening");
	if (!err)
		err = first_look(s);
	if (err || !write)
		return err ? err : r5s_store_schema(s);
	if (sqlite3_db_readonly(s->db, "main"))
		return r5s_store_fail(s, SQLITE_READONLY, "opening");
	/* Before WAL: a file of another program must stay as it is. */
	err = r5s_store_schema(s);
	if (!err && !s->word[0])
		err = set_wal(s);
	snprintf(sql, sizeof(sql), "PRAGMA wal_autocheckpoint = %d", CHECKPOINT_PAGES);
	if (!err)
		err = r5s_store_exec(s, "PRAGMA synchronous = NORMAL", "opening");
	if (!err)
		err = r5s_store_exec(s, sql, "opening");
	if (!err)
		err = r5s_store_life_sweep(s);
	return err;
}

int r5s_store_open(struct r5s_store **out, const char *path, unsigned int flags)
{
	struct r5s_store *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -ENOMEM;
	s->flags = flags;
	s->file = path ? strdup(path) : r5s_store_path();
	if (!s->file)
		return r5s_store_refuse(s, -ENOENT,
			"nowhere to keep runs: set HOME, XDG_STATE_HOME or RAID5STAT_DB");
	return open_db(s);
}

int r5s_store_close(struct r5s_store *s)
{
	int err = 0;

	if (!s)
		return 0;
	if (s->n_items)
		err = r5s_store_flush(s);
	r5s_store_pending_free(s);
	for (int i = 0; i < ST_COUNT; i++)
		sqlite3_finalize(s->st[i]);
	sqlite3_close(s->db);
	free(s->file);
	free(s);
	return err;
}
