/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of runs from the run store.
 */
#ifndef R5S_COMPARE_RUNS_H
#define R5S_COMPARE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/matrix.h"
#include "store/store.h"

/**
 * struct r5s_runs - the runs of one or more stores, with what was recorded about them
 * @item: runs
 * @n: their number
 * @error: a sentence about the last failure, "" when none
 */
struct r5s_runs {
	struct r5s_runs_item {
		struct r5s_store *store;	/* belongs to the list below */
		const struct r5s_store_run *run;
		struct r5s_store_settings settings;
	} *item;
	size_t n;
	char error[512];

	/* Private to runs.c. */
	struct r5s_store **store;
	struct r5s_store_runs *list;
	size_t stores;
};

/**
 * r5s_runs_open - add the runs of a store
 * @r: zeroed before the first
 * @path: file, NULL for the usual one
 *
 * Return: 0, or a negative errno and @r->error.
 */
int r5s_runs_open(struct r5s_runs *r, const char *path);
void r5s_runs_close(struct r5s_runs *r);

/**
 * r5s_runs_value - a fact of a run
 * @item: run
 * @key: host, kernel, array, status, command, note, module, tool, cwd, db, or any setting's key
 *
 * Return: NULL when the run has none.
 */
const char *r5s_runs_value(const struct r5s_runs_item *item, const char *key);

/**
 * r5s_runs_select - does a run belong to a group?
 * @item: run
 * @what: "3", "2-5", "last", a uuid (4 characters or more of it), "key=pattern", or several with
 *	commas: numbers are alternatives, each key=pattern must fit
 * @last: number of the newest run of its store
 *
 * Patterns are the shell's.
 */
bool r5s_runs_select(const struct r5s_runs_item *item, const char *what, int64_t last);

/**
 * r5s_runs_group - the runs that @what selects, as a group
 * @r: runs
 * @what: as above; NULL takes all
 * @key: and whose fact @key is exactly @value; NULL: no such condition
 * @value: see there
 * @incomplete: take runs that did not end well, too
 * @m: filled in; to be freed in every case
 * @threads: set to fs_mark's threads when all runs agree, else 0
 * @left_out: runs that were selected and not taken
 *
 * Gauges become their mean over time, counters what they grew by; fs_mark's rows and the recorded
 * writing windows become fsmark.files_per_sec, fsmark.app_overhead and files_per_sec.true.
 *
 * Return: 0, -ENOENT when no run fits, or another negative errno and @r->error.
 */
int r5s_runs_group(struct r5s_runs *r, const char *what, const char *key, const char *value,
		   bool incomplete, struct r5s_matrix *m, unsigned int *threads, size_t *left_out);

/**
 * r5s_runs_values - the different values of a fact
 * @r: runs
 * @what: of the runs that this selects; NULL takes all
 * @key: fact
 * @value: pointers into @r, oldest run first; to be given to free()
 *
 * Return: their number, or -ENOMEM.
 */
long r5s_runs_values(const struct r5s_runs *r, const char *what, const char *key,
		     const char ***value);

#endif
