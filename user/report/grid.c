// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/grid.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { KEY_MAX = 512 };

/* tiobench's header spreads over two lines; these are their columns together. */
static const char *const tiobench[] = { "threads", "rate", "cpu%", "avg-latency", "max-latency",
					"latency-over-2s%", "latency-over-10s%", "cpu-efficiency" };

enum { TIOBENCH = sizeof(tiobench) / sizeof(tiobench[0]) };

enum r5s_grid_kind r5s_grid_header(const struct r5s_line *line)
{
	if (line->n == 6 && r5s_line_is(line, 0, "dbench") &&
	    line->word[1].kind == R5S_LINE_NUMBER && r5s_line_is(line, 3, "Average"))
		return R5S_GRID_DBENCH;
	if (line->n == 9 && r5s_line_is(line, 0, "Kernel") && r5s_line_is(line, 1, "Thr"))
		return R5S_GRID_TIOBENCH;
	if (line->n > 3 && line->n <= R5S_LINE_WORDS &&
	    (r5s_line_is(line, 0, "Device:") || r5s_line_is(line, 0, "Device")))
		return R5S_GRID_DEVICES;
	if (line->n > 3 && line->n <= R5S_LINE_WORDS && r5s_line_is(line, 0, "avg-cpu:"))
		return R5S_GRID_CPU;
	return R5S_GRID_NONE;
}

int r5s_grid_open(struct r5s_result *t, enum r5s_grid_kind kind, const struct r5s_line *line,
		  const char *context, size_t len)
{
	size_t from = kind == R5S_GRID_DBENCH ? 3 : 1;
	char name[KEY_MAX];
	int err = 0;

	t->head = strndup(line->text, line->len);
	if (context)
		t->testcase = strndup(context, len);
	if (!t->head || (context && !t->testcase))
		return -ENOMEM;
	if (kind == R5S_GRID_TIOBENCH) {
		for (size_t i = 0; !err && i < TIOBENCH; i++)
			err = r5s_result_group_add(t, tiobench[i], NULL, 0);
		return err;
	}
	for (size_t i = from; !err && i < line->n; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)line->word[i].len, line->word[i].at);
		err = r5s_result_group_add(t, name, NULL, 0);
	}
	return err;
}

int r5s_grid_row(struct r5s_result *t, const struct r5s_line *line, unsigned int number)
{
	size_t label = line->n == t->groups + 1 ? 1 : 0;
	struct r5s_result_row *row;
	char name[KEY_MAX] = "";

	if (line->n != t->groups + label || line->n > R5S_LINE_WORDS || t->groups < 2)
		return 0;
	for (size_t i = label; i < line->n; i++)
		if (line->word[i].kind != R5S_LINE_NUMBER && line->word[i].kind != R5S_LINE_PERCENT)
			return 0;
	if (label && line->word[0].kind != R5S_LINE_TEXT)
		return 0;
	if (label)
		snprintf(name, sizeof(name), "%.*s", (int)line->word[0].len, line->word[0].at);
	row = r5s_result_row_add(t, name);
	if (!row)
		return -ENOMEM;
	row->line = number;
	for (size_t g = 0; g < t->groups; g++) {
		const struct r5s_line_word *w = &line->word[g + label];

		row->cell[g].mean = w->number;
		row->cell[g].decimals = w->decimals;
		row->cell[g].percent_sign = w->kind == R5S_LINE_PERCENT;
		row->real |= w->decimals > 0;
	}
	return 1;
}

bool r5s_grid_context(const struct r5s_line *line)
{
	if (!line->n || line->len >= KEY_MAX / 2 || !isalpha((unsigned char)line->text[0]))
		return false;
	for (size_t i = 0; i < line->n && i < R5S_LINE_WORDS; i++) {
		const char *s = line->word[i].at;

		if (line->word[i].kind != R5S_LINE_TEXT &&
		    line->word[i].kind != R5S_LINE_NUMBER && line->word[i].len > 1)
			return false;
		if (*s == '=' || *s == '+' || memchr(s, '%', line->word[i].len))
			return false;
	}
	return true;
}

