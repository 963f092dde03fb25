// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fs_mark's output: real ones of the packaged 3.3, the newer fork's form, cut short, mixed with
 * other text. Expected numbers were read off the files by eye; run.sh compares with awk, and our
 * reading of command lines with what the real fs_mark does.
 */
#include "tap.h"

#include <errno.h>
#include <inttypes.h>

#include "workload/fsmark.h"

static const char *data_dir(void)
{
	const char *dir = getenv("R5S_TEST_DATA");

	return dir ? dir : "user/test/data";
}

static char *slurp(const char *name, size_t *len)
{
	char path[512];
	char *buf = malloc(65536);
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", data_dir(), name);
	in = fopen(path, "r");
	if (!in || !buf) {
		printf("Bail out! cannot read %s: set R5S_TEST_DATA\n", path);
		exit(1);
	}
	*len = fread(buf, 1, 65536, in);
	fclose(in);
	return buf;
}

static int read_in_pieces(struct r5s_fsmark *f, const char *name, size_t piece)
{
	size_t len;
	char *buf = slurp(name, &len);

	r5s_fsmark_init(f);
	for (size_t at = 0; at < len; at += piece)
		r5s_fsmark_feed(f, buf + at, len - at < piece ? len - at : piece);
	free(buf);
	return r5s_fsmark_finish(f);
}

static void test_plain(void)
{
	struct r5s_fsmark f;

	ok(!read_in_pieces(&f, "fsmark-1t-1i.txt", 7), "1 thread: whole");
	ok_text(f.version, "3.3", "version");
	ok_text(f.started, "Mon Nov 30 21:50:21 2026", "start time");
	ok(f.threads == 1 && f.step == 0.1, "1 thread, step 0.1");
	ok(f.has_size && f.size == 4096 && f.write_size == 16384, "sizes");
	ok_text(f.sync_text, "INBAND FSYNC: fsync() per file in write loop.", "sync method");
	ok_text(f.dirs_text, "no subdirectories used", "directories");
	ok(f.has_args && f.args.files == 100 && f.args.loops == 1 && f.args.expected_files == 100,
	   "echoed command line");
	ok(f.n_rows == 1 && f.rows[0].line == 11 && f.rows[0].count == 100 &&
	   f.rows[0].size == 4096 && f.rows[0].app_overhead_us == 580 &&
	   f.rows[0].fsuse_pct == 69, "row");
	ok_num(f.rows[0].files_per_sec, 902.0, 0, "files/s");
	ok_text(f.rows[0].files_per_sec_text, "902.0", "files/s as printed");
	ok(f.rows[0].has == 0x1f, "no per-call columns");
	ok(isnan(f.average) && !f.has_summary, "no summary");
	r5s_fsmark_free(&f);

	ok(!read_in_pieces(&f, "fsmark-64t-1i.txt", 1), "64 directories: whole, byte by byte");
	ok(f.threads == 64 && fabs(f.step - 6.4) < 1e-12, "64 threads, step 6.4");
	ok(f.has_args && f.args.n_dirs == 64 && f.args.threads == 64 &&
	   f.args.expected_files == 320, "64 directories echoed");
	ok_text(f.args.dirs[63], "m/64", "last directory");
	ok_num(f.rows[0].files_per_sec, 25939.3, 0, "files/s of 64 threads");
	r5s_fsmark_free(&f);
}

