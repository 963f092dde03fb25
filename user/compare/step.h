/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs_mark adds up per-thread rates that were each rounded to 0.1 files/s. What that can hide.
 */
#ifndef R5S_COMPARE_STEP_H
#define R5S_COMPARE_STEP_H

#include <stdint.h>

#include "compare/result.h"

/**
 * struct r5s_step_case - what a test case's name says
 * @threads: 0 when it does not
 * @files: files written in all, 0 when not known
 */
struct r5s_step_case {
	unsigned int threads;
	uint64_t files;
};

/**
 * r5s_step_case_parse - from LKP's names
 * @out: filled in
 * @name: "ivb44/fsmark/1x-64t-3HDD-RAID5-ext4-4M-40G-fsyncBeforeClose", or the values of @axes
 * @axes: "commit/.../nr_threads/...", or NULL
 *
 * Files = test size / file size / threads / iterations, whole, times threads and iterations: LKP's
 * own arithmetic.
 */
void r5s_step_case_parse(struct r5s_step_case *out, const char *name, const char *axes);

/** r5s_step_is_rate - is it fs_mark's own files/s? */
int r5s_step_is_rate(const char *key);

/**
 * r5s_step_mark - mark the rows of fs_mark's files/s
 * @r: table; a summary's rows carry their test case in their key
 * @threads: when the names do not say, 0 when not known
 *
 * Sets @step, @on_step, @step_decides, and the true rate beside: from a row of our own that has it,
 * else files / elapsed time where the name says how many files there were.
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_step_mark(struct r5s_result *r, unsigned int threads);

#endif
