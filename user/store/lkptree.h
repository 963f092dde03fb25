/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP result trees: <commit>/<run>/stats.json and <commit>/matrix.json.
 */
#ifndef R5S_STORE_LKPTREE_H
#define R5S_STORE_LKPTREE_H

#include <stdbool.h>

#include "compare/matrix.h"

/** r5s_lkptree_is - is there something at @path that r5s_lkptree_read() would open? */
bool r5s_lkptree_is(const char *path);

/**
 * r5s_lkptree_read - a group from files
 * @m: filled in; to be freed in every case
 * @path: a commit's directory, one run's directory, a .json or .json.gz file, or several of
 *	these with commas between
 * @failed: on error the file that it concerns, to be given to free(); may be set to NULL
 *
 * A directory's run directories are read when they have a stats.json: there a missing value is
 * missing. Else its matrix.json is, where LKP has filled the front with 0.
 *
 * Return: 0, -ENOENT when there is no such file, -EBADMSG for one that is not LKP's, -ENOMEM.
 */
int r5s_lkptree_read(struct r5s_matrix *m, const char *path, char **failed);

/**
 * r5s_lkptree_write - a group as a commit's directory
 * @m: group
 * @dir: made when missing, its parent must be there
 *
 * Writes N/stats.json for each run, matrix.json, avg.json and stddev.json.
 *
 * Return: 0, or a negative errno.
 */
int r5s_lkptree_write(const struct r5s_matrix *m, const char *dir);

#endif