static void test_verbose(void)
{
	struct r5s_fsmark f;
	const struct r5s_fsmark_call *c;

	ok(!read_in_pieces(&f, "fsmark-64t-4i-v.txt", 100), "-v, 4 iterations: whole");
	ok(f.n_rows == 4 && f.rows[3].count == 1280, "4 rows");
	ok(f.args.keep && f.args.verbose, "-k and -v echoed");
	ok_num(r5s_fsmark_mean(&f), (20707.9 + 16972.4 + 16352.0 + 19915.8) / 4, 1e-9, "mean");
	c = f.rows[0].call;
	ok(f.rows[0].has == 0x7ff, "all columns");
	ok(c[R5S_FSMARK_CREAT].min_us == 24 && c[R5S_FSMARK_CREAT].avg_us == 87 &&
	   c[R5S_FSMARK_CREAT].max_us == 2422, "creat us");
	ok(c[R5S_FSMARK_WRITE].max_us == 1225 && c[R5S_FSMARK_FSYNC].avg_us == 3129 &&
	   c[R5S_FSMARK_SYNC].max_us == 0 && c[R5S_FSMARK_CLOSE].max_us == 8, "other calls us");
	r5s_fsmark_free(&f);

	ok(!read_in_pieces(&f, "fsmark-1t-5i-v.txt", 4096), "-v, 1 thread, 5 iterations");
	ok(f.n_rows == 5 && f.args.sync_method == 0, "NoSync");
	ok_num(f.rows[0].files_per_sec, 3457.0, 0, "first row");
	r5s_fsmark_free(&f);

	ok(!read_in_pieces(&f, "fsmark-2d-subdirs-v.txt", 4096), "2 directories, subdirectories");
	ok(f.args.threads == 4 && f.args.n_dirs == 2 && f.args.subdirs == 2 &&
	   f.args.per_subdir == 3 && f.size == 0 && f.has_size, "-D -N -s 0");
	r5s_fsmark_free(&f);
}

static void test_fork(void)
{
	struct r5s_fsmark f;

	ok(!read_in_pieces(&f, "fsmark-fork-5i.txt", 3), "newer fork: whole");
	ok(f.n_rows == 5 && f.has_summary, "5 rows and a summary");
	ok(f.average == 33.2 && f.p50 == 33 && f.p90 == 14 && f.p99 == 14, "summary");
	ok_num(r5s_fsmark_mean(&f), 33.2, 1e-9, "mean agrees with its own Average");
	r5s_fsmark_free(&f);
	ok(!read_in_pieces(&f, "fsmark-fork-1i.txt", 3), "newer fork, one iteration");
	ok(f.rows[0].files_per_sec == 6.4 && f.average == 6.0 && f.p50 == 6, "its Average is cut");
	r5s_fsmark_free(&f);
}

static void test_broken(void)
{
	struct r5s_fsmark f;

	ok(read_in_pieces(&f, "fsmark-cut-early.txt", 50) == 1, "cut inside the header");
	ok_text(f.note, "output ends in fs_mark's header, before its table", "says so");
	r5s_fsmark_free(&f);
	ok(read_in_pieces(&f, "fsmark-cut-header.txt", 50) == 1, "cut before the table");
	r5s_fsmark_free(&f);
	ok(read_in_pieces(&f, "fsmark-cut-row.txt", 50) == 1 && !f.n_rows, "cut inside a row: no row");
	ok_text(f.note, "output is cut short in line 12; 0 of 4 iterations read", "says so");
	r5s_fsmark_free(&f);

	ok(!read_in_pieces(&f, "fsmark-mixed-before.txt", 50), "text before is passed over");
	ok(f.n_rows == 5 && !f.stop_line, "5 rows");
	r5s_fsmark_free(&f);
	ok(read_in_pieces(&f, "fsmark-mixed-inside.txt", 50) == 1, "text inside stops");
	ok(f.n_rows == 1 && f.stop_line == 13, "1 row, line 13");
	ok_text(f.stop_text, "fs_mark: fsync failed Input/output error", "the line");
	ok(strstr(f.note, "1 of 5 iterations"), "says how far it came: %s", f.note);
	r5s_fsmark_free(&f);
	ok(read_in_pieces(&f, "fsmark-mixed-after.txt", 50) == 1 && f.n_rows == 1 &&
	   f.stop_line == 13, "text after is told, the row stays");
	r5s_fsmark_free(&f);
	ok(read_in_pieces(&f, "fsmark-refused.txt", 50) == 1 && !f.n_rows && f.stop_line == 11,
	   "fs_mark gave up: its word is kept");
	ok_text(f.stop_text, "Insufficient free space in m to create -3 new files, exiting", "word");
	r5s_fsmark_free(&f);
	ok(read_in_pieces(&f, "fsmark-usage.txt", 50) == 1, "usage text");
	ok_text(f.note, "no table of fs_mark in the output; line 1 says: \"Max threads is 64\"",
		"its reason is told");
	r5s_fsmark_free(&f);

	r5s_fsmark_init(&f);
	ok(r5s_fsmark_finish(&f) == 1 && isnan(r5s_fsmark_mean(&f)), "empty output");
	ok_text(f.note, "no table of fs_mark in the output", "says so");
	r5s_fsmark_free(&f);
}

