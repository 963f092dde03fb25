/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table over test cases: one row each, of what the workload achieved.
 */
#ifndef R5S_COMPARE_CASES_H
#define R5S_COMPARE_CASES_H

#include "compare/result.h"

/**
 * r5s_cases_add - one more test case
 * @summary: of style R5S_RESULT_SUMMARY; takes its groups from the first case
 * @one: comparison of two groups, with all its rows
 * @name: of the test case
 *
 * The row is fs_mark's files/s, else the first result whose direction is known.
 *
 * Return: 1 when a row was added, 0 when the case has no result, -ENOMEM.
 */
int r5s_cases_add(struct r5s_result *summary, const struct r5s_result *one, const char *name);

/**
 * r5s_cases_geo_mean - geometric means over the test cases, as below the robot's tables
 * @summary: table; rows without a value above 0 in both groups are passed over
 * @mean: one for each of the two groups, NaN when no row counts
 *
 * Return: rows that count.
 */
size_t r5s_cases_geo_mean(const struct r5s_result *summary, double mean[2]);

#endif
