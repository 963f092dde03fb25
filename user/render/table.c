// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables. Every cell is escaped when it is added, so nothing that reaches the terminal came from
 * outside unseen.
 */
#include "render/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "render/utf8.h"

enum {
	GAP = 2,
	LEAST_TEXT = 8	/* a cut text column keeps this much */
};

struct column {
	char *title;
	char *unit;
	enum r5s_table_align align;
	int precision;
	size_t width;
};

struct r5s_table {
	struct column *column;
	size_t n_columns;
	char **cell;
	size_t n_cells;
	size_t room;
	FILE *follow;
	bool header_done;
	bool no_memory;
};

static char *escape(const char *text, size_t len, bool backslash)
{
	char *out = malloc(10 * len + 1);
	size_t to = 0;

	if (!out)
		return NULL;
	for (size_t at = 0; at < len;) {
		uint32_t c;
		size_t n = r5s_utf8_next(text + at, len - at, &c);

		if (!n) {
			to += (size_t)sprintf(out + to, "\\x%02x", (unsigned char)text[at]);
			at++;
			continue;
		}
		if (backslash && c == '\\')
			to += (size_t)sprintf(out + to, "\\\\");
		else if (r5s_utf8_width(c) >= 0)
			for (size_t i = 0; i < n; i++)
				out[to++] = text[at + i];
		else if (c < 0x80)
			to += (size_t)sprintf(out + to, "\\x%02x", c);
		else
			to += (size_t)sprintf(out + to, "\\u{%x}", c);
		at += n;
	}
	out[to] = '\0';
	return out;
}

char *r5s_table_escape(const char *text, size_t len)
{
	return escape(text, len, true);
}

char *r5s_table_visible(const char *text)
{
	return escape(text, strlen(text), false);
}

size_t r5s_table_columns(const char *text)
{
	size_t len = strlen(text), columns = 0;

	for (size_t at = 0; at < len;) {
		uint32_t c;
		size_t n = r5s_utf8_next(text + at, len - at, &c);
		int width = n ? r5s_utf8_width(c) : 1;

		columns += width > 0 ? (size_t)width : 0;
		at += n ? n : 1;
	}
	return columns;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

struct r5s_table *r5s_table_new(const struct r5s_table_column *columns, size_t n)
{
	struct r5s_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->column = calloc(n, sizeof(*t->column));
	if (!t->column) {
		free(t);
		return NULL;
	}
	t->n_columns = n;
	for (size_t i = 0; i < n; i++) {
		struct column *c = &t->column[i];
		const char *unit = columns[i].unit ? columns[i].unit : "";

		c->title = r5s_table_escape(columns[i].title, strlen(columns[i].title));
		c->unit = r5s_table_escape(unit, strlen(unit));
		c->align = columns[i].align;
		c->precision = columns[i].precision;
		if (!c->title || !c->unit) {
			r5s_table_free(t);
			return NULL;
		}
		c->width = larger(r5s_table_columns(c->title), r5s_table_columns(c->unit));
		if (columns[i].width > 0)
			c->width = larger(c->width, (size_t)columns[i].width);
	}
	return t;
}

static void drop_cells(struct r5s_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cell[i]);
	t->n_cells = 0;
}

void r5s_table_free(struct r5s_table *t)
{
	if (!t)
		return;
	drop_cells(t);
	for (size_t i = 0; i < t->n_columns; i++) {
		free(t->column[i].title);
		free(t->column[i].unit);
	}
	free(t->column);
	free(t->cell);
	free(t);
}

/* Prints @text in @width columns, cut with "~" when it is wider and may be cut. */
static void put_cell(FILE *out, const char *text, size_t width, enum r5s_table_align align, bool last)
{
	size_t columns = r5s_table_columns(text);
	size_t pad = columns < width ? width - columns : 0;
	size_t len = strlen(text), used = 0, at = 0;

	if (align == R5S_TABLE_RIGHT)
		fprintf(out, "%*s", (int)pad, "");
	if (align == R5S_TABLE_RIGHT || columns <= width) {
		fputs(text, out);
	} else {
		while (at < len) {
			uint32_t c;
			size_t n = r5s_utf8_next(text + at, len - at, &c);
			int w = n ? r5s_utf8_width(c) : 1;

			if (used + (size_t)(w > 0 ? w : 0) > width - 1)
				break;
			used += (size_t)(w > 0 ? w : 0);
			at += n ? n : 1;
		}
		fwrite(text, 1, at, out);
		fprintf(out, "~%*s", (int)(width - used - 1), "");
	}
	if (align == R5S_TABLE_LEFT && !last)
		fprintf(out, "%*s", (int)pad, "");
}

static void put_row(const struct r5s_table *t, FILE *out, char *const *cell, const size_t *width)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		if (i)
			fprintf(out, "%*s", GAP, "");
		put_cell(out, cell[i], width[i], t->column[i].align, i + 1 == t->n_columns);
	}
	putc('\n', out);
}

