/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three file rates, which are never confused.
 *
 * (a) fs_mark's own:  sum over threads of round(n_i / T_i, 0.1)       step 0.1 x threads
 * (b) writing window: files closed / (last close, or final sync, - first create)
 * (c) elapsed:        files / wall time of the command, unlinking and start-up included
 *
 * Everything is judged by (b); (c) is the fallback for runs that were only imported.
 */
#ifndef R5S_ANALYSIS_RATE_H
#define R5S_ANALYSIS_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum r5s_rate_kind {
	R5S_RATE_FSMARK,
	R5S_RATE_WINDOW,
	R5S_RATE_ELAPSED,
	R5S_RATE_KINDS
};

enum r5s_rate_warn {
	R5S_RATE_WARN_QUANTISED = 1 << 0,	/* (a) may be off by more than 1 % through rounding */
	R5S_RATE_WARN_APART = 1 << 1,		/* (a) overstates: threads finished far apart */
	R5S_RATE_WARN_COUNT = 1 << 2		/* the window saw another number of files than fs_mark */
};

/**
 * struct r5s_rate - one figure
 * @kind: which of the three
 * @label: its name for a table, a constant string
 * @files_per_sec: NaN when absent
 * @step: files/s in which the figure moves; NaN when it is not quantised or not known
 * @low: lowest true value that rounding allows, files/s; equals @files_per_sec without a step
 * @high: highest
 */
struct r5s_rate {
	enum r5s_rate_kind kind;
	const char *label;
	double files_per_sec;
	double step;
	double low;
	double high;
};

/**
 * struct r5s_rate_input - what is known of a run; leave out what is not
 * @fsmark_files_per_sec: as printed, mean over iterations; NaN when absent
 * @fsmark_files: files that fs_mark says it wrote; 0 when absent
 * @threads: 0 when absent
 * @window_files: files closed after writing inside the window; 0 when absent
 * @window_ns: first create to last close (or to the end of the final sync), summed over
 *	iterations; 0 when absent
 * @elapsed_ns: wall time of the command; 0 when absent
 */
struct r5s_rate_input {
	double fsmark_files_per_sec;
	uint64_t fsmark_files;
	unsigned int threads;
	uint64_t window_files;
	uint64_t window_ns;
	uint64_t elapsed_ns;
};

/**
 * struct r5s_rates - the three figures of a run
 * @rate: indexed by enum r5s_rate_kind
 * @judged: which one stands for the run: window, else elapsed, else fs_mark's own; -1 when none
 * @warn: enum r5s_rate_warn bits
 */
struct r5s_rates {
	struct r5s_rate rate[R5S_RATE_KINDS];
	int judged;
	unsigned int warn;
};

/**
 * r5s_rate_compute - the three figures from what is known
 * @in: facts
 * @out: filled in, figures that cannot be had are NaN
 *
 * A window or elapsed time of 0 makes its figure absent, not infinite.
 */
void r5s_rate_compute(const struct r5s_rate_input *in, struct r5s_rates *out);

/**
 * r5s_rate_step - step of fs_mark's sum
 * @threads: its threads
 *
 * Each thread prints its rate with one decimal, so the sum moves in steps of 0.1 x threads: every
 * thread's rate is off by up to 0.05.
 *
 * Return: files/s; NaN for 0 threads.
 */
double r5s_rate_step(unsigned int threads);

/**
 * r5s_rate_warn_text - a warning in one plain sentence
 * @warn: exactly one bit
 */
const char *r5s_rate_warn_text(enum r5s_rate_warn warn);

#endif
