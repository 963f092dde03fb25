// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness of every reader that user/test/compare/fuzz.c does not have. The first byte says which
 * one gets the rest; for the store it is what happens to a good database first.
 */
#include <fcntl.h>
#include <linux/fanotify.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>
#include <sqlite3.h>

#include "cmd/last.h"
#include "record/summary.h"
#include "render/json.h"
#include "render/report.h"
#include "render/table.h"
#include "render/utf8.h"
#include "source/diskstats.h"
#include "source/facts.h"
#include "source/files.h"
#include "source/module.h"
#include "source/mount.h"
#include "source/slabinfo.h"
#include "source/snapshot.h"
#include "source/source.h"
#include "source/sysfs.h"
#include "store/store.h"
#include "workload/fsmark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static FILE *sink;
static char dir[64], base[96], victim[96];

static FILE *text(const uint8_t *p, size_t len)
{
	return fmemopen((void *)p, len, "r");
}

static void tables_of_proc(const uint8_t *p, size_t len)
{
	struct r5s_diskstats d;
	struct r5s_slabinfo s;
	struct r5s_mount m;
	FILE *f;

	for (int i = 0; i < 3; i++) {
		f = text(p, len);
		if (!f)
			return;
		if (i == 0)
			r5s_diskstats_find(f, 9, 0, &d);
		else if (i == 1)
			r5s_slabinfo_find(f, "raid5-md0", &s);
		else if (!r5s_mount_parse(f, 36, &m))
			r5s_mount_free(&m);
		fclose(f);
	}
}

static void answers(const uint8_t *p, size_t len)
{
	struct r5s_snapshot *array = malloc(sizeof(*array));
	void *aligned = malloc(len + 1);
	struct r5s_attrs attrs = { aligned, (int)len };
	struct r5s_census census;
	struct r5s_event event;
	struct r5s_node node;
	struct r5s_info info;
	struct r5s_hist hist;

	if (!array || !aligned)
		abort();
	memcpy(aligned, p, len);
	r5s_snapshot_parse(attrs, array);
	r5s_snapshot_parse_node(attrs, &node);
	r5s_snapshot_parse_event(attrs, &event);
	if (memchr(array->name, 0, sizeof(array->name)) == NULL ||
	    memchr(event.name, 0, sizeof(event.name)) == NULL)
		abort();
	if (!r5s_snapshot_parse_info(attrs, &info))
		r5s_snapshot_free_info(&info);
	if (!r5s_snapshot_parse_hist(attrs, &hist))
		r5s_snapshot_free_hist(&hist);
	if (!r5s_snapshot_parse_census(attrs, &census))
		r5s_snapshot_free_census(&census);
	free(array);
	free(aligned);
}

static void file_events(const uint8_t *p, size_t len)
{
	struct r5s_files f = { .fd = -1, .per_window = len % 4, .sync_after = len % 3 };
	uint8_t *all = malloc(len + 1);
	struct fanotify_event_metadata e;

	if (!all)
		abort();
	memcpy(all, p, len);
	/* The kernel's descriptors are its own; these would be ours. */
	for (size_t at = 0; len - at >= sizeof(e); at += e.event_len) {
		memcpy(&e, all + at, sizeof(e));
		e.fd = -1;
		memcpy(all + at, &e, sizeof(e));
		if (e.event_len < sizeof(e) || e.event_len > len - at)
			break;
	}
	r5s_files_take(&f, all, (long)len, 1000);
	r5s_files_finish(&f);
	free(all);
}

static void arguments(const uint8_t *p, size_t len)
{
	char *copy = strndup((const char *)p, len), *argv[64], why[64], *save = NULL;
	struct r5s_fsmark_args a;
	int argc = 0;

	for (char *w = strtok_r(copy, "\n", &save); w && argc < 64; w = strtok_r(NULL, "\n", &save))
		argv[argc++] = w;
	r5s_fsmark_find(argc, argv);
	r5s_fsmark_args_parse(&a, argc, argv, why, sizeof(why));
	r5s_fsmark_args_free(&a);
	free(copy);
}

