/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel test robot's tables, column for column.
 */
#ifndef R5S_RENDER_LKP_H
#define R5S_RENDER_LKP_H

#include <stdio.h>

#include "compare/result.h"

/**
 * r5s_lkp_print - print a table as the robot does
 * @r: table, its rows in the order wanted
 * @style: any but R5S_RESULT_OWN
 * @out: where to
 *
 * What a report printed is printed again; what was computed follows the style's own rules: values
 * and spreads are cut, not rounded, small spreads are left out. A percentage from a base of 0 is
 * "+inf%". A missing value is "-".
 *
 * Return: 0, or -EIO.
 */
int r5s_lkp_print(const struct r5s_result *r, enum r5s_result_style style, FILE *out);

/**
 * r5s_lkp_value - a mean as the style prints it
 * @row: its row
 * @mean: the number
 * @style: classic, classic-2016, modern-2017 or modern
 * @out: text
 * @room: bytes of @out
 */
void r5s_lkp_value(const struct r5s_result_row *row, double mean, enum r5s_result_style style,
		   char *out, size_t room);

/**
 * r5s_lkp_change - a change as the style prints it, without blanks around it
 * @cell: the head's cell
 * @style: as above
 * @out: text, "" where the style leaves a blank
 * @room: bytes of @out
 */
void r5s_lkp_change(const struct r5s_result_cell *cell, enum r5s_result_style style, char *out,
		    size_t room);

#endif
