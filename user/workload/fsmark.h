/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fs_mark says about itself: its command line, its '#' header, its table.
 */
#ifndef R5S_WORKLOAD_FSMARK_H
#define R5S_WORKLOAD_FSMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum r5s_fsmark_call_id {
	R5S_FSMARK_CREAT,
	R5S_FSMARK_WRITE,
	R5S_FSMARK_FSYNC,
	R5S_FSMARK_SYNC,
	R5S_FSMARK_CLOSE,
	R5S_FSMARK_UNLINK,
	R5S_FSMARK_CALLS
};

enum r5s_fsmark_column {
	R5S_FSMARK_COL_FSUSE,
	R5S_FSMARK_COL_COUNT,
	R5S_FSMARK_COL_SIZE,
	R5S_FSMARK_COL_RATE,
	R5S_FSMARK_COL_OVERHEAD,
	R5S_FSMARK_COL_CALLS,	/* + enum r5s_fsmark_call_id; three numbers each */
	R5S_FSMARK_COLUMNS = R5S_FSMARK_COL_CALLS + R5S_FSMARK_CALLS
};

enum {
	R5S_FSMARK_DEFAULT_FILES = 1000,
	R5S_FSMARK_DEFAULT_SIZE = 51200,
	R5S_FSMARK_DEFAULT_SYNC = 1,
	R5S_FSMARK_SYNC_METHODS = 7,
	R5S_FSMARK_LINE_MAX = 8192	/* longer lines are cut; fs_mark's own are under 400 */
};

/* Microseconds per call, over all threads of one iteration. */
struct r5s_fsmark_call {
	uint64_t min_us;
	uint64_t avg_us;
	uint64_t max_us;
};

/**
 * struct r5s_fsmark_row - one table line, that is one iteration
 * @line: line number in the output, from 1
 * @has: bit (1 << column) for every column that the header named
 * @fsuse_pct: how full the file system is, percent
 * @count: files written so far, all iterations and threads
 * @size: bytes per file
 * @files_per_sec: fs_mark's sum of the per-thread rates; NaN when the column is missing
 * @files_per_sec_text: the same, exactly as printed
 * @app_overhead_us: thread-summed time outside the timed calls (not CPU time)
 * @call: per-call times, valid where has holds R5S_FSMARK_COL_CALLS + call
 */
struct r5s_fsmark_row {
	unsigned int line;
	uint32_t has;
	double fsuse_pct;
	uint64_t count;
	uint64_t size;
	double files_per_sec;
	char files_per_sec_text[24];
	uint64_t app_overhead_us;
	struct r5s_fsmark_call call[R5S_FSMARK_CALLS];
};

/**
 * struct r5s_fsmark_args - what a command line asks fs_mark to do
 * @threads: threads (the larger of -t and the number of -d)
 * @dirs: directories in order; owned, see r5s_fsmark_args_free()
 * @n_dirs: their number
 * @files: files per thread and iteration (-n)
 * @loops: iterations (-L)
 * @size: bytes per file (-s)
 * @write_size: bytes per write call (-w), 0 when not given
 * @sync_method: 0..6 (-S)
 * @subdirs: -D, 0 when not given
 * @per_subdir: -N, 0 when not given
 * @keep: files stay after each iteration (-k)
 * @fill: runs until the file system is full (-F): the number of files is not known
 * @verbose: -v
 * @expected_files: files x threads x loops, 0 when @fill
 */
struct r5s_fsmark_args {
	unsigned int threads;
	char **dirs;
	size_t n_dirs;
	uint64_t files;
	uint64_t loops;
	uint64_t size;
	uint64_t write_size;
	int sync_method;
	uint64_t subdirs;
	uint64_t per_subdir;
	bool keep;
	bool fill;
	bool verbose;
	uint64_t expected_files;
};

enum r5s_fsmark_state {
	R5S_FSMARK_PREAMBLE,	/* before the table's header line */
	R5S_FSMARK_TABLE,	/* header line seen */
	R5S_FSMARK_TAIL,	/* the newer fork's summary lines */
	R5S_FSMARK_STOPPED,	/* a line that is not understood; the rest was ignored */
	R5S_FSMARK_DONE		/* finish was called and nothing is wrong */
};