/* A file cut at any byte gives no row that is not in the whole file, and no other number. */
static void test_cut_anywhere(void)
{
	struct r5s_fsmark whole, f;
	size_t len;
	char *buf = slurp("fsmark-64t-4i-v.txt", &len);
	bool same = true, told = true;

	read_in_pieces(&whole, "fsmark-64t-4i-v.txt", 4096);
	for (size_t cut = 0; cut + 1 < len; cut++) {
		int rc;

		r5s_fsmark_init(&f);
		r5s_fsmark_feed(&f, buf, cut);
		rc = r5s_fsmark_finish(&f);
		told &= rc == 1;
		for (size_t i = 0; i < f.n_rows; i++)
			same &= !memcmp(&f.rows[i], &whole.rows[i], sizeof(f.rows[i]));
		r5s_fsmark_free(&f);
	}
	ok(same, "cut at each of %zu bytes: no wrong row", len);
	ok(told, "and always told");
	r5s_fsmark_free(&whole);
	free(buf);
}

static void test_odd(void)
{
	static const char reordered[] =
		"   Files/sec  NewThing        Count   FSUse%\n"
		"         6.4       abc          960        7\n";
	static const char hostile[] = "FSUse% Count Size Files/sec App Overhead\n\0\x1b[2J\xff\n";
	struct r5s_fsmark f;
	char *huge = malloc(100000);

	r5s_fsmark_init(&f);
	r5s_fsmark_feed(&f, reordered, strlen(reordered));
	ok(!r5s_fsmark_finish(&f) && f.n_rows == 1 && f.rows[0].count == 960 &&
	   f.rows[0].files_per_sec == 6.4 && f.rows[0].fsuse_pct == 7,
	   "columns are found by name, unknown ones passed over");
	ok(f.rows[0].has == (1 << R5S_FSMARK_COL_FSUSE | 1 << R5S_FSMARK_COL_COUNT |
			     1 << R5S_FSMARK_COL_RATE), "missing columns are marked missing");
	ok(isnan(f.step), "no threads known, no step");
	r5s_fsmark_free(&f);

	r5s_fsmark_init(&f);
	r5s_fsmark_feed(&f, hostile, sizeof(hostile) - 1);
	ok(r5s_fsmark_finish(&f) == 1 && f.stop_line == 2, "NUL and escape bytes");
	r5s_fsmark_free(&f);

	memset(huge, 'x', 100000);
	r5s_fsmark_init(&f);
	r5s_fsmark_feed(&f, huge, 100000);
	r5s_fsmark_feed(&f, "\n", 1);
	r5s_fsmark_feed(&f, reordered, strlen(reordered));
	ok(!r5s_fsmark_finish(&f) && f.n_rows == 1, "a line of 100000 bytes before");
	r5s_fsmark_free(&f);
	free(huge);
}

static int parse_words(struct r5s_fsmark_args *a, char *why, size_t room, const char *words)
{
	static char copy[512];
	char *argv[32];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok(copy, " "); w && argc < 31; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	why[0] = '\0';
	return r5s_fsmark_args_parse(a, argc, argv, why, room);
}

