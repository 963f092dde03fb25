// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looking after a store: the previous schema, merging, deleting, and what stands in the way. Answers come
 * from sqlite itself, past our reader.
 */
#include "../../test/tap.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/store.h"

static char dir[] = "/tmp/r5s-manage-XXXXXX";

static const char *file(const char *name)
{
	static char path[4][256];
	static int turn;
	char *p = path[turn++ & 3];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static char *ask(const char *path, const char *sql)
{
	static char answer[256];
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;

	snprintf(answer, sizeof(answer), "?");
	sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	if (!sqlite3_prepare_v2(db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW)
		snprintf(answer, sizeof(answer), "%s", sqlite3_column_text(st, 0));
	else
		printf("# %s: %s\n", sql, sqlite3_errmsg(db));
	sqlite3_finalize(st);
	sqlite3_close(db);
	return answer;
}

static void tell(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	char *err = NULL;

	sqlite3_open(path, &db);
	if (sqlite3_exec(db, sql, NULL, NULL, &err))
		printf("Bail out! %s: %s\n", path, err);
	sqlite3_free(err);
	sqlite3_close(db);
}

/* A database of schema version 1, made from the text that its last program left. */
static void old_store(const char *path)
{
	const char *data = getenv("R5S_TEST_DATA");
	char name[512], *text = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(name, sizeof(name), "%s/store-1.sql", data ? data : "user/test/data");
	f = fopen(name, "r");
	if (!f || getdelim(&text, &room, '\0', f) <= 0) {
		printf("Bail out! %s\n", name);
		exit(1);
	}
	fclose(f);
	unlink(path);
	tell(path, text);
	free(text);
}

static struct r5s_store *open_it(const char *path, unsigned int flags)
{
	struct r5s_store *s;

	if (r5s_store_open(&s, path, flags)) {
		printf("Bail out! %s\n", r5s_store_error(s));
		exit(1);
	}
	return s;
}

static bool clean(struct r5s_store *s)
{
	struct r5s_store_check c;
	bool good;

	if (r5s_store_check(s, &c))
		return false;
	good = !c.n_problems && c.version == R5S_STORE_VERSION;
	if (!good)
		printf("# version %d: %s\n", c.version, c.problems);
	free(c.problems);
	return good;
}

/* What was recorded, in figures that any change would move. */
static char *all(const char *path, int run)
{
	static char kept[2][40];
	static int turn;
	char sql[512], *p = kept[turn++ & 1];

	snprintf(sql, sizeof(sql), "SELECT count(*) || ' ' || sum(t_ns) || ' ' || total(value) || ' ' ||"
		 " sum(value IS NULL) FROM series WHERE run_id = %d", run);
	snprintf(p, sizeof(kept[0]), "%s", ask(path, sql));
	return p;
}

static void test_migration(void)
{
	const char *path = file("old.db");
	struct r5s_store_tracks t;
	struct r5s_store_runs r;
	struct r5s_store *s;
	char before[40];

	old_store(path);
	snprintf(before, sizeof(before), "%s", all(path, 1));
	s = open_it(path, R5S_STORE_READ);
	ok(!r5s_store_run_list(s, &r) && r.n == 2 && r.run[1].status == R5S_STORE_INCOMPLETE,
	   "a store of version 1 is read as it is");
	r5s_store_runs_free(&r);
	ok(!r5s_store_track_list(s, 1, &t) && t.n == 3, "its tracks, too");
	r5s_store_tracks_free(&t);
	r5s_store_close(s);
	ok_text(ask(path, "PRAGMA user_version"), "1", "and reading changes nothing");

	s = open_it(path, R5S_STORE_WRITE);
	ok(clean(s), "opened for writing it is of the present version, and clean");
	r5s_store_close(s);
	ok_text(ask(path, "PRAGMA user_version"), "2", "sqlite says so, too");
	ok_text(all(path, 1), before, "every sample is there as before");
	ok_text(ask(path, "SELECT id || started_utc || status || seconds || ifnull(origin, '-') FROM run_list"
			  " WHERE id = 2"), ask(path, "SELECT '2' || datetime(started_real_ns / 1000000000,"
			  " 'unixepoch') || 'incomplete' || last_t_ns / 1e9 || '-' FROM runs WHERE id = 2"),
		"the view that came with version 2");
}

static void one_run(const char *path, const char *metric, enum r5s_store_kind kind)
{
	struct r5s_store_end e = { .status = R5S_STORE_COMPLETE };
	struct r5s_store *s = open_it(path, R5S_STORE_WRITE | R5S_STORE_CREATE);
	struct r5s_store_begin b = { .note = "of this store" };
	int64_t run, array, m;

	if (r5s_store_run_begin(s, &b, &run) || r5s_store_array_add(s, run, "md7", 3, &array) ||
	    r5s_store_metric_id(s, "only.here", NULL, R5S_STORE_GAUGE, NULL, &m) ||
	    r5s_store_sample_u64(s, run, array, m, 5, 1) ||
	    r5s_store_metric_id(s, metric, "stripes", kind, NULL, &m) ||
	    r5s_store_sample_u64(s, run, array, m, 5, 77) || r5s_store_run_end(s, run, &e))
		printf("Bail out! %s\n", r5s_store_error(s));
	r5s_store_close(s);
}

static void test_merge(void)
{
	const char *ours = file("ours.db"), *theirs = file("old.db");
	struct r5s_store_merge m;
	struct r5s_store *s;
	char sum[40];

	old_store(theirs);
	snprintf(sum, sizeof(sum), "%s", all(theirs, 1));
	one_run(ours, "cache.size", R5S_STORE_GAUGE);
	s = open_it(ours, R5S_STORE_WRITE);
	ok(!r5s_store_merge(s, theirs, &m) && m.merged == 2 && !m.known && !m.running,
	   "two runs of an older store are taken over");
	ok(clean(s), "the store is clean");
	ok_text(all(ours, 2), sum, "every sample of the first came along");
	ok_text(ask(ours, "SELECT value FROM series WHERE run_id = 1 AND metric = 'cache.size'"), "77",
		"our own run has what it had");
	ok_text(ask(ours, "SELECT group_concat(value, '') FROM (SELECT value FROM settings WHERE run_id = 2"
			  " UNION ALL SELECT value FROM array_facts f JOIN arrays a ON a.id = f.array_id"
			  " WHERE a.run_id = 2 UNION ALL SELECT kind || text FROM events WHERE run_id = 2"
			  " UNION ALL SELECT text FROM output WHERE run_id = 2 UNION ALL"
			  " SELECT count || files_per_sec_text FROM fsmark_rows WHERE run_id = 2)"),
		"205blockedsize 256hello\n800123.4", "settings, facts, events, output, rows");
	ok_text(ask(ours, "SELECT origin FROM runs WHERE id = 2"), theirs, "where it came from");
	ok(!r5s_store_merge(s, theirs, &m) && !m.merged && m.known == 2, "merged again nothing comes");
	tell(theirs, "UPDATE runs SET last_t_ns = 9000000000, status = 'complete' WHERE id = 2");
	ok(!r5s_store_merge(s, theirs, &m) && m.merged == 1 && m.known == 1,
	   "an incomplete run is replaced by its longer self");
	ok_text(ask(ours, "SELECT count(*) || '/' || count(DISTINCT uuid) FROM runs"), "3/3", "not doubled");
	r5s_store_close(s);

	unlink(ours);
	one_run(ours, "cache.size", R5S_STORE_COUNTER);
	s = open_it(ours, R5S_STORE_WRITE);
	ok(r5s_store_merge(s, theirs, &m) == -EEXIST && strstr(r5s_store_error(s), "cache.size"),
	   "%s", r5s_store_error(s));
	ok_text(ask(ours, "SELECT count(*) FROM runs"), "1", "then no half of a run stays");
	ok(r5s_store_merge(s, file("none.db"), &m) == -ENOENT, "%s", r5s_store_error(s));
	tell(file("foreign.db"), "CREATE TABLE runs(id)");
	ok(r5s_store_merge(s, file("foreign.db"), &m) == -EPROTO, "%s", r5s_store_error(s));
	ok(clean(s), "after refusals the store is clean");
	r5s_store_close(s);
}

static void test_delete(void)
{
	const char *path = file("delete.db");
	struct r5s_store_begin b = { 0 };
	struct r5s_store *s, *w;
	struct stat before = { 0 }, after = { 0 };
	int64_t run, m;
	int err;

	w = open_it(path, R5S_STORE_WRITE | R5S_STORE_CREATE);
	if (r5s_store_run_begin(w, &b, &run) || r5s_store_metric_id(w, "x", NULL, R5S_STORE_GAUGE, NULL, &m))
		printf("Bail out! %s\n", r5s_store_error(w));
	for (int i = 0; i < 50000; i++)
		r5s_store_sample_u64(w, run, 0, m, i * INT64_C(1000), (uint64_t)i);
	r5s_store_flush(w);
	s = open_it(path, R5S_STORE_WRITE);
	ok(r5s_store_run_delete(s, run) == -EBUSY, "%s", r5s_store_error(s));
	ok(r5s_store_run_note(s, 99, "x") == -ENOENT, "%s", r5s_store_error(s));
	ok(!r5s_store_run_note(s, run, "it's mine"), "a note");
	ok_text(ask(path, "SELECT note FROM runs"), "it's mine", "is kept as it was given");
	r5s_store_run_end(w, run, &(struct r5s_store_end){ .status = R5S_STORE_COMPLETE });
	r5s_store_close(w);
	r5s_store_vacuum(s);
	stat(path, &before);
	ok(!r5s_store_run_delete(s, run), "an ended run is deleted");
	ok_text(ask(path, "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM tracks) +"
			  " (SELECT count(*) FROM samples)"), "0", "nothing of it stays");
	err = r5s_store_vacuum(s);
	stat(path, &after);
	ok(!err && after.st_size * 4 < before.st_size, "vacuum: from %" PRIu64 " to %" PRIu64 " bytes",
	   (uint64_t)before.st_size, (uint64_t)after.st_size);
	ok(clean(s), "and clean");
	r5s_store_close(s);
}

int main(void)
{
	char rm[64];

	if (!mkdtemp(dir)) {
		printf("Bail out! no directory in /tmp\n");
		return 1;
	}
	test_migration();
	test_merge();
	test_delete();
	snprintf(rm, sizeof(rm), "rm -rf %s", dir);
	if (system(rm))
		printf("# %s is left\n", dir);
	return tap_done();
}