/* "ext3 dbench.192" or "Random Reads reiserfs ..." and a column, as one key. */
static void key_make(char *out, size_t room, const struct r5s_result *t, const char *column,
		     double threads)
{
	char context[KEY_MAX / 2] = "";
	size_t n = 0, words = 0;

	for (const char *s = t->testcase ? t->testcase : ""; *s && n + 1 < sizeof(context); s++) {
		/* The first two words name the pass, the rest is prose. */
		if (*s == ' ' && ++words == 2)
			break;
		context[n++] = *s == ' ' ? '-' : (char)tolower((unsigned char)*s);
	}
	context[n] = '\0';
	if (!strncmp(t->head, "dbench ", 7))
		snprintf(out, room, "dbench.%s.%dp.%s", context, atoi(t->head + 7), column);
	else if (isnan(threads))
		snprintf(out, room, "%s.%s", context, column);
	else
		snprintf(out, room, "tiobench.%s.%.0ft.%s", context, threads, column);
	for (char *s = out; *s; s++)
		*s = (char)tolower((unsigned char)*s);
}

static const struct r5s_result_row *line_get(const struct r5s_result *t, const char *label,
					     double threads)
{
	for (size_t i = 0; i < t->rows; i++)
		if (!strcmp(t->row[i].key, label) &&
		    (isnan(threads) || t->row[i].cell[0].mean == threads))
			return &t->row[i];
	return NULL;
}

static int pivot_line(const struct r5s_result *t, struct r5s_result *out,
		      const struct r5s_result_row *first, bool threaded)
{
	double threads = threaded ? first->cell[0].mean : NAN;

	for (size_t c = threaded ? 1 : 0; c < t->groups; c++) {
		char key[KEY_MAX];
		struct r5s_result_row *row;

		key_make(key, sizeof(key), t, t->group[c].name, threads);
		row = r5s_result_row_add(out, key);
		if (!row)
			return -ENOMEM;
		row->real = first->cell[c].decimals > 0;
		row->line = first->line;
		for (size_t g = 0; g < out->groups; g++) {
			const struct r5s_result_row *from = line_get(t, out->group[g].name,
								     threads);
			struct r5s_result_cell *cell = &row->cell[g];

			if (!from)
				continue;
			cell->mean = from->cell[c].mean;
			cell->decimals = from->cell[c].decimals;
			if (!g)
				continue;
			r5s_result_change(row, g, R5S_RESULT_OWN, cell);
		}
	}
	return 0;
}

int r5s_report_pivot(const struct r5s_result *grid, struct r5s_result *out)
{
	bool threaded = grid->groups && !strcmp(grid->group[0].name, "threads");
	int err = 0;

	r5s_result_init(out, R5S_RESULT_OWN);
	if (grid->style != R5S_RESULT_GRID || !grid->rows || strstr(grid->head, "Device") ||
	    strstr(grid->head, "avg-cpu"))
		return -EINVAL;
	if (grid->testcase) {
		out->testcase = strdup(grid->testcase);
		if (!out->testcase)
			return -ENOMEM;
	}
	for (size_t i = 0; !err && i < grid->rows; i++) {
		size_t g = 0;

		while (g < out->groups && strcmp(out->group[g].name, grid->row[i].key))
			g++;
		if (g == out->groups)
			err = r5s_result_group_add(out, grid->row[i].key, NULL, 0);
	}
	if (!err && out->groups < 2)
		err = -EINVAL;
	for (size_t i = 0; !err && i < grid->rows; i++)
		if (!strcmp(grid->row[i].key, out->group[0].name))
			err = pivot_line(grid, out, &grid->row[i], threaded);
	return err;
}
