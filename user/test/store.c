// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The run store: what comes back is what went in, whatever happens to the recorder.
 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/store.h"

static char dir[] = "/tmp/r5s-store-XXXXXX";

static const char *file(const char *name)
{
	static char path[4][256];
	static int turn;
	char *p = path[turn++ & 3];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static int64_t mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static struct r5s_store *open_new(const char *path)
{
	struct r5s_store *s;

	if (r5s_store_open(&s, path, R5S_STORE_WRITE | R5S_STORE_CREATE)) {
		printf("Bail out! %s\n", r5s_store_error(s));
		exit(1);
	}
	return s;
}

/* A plain question to sqlite itself, past our reader. */
static int64_t ask(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t v = INT64_MIN;

	sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	if (!sqlite3_prepare_v2(db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW)
		v = sqlite3_column_int64(st, 0);
	else
		printf("# %s: %s\n", sql, sqlite3_errmsg(db));
	sqlite3_finalize(st);
	sqlite3_close(db);
	return v;
}

static void tell(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	char *err = NULL;

	sqlite3_open(path, &db);
	if (sqlite3_exec(db, sql, NULL, NULL, &err))
		printf("# %s: %s\n", sql, err);
	sqlite3_free(err);
	sqlite3_close(db);
}

static bool clean(struct r5s_store *s)
{
	struct r5s_store_check c;
	bool good;

	if (r5s_store_check(s, &c)) {
		printf("# check: %s\n", r5s_store_error(s));
		return false;
	}
	good = !c.n_problems && c.version == R5S_STORE_VERSION && c.bytes > 0;
	if (!good)
		printf("# %s\n", c.problems);
	free(c.problems);
	return good;
}

static enum r5s_store_status status_of(struct r5s_store *s, const char *name)
{
	struct r5s_store_runs r;
	enum r5s_store_status status;

	if (r5s_store_run_get(s, name, &r))
		return (enum r5s_store_status)-1;
	status = r.run[0].status;
	r5s_store_runs_free(&r);
	return status;
}

/* Opening must fail with @want and words that hold @text. */
static void refused(const char *path, unsigned int flags, int want, const char *text)
{
	struct r5s_store *s;
	int err = r5s_store_open(&s, path, flags);

	ok(err == want && strstr(r5s_store_error(s), text), "%s", r5s_store_error(s));
	if (err != want)
		printf("# got %d, want %d\n", err, want);
	r5s_store_close(s);
}

static void test_path(void)
{
	char *p;
	struct stat st;
	struct r5s_store *s;

	unsetenv("RAID5STAT_DB");
	setenv("HOME", dir, 1);
	setenv("XDG_STATE_HOME", "relative", 1);
	p = r5s_store_path();
	ok_text(p + strlen(dir), "/.local/state/raid5stat/runs.db", "below HOME; relative XDG ignored");
	free(p);
	setenv("XDG_STATE_HOME", file("xdg"), 1);
	p = r5s_store_path();
	ok_text(p + strlen(dir), "/xdg/raid5stat/runs.db", "below XDG_STATE_HOME");
	refused(NULL, R5S_STORE_READ, -ENOENT, "raid5stat run");
	umask(0);
	s = open_new(NULL);
	ok(!stat(p, &st) && (st.st_mode & 0777) == 0600, "file 0600 whatever the umask");
	*strrchr(p, '/') = '\0';
	ok(!stat(p, &st) && (st.st_mode & 0777) == 0700, "directory 0700");
	r5s_store_close(s);
	free(p);
	setenv("RAID5STAT_DB", file("env.db"), 1);
	p = r5s_store_path();
	ok_text(p, file("env.db"), "RAID5STAT_DB wins");
	free(p);
	umask(022);
}

static void test_round_trip(void)
{
	static const char *const argv[] = { "fs_mark", "-d", "/mnt/it's a dir", "-n", "5\n\"", NULL };
	struct r5s_store_begin b = { .argv = argv, .cwd = "/root", .array = "md0", .tool_version = "1",
				     .note = "first" };
	struct r5s_store_end e = { .status = R5S_STORE_FAILED, .exit_status = 3, .note = "it failed" };
	struct r5s_fsmark_row row = { .has = 0x1f | 1 << (R5S_FSMARK_COL_CALLS + R5S_FSMARK_FSYNC),
		.fsuse_pct = 7, .count = 960, .size = 16777216, .files_per_sec = 6.4,
		.files_per_sec_text = "6.4", .app_overhead_us = 920331167,
		.call[R5S_FSMARK_FSYNC] = { 1, 2, 3 } }, *rows;
	struct r5s_store *s = open_new(file("a.db"));
	int64_t run, md0, again, other, size, dirty;
	struct r5s_store_runs r;
	struct r5s_store_tracks t;
	struct r5s_store_series p;
	struct r5s_store_events ev;
	struct r5s_store_settings set;
	size_t n, len;
	char *text, *alone;

	ok(!r5s_store_run_begin(s, &b, &run) && run == 1, "run begins");
	ok(!r5s_store_array_add(s, run, "md0", 7, &md0) && !r5s_store_array_add(s, run, "md0", 7, &again) &&
	   !r5s_store_array_add(s, run, "md0", 8, &other) && md0 == again && other != md0,
	   "an array is its name and its epoch");
	ok(!r5s_store_array_put(s, md0, "chunk-bytes", "262144") &&
	   !r5s_store_setting_put(s, run, "vm.dirty_ratio", "20") &&
	   !r5s_store_setting_put(s, run, "vm.dirty_ratio", "40") &&
	   !r5s_store_setting_put(s, run, "gone", "1") &&
	   !r5s_store_setting_put(s, run, "gone", NULL), "facts");
	ok(!r5s_store_metric_id(s, "cache-size", "stripes", R5S_STORE_GAUGE, "help", &size) &&
	   !r5s_store_metric_id(s, "dirty", "bytes", R5S_STORE_COUNTER, NULL, &dirty) &&
	   !r5s_store_metric_id(s, "cache-size", NULL, R5S_STORE_GAUGE, NULL, &again) &&
	   again == size && dirty != size, "metrics");

	r5s_store_sample_u64(s, run, md0, size, 1000, 256);
	r5s_store_sample_u64(s, run, md0, size, 2000, 256);
	r5s_store_sample_u64(s, run, md0, size, 3000, UINT64_C(9007199254740993));
	r5s_store_sample_absent(s, run, md0, size, 4000);
	r5s_store_sample_u64(s, run, md0, size, 5000, 0);
	r5s_store_sample_u64(s, run, md0, size, 5000 + R5S_STORE_REPEAT_NS, 0);
	r5s_store_sample_u64(s, run, md0, size, 6000 + R5S_STORE_REPEAT_NS, 0);
	ok(r5s_store_sample_u64(s, run, md0, size, 17, 0) == -EINVAL, "time does not go back");
	r5s_store_sample_u64(s, run, 0, dirty, 1000, UINT64_MAX);
	r5s_store_sample_double(s, run, 0, dirty, 1500, 0.25);
	r5s_store_sample_double(s, run, 0, dirty, 2500, NAN);
	ok(r5s_store_sample_u64(s, run + 1, 0, dirty, 1, 1) == -EINVAL, "a run that is not recorded here");
	r5s_store_event_add(s, run, 3000, "md0", "blocked", "size 256");
	r5s_store_event_add(s, run, 2000, NULL, "note", NULL);
	r5s_store_output_add(s, run, 100, 1, "FSUse%\n", 7);
	r5s_store_output_add(s, run, 200, 2, "oops\0\xff", 6);
	r5s_store_fsmark_add(s, run, 1, -1, &row);
	ok(!r5s_store_run_end(s, run, &e), "run ends");
	ok(clean(s), "check is clean");
	r5s_store_close(s);

	ok(!r5s_store_open(&s, file("a.db"), R5S_STORE_READ), "opens for reading");
	ok(!r5s_store_run_list(s, &r) && r.n == 1 && r.run[0].status == R5S_STORE_FAILED &&
	   r.run[0].exit_status == 3 && !r.run[0].signal && r.run[0].ended_real_ns &&
	   r.run[0].last_t_ns == 6000 + R5S_STORE_REPEAT_NS, "run as it was");
	ok_text(r.run[0].argv_json, "[\"fs_mark\",\"-d\",\"/mnt/it's a dir\",\"-n\",\"5\\n\\\"\"]", "argv");
	ok_text(r.run[0].command, "fs_mark -d '/mnt/it'\\''s a dir' -n '5\n\"'", "command");
	ok_text(r.run[0].note, "first; it failed", "notes");
	ok(status_of(s, "last") == R5S_STORE_FAILED && status_of(s, r.run[0].uuid) == R5S_STORE_FAILED,
	   "found by last and by uuid");
	r.run[0].uuid[8] = '\0';
	ok(status_of(s, r.run[0].uuid) == R5S_STORE_FAILED, "and by the beginning of its uuid");
	r5s_store_runs_free(&r);
	ok(r5s_store_run_get(s, "77", &r) == -ENOENT && r5s_store_run_get(s, "", &r) == -ENOENT,
	   "no such run");

	ok(!r5s_store_track_list(s, 1, &t) && t.n == 2, "two tracks");
	ok(!strcmp(t.track[0].metric, "cache-size") && !strcmp(t.track[0].array, "md0") &&
	   t.track[0].kind == R5S_STORE_GAUGE && !strcmp(t.track[0].unit, "stripes") &&
	   !t.track[1].array && t.track[1].kind == R5S_STORE_COUNTER, "track names");
	ok(!r5s_store_series_get(s, 1, t.track[0].id, &p) && p.n == 6 && p.point[0].value == 256 &&
	   p.point[1].t_ns == 3000 && isnan(p.point[2].value) && p.point[3].value == 0 &&
	   p.point[4].t_ns == 5000 + R5S_STORE_REPEAT_NS && p.point[5].t_ns == p.last_t_ns &&
	   p.last_t_ns == 6000 + R5S_STORE_REPEAT_NS,
	   "rows on change, on absence and every 10 s; closed at the last sample");
	r5s_store_series_free(&p);
	ok(!r5s_store_series_get(s, 1, t.track[1].id, &p) && p.n == 3 &&
	   p.point[0].value == 18446744073709551616.0 && p.point[1].value == 0.25 &&
	   isnan(p.point[2].value), "a counter above 2^63, a fraction, absent");
	r5s_store_series_free(&p);
	ok(r5s_store_series_get(s, 1, 99, &p) == -ENOENT, "no such track");
	ok(ask(file("a.db"), "SELECT value FROM series WHERE run_id = 1 AND array = 'md0'"
	       " AND metric = 'cache-size' AND t_ns = 3000") == INT64_C(9007199254740993),
	   "plain SQL through the view, exact above 2^53");
	ok(ask(file("a.db"), "SELECT count(*) FROM series WHERE value IS NULL") == 2, "absent is NULL");
	r5s_store_tracks_free(&t);

	ok(!r5s_store_event_list(s, 1, &ev) && ev.n == 2 && !ev.event[0].array &&
	   !strcmp(ev.event[1].text, "size 256"), "events in order of time");
	r5s_store_events_free(&ev);
	ok(!r5s_store_setting_list(s, 1, &set) && set.n == 1 && !strcmp(set.setting[0].value, "40"),
	   "settings");
	r5s_store_settings_free(&set);
	ok(!r5s_store_array_list(s, md0, &set) && set.n == 1 &&
	   !strcmp(set.setting[0].key, "chunk-bytes"), "array facts");
	r5s_store_settings_free(&set);
	ok(!r5s_store_output_get(s, 1, 0, &text, &len) && len == 13 &&
	   !memcmp(text, "FSUse%\noops\0\xff", 13), "output, byte for byte");
	free(text);
	ok(!r5s_store_output_get(s, 1, 2, &alone, &len) && len == 6, "one stream of it");
	free(alone);
	ok(!r5s_store_fsmark_list(s, 1, &rows, &n) && n == 1 && rows[0].has == row.has &&
	   rows[0].count == 960 && rows[0].files_per_sec == 6.4 && rows[0].app_overhead_us == 920331167 &&
	   !strcmp(rows[0].files_per_sec_text, "6.4") && rows[0].call[R5S_FSMARK_FSYNC].max_us == 3,
	   "fs_mark's row; columns it had not stay missing");
	free(rows);
	ok(r5s_store_setting_put(s, 1, "a", "b") == -EROFS, "reading only");
	r5s_store_close(s);
}

/* One row a sample: the value changes every time. Says on @fd how far it flushed. */
static void record_until_killed(const char *path, int fd)
{
	struct r5s_store_begin b = { .tool_version = "1" };
	struct r5s_store *s = open_new(path);
	int64_t run, metric;

	if (r5s_store_run_begin(s, &b, &run) ||
	    r5s_store_metric_id(s, "m", "n", R5S_STORE_COUNTER, NULL, &metric))
		_exit(1);
	for (uint64_t i = 1;; i++) {
		if (r5s_store_sample_u64(s, run, 0, metric, (int64_t)i * 1000, i))
			_exit(1);
		if (i % 1000 == 0) {
			if (r5s_store_flush(s) || write(fd, &i, sizeof(i)) != sizeof(i))
				_exit(1);
		}
	}
}

static void test_kill(void)
{
	struct r5s_store *s, *second;
	struct r5s_store_tracks t;
	struct r5s_store_series p;
	struct r5s_store_runs r;
	uint64_t flushed = 0, seen = 0;
	siginfo_t info;
	int fd[2], status;
	bool all = true;
	pid_t pid;

	if (pipe(fd))
		exit(1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(fd[0]);
		record_until_killed(file("kill.db"), fd[1]);
	}
	close(fd[1]);
	while (flushed < 50000 && read(fd[0], &seen, sizeof(seen)) == sizeof(seen))
		flushed = seen;
	ok(!r5s_store_open(&s, file("kill.db"), R5S_STORE_READ) &&
	   status_of(s, "1") == R5S_STORE_RUNNING, "while it is recorded it reads as running");
	ok(!r5s_store_open(&second, file("kill.db"), R5S_STORE_WRITE) &&
	   status_of(second, "1") == R5S_STORE_RUNNING, "and another recorder does not mark it dead");
	r5s_store_close(second);
	kill(pid, SIGKILL);
	/* A zombie records nothing any more, though its pid is still taken. */
	while (read(fd[0], &seen, sizeof(seen)) == sizeof(seen))
		flushed = seen;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	ok(status_of(s, "1") == R5S_STORE_INCOMPLETE, "killed: reads as incomplete");
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it was killed, not gone by itself");
	ok(status_of(s, "1") == R5S_STORE_INCOMPLETE, "and so after it is reaped");
	r5s_store_close(s);
	close(fd[0]);

	ok(!r5s_store_open(&s, file("kill.db"), R5S_STORE_WRITE), "opens again");
	if (r5s_store_run_get(s, "1", &r))
		exit(1);
	ok(r.run[0].note && strstr(r.run[0].note, "died"), "marked: %s",
	   r.run[0].note ? r.run[0].note : "no note");
	r5s_store_runs_free(&r);
	ok(ask(file("kill.db"), "SELECT count(*) FROM runs WHERE status = 'incomplete'") == 1,
	   "and stored as such");
	r5s_store_track_list(s, 1, &t);
	if (t.n != 1 || r5s_store_series_get(s, 1, t.track[0].id, &p))
		exit(1);
	ok(p.n >= flushed, "%zu samples, %" PRIu64 " were flushed", p.n, flushed);
	for (size_t i = 0; i < p.n; i++)
		all &= p.point[i].t_ns == (int64_t)(i + 1) * 1000 && p.point[i].value == (double)(i + 1);
	ok(all, "none is missing or wrong");
	ok(clean(s), "check is clean");
	r5s_store_series_free(&p);
	r5s_store_tracks_free(&t);
	r5s_store_close(s);
}

static void record_some(const char *path, int who)
{
	struct r5s_store_begin b = { .note = who ? "b" : "a" };
	struct r5s_store_end e = { .status = R5S_STORE_COMPLETE };
	struct r5s_store *s = open_new(path);
	int64_t run, metric[20];

	if (r5s_store_run_begin(s, &b, &run))
		_exit(1);
	for (int m = 0; m < 20; m++) {
		char name[24];

		snprintf(name, sizeof(name), "metric-%d", m);
		if (r5s_store_metric_id(s, name, NULL, R5S_STORE_GAUGE, NULL, &metric[m]))
			_exit(2);
	}
	for (int i = 0; i < 300; i++) {
		for (int m = 0; m < 20; m++)
			if (r5s_store_sample_u64(s, run, 0, metric[m], i * 1000, (uint64_t)(i * 2 + who)))
				_exit(3);
		if (r5s_store_flush(s))
			_exit(4);
	}
	_exit(r5s_store_run_end(s, run, &e) || r5s_store_close(s) ? 5 : 0);
}

static void test_two_writers(void)
{
	struct r5s_store *s;
	int status, bad = 0;

	fflush(stdout);
	for (int who = 0; who < 2; who++)
		if (!fork())
			record_some(file("two.db"), who);
	while (wait(&status) > 0)
		bad += status;
	ok(!bad, "two recorders at once on a new file, both succeed");
	ok(ask(file("two.db"), "SELECT count(*) FROM samples") == 2 * 20 * 300, "all 12000 samples");
	ok(ask(file("two.db"), "SELECT count(*) FROM samples s JOIN runs r ON r.id = s.run_id"
	       " WHERE s.value % 2 <> (r.note = 'b')") == 0, "each in its own run");
	ok(ask(file("two.db"), "SELECT count(*) FROM metrics") == 20, "one set of metrics");
	r5s_store_open(&s, file("two.db"), R5S_STORE_READ);
	ok(clean(s), "check is clean");
	r5s_store_close(s);
}

/* Openers of a new file once took it for another program's, while one of them made the tables. */
static void test_first_open(void)
{
	int bad = 0, status;

	fflush(stdout);
	for (int round = 0; round < 60; round++) {
		char name[32];

		snprintf(name, sizeof(name), "first-%d.db", round);
		for (int who = 0; who < 4; who++) {
			struct r5s_store *s;

			if (fork())
				continue;
			status = r5s_store_open(&s, file(name), R5S_STORE_WRITE | R5S_STORE_CREATE);
			r5s_store_close(s);
			_exit(status != 0);
		}
		while (wait(&status) > 0)
			bad += status != 0;
	}
	ok(!bad, "four at once open each of 60 new files: %d refused", bad);
}

/* Fills @path until it cannot grow; then everything flushed before must be there. */
static void fill(const char *path, const char *how)
{
	struct r5s_store_begin b = { 0 };
	struct r5s_store_end e = { .status = R5S_STORE_COMPLETE };
	struct r5s_store *s = open_new(path);
	int64_t run, metric, flushed = 0;
	int err = 0;

	r5s_store_run_begin(s, &b, &run);
	r5s_store_metric_id(s, "m", NULL, R5S_STORE_COUNTER, NULL, &metric);
	for (int64_t i = 1; i < 10000000 && !err; i++) {
		err = r5s_store_sample_u64(s, run, 0, metric, i, (uint64_t)i * 977);
		if (i % 2000 == 0 && !err) {
			err = r5s_store_flush(s);
			if (!err)
				flushed = i;
		}
	}
	ok(err == -ENOSPC && strstr(r5s_store_error(s), "no space left"), "%s: %s", how,
	   r5s_store_error(s));
	/* A slow machine flushes by itself in between, so there may be more than we know of. */
	ok(flushed >= 2000 && ask(path, "SELECT max(t_ns) FROM samples") >= flushed &&
	   ask(path, "SELECT count(*) = max(t_ns) FROM samples") == 1,
	   "%s: all %" PRId64 " flushed samples are readable", how, flushed);
	ok(clean(s), "%s: check is clean", how);
	if (!strncmp(how, "tmpfs", 5)) {
		/* Space again: what was kept in memory is written after all. */
		mount("none", dir, "tmpfs", MS_REMOUNT, "size=64m");
		ok(!r5s_store_flush(s) && ask(path, "SELECT count(*) FROM samples") > flushed &&
		   !r5s_store_lost(s) && !r5s_store_run_end(s, run, &e), "%s: space came back, nothing lost",
		   how);
	}
	r5s_store_close(s);
}

static void test_full(void)
{
	char kept[sizeof(dir)];

	memcpy(kept, dir, sizeof(dir));
	strcpy(strstr(dir, "-store-"), "-stful-XXXXXX");
	if (!mkdtemp(dir) || mount("none", dir, "tmpfs", 0, "size=4m")) {
		for (int i = 0; i < 4; i++)
			skip("disk full", "no tmpfs can be mounted: run as root");
		rmdir(dir);
	} else {
		fill(file("full.db"), "tmpfs full");
		umount(dir);
		rmdir(dir);
	}
	memcpy(dir, kept, sizeof(dir));
}

static void test_foreign(void)
{
	struct r5s_store *s = open_new(file("new.db"));
	int64_t before;
	FILE *out;

	r5s_store_close(s);
	tell(file("new.db"), "PRAGMA user_version = 3; CREATE TABLE future(x)");
	before = ask(file("new.db"), "PRAGMA schema_version");
	refused(file("new.db"), R5S_STORE_WRITE | R5S_STORE_CREATE, -EPROTO,
		"newer raid5stat (schema 3, this one knows 2)");
	refused(file("new.db"), R5S_STORE_READ, -EPROTO, "newer raid5stat");
	ok(ask(file("new.db"), "PRAGMA schema_version") == before, "and left as it was");

	tell(file("other.db"), "CREATE TABLE runs(x); INSERT INTO runs VALUES (5)");
	refused(file("other.db"), R5S_STORE_WRITE | R5S_STORE_CREATE, -EPROTO, "another program");
	ok(ask(file("other.db"), "SELECT count(*) FROM sqlite_schema") == 1 &&
	   access(file("other.db-wal"), F_OK), "and left as it was");

	out = fopen(file("text.db"), "w");
	for (int i = 0; i < 1000; i++)
		fputs("this is no database\n", out);
	fclose(out);
	refused(file("text.db"), R5S_STORE_WRITE | R5S_STORE_CREATE, -EPROTO, "is not an SQLite database");
	refused("/proc/nowhere/x.db", R5S_STORE_WRITE | R5S_STORE_CREATE, -ENOENT, "cannot be made");
	fclose(fopen(file("empty.db"), "w"));
	refused(file("empty.db"), R5S_STORE_READ, -ENOENT, "holds no runs yet");
}

static void test_check_finds(void)
{
	struct r5s_store *s;
	struct r5s_store_check c;
	int fd;

	tell(file("two.db"), "PRAGMA foreign_keys = OFF; DELETE FROM tracks WHERE run_id = 1 AND"
			     " track_id = 3; DELETE FROM metrics WHERE id = 2");
	r5s_store_open(&s, file("two.db"), R5S_STORE_READ);
	ok(!r5s_store_check(s, &c) && c.n_problems >= 2 && strstr(c.problems, "300 samples belong to no track") &&
	   strstr(c.problems, "table tracks: a row refers to something missing in metrics"),
	   "check finds lost tracks and metrics");
	free(c.problems);
	r5s_store_close(s);

	tell(file("a.db"), "PRAGMA wal_checkpoint(TRUNCATE)");
	fd = open(file("a.db"), O_WRONLY);
	ok(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 4096 * 3) == 8, "damage a page");
	close(fd);
	r5s_store_open(&s, file("a.db"), R5S_STORE_READ);
	ok(!r5s_store_check(s, &c) && c.n_problems, "check finds it");
	free(c.problems);
	r5s_store_close(s);
}

static void test_busy(void)
{
	struct r5s_store *s = open_new(file("busy.db"));
	struct r5s_store_begin b = { 0 };
	int64_t run, metric, started;
	sqlite3 *db;
	bool fine = true;

	r5s_store_run_begin(s, &b, &run);
	r5s_store_metric_id(s, "m", NULL, R5S_STORE_GAUGE, NULL, &metric);
	sqlite3_open(file("busy.db"), &db);
	sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	started = mono();
	for (int64_t i = 1; mono() - started < INT64_C(1300000000); i++) {
		fine &= !r5s_store_sample_u64(s, run, 0, metric, i, (uint64_t)i & 1023);
		usleep(1000);	/* the pace of a sampler, not a wait for something */
	}
	ok(fine && mono() - started < INT64_C(3000000000), "a locked file does not hold up sampling");
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
	ok(!r5s_store_flush(s) && ask(file("busy.db"), "SELECT count(*) > 0 FROM samples") == 1,
	   "and is written once the lock is gone");
	r5s_store_close(s);
}

int main(void)
{
	char remove[64];

	if (!mkdtemp(dir)) {
		printf("Bail out! no directory in /tmp\n");
		return 1;
	}
	test_path();
	test_round_trip();
	test_kill();
	test_two_writers();
	test_first_open();
	test_busy();
	test_full();
	test_foreign();
	test_check_finds();
	snprintf(remove, sizeof(remove), "rm -rf %s", dir);
	if (system(remove))
		printf("# %s is left\n", dir);
	return tap_done();
}