static void put_file(const char *path, const uint8_t *p, size_t len)
{
	char full[200];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (char *s = full + strlen(dir) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	f = fopen(full, "w");
	if (!f || fwrite(p, 1, len, f) != len || fclose(f))
		abort();
}

static void ignore(void *arg, const char *key, const char *value)
{
	(void)arg;
	fprintf(sink, "%s%s", key, value);
}

/* A tree of sysfs in which one file after the other has a part of the input. */
static void sysfs(const uint8_t *p, size_t len)
{
	static const char *const file[] = {
		"meminfo", "sys/vm/dirty_ratio", "block/md0/md/level", "block/md0/dev",
		"block/md0/md/dev-sda/slot", "block/md0/md/dev-sda/block/dev", "block/md0/md/metadata_version"
	};
	struct r5s_sysfs_arrays a;

	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		const uint8_t *end = memchr(p, 0, len);
		size_t part = end ? (size_t)(end - p) : len;

		put_file(file[i], p, part);
		p += part + (end != NULL);
		len -= part + (end != NULL);
	}
	r5s_facts_machine(dir, dir, ignore, NULL);
	r5s_facts_array(dir, "md0", ignore, NULL);
	if (!r5s_sysfs_arrays(dir, &a))
		r5s_sysfs_free(&a);
	if (!r5s_sysfs_under(dir, 9, 0, &a))
		r5s_sysfs_free(&a);
}

/* One text in every file that the sources read; a sample of it, then one of its last two thirds. */
static void sources(const uint8_t *p, size_t len)
{
	static const char *const file[] = {
		"stat", "vmstat", "meminfo", "diskstats", "slabinfo", "interrupts", "softirqs", "uptime",
		"pressure/io", "self/stat", "7/stat", "devices/system/cpu/cpu0/cpuidle/state0/name",
		"devices/system/cpu/cpu0/cpuidle/state0/time", "devices/system/node/online",
		"devices/system/node/node0/meminfo", "devices/system/node/node0/vmstat",
		"devices/system/node/node0/numastat"
	};
	const struct r5s_source_root root = { dir, dir };
	const struct r5s_source_class *class;
	char why[R5S_SOURCE_WHY];
	struct r5s_source s[64];
	struct r5s_values out = { 0 };
	bool is_open[64] = { false };

	for (size_t round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
			put_file(file[i], p + round * len / 3, len - round * len / 3);
		for (size_t i = 0; i < 64 && (class = r5s_source_at(i)); i++) {
			/* That one asks the processor, not a file. */
			if (!strcmp(class->name, "perf-stat"))
				continue;
			if (!round)
				is_open[i] = !r5s_source_open(&s[i], class, &root, why, sizeof(why));
			if (is_open[i] && !r5s_source_sample(&s[i], 1000000000 * (int64_t)(round + 1), &out))
				for (size_t k = 0; k < out.n; k++)
					fputs(r5s_values_name(&out, &out.v[k]), sink);
		}
	}
	for (size_t i = 0; i < 64; i++)
		if (is_open[i])
			r5s_source_close(&s[i]);
	r5s_values_free(&out);
}

/* The file that show keeps; a part of it must be this boot's for the rest to be read. */
static void last(const uint8_t *p, size_t len)
{
	struct r5s_snapshots was = { 0 };
	char boot[64] = "", *whole;
	size_t n = 0;
	FILE *f;

	r5s_sysfs_text("/proc", boot, sizeof(boot), "sys/kernel/random/boot_id");
	f = open_memstream(&whole, &n);
	for (size_t i = 0; f && i < len; i++) {
		if (p[i] == '@')
			fputs(boot, f);
		else
			putc(p[i], f);
	}
	if (!f || fclose(f))
		abort();
	put_file("raid5stat/show.json", (const uint8_t *)whole, n);
	free(whole);
	r5s_last_load(&was);
	for (size_t i = 0; i < was.n; i++)
		r5s_last_find(&was, &was.array[i]);
	free(was.array);
}

