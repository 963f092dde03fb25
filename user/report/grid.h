/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain tables in reports: dbench's average/high/low, tiobench's, iostat's.
 *
 * A grid is a struct r5s_result whose groups are the table's columns and whose rows are its lines.
 */
#ifndef R5S_REPORT_GRID_H
#define R5S_REPORT_GRID_H

#include "compare/result.h"
#include "report/line.h"

enum r5s_grid_kind {
	R5S_GRID_NONE,
	R5S_GRID_DBENCH,
	R5S_GRID_TIOBENCH,
	R5S_GRID_DEVICES,
	R5S_GRID_CPU
};

/** r5s_grid_header - which table does this line begin? */
enum r5s_grid_kind r5s_grid_header(const struct r5s_line *line);

/**
 * r5s_grid_open - columns from the header
 * @t: empty table of style R5S_RESULT_GRID
 * @kind: as r5s_grid_header() said
 * @line: the header
 * @context: what stood above it, may be NULL
 * @len: its bytes
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_grid_open(struct r5s_result *t, enum r5s_grid_kind kind, const struct r5s_line *line,
		  const char *context, size_t len);

/**
 * r5s_grid_row - a line of the table
 * @t: open grid
 * @line: words
 * @number: of the line in the report
 *
 * Return: 1 when it was one, 0 when not, -ENOMEM.
 */
int r5s_grid_row(struct r5s_result *t, const struct r5s_line *line, unsigned int number);

/** r5s_grid_context - can this line be what the next grid is about? A name or a sentence. */
bool r5s_grid_context(const struct r5s_line *line);

#endif
