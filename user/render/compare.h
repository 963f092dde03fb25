/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own table of a comparison, and the lines below any of them.
 */
#ifndef R5S_RENDER_COMPARE_H
#define R5S_RENDER_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include <json-c/json.h>

#include "analysis/compare.h"
#include "compare/result.h"

/**
 * r5s_compare_show_table - aligned for people
 * @r: table
 * @out: where to
 *
 * Return: 0, -ENOMEM, or -EIO.
 */
int r5s_compare_show_table(const struct r5s_result *r, FILE *out);

/**
 * r5s_compare_show_notes - a line for each thing that the robot's table would have got wrong
 * @r: table with the rows that were shown
 * @printed: the table came out of a report: the faults are in it, not corrected
 * @out: where to
 */
void r5s_compare_show_notes(const struct r5s_result *r, bool printed, FILE *out);

/**
 * r5s_compare_show_verdict - the sentences about what was and could have been shown
 * @r: table
 * @sum: figures
 * @o: options
 * @out: where to
 */
void r5s_compare_show_verdict(const struct r5s_result *r, const struct r5s_compare_summary *sum,
				const struct r5s_compare_options *o, FILE *out);

/**
 * r5s_compare_show_check - the rows of a report that do not add up, and fs_mark's steps
 * @r: table as read
 * @out: where to
 *
 * Return: rows that disagree.
 */
size_t r5s_compare_show_check(const struct r5s_result *r, FILE *out);

/**
 * r5s_compare_show_json - everything, keys as in struct r5s_result
 * @r: table
 * @sum: NULL for reports
 * @o: NULL for reports
 *
 * Return: an object, or NULL without memory.
 */
struct json_object *r5s_compare_show_json(const struct r5s_result *r,
					    const struct r5s_compare_summary *sum,
					    const struct r5s_compare_options *o);

#endif
