/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports pasted from a mail, read back into tables.
 */
#ifndef R5S_REPORT_REPORT_H
#define R5S_REPORT_REPORT_H

#include <stddef.h>

#include "compare/result.h"

/**
 * struct r5s_report - what was found
 * @result: tables in order
 * @n: their number
 * @lines: lines read
 * @strange: lines inside a table that are neither rows nor headers
 */
struct r5s_report {
	struct r5s_result *result;
	size_t n;
	unsigned int lines;
	unsigned int strange;
};

/**
 * r5s_report_parse - read a report
 * @out: to be freed with r5s_report_free() in every case
 * @text: any bytes
 * @len: their number
 *
 * Knows the robot's detail tables of both printers, its summary table, and the tables of dbench,
 * tiobench and iostat. Quoting with ">" is taken off, white space inside lines does not matter, "?"
 * may stand for the plus-minus sign, long keys may stand on the line after their row.
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_report_parse(struct r5s_report *out, const char *text, size_t len);
void r5s_report_free(struct r5s_report *r);

/**
 * r5s_report_pivot - a grid whose lines name what is compared, as a comparison
 * @grid: table of style R5S_RESULT_GRID
 * @out: one row per column and pair of lines; to be freed in every case
 *
 * The labels of the lines become the groups, in order of appearance. Changes are computed, because
 * such tables print none.
 *
 * Return: 0; -EINVAL when the lines do not form groups; -ENOMEM.
 */
int r5s_report_pivot(const struct r5s_result *grid, struct r5s_result *out);

#endif
