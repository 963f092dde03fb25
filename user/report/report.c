// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/grid.h"
#include "report/line.h"
#include "report/row.h"

enum { DASHES_MODERN = 27, GROUPS_MAX = 8 };

/*
 * What the lines before a table said. A table begins with its header; its rows may come much later
 * or never, so these wait here.
 */
struct reader {
	struct r5s_report *out;
	struct r5s_result *open;	/* table that takes rows, NULL when none */
	struct r5s_row waiting;		/* numbers whose key is on the next line */
	bool is_waiting;
	bool small_whole;		/* a whole number below 1000 was printed without decimals */
	bool old_header;		/* "change" without a percent sign */
	bool failures;			/* a "fail:runs" header */
	size_t dashes;			/* width of the head's dashes, 0 when not seen */
	char *testcase;
	char *axes;
	char *values;
	bool values_next;
	char *name[GROUPS_MAX];		/* of the columns */
	char *title[GROUPS_MAX];
	size_t names;
	bool commits_next;		/* the commit list of the modern header */
	struct r5s_line last;		/* the line before */
};

static void names_drop(struct reader *r)
{
	for (size_t i = 0; i < r->names; i++) {
		free(r->name[i]);
		free(r->title[i]);
		r->name[i] = NULL;
		r->title[i] = NULL;
	}
	r->names = 0;
}

static int set(char **to, const char *text, size_t len)
{
	free(*to);
	*to = strndup(text, len);
	return *to ? 0 : -ENOMEM;
}

static int name_add(struct reader *r, const char *text, size_t len)
{
	if (r->names == GROUPS_MAX)
		return 0;
	r->name[r->names] = strndup(text, len);
	return r->name[r->names++] ? 0 : -ENOMEM;
}

/* The printer shows itself only in its rows. */
static void close_table(struct reader *r)
{
	struct r5s_result *t = r->open;
	bool spreads = false, small_spread = false;

	r->open = NULL;
	r->is_waiting = false;
	if (!t || t->style == R5S_RESULT_SUMMARY || t->style == R5S_RESULT_GRID)
		return;
	for (size_t i = 0; i < t->rows; i++) {
		for (size_t g = 0; g < t->groups; g++) {
			const struct r5s_result_cell *c = &t->row[i].cell[g];

			spreads |= c->spread_printed;
			small_spread |= c->spread_printed && c->spread < 2;
		}
	}
	if (r->old_header)
		t->style = R5S_RESULT_CLASSIC_2016;
	else if (r->small_whole || (r->dashes && r->dashes < DASHES_MODERN && !r->failures))
		t->style = R5S_RESULT_CLASSIC;
	else
		t->style = small_spread && spreads ? R5S_RESULT_MODERN_2017 : R5S_RESULT_MODERN;
}

