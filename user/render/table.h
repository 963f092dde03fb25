/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aligned text tables whose columns carry their units.
 */
#ifndef R5S_RENDER_TABLE_H
#define R5S_RENDER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum r5s_table_align {
	R5S_TABLE_RIGHT,
	R5S_TABLE_LEFT
};

/**
 * struct r5s_table_column - one column
 * @title: first header line
 * @unit: second header line; NULL or "" for a column that has none (names)
 * @align: of cells and header
 * @precision: digits after the point for numbers given as double
 * @width: least width in screen columns, 0 for what title and unit need. For r5s_table_follow()
 *	it should hold the widest value, because printed lines cannot be widened later.
 */
struct r5s_table_column {
	const char *title;
	const char *unit;
	enum r5s_table_align align;
	int precision;
	int width;
};

struct r5s_table;

/**
 * r5s_table_new - an empty table
 * @columns: copied
 * @n: their number, at least 1
 *
 * Return: the table, or NULL without memory.
 */
struct r5s_table *r5s_table_new(const struct r5s_table_column *columns, size_t n);
void r5s_table_free(struct r5s_table *t);

/*
 * Cells are added from left to right; after the last column the next cell starts a new row. A row
 * that r5s_table_row_end() ends early is filled with "-". A failed allocation is remembered and
 * returned by r5s_table_print().
 */
void r5s_table_text(struct r5s_table *t, const char *text);	/* NULL: "-" */
void r5s_table_u64(struct r5s_table *t, uint64_t value);
void r5s_table_i64(struct r5s_table *t, int64_t value);
void r5s_table_double(struct r5s_table *t, double value);	/* NaN: "-" */
void r5s_table_absent(struct r5s_table *t);			/* "-" */
void r5s_table_row_end(struct r5s_table *t);

/**
 * r5s_table_follow - print header and rows as they come instead of collecting them
 * @t: table without rows
 * @out: where to; flushed after every row
 */
void r5s_table_follow(struct r5s_table *t, FILE *out);

/**
 * r5s_table_print - print a collected table
 * @t: table
 * @out: where to
 *
 * On a terminal, left aligned columns are cut (with "~") until a line fits, never below 8 columns;
 * numbers are never cut. Anywhere else nothing is cut.
 *
 * Return: 0, -ENOMEM, or -EIO.
 */
int r5s_table_print(struct r5s_table *t, FILE *out);

/** r5s_table_width - columns of the terminal behind @out, 0 when it is none */
int r5s_table_width(FILE *out);

/** r5s_table_color - may escape sequences be sent? A terminal, TERM is not dumb, NO_COLOR unset */
bool r5s_table_color(FILE *out);

/**
 * r5s_table_escape - make a name from outside safe for a terminal
 * @text: any bytes
 * @len: their number
 *
 * Control characters, invisible and direction-changing characters and bytes that are not UTF-8
 * become \xHH or \u{HHHH}, a backslash becomes \\; so the result is one line and reads back exactly.
 *
 * Return: a string to free(), or NULL without memory.
 */
char *r5s_table_escape(const char *text, size_t len);

/**
 * r5s_table_visible - the same for a text that was put together from escaped names and our own words
 * @text: a line; backslashes stay as they are, so escaping it again changes nothing
 *
 * Return: a string to free(), or NULL without memory.
 */
char *r5s_table_visible(const char *text);

/** r5s_table_columns - screen columns that an escaped string takes */
size_t r5s_table_columns(const char *text);

#endif
