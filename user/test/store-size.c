// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The limits that the store is built for: ten minutes of 90 metrics of an array at 10 Hz and 1500 of
 * the machine at 1 Hz stay below 40 MB and open in under a second, even when every one of them
 * changes all the time.
 */
#include "tap.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/store.h"

enum {
	MD = 90,
	MACHINE = 1500,
	TICKS = 6000,
	LIMIT_BYTES = 40000000
};

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void bail(struct r5s_store *s)
{
	printf("Bail out! %s\n", r5s_store_error(s));
	exit(1);
}

static void record(const char *path, int busy_part)
{
	struct r5s_store_begin b = { 0 };
	struct r5s_store_end e = { .status = R5S_STORE_COMPLETE };
	static int64_t metric[MD + MACHINE];
	static uint64_t value[MD + MACHINE];
	struct r5s_store *s;
	int64_t run, md0;
	unsigned int seed = 1;

	if (r5s_store_open(&s, path, R5S_STORE_WRITE | R5S_STORE_CREATE) ||
	    r5s_store_run_begin(s, &b, &run) || r5s_store_array_add(s, run, "md0", 1, &md0))
		bail(s);
	for (int m = 0; m < MD + MACHINE; m++) {
		char name[32];

		snprintf(name, sizeof(name), "metric-%d", m);
		if (r5s_store_metric_id(s, name, "unit", R5S_STORE_COUNTER, "help", &metric[m]))
			bail(s);
	}
	for (int tick = 0; tick < TICKS; tick++) {
		int64_t at = tick * INT64_C(100000000);

		for (int m = 0; m < (tick % 10 ? MD : MD + MACHINE); m++) {
			if (m % 3 < busy_part)
				value[m] += (uint64_t)rand_r(&seed) % 50000;
			if (r5s_store_sample_u64(s, run, m < MD ? md0 : 0, metric[m], at, value[m]))
				bail(s);
		}
		if (tick % 10 == 9 && r5s_store_flush(s))
			bail(s);
	}
	if (r5s_store_run_end(s, run, &e))
		bail(s);
	r5s_store_close(s);
}

static void load(const char *path, int busy_part)
{
	struct r5s_store_tracks t;
	struct r5s_store_series *p;
	struct r5s_store *s;
	struct stat st;
	size_t points = 0;
	double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID), took;

	if (r5s_store_open(&s, path, R5S_STORE_READ) || r5s_store_track_list(s, 1, &t))
		bail(s);
	p = calloc(t.n, sizeof(*p));
	if (!p || r5s_store_series_load(s, 1, &t, p))
		bail(s);
	took = now(CLOCK_MONOTONIC) - start;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	for (size_t i = 0; i < t.n; i++) {
		points += p[i].n;
		r5s_store_series_free(&p[i]);
	}
	free(p);
	stat(path, &st);
	ok(st.st_size < LIMIT_BYTES, "%d of 3 metrics change all the time: %.1f MB", busy_part,
	   (double)st.st_size / 1e6);
	/* Processor time: guests beside this test may take most of the machine. */
	ok(t.n == MD + MACHINE && cpu < 1,
	   "opened, all %zu metrics loaded, %zu points: %.2f s, of these %.2f on a processor", t.n,
	   points, took, cpu);
	r5s_store_tracks_free(&t);
	r5s_store_close(s);
}

static void query(const char *path, const char *how, const char *sql)
{
	double start = now(CLOCK_MONOTONIC);
	sqlite3_stmt *st;
	sqlite3 *db;

	if (!sqlite3_open(path, &db) && !sqlite3_prepare_v2(db, sql, -1, &st, NULL)) {
		int rc = sqlite3_step(st);

		ok(rc == SQLITE_ROW && sqlite3_column_int(st, 0) == TICKS,
		   "one metric by %s: all %d samples, %.2f s", how, TICKS, now(CLOCK_MONOTONIC) - start);
		sqlite3_finalize(st);
	}
	sqlite3_close(db);
}

int main(void)
{
	char dir[] = "/tmp/r5s-size-XXXXXX", path[64];

	if (!mkdtemp(dir)) {
		printf("Bail out! no directory in /tmp\n");
		return 1;
	}
	for (int busy = 1; busy <= 3; busy += 2) {
		snprintf(path, sizeof(path), "%s/%d.db", dir, busy);
		record(path, busy);
		load(path, busy);
		query(path, "its track", "SELECT count(*) FROM samples WHERE run_id = 1 AND track_id ="
		      " (SELECT track_id FROM track_names WHERE run_id = 1 AND metric = 'metric-0')");
		query(path, "the view",
		      "SELECT count(*) FROM series WHERE run_id = 1 AND metric = 'metric-0'");
		unlink(path);
	}
	snprintf(path, sizeof(path), "rm -rf %s", dir);
	if (system(path))
		printf("# %s is left\n", dir);
	return tap_done();
}