static int open_table(struct reader *r, enum r5s_result_style style)
{
	struct r5s_result *p;
	int err = 0;

	close_table(r);
	p = realloc(r->out->result, (r->out->n + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	r->out->result = p;
	r->open = &p[r->out->n++];
	r5s_result_init(r->open, style);
	r->small_whole = false;
	for (size_t i = 0; !err && i < r->names; i++)
		err = r5s_result_group_add(r->open, r->name[i], r->title[i], 0);
	if (!err && r->open->groups < 1)
		err = r5s_result_group_add(r->open, "base", NULL, 0);
	if (!err && r->open->groups < 2)
		err = r5s_result_group_add(r->open, "head", NULL, 0);
	r->open->testcase = r->testcase;
	r->open->axes = r->axes;
	r->open->values = r->values;
	r->testcase = r->axes = r->values = NULL;
	return err;
}

/* "5e56dfbd83 ("subject")" or a bare commit below "commit:". */
static int commit(struct reader *r, const struct r5s_line *line)
{
	const char *from = memchr(line->text, '(', line->len);
	size_t name = from ? (size_t)(from - line->text) : line->len;
	int err;

	while (name && (line->text[name - 1] == ' ' || line->text[name - 1] == '\t'))
		name--;
	/* Two words without a subject are the head of the columns. */
	if (!name || r->names == GROUPS_MAX || (!from && line->n > 1))
		return 0;
	err = name_add(r, line->text, name);
	if (!err && from && line->text[line->len - 1] == ')') {
		r->title[r->names - 1] = strndup(from, line->len - (size_t)(from - line->text));
		err = r->title[r->names - 1] ? 0 : -ENOMEM;
	}
	return err;
}

/* "(one)   (two)": columns that somebody named by hand. */
static int names_by_hand(struct reader *r, const struct r5s_line *line)
{
	size_t i = 0;
	int err = 0;

	names_drop(r);
	while (!err && i < line->len) {
		const char *open = memchr(line->text + i, '(', line->len - i);
		const char *end = open ? memchr(open, ')', line->len - (size_t)(open -
					 line->text)) : NULL;

		if (!end)
			break;
		err = name_add(r, open + 1, (size_t)(end - open) - 1);
		i = (size_t)(end - line->text) + 1;
	}
	return err;
}

static bool starts(const struct r5s_line *line, const char *with)
{
	size_t n = strlen(with);

	return line->len >= n && !memcmp(line->text, with, n);
}

static bool all_dashes(const struct r5s_line *line)
{
	for (size_t i = 0; i < line->n && i < R5S_LINE_WORDS; i++)
		if (line->word[i].kind != R5S_LINE_DASHES)
			return false;
	return line->n > 0;
}

/* Header lines of the robot's tables. 1: it was one, 0: it was not, negative: error. */
static int header(struct reader *r, const struct r5s_line *line)
{
	static const char about[] = "more detailed changes about ";
	int err = 0;

	if (r->values_next) {
		r->values_next = false;
		return set(&r->values, line->text, line->len) ?: 1;
	}
	if (starts(line, about)) {
		close_table(r);
		return set(&r->testcase, line->text + strlen(about),
			   line->len - strlen(about)) ?: 1;
	}
	if (line->n == 1 && line->text[line->len - 1] == ':' &&
	    memchr(line->text, '/', line->len)) {
		close_table(r);
		names_drop(r);
		r->values_next = true;
		return set(&r->axes, line->text, line->len - 1) ?: 1;
	}
	if (line->n == 1 && r5s_line_is(line, 0, "commit:")) {
		names_drop(r);
		r->commits_next = true;
		return 1;
	}
	if (line->n >= 2 && all_dashes(line)) {
		if (line->n > 4)
			return 1;	/* below the summary's header */
		r->commits_next = false;
		r->dashes = line->word[1].len;
		/* The line above holds the names; the modern list of commits is the better one. */
		if (r->last.n == line->n && r->names != line->n) {
			names_drop(r);
			for (size_t i = 0; !err && i < line->n; i++)
				err = name_add(r, r->last.word[i].at, r->last.word[i].len);
		}
		close_table(r);
		return err ?: 1;
	}
	if (line->n >= 3 && starts(line, "run time(m)")) {
		err = open_table(r, R5S_RESULT_SUMMARY);
		return err ?: 1;
	}
	if (line->n == 1 && (all_dashes(line) || line->word[0].len > 20) &&
	    (line->text[0] == '-' || line->text[0] == '=')) {
		r->commits_next = false;
		return 1;
	}
	if (line->n >= 3 && r5s_line_is(line, 0, "fail:runs")) {
		r->failures = true;
		r->commits_next = false;
		err = open_table(r, R5S_RESULT_MODERN);
		return err ?: 1;
	}
	if (line->n >= 3 && r5s_line_is(line, 0, "%stddev")) {
		bool failures = r->failures;

		r->commits_next = false;
		r->old_header = r5s_line_is(line, 1, "change");
		/* The failure block stands above, in the same table. */
		if (!r->open || !failures)
			err = open_table(r, R5S_RESULT_CLASSIC);
		return err ?: 1;
	}
	if (line->text[0] == '|' || line->text[0] == '\\')
		return 1;
	if (r->commits_next)
		return commit(r, line) ?: 1;
	if (line->text[0] == '(' && line->text[line->len - 1] == ')') {
		close_table(r);
		r->dashes = 0;
		return names_by_hand(r, line) ?: 1;
	}
	return 0;
}

static int row_put(struct reader *r, const struct r5s_row *row, const char *key)
{
	struct r5s_result_row *to = r5s_result_row_add(r->open, key);

	if (!to)
		return -ENOMEM;
	to->line = r->out->lines;
	if (!r5s_row_store(row, to->cell, r->open->groups, &to->failure)) {
		free(to->key);
		free(to->cell);
		r->open->rows--;
		r->out->strange++;
		return 0;
	}
	for (size_t g = 0; g < r->open->groups; g++) {
		to->real |= to->cell[g].decimals > 0;
		r->small_whole |= !to->failure && !to->cell[g].decimals &&
				  fabs(to->cell[g].mean) < 1000 && to->cell[g].mean != 0;
	}
	return 0;
}

/* 1: it was a row, 0: it was not, negative: error. */
static int row(struct reader *r, const struct r5s_line *line)
{
	struct r5s_result_cell two[2] = { { .mean = NAN } };
	struct r5s_row numbers;
	char *key;
	int err = 0;

	if (r5s_row_summary(line, two)) {
		struct r5s_result_row *to;

		if (!r->open || r->open->style != R5S_RESULT_SUMMARY)
			err = open_table(r, R5S_RESULT_SUMMARY);
		if (err)
			return err;
		key = r5s_line_dup(&line->word[line->n - 1]);
		to = key ? r5s_result_row_add(r->open, key) : NULL;
		free(key);
		if (!to)
			return -ENOMEM;
		to->real = true;
		to->line = r->out->lines;
		return r5s_row_summary(line, to->cell) ? 1 : 0;
	}
	if (r->is_waiting) {
		r->is_waiting = false;
		if (line->n == 1 && line->word[0].kind == R5S_LINE_TEXT) {
			key = r5s_line_dup(&line->word[0]);
			err = key ? row_put(r, &r->waiting, key) : -ENOMEM;
			free(key);
			return err ?: 1;
		}
		r->out->strange++;
	}
	if (!r5s_row_read(&numbers, line))
		return 0;
	if (numbers.key == line->n) {
		if (!r->open)
			return 0;
		r->waiting = numbers;
		r->is_waiting = true;
		return 1;
	}
	if (line->word[numbers.key].kind != R5S_LINE_TEXT)
		return 0;
	if (!r->open || r->open->style == R5S_RESULT_SUMMARY || r->open->style == R5S_RESULT_GRID) {
		/* A row without its header: only what cannot be anything else. */
		if (numbers.n != 3 || !numbers.item[1].percent ||
		    !memchr(line->word[numbers.key].at, '.', line->word[numbers.key].len))
			return 0;
		err = open_table(r, R5S_RESULT_CLASSIC);
		if (err)
			return err;
	}
	key = r5s_line_dup(&line->word[numbers.key]);
	err = key ? row_put(r, &numbers, key) : -ENOMEM;
	free(key);
	return err ?: 1;
}

/* 1: it belongs to a grid, 0: it does not, negative: error. */
static int grid(struct reader *r, const struct r5s_line *line)
{
	const char *context = NULL;
	size_t len = 0;
	enum r5s_grid_kind kind = r5s_grid_header(line);

	if (kind != R5S_GRID_NONE) {
		struct r5s_result *p;

		close_table(r);
		p = realloc(r->out->result, (r->out->n + 1) * sizeof(*p));
		if (!p)
			return -ENOMEM;
		r->out->result = p;
		r->open = &p[r->out->n++];
		r5s_result_init(r->open, R5S_RESULT_GRID);
		if (r->testcase) {
			context = r->testcase;
			len = strlen(context);
		}
		return r5s_grid_open(r->open, kind, line, context, len) ?: 1;
	}
	if (r->open && r->open->style == R5S_RESULT_GRID && all_dashes(line))
		return 1;
	if (r->open && r->open->style == R5S_RESULT_GRID)
		return r5s_grid_row(r->open, line, r->out->lines);
	return 0;
}

static int take(struct reader *r, const struct r5s_line *line)
{
	int took;

	if (!line->len || line->n > R5S_LINE_WORDS)
		return 0;
	took = grid(r, line);
	if (took)
		return took;
	took = header(r, line);
	if (!took)
		took = row(r, line);
	if (took)
		return took;
	/* Words alone: what the next grid is about ("ext3", "Random Reads ..."). */
	if (r5s_grid_context(line)) {
		if (r->open && r->open->style == R5S_RESULT_GRID)
			close_table(r);
		return set(&r->testcase, line->text, line->len);
	}
	if (r->open && r->open->rows && line->n > 2 && line->word[0].kind == R5S_LINE_NUMBER &&
	    line->word[1].kind != R5S_LINE_TEXT)
		r->out->strange++;
	return 0;
}

int r5s_report_parse(struct r5s_report *out, const char *text, size_t len)
{
	struct reader r = { .out = out };
	int err = 0;

	*out = (struct r5s_report){ 0 };
	for (size_t i = 0; err >= 0 && i < len;) {
		const char *end = memchr(text + i, '\n', len - i);
		size_t n = end ? (size_t)(end - text) - i : len - i;
		struct r5s_line line;

		r5s_line_split(&line, text + i, n);
		out->lines++;
		err = take(&r, &line);
		if (line.len)
			r.last = line;
		i += n + 1;
	}
	close_table(&r);
	names_drop(&r);
	free(r.testcase);
	free(r.axes);
	free(r.values);
	return err < 0 ? err : 0;
}

void r5s_report_free(struct r5s_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		r5s_result_free(&r->result[i]);
	free(r->result);
	*r = (struct r5s_report){ 0 };
}