static void escaping(const uint8_t *p, size_t len)
{
	char *raw = strndup((const char *)p, len), *safe = r5s_table_escape((const char *)p, len);
	struct json_object *o = r5s_json_new_text(raw), *back;
	const char *printed = json_object_to_json_string(o);
	uint32_t c;

	for (size_t at = 0, n; safe && safe[at]; at += n) {
		n = r5s_utf8_next(safe + at, strlen(safe + at), &c);
		if (!n || c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e))
			abort();
	}
	r5s_table_columns(safe);
	back = json_tokener_parse(printed);
	if (!back || strcmp(json_object_get_string(back), json_object_get_string(o)))
		abort();
	json_object_put(back);
	json_object_put(o);
	free(raw);
	free(safe);
}

/* --- the store --------------------------------------------------------------------------------- */

static void make_base(void)
{
	const char *argv[] = { "fs_mark", "-d", "m\"'<&", "-n", "5", NULL };
	struct r5s_store_begin b = { .argv = argv, .cwd = "/", .array = "md0", .tool_version = "0" };
	struct r5s_store_end end = { .status = R5S_STORE_COMPLETE, .note = "n" };
	struct r5s_fsmark_row row = { .has = 15, .count = 5, .size = 9, .files_per_sec = 12.5,
				      .files_per_sec_text = "12.5" };
	struct r5s_store *s;
	sqlite3 *db;
	int64_t run;

	if (r5s_store_open(&s, base, R5S_STORE_WRITE | R5S_STORE_CREATE) ||
	    r5s_store_run_begin(s, &b, &run))
		abort();
	r5s_store_setting_put(s, run, "files.window_ns", "1000000");
	r5s_store_setting_put(s, run, "files.window_files", "5");
	r5s_store_event_add(s, run, 5, "md0", "blocked", "size 256");
	r5s_store_output_add(s, run, 6, 1, "text\n", 5);
	r5s_store_fsmark_add(s, run, 1, 7, &row);
	r5s_store_run_end(s, run, &end);
	r5s_store_close(s);
	/* Rows enough for a little of everything, and a rollback journal: one file is all there is. */
	if (sqlite3_open(base, &db) || sqlite3_exec(db, "PRAGMA journal_mode = DELETE;"
		"INSERT INTO arrays VALUES (1, 1, 'md0', 1); INSERT INTO array_facts VALUES (1, 'level', '5');"
		"INSERT INTO metrics VALUES (1, 'cache.size', 'stripes', 'gauge', 'h'),"
		" (2, 'files.closed', 'files', 'counter', 'h');"
		"INSERT INTO tracks VALUES (1, 1, 1, 1, 0, 90), (1, 2, 1, 2, 0, 90);"
		"INSERT INTO samples VALUES (1, 0, 1, 256), (1, 50, 1, 300.5), (1, 10, 2, 1), (1, 90, 2, 5);",
		NULL, NULL, NULL))
		abort();
	sqlite3_close(db);
}

/* A report of weeks is right, but takes its time. */
static bool short_run(struct r5s_store *s)
{
	struct r5s_store_settings facts;
	struct r5s_store_runs runs;
	bool is_short = true;

	if (r5s_store_run_get(s, "last", &runs))
		return true;
	is_short = runs.run[0].last_t_ns < INT64_C(10000000000000) ||
		   runs.run[0].last_t_ns > INT64_C(3000000000000000);
	if (!r5s_store_setting_list(s, runs.run[0].id, &facts)) {
		for (size_t i = 0; i < facts.n; i++)
			is_short &= !facts.setting[i].value ||
				    !(strtod(facts.setting[i].value, NULL) > 1e13);
		r5s_store_settings_free(&facts);
	}
	r5s_store_runs_free(&runs);
	return is_short;
}

