/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorded run in the figures that its report shows. It is made from the store alone, so a run
 * whose recorder was killed has one, too.
 */
#ifndef R5S_RECORD_SUMMARY_H
#define R5S_RECORD_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/correlate.h"
#include "analysis/rate.h"
#include "metric.h"
#include "store/store.h"
#include "workload/fsmark.h"

/* Settings of a run that the recorder writes and the summary reads. */
#define R5S_SUMMARY_START "command.start_t_ns"
#define R5S_SUMMARY_ELAPSED "command.elapsed_ns"
#define R5S_SUMMARY_WINDOWS "files.windows"
#define R5S_SUMMARY_WINDOW_FILES "files.window_files"
#define R5S_SUMMARY_WINDOW_NS "files.window_ns"
#define R5S_SUMMARY_CREATES "files.sees_creates"
#define R5S_SUMMARY_OVERFLOW "files.overflow"
#define R5S_SUMMARY_NO_FILES "files.absent_since"
#define R5S_SUMMARY_PAGE "page_size"

enum r5s_summary_column {
	R5S_SUMMARY_FILES,
	R5S_SUMMARY_SIZE,
	R5S_SUMMARY_FLOOR,
	R5S_SUMMARY_ACTIVE,
	R5S_SUMMARY_WAITS,
	R5S_SUMMARY_WAIT_MS,
	R5S_SUMMARY_FULL,
	R5S_SUMMARY_RCW,
	R5S_SUMMARY_RMW,
	R5S_SUMMARY_DIRTY,
	R5S_SUMMARY_WRITEBACK,
	R5S_SUMMARY_SHRUNK,
	R5S_SUMMARY_COLUMNS
};

/**
 * struct r5s_summary_total - what a counter counted during the run
 * @seen: it was there at least twice
 * @delta: last value less first one; of the pieces, where it was restarted
 */
struct r5s_summary_total {
	bool seen;
	double delta;
};

/**
 * struct r5s_summary_range - least and largest value of a gauge
 */
struct r5s_summary_range {
	bool seen;
	double min;
	double max;
};

/**
 * struct r5s_summary - everything
 * @runs: exactly one run
 * @start_t_ns: t_ns at which the command started
 * @end_t_ns: t_ns of the last thing recorded
 * @rates: the three figures
 * @fsmark: its output, parsed again
 * @fsmark_args: of the command line, valid when @has_fsmark
 * @has_fsmark: the command is fs_mark
 * @window_estimated: the window comes from the live series: exact to one sample
 * @step_s: seconds a line
 * @n_lines: lines
 * @t_s: end of each line, seconds since the command started
 * @column: NaN where absent
 * @total: by metric
 * @size: range of cache.size
 * @sysfs: range of what sysfs said
 * @corr: one result for each array metric that could be looked at, best first
 * @n_corr: number of these
 * @flat: metrics that did not change
 * @too_short: metrics that had too few independent samples
 * @need_s: how long the run would have to be for the least of these, NaN when unknown
 * @corr_period_s: distance of two samples, seconds
 * @no_rate: there is no live file rate to compare with
 */
struct r5s_summary {
	struct r5s_store_runs runs;
	struct r5s_store_settings settings;
	struct r5s_store_events events;
	int64_t start_t_ns;
	int64_t end_t_ns;
	struct r5s_rates rates;
	struct r5s_rate_input input;
	struct r5s_fsmark fsmark;
	struct r5s_fsmark_args fsmark_args;
	bool has_fsmark;
	bool window_estimated;
	uint64_t windows;
	double step_s;
	size_t n_lines;
	double *t_s;
	double *column[R5S_SUMMARY_COLUMNS];
	struct r5s_summary_total total[R5S_METRICS];
	bool seen[R5S_METRICS];
	struct r5s_summary_range size;
	struct r5s_summary_range bytes;
	struct r5s_summary_range sysfs;
	struct r5s_correlate_result *corr;	/* tag: enum r5s_metric */
	size_t n_corr;
	bool flat[R5S_METRICS];
	bool too_short[R5S_METRICS];
	double need_s;
	double corr_period_s;
	bool no_rate;
};

/** struct r5s_summary_title - how a column is called */
struct r5s_summary_title {
	const char *key;	/* in JSON */
	const char *title;
	const char *unit;
	int precision;
	int width;
};

extern const struct r5s_summary_title r5s_summary_titles[R5S_SUMMARY_COLUMNS];

/**
 * r5s_summary_make - read a run
 * @s: result, to be given to r5s_summary_free() in every case
 * @store: open store
 * @run: number, "last" or uuid
 * @every_s: seconds a line, above 0
 *
 * Return: 0, or a negative errno (of the store: r5s_store_error() says it in words).
 */
int r5s_summary_make(struct r5s_summary *s, struct r5s_store *store, const char *run,
		     double every_s);

/** r5s_summary_setting - a setting's value, NULL when there is none */
const char *r5s_summary_setting(const struct r5s_summary *s, const char *key);

void r5s_summary_free(struct r5s_summary *s);

#endif