static void put_header(const struct r5s_table *t, FILE *out, const size_t *width, char **line)
{
	bool color = r5s_table_color(out), units = false;

	for (size_t i = 0; i < t->n_columns; i++) {
		line[i] = t->column[i].title;
		units |= t->column[i].unit[0] != '\0';
	}
	if (color)
		fputs("\033[1m", out);
	put_row(t, out, line, width);
	for (size_t i = 0; i < t->n_columns; i++)
		line[i] = t->column[i].unit;
	if (units)
		put_row(t, out, line, width);
	if (color)
		fputs("\033[0m", out);
}

/* Takes columns away from the widest text until a line fits the terminal. */
static void fit(const struct r5s_table *t, FILE *out, size_t *width)
{
	size_t room = (size_t)r5s_table_width(out);

	if (!room)
		return;
	for (;;) {
		size_t total = 0, widest = t->n_columns;

		for (size_t i = 0; i < t->n_columns; i++) {
			total += width[i] + (i ? GAP : 0);
			if (t->column[i].align == R5S_TABLE_LEFT && width[i] > LEAST_TEXT &&
			    (widest == t->n_columns || width[i] > width[widest]))
				widest = i;
		}
		if (total <= room || widest == t->n_columns)
			return;
		width[widest]--;
	}
}

/* Header when it is due, then the rows; they are let go when following. */
static int print_rows(struct r5s_table *t, FILE *out)
{
	size_t *width = calloc(t->n_columns, sizeof(*width));
	char **line = calloc(t->n_columns, sizeof(*line));
	int err = 0;

	if (!width || !line) {
		err = -ENOMEM;
		goto out_free;
	}
	for (size_t i = 0; i < t->n_columns; i++)
		width[i] = t->column[i].width;
	for (size_t i = 0; i < t->n_cells; i++) {
		size_t *w = &width[i % t->n_columns];

		*w = larger(*w, r5s_table_columns(t->cell[i]));
	}
	fit(t, out, width);
	if (!t->header_done)
		put_header(t, out, width, line);
	for (size_t i = 0; i + t->n_columns <= t->n_cells; i += t->n_columns)
		put_row(t, out, t->cell + i, width);
	if (t->follow) {
		t->header_done = true;
		/* A row that needed more room leaves it to the rows after it. */
		for (size_t i = 0; i < t->n_columns; i++)
			t->column[i].width = larger(t->column[i].width, width[i]);
		drop_cells(t);
		fflush(out);
	}
	if (ferror(out))
		err = -EIO;
out_free:
	free(width);
	free(line);
	return err;
}

/* Takes over @text. */
static void add(struct r5s_table *t, char *text)
{
	if (text && t->n_cells == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		void *p = reallocarray(t->cell, room, sizeof(*t->cell));

		if (!p) {
			free(text);
			text = NULL;
		} else {
			t->cell = p;
			t->room = room;
		}
	}
	if (!text) {
		t->no_memory = true;
		return;
	}
	t->cell[t->n_cells++] = text;
	if (t->follow && t->n_cells == t->n_columns)
		print_rows(t, t->follow);
}

void r5s_table_text(struct r5s_table *t, const char *text)
{
	if (text)
		add(t, r5s_table_escape(text, strlen(text)));
	else
		r5s_table_absent(t);
}

void r5s_table_absent(struct r5s_table *t)
{
	add(t, strdup("-"));
}

void r5s_table_u64(struct r5s_table *t, uint64_t value)
{
	char *text;

	add(t, asprintf(&text, "%" PRIu64, value) < 0 ? NULL : text);
}

void r5s_table_i64(struct r5s_table *t, int64_t value)
{
	char *text;

	add(t, asprintf(&text, "%" PRId64, value) < 0 ? NULL : text);
}

void r5s_table_double(struct r5s_table *t, double value)
{
	const struct column *c = &t->column[t->n_cells % t->n_columns];
	char *text;

	if (isnan(value)) {
		r5s_table_absent(t);
		return;
	}
	add(t, asprintf(&text, "%.*f", c->precision, value) < 0 ? NULL : text);
}

void r5s_table_row_end(struct r5s_table *t)
{
	while (t->n_cells % t->n_columns && !t->no_memory)
		r5s_table_absent(t);
}

void r5s_table_follow(struct r5s_table *t, FILE *out)
{
	t->follow = out;
	print_rows(t, out);
}

int r5s_table_print(struct r5s_table *t, FILE *out)
{
	r5s_table_row_end(t);
	if (t->no_memory)
		return -ENOMEM;
	return print_rows(t, out);
}

int r5s_table_width(FILE *out)
{
	const char *env = getenv("COLUMNS");
	struct winsize ws;
	int fd = fileno(out), width;

	if (fd < 0 || !isatty(fd))
		return 0;
	width = env ? atoi(env) : 0;
	if (width > 0)
		return width;
	if (!ioctl(fd, TIOCGWINSZ, &ws) && ws.ws_col)
		return ws.ws_col;
	return 80;
}

bool r5s_table_color(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	int fd = fileno(out);

	if (no && *no)
		return false;
	return fd >= 0 && isatty(fd) && term && *term && strcmp(term, "dumb");
}