static void read_store(void)
{
	struct r5s_store_settings facts;
	struct r5s_store_check check;
	struct r5s_store_tracks tracks;
	struct r5s_store_events events;
	struct r5s_store_runs runs;
	struct r5s_summary sum;
	struct r5s_store *s;
	char *out;
	size_t n;

	if (r5s_store_open(&s, victim, R5S_STORE_READ)) {
		fputs(r5s_store_error(s), sink);
		r5s_store_close(s);
		return;
	}
	if (!r5s_store_run_list(s, &runs))
		r5s_store_runs_free(&runs);
	if (!r5s_store_track_list(s, 1, &tracks)) {
		struct r5s_store_series *p = calloc(tracks.n + 1, sizeof(*p));

		if (p && !r5s_store_series_load(s, 1, &tracks, p))
			for (size_t i = 0; i < tracks.n; i++)
				r5s_store_series_free(&p[i]);
		free(p);
		r5s_store_tracks_free(&tracks);
	}
	if (!r5s_store_event_list(s, 1, &events))
		r5s_store_events_free(&events);
	if (!r5s_store_array_list(s, 1, &facts))
		r5s_store_settings_free(&facts);
	if (!r5s_store_output_get(s, 1, 0, &out, &n))
		free(out);
	if (!r5s_store_check(s, &check)) {
		fputs(check.problems, sink);
		free(check.problems);
	}
	memset(&sum, 0, sizeof(sum));
	if (short_run(s) && !r5s_summary_make(&sum, s, "last", 1)) {
		r5s_report_print(&sum, victim, sink);
		r5s_report_json(&sum, victim, sink);
	}
	r5s_summary_free(&sum);
	r5s_store_close(s);
}

static void copy_base(void)
{
	static uint8_t bytes[1 << 20];
	static size_t n;
	FILE *f;

	if (!n) {
		f = fopen(base, "r");
		n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
		if (!n || fclose(f))
			abort();
	}
	f = fopen(victim, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		abort();
}

/* Bytes of the file changed: three of place, one of value. */
static void damaged(const uint8_t *p, size_t len)
{
	int fd;

	copy_base();
	fd = open(victim, O_WRONLY | O_CLOEXEC);
	for (; fd >= 0 && len >= 4; p += 4, len -= 4)
		if (pwrite(fd, p + 3, 1, (p[0] | p[1] << 8 | (p[2] & 1) << 16)) != 1)
			abort();
	if (len && ftruncate(fd, p[0] * 512))
		abort();
	close(fd);
	read_store();
}

static int steps(void *left)
{
	return --*(int *)left <= 0;
}

/* A writer of the file only, never of the machine. */
static int only_tables(void *arg, int what, const char *a, const char *b, const char *c, const char *d)
{
	(void)arg;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return what == SQLITE_ATTACH || what == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

/* A schema and rows that somebody made up. */
static void hostile(const uint8_t *p, size_t len)
{
	char *sql = strndup((const char *)p, len);
	int left = 200;
	sqlite3 *db;

	copy_base();
	if (!sql || sqlite3_open(victim, &db))
		abort();
	sqlite3_exec(db, "PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON;"
			 "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100000);
	sqlite3_set_authorizer(db, only_tables, NULL);
	sqlite3_progress_handler(db, 1000, steps, &left);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	free(sql);
	read_store();
}

static void clean_up(void)
{
	char cmd[100];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	if (system(cmd))
		perror(dir);
}

static void begin(void)
{
	snprintf(dir, sizeof(dir), "%s", "/dev/shm/r5s-fuzz.XXXXXX");
	sink = fopen("/dev/null", "w");
	if (!sink || !mkdtemp(dir))
		abort();
	atexit(clean_up);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	snprintf(base, sizeof(base), "%s/base.db", dir);
	snprintf(victim, sizeof(victim), "%s/victim.db", dir);
	make_base();
}

/* The first byte stays: each reader has a run, and so a time, of its own. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	(void)seed;
	return size < 2 ? size : 1 + LLVMFuzzerMutate(data + 1, size - 1, max - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		char key;
		void (*fn)(const uint8_t *p, size_t len);
	} reader[] = {
		{ 'p', tables_of_proc }, { 'n', answers }, { 'e', file_events }, { 'a', arguments },
		{ 'y', sysfs }, { 's', sources }, { 'l', last }, { 'x', escaping }, { 'd', damaged }, { 'q', hostile },
	};

	if (!sink)
		begin();
	for (size_t i = 0; size && i < sizeof(reader) / sizeof(reader[0]); i++)
		if (data[0] == reader[i].key)
			reader[i].fn(data + 1, size - 1);
	return 0;
}
