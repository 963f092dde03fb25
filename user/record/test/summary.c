// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A made-up run whose every figure is known, read back from the store.
 */
#include <inttypes.h>
#include <unistd.h>

#include "../../test/tap.h"
#include "record/recorder.h"
#include "record/summary.h"
#include "render/json.h"
#include "render/report.h"

#define MS INT64_C(1000000)
#define START (250 * MS)

enum { TENTHS = 604 };		/* 60.4 s */

static const char *const words[] = { "fs_mark", "-d", "/mnt/x y", "-n", "10", "-t", "4", NULL };
static char path[64], *text;

static int64_t metric(struct r5s_store *s, const char *name, enum r5s_store_kind kind)
{
	int64_t id = 0;

	r5s_store_metric_id(s, name, "x", kind, NULL, &id);
	return id;
}

/* Files per tenth of a second: noise that remembers a second or so; the stripes know it 2 s before. */
static double wave(int tenth)
{
	static double v[TENTHS + 50];
	uint32_t random = 12345;

	for (int i = 1; !v[0] && i < TENTHS + 50; i++) {
		random = random * 1664525 + 1013904223;
		v[i] = 0.9 * v[i - 1] + (random >> 8) / 16777216.0 - 0.5;
	}
	v[0] = v[1];
	return 10 + 4 * v[tenth];
}

static void record(struct r5s_store *s, bool end)
{
	const struct r5s_store_begin b = { .argv = words, .array = "md0" };
	int64_t run, array, size, floor, active, full, wait, files, sysfs, dropped;
	const char *out = "strange text\n";
	double closed = 0, full_stripes = 5000;

	r5s_store_run_begin(s, &b, &run);
	r5s_store_setting_put(s, run, R5S_SUMMARY_START, "250000000");
	r5s_store_setting_put(s, run, R5S_SUMMARY_PAGE, "16384");
	r5s_store_array_add(s, run, "md0", 1, &array);
	size = metric(s, "cache.size", R5S_STORE_GAUGE);
	floor = metric(s, "cache.floor", R5S_STORE_GAUGE);
	active = metric(s, "cache.active", R5S_STORE_GAUGE);
	full = metric(s, "writes.stripes_full", R5S_STORE_COUNTER);
	wait = metric(s, "cache.wait_user_ns", R5S_STORE_TIME);
	dropped = metric(s, "cache.drop_ok", R5S_STORE_COUNTER);
	files = metric(s, R5S_RECORDER_FILES, R5S_STORE_COUNTER);
	sysfs = metric(s, R5S_RECORDER_SYSFS, R5S_STORE_GAUGE);
	for (int i = 0; i <= TENTHS; i++) {
		int64_t t = START + i * 100 * MS;

		r5s_store_sample_double(s, run, array, size, t, i < 100 ? 32 : i < 300 ? 200 : 64);
		r5s_store_sample_u64(s, run, array, floor, t, 32);
		r5s_store_sample_double(s, run, array, active, t, wave(i + 20));
		r5s_store_sample_double(s, run, array, full, t, full_stripes + i * 3);
		r5s_store_sample_u64(s, run, array, wait, t, (uint64_t)i * 2 * MS);
		r5s_store_sample_u64(s, run, array, dropped, t, i < 300 ? 10 : 146);
		r5s_store_sample_double(s, run, 0, files, t, rint(closed));
		if (i % 10 == 0)
			r5s_store_sample_u64(s, run, array, sysfs, t, 32);
		closed += wave(i);
	}
	r5s_store_event_add(s, run, START + 5000 * MS, "md0", "blocked", "size 32 active 32");
	r5s_store_event_add(s, run, START + 7000 * MS, "md0", "unblocked", NULL);
	r5s_store_event_add(s, run, START + 9000 * MS, "md0", "blocked", NULL);
	r5s_store_output_add(s, run, START, 1, out, strlen(out));
	if (end) {
		struct r5s_store_end e = { R5S_STORE_FAILED, 3, 0, NULL };

		r5s_store_setting_put(s, run, R5S_SUMMARY_ELAPSED, "60400000000");
		r5s_store_setting_put(s, run, R5S_SUMMARY_WINDOWS, "2");
		r5s_store_setting_put(s, run, R5S_SUMMARY_WINDOW_FILES, "6000");
		r5s_store_setting_put(s, run, R5S_SUMMARY_WINDOW_NS, "50000000000");
		r5s_store_setting_put(s, run, R5S_SUMMARY_CREATES, "1");
		r5s_store_run_end(s, run, &e);
	}
}

static void print(const struct r5s_summary *s, bool json)
{
	size_t len;
	FILE *f;

	free(text);
	text = NULL;
	f = open_memstream(&text, &len);
	ok(!(json ? r5s_report_json(s, path, f) : r5s_report_print(s, path, f)), "prints");
	fclose(f);
}

