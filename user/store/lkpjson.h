/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's JSON files: stats.json of one run, matrix.json of a commit, samples of one run.
 */
#ifndef R5S_STORE_LKPJSON_H
#define R5S_STORE_LKPJSON_H

#include <stddef.h>

#include "compare/matrix.h"

enum { R5S_LKPJSON_BYTES_MAX = 256 << 20 };	/* of one file, unpacked */

/**
 * r5s_lkpjson_load - a file's text, unpacked when it is gzip
 * @path: file
 * @text: to be given to free(), ended by NUL
 * @len: without the NUL
 *
 * Return: 0, -EFBIG above R5S_LKPJSON_BYTES_MAX, -EBADMSG for a broken gzip, -ENOMEM, or what
 * opening it gave.
 */
int r5s_lkpjson_load(const char *path, char **text, size_t *len);

/**
 * r5s_lkpjson_read - add what a JSON text holds to a group
 * @m: group
 * @text: any bytes
 * @len: their number
 * @source: where it comes from
 *
 * A flat object is one run. Arrays with "stats_source" (or without any "<monitor>.time") are a
 * commit's matrix, one column a run; arrays with it are samples of one run and become one number
 * each by LKP's rules. null and NaN are missing, so is what a short array lacks at its end. Text
 * values are passed over.
 *
 * Return: 0, -EBADMSG when it is none of these, -ENOMEM.
 */
int r5s_lkpjson_read(struct r5s_matrix *m, const char *text, size_t len, const char *source);

/**
 * r5s_lkpjson_write - a group as matrix.json
 * @m: group
 * @path: file; ending in .gz it is packed
 *
 * LKP knows no missing value: what is missing before a run's later value is written as 0, at the
 * end of a metric it is left out.
 *
 * Return: 0, or a negative errno.
 */
int r5s_lkpjson_write(const struct r5s_matrix *m, const char *path);

/**
 * r5s_lkpjson_run_write - one run as stats.json: what is missing is not there
 * @m: group
 * @run: column
 * @path: file
 */
int r5s_lkpjson_run_write(const struct r5s_matrix *m, size_t run, const char *path);

/** r5s_lkpjson_flat_write - avg.json and stddev.json: one figure per metric */
int r5s_lkpjson_flat_write(const struct r5s_matrix *m, double (*figure)(const double *x, size_t n),
			   const char *path);

#endif
