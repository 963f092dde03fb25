/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorded series of a run, looked at line by line.
 *
 * A metric is asked for by name. When the array was stopped and assembled again while the run went
 * on, its pieces stand one behind the other.
 */
#ifndef R5S_RECORD_SERIES_H
#define R5S_RECORD_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct r5s_series {
	struct r5s_store_tracks tracks;
	struct r5s_store_series *series;
};

int r5s_series_load(struct r5s_series *all, struct r5s_store *store, int64_t run);
void r5s_series_free(struct r5s_series *all);

/**
 * r5s_series_count - lines between two times
 * @start_t_ns: begin of the first line
 * @end_t_ns: end of the last one
 * @step_s: seconds a line, above 0
 *
 * A rest of less than a fifth of a line is left out, unless it is all there is.
 */
size_t r5s_series_count(int64_t start_t_ns, int64_t end_t_ns, double step_s);

/**
 * r5s_series_lines - a metric, line by line
 * @all: series
 * @metric: name
 * @start_t_ns: begin of the first line
 * @end_t_ns: the last line ends here at the latest
 * @step_s: seconds a line
 * @out: a gauge's value at the line's end, a counter's rate per second over the line; NaN where
 *	absent
 * @n: lines
 */
void r5s_series_lines(const struct r5s_series *all, const char *metric, int64_t start_t_ns,
		      int64_t end_t_ns, double step_s, double *out, size_t n);

/** r5s_series_flat - does it never change (or is it never there)? */
bool r5s_series_flat(const double *v, size_t n);

/** r5s_series_range - least and largest value; @seen: there is one at all */
void r5s_series_range(const struct r5s_series *all, const char *metric, bool *seen, double *min,
		      double *max);

/** r5s_series_total - by how much a counter grew; false when it was there less than twice */
bool r5s_series_total(const struct r5s_series *all, const char *metric, double *delta);

/**
 * r5s_series_growth - when a counter grew first and last
 * @all: series
 * @metric: name
 * @first_t_ns: one sample before the first growth
 * @last_t_ns: the last growth
 * @delta: by how much in all
 *
 * Return: false when it never grew.
 */
bool r5s_series_growth(const struct r5s_series *all, const char *metric, int64_t *first_t_ns,
		       int64_t *last_t_ns, double *delta);

#endif