static void test_lines(const struct r5s_summary *s)
{
	double sum = 0;

	ok(s->n_lines == 61, "61 lines: 60 and a rest of 0.4 s (%zu)", s->n_lines);
	ok_num(s->t_s[60], 60.4, 1e-9, "the last one ends with the command");
	ok_num(s->column[R5S_SUMMARY_SIZE][8], 32, 0, "size at 9 s");
	ok_num(s->column[R5S_SUMMARY_SIZE][9], 200, 0, "size at 10 s");
	ok_num(s->column[R5S_SUMMARY_SIZE][29], 64, 0, "size at 30 s");
	ok_num(s->column[R5S_SUMMARY_FULL][0], 30, 1e-9, "30 full stripes a second");
	ok_num(s->column[R5S_SUMMARY_FULL][60], 30, 1e-6, "in the short line, too");
	ok_num(s->column[R5S_SUMMARY_WAIT_MS][5], 20, 1e-9, "20 ms of waits a second");
	ok_num(s->column[R5S_SUMMARY_SHRUNK][29], 136, 1e-9, "136 stripes shrunk in the 30th second");
	ok_num(s->column[R5S_SUMMARY_SHRUNK][30], 0, 1e-9, "none in the next");
	ok_num(s->column[R5S_SUMMARY_DIRTY][3], NAN, 0, "what was never sampled is absent");
	for (size_t i = 0; i < 60; i++)
		sum += s->column[R5S_SUMMARY_FILES][i];
	ok_num(sum, s->total[0].seen ? NAN : sum, 0, "a gauge has no total");
	ok(s->total[R5S_METRIC_WRITES_STRIPES_FULL].seen &&
	   s->total[R5S_METRIC_WRITES_STRIPES_FULL].delta == 3 * TENTHS, "total of full stripes");
	ok(s->size.seen && s->size.min == 32 && s->size.max == 200, "range of the size");
	ok(s->sysfs.seen && s->sysfs.min == 32 && s->sysfs.max == 32, "sysfs stays");
}

static void test_correlation(const struct r5s_summary *s)
{
	const struct r5s_correlate_result *r = NULL;

	for (size_t i = 0; i < s->n_corr; i++)
		if (s->corr[i].tag == R5S_METRIC_CACHE_ACTIVE)
			r = &s->corr[i];
	if (!ok(r != NULL, "active stripes are compared"))
		return;
	ok(r->lag >= 1 && r->lag <= 3 && r->rho > 0.6, "they lead by 2 s: lag %d, rho %.2f", r->lag,
	   r->rho);
	ok(r->n_eff < (double)r->n && r->q >= r->p, "n_eff %.1f of %zu, q %.4f, p %.4f", r->n_eff, r->n,
	   r->q, r->p);
	ok(s->flat[R5S_METRIC_CACHE_FLOOR], "the floor did not change");
}

static void test_whole(struct r5s_store *store)
{
	struct json_object *root, *o, *v;
	struct r5s_summary s;

	if (!ok(!r5s_summary_make(&s, store, "1", 1), "a run that failed"))
		return;
	test_lines(&s);
	test_correlation(&s);
	ok_num(s.rates.rate[R5S_RATE_WINDOW].files_per_sec, 120, 1e-9, "6000 files in 50 s");
	ok(!s.window_estimated, "from the recorder's own window");
	ok(s.has_fsmark && s.fsmark_args.threads == 4, "fs_mark's arguments");
	print(&s, false);
	ok(strstr(text, "FAILED with exit status 3 after 60.40 s") != NULL, "says how it ended");
	ok(strstr(text, "sysfs stripe_cache_size says 32 (the floor); the cache really held 32 to 200") !=
	   NULL, "floor and size side by side");
	ok(strstr(text, "blocked             2  first at 5.00 s, last at 9.00 s") != NULL,
	   "events by kind");
	ok(s.fsmark.note[0] && strstr(text, s.fsmark.note), "a word about the unknown output");
	print(&s, true);
	root = json_tokener_parse(text);
	ok(json_object_object_get_ex(root, "lines", &o) && json_object_array_length(o) == 61,
	   "the JSON reads back, 61 lines");
	ok(!json_object_object_get_ex(json_object_array_get_idx(o, 3), "dirty_mib", &v),
	   "absent is missing");
	json_object_put(root);
	r5s_summary_free(&s);

	ok(!r5s_summary_make(&s, store, "1", 7) && s.n_lines == 9, "every 7 s: 9 lines");
	ok_num(s.column[R5S_SUMMARY_FULL][8], 30, 1e-6, "a rate is a second's, however long the line");
	r5s_summary_free(&s);
}

static void test_cut(struct r5s_store *store)
{
	struct r5s_summary s;

	ok(!r5s_summary_make(&s, store, "2", 1), "a run whose recorder is gone");
	ok(s.window_estimated && s.input.window_files > 5000, "the window is taken from the samples");
	ok(s.n_lines >= 60, "all lines are there: %zu", s.n_lines);
	print(&s, false);
	ok(strstr(text, "first to last close as sampled") != NULL, "and said so");
	r5s_summary_free(&s);
}

static void test_empty(struct r5s_store *store)
{
	const struct r5s_store_begin b = { .argv = words };
	struct r5s_summary s;
	int64_t run;

	r5s_store_run_begin(store, &b, &run);
	r5s_store_flush(store);
	ok(!r5s_summary_make(&s, store, "3", 1), "a run with nothing in it: %s",
	   r5s_store_error(store));
	ok(!s.n_lines && s.no_rate && s.rates.judged < 0, "has no figures");
	print(&s, false);
	print(&s, true);
	r5s_summary_free(&s);
	ok(r5s_summary_make(&s, store, "77", 1) < 0, "no such run");
	r5s_summary_free(&s);
}

int main(void)
{
	struct r5s_store *store;

	snprintf(path, sizeof(path), "/tmp/r5s-summary.%d.db", getpid());
	if (r5s_store_open(&store, path, R5S_STORE_WRITE | R5S_STORE_CREATE)) {
		printf("Bail out! %s\n", r5s_store_error(store));
		return 1;
	}
	record(store, true);
	test_whole(store);
	r5s_store_close(store);
	r5s_store_open(&store, path, R5S_STORE_WRITE);
	record(store, false);
	r5s_store_flush(store);
	test_cut(store);
	r5s_store_close(store);
	r5s_store_open(&store, path, R5S_STORE_WRITE);
	test_empty(store);
	r5s_store_close(store);
	unlink(path);
	free(text);
	return tap_done();
}