static void test_args(void)
{
	static const struct {
		const char *words;
		uint64_t expected;	/* 0: refused, like the real one */
		unsigned int threads;
	} c[] = {
		{ "fs_mark -d m", 1000, 1 },
		{ "fs_mark -d m -n 5 -t 4 -L 3", 60, 4 },
		{ "fs_mark -da -t2 -n5 -s4096 -L 1", 10, 2 },
		{ "fs_mark -kvd m -n 7", 7, 1 },
		{ "fs_mark -d a -d b -t 4 -n 3", 12, 4 },
		{ "fs_mark -d a -d b -t 1 -n 3", 6, 2 },
		{ "fs_mark -d a -d b -t 3 -n 3", 0, 0 },
		{ "fs_mark -d m extra -n 2", 2, 1 },
		{ "fs_mark -d m -n 2 -- -n 3", 2, 1 },
		{ "fs_mark -d m -n 2 -L 0", 2, 1 },
		{ "fs_mark -d m -n 4K", 4, 1 },
		{ "fs_mark -d m -n -3", 0, 0 },
		{ "fs_mark -d m -t 70", 0, 0 },
		{ "fs_mark -d m -n 2000000", 0, 0 },
		{ "fs_mark -d m -S 7", 0, 0 },
		{ "fs_mark -d m -w 9999999", 0, 0 },
		{ "fs_mark -n 3", 0, 0 },
		{ "fs_mark -d m -n", 0, 0 },
		{ "fs_mark -d m -q", 0, 0 },
		{ "fs_mark -h", 0, 0 },
	};
	struct r5s_fsmark_args a;
	char why[128];
	char *numactl[] = { "numactl", "-N", "0", "/usr/bin/fs_mark", "-d", "x" };

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		int err = parse_words(&a, why, sizeof(why), c[i].words);

		if (c[i].expected)
			ok(!err && a.expected_files == c[i].expected && a.threads == c[i].threads,
			   "%s: %" PRIu64 " files", c[i].words, a.expected_files);
		else
			ok(err == -EINVAL && why[0], "%s: %s", c[i].words, why);
		r5s_fsmark_args_free(&a);
	}
	parse_words(&a, why, sizeof(why), "fs_mark -F -S 5 -s 65536 -D 4 -N 9 -d /mnt/a");
	ok(a.fill && !a.expected_files && a.sync_method == 5 && a.size == 65536 && a.subdirs == 4 &&
	   a.per_subdir == 9 && !a.keep && a.n_dirs == 1, "-F: no expected number");
	r5s_fsmark_args_free(&a);
	ok(r5s_fsmark_find(6, numactl) == 3 && r5s_fsmark_find(3, numactl) == -1, "behind numactl");
	ok_text(r5s_fsmark_sync_name(0), "NoSync", "sync name");
	ok(!r5s_fsmark_sync_name(7) && !r5s_fsmark_sync_name(-1), "no such sync method");
}

/* For run.sh: what we read from @name, to be compared with awk's view. */
static int print_rows(const char *name)
{
	struct r5s_fsmark f;

	read_in_pieces(&f, name, 5);
	for (size_t i = 0; i < f.n_rows; i++)
		printf("%" PRIu64 " %" PRIu64 " %.1f %" PRIu64 "\n", f.rows[i].count, f.rows[i].size,
		       f.rows[i].files_per_sec, f.rows[i].app_overhead_us);
	r5s_fsmark_free(&f);
	return 0;
}

/* For run.sh: the number of files we expect, to be compared with the real fs_mark's last count. */
static int print_expected(int argc, char **argv)
{
	struct r5s_fsmark_args a;
	int err = r5s_fsmark_args_parse(&a, argc, argv, NULL, 0);

	if (err)
		puts("refused");
	else
		printf("%" PRIu64 "\n", a.expected_files);
	r5s_fsmark_args_free(&a);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "rows"))
		return print_rows(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "expect"))
		return print_expected(argc - 1, argv + 1);
	test_plain();
	test_verbose();
	test_fork();
	test_broken();
	test_cut_anywhere();
	test_odd();
	test_args();
	return tap_done();
}