/**
 * struct r5s_fsmark - an output of fs_mark, as far as it was fed
 * @state: where the parser is
 * @version: "3.3", empty when not printed
 * @started: start time as printed, empty when not printed
 * @threads: 0 when not printed
 * @size: bytes per file, valid when @has_size
 * @write_size: bytes per write call, 0 when not printed
 * @sync_text: sync method as printed, empty when not printed
 * @dirs_text: subdirectory use as printed, empty when not printed
 * @args: what the echoed command line asked for, valid when @has_args
 * @rows: iterations seen; @n_rows of them
 * @has_summary: the newer fork's last lines were there
 * @average, @p50, @p90, @p99: files/s of those lines, NaN when not printed
 * @step: 0.1 x threads, the step in which files/s moves; NaN when threads are not known
 * @stop_line: number of the first line that was not understood, 0 when none
 * @stop_text: that line (cut to fit)
 * @note: one sentence for a person when something is wrong or missing, else empty
 */
struct r5s_fsmark {
	enum r5s_fsmark_state state;
	char version[24];
	char started[64];
	unsigned int threads;
	bool has_size;
	uint64_t size;
	uint64_t write_size;
	char sync_text[128];
	char dirs_text[192];
	bool has_args;
	struct r5s_fsmark_args args;
	struct r5s_fsmark_row *rows;
	size_t n_rows;
	bool has_summary;
	double average;
	double p50;
	double p90;
	double p99;
	double step;
	unsigned int stop_line;
	char stop_text[160];
	char note[320];

	/* Private to fsmark.c from here on. */
	unsigned int line;
	size_t line_len;
	bool line_cut;
	size_t rows_room;
	int column_at[R5S_FSMARK_COLUMNS];	/* first word of a column, -1 missing */
	int words;
	size_t header_len;
	char buf[R5S_FSMARK_LINE_MAX];
};

/**
 * r5s_fsmark_init - start with an empty output
 * @f: caller's memory, any content
 */
void r5s_fsmark_init(struct r5s_fsmark *f);

/**
 * r5s_fsmark_feed - give the next bytes of the output
 * @f: parser
 * @buf: bytes, any split, NUL bytes allowed
 * @len: their number
 *
 * A complete line is parsed at its newline, so rows appear as fs_mark prints them.
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_fsmark_feed(struct r5s_fsmark *f, const char *buf, size_t len);

/**
 * r5s_fsmark_finish - the output has ended
 * @f: parser
 *
 * A last line without its newline counts only when it is whole. Sets @note when the output was cut
 * short, held no table, or held text that is not fs_mark's.
 *
 * Return: 0 when the table is whole, 1 when @note says what is wrong, -ENOMEM.
 */
int r5s_fsmark_finish(struct r5s_fsmark *f);

/**
 * r5s_fsmark_free - give back what the parser holds
 * @f: parser, may be fed again only after r5s_fsmark_init()
 */
void r5s_fsmark_free(struct r5s_fsmark *f);

/**
 * r5s_fsmark_mean - mean of the rows' files/s, what the kernel test robot calls files_per_sec
 * @f: parser
 *
 * Return: files/s, NaN when there is no row.
 */
double r5s_fsmark_mean(const struct r5s_fsmark *f);

/**
 * r5s_fsmark_find - where fs_mark stands in a command line
 * @argc: number of words
 * @argv: words; a wrapper may stand before it, as in "numactl -N 0 fs_mark -d ..."
 *
 * Return: index of the first word whose last path component is fs_mark, -1 when there is none.
 */
int r5s_fsmark_find(int argc, char *const argv[]);

/**
 * r5s_fsmark_args_parse - read fs_mark's own command line the way fs_mark does
 * @a: filled in
 * @argc: number of words
 * @argv: words, argv[0] is the command; neither reordered nor changed
 * @why: on -EINVAL a sentence about the word that fs_mark would refuse; may be NULL
 * @why_len: its room
 *
 * Numbers are read as fs_mark reads them (a leading decimal number, so "4K" is 4).
 *
 * Return: 0; -EINVAL when fs_mark would refuse it; -ENOMEM. @a needs r5s_fsmark_args_free() in
 * every case.
 */
int r5s_fsmark_args_parse(struct r5s_fsmark_args *a, int argc, char *const argv[], char *why,
			  size_t why_len);

/**
 * r5s_fsmark_args_free - give back the directory list
 * @a: arguments
 */
void r5s_fsmark_args_free(struct r5s_fsmark_args *a);

/**
 * r5s_fsmark_sync_name - LKP's name of a sync method
 * @method: 0..6
 *
 * Return: e.g. "NoSync", "fsyncBeforeClose"; NULL when out of range.
 */
const char *r5s_fsmark_sync_name(int method);

/**
 * r5s_fsmark_call_name - "creat", "write", "fsync", "sync", "close", "unlink"
 * @call: which
 */
const char *r5s_fsmark_call_name(enum r5s_fsmark_call_id call);

#endif
