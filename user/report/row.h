/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of the robot's tables, from words to numbers.
 */
#ifndef R5S_REPORT_ROW_H
#define R5S_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/result.h"
#include "report/line.h"

enum { R5S_ROW_ITEMS = R5S_LINE_WORDS };

/* A value with its spread, or a change. */
struct r5s_row_item {
	double number;
	double spread;
	int decimals;
	bool percent;
	bool ratio;
	size_t fails;
	size_t runs;
};

/**
 * struct r5s_row - the numbers of a line
 * @item: in order
 * @n: their number
 * @key: index of the word behind them, the number of words when there is none
 */
struct r5s_row {
	struct r5s_row_item item[R5S_ROW_ITEMS];
	size_t n;
	size_t key;
};

/**
 * r5s_row_read - the numbers at the start of a line
 * @row: filled in
 * @line: words
 *
 * Return: is it a row: at least two numbers, then nothing or one word?
 */
bool r5s_row_read(struct r5s_row *row, const struct r5s_line *line);

/**
 * r5s_row_store - give the numbers to the groups
 * @row: numbers
 * @cell: of @groups groups, as r5s_result_row_add() made them
 * @groups: their number
 * @failure: set when it is a row of fails:runs
 *
 * Return: do they fit?
 */
bool r5s_row_store(const struct r5s_row *row, struct r5s_result_cell *cell, size_t groups,
		   bool *failure);

/**
 * r5s_row_summary - a row of the table over test cases
 * @line: words
 * @cell: two cells
 *
 * Return: is it one?
 */
bool r5s_row_summary(const struct r5s_line *line, struct r5s_result_cell *cell);

#endif
