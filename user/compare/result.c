// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const style_names[] = {
	[R5S_RESULT_OWN] = "own",
	[R5S_RESULT_CLASSIC] = "classic",
	[R5S_RESULT_CLASSIC_2016] = "classic-2016",
	[R5S_RESULT_MODERN_2017] = "modern-2017",
	[R5S_RESULT_MODERN] = "modern",
	[R5S_RESULT_SUMMARY] = "summary",
	[R5S_RESULT_GRID] = "grid",
};

void r5s_result_init(struct r5s_result *r, enum r5s_result_style style)
{
	*r = (struct r5s_result){ .style = style };
}

static void row_free(struct r5s_result_row *row)
{
	free(row->key);
	free(row->unit);
	free(row->true_rate);
	free(row->cell);
}

void r5s_result_free(struct r5s_result *r)
{
	for (size_t i = 0; i < r->rows; i++)
		row_free(&r->row[i]);
	for (size_t i = 0; i < r->groups; i++) {
		free(r->group[i].name);
		free(r->group[i].title);
	}
	free(r->row);
	free(r->group);
	free(r->testcase);
	free(r->axes);
	free(r->values);
	free(r->head);
	*r = (struct r5s_result){ 0 };
}

int r5s_result_group_add(struct r5s_result *r, const char *name, const char *title, size_t runs)
{
	struct r5s_result_group *p = realloc(r->group, (r->groups + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	r->group = p;
	p += r->groups;
	*p = (struct r5s_result_group){ .name = strdup(name), .runs = runs,
					.title = title ? strdup(title) : NULL };
	r->groups++;
	return p->name && (p->title || !title) ? 0 : -ENOMEM;
}

struct r5s_result_row *r5s_result_row_add(struct r5s_result *r, const char *key)
{
	struct r5s_result_row *row;

	if (r->rows == r->room) {
		size_t room = r->room ? r->room * 2 : 32;

		row = realloc(r->row, room * sizeof(*row));
		if (!row)
			return NULL;
		r->row = row;
		r->room = room;
	}
	row = &r->row[r->rows];
	*row = (struct r5s_result_row){ .key = strdup(key),
					.cell = calloc(r->groups + 1, sizeof(*row->cell)) };
	if (!row->key || !row->cell) {
		row_free(row);
		return NULL;
	}
	for (size_t g = 0; g < r->groups; g++) {
		row->cell[g] = (struct r5s_result_cell){
			.mean = NAN, .spread = NAN, .decimals = -1, .min = NAN, .median = NAN,
			.max = NAN, .minutes = NAN, .change = NAN, .change_decimals = -1,
			.p = NAN, .q = NAN, .shift = NAN, .low = NAN, .high = NAN,
			.detectable = NAN, .runs = r->group[g].runs,
		};
	}
	r->rows++;
	return row;
}

void r5s_result_rows_keep(struct r5s_result *r,
			  bool (*keep)(const struct r5s_result_row *row, void *arg), void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < r->rows; i++) {
		if (keep(&r->row[i], arg))
			r->row[n++] = r->row[i];
		else
			row_free(&r->row[i]);
	}
	r->rows = n;
}

int r5s_result_style_parse(const char *name)
{
	for (int i = 0; i <= R5S_RESULT_MODERN; i++)
		if (!strcmp(name, style_names[i]))
			return i;
	return -EINVAL;
}

const char *r5s_result_style_name(enum r5s_result_style style)
{
	return style_names[style];
}

const char *r5s_result_metric(const struct r5s_result *r, const struct r5s_result_row *row)
{
	/* The benchmark stands between the box and the sub-testcase. */
	if (r->style == R5S_RESULT_SUMMARY && strstr(row->key, "/fsmark/"))
		return "fsmark.files_per_sec";
	return row->key;
}

bool r5s_result_absolute(const char *key, enum r5s_result_style style)
{
	size_t len = strlen(key);

	if (style == R5S_RESULT_CLASSIC)
		return false;
	if (!strncmp(key, "perf-profile", 12))
		return true;
	if (style == R5S_RESULT_CLASSIC_2016)
		return !strncmp(key, "latency_stats", 13);
	return len && key[len - 1] == '%';
}

void r5s_result_change(const struct r5s_result_row *row, size_t group,
		       enum r5s_result_style style, struct r5s_result_cell *cell)
{
	double base = row->cell[0].mean, head = row->cell[group].mean;

	cell->kind = R5S_RESULT_NO_CHANGE;
	cell->change = NAN;
	if (isnan(base) || isnan(head))
		return;
	if (r5s_result_absolute(row->key, style)) {
		cell->kind = R5S_RESULT_ABSOLUTE;
		cell->change = head - base;
	} else if (base == 0 && head != 0) {
		cell->kind = R5S_RESULT_FROM_ZERO;
	} else {
		cell->kind = R5S_RESULT_PERCENT;
		cell->change = base == 0 ? 0 : 100 * (head - base) / fabs(base);
	}
}
