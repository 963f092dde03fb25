// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/robot.h"

/* What a row is sorted by; computed once. */
struct place {
	struct r5s_result_row row;
	size_t was;
	long first;	/* ascending */
	double second;	/* ascending */
	size_t name;	/* bytes of the key compared before "third" */
	double third;	/* ascending */
};

static double change_of(const struct r5s_result *r, const struct r5s_result_row *row)
{
	double most = NAN;

	for (size_t g = 1; g < r->groups; g++) {
		const struct r5s_result_cell *c = &row->cell[g];

		if (c->kind == R5S_RESULT_FROM_ZERO)
			return INFINITY;
		if (c->kind != R5S_RESULT_NO_CHANGE && !(fabs(c->change) <= fabs(most)))
			most = c->change;
	}
	return isnan(most) ? 0 : most;
}

static double median_ratio(const struct r5s_result_row *row)
{
	double a = row->cell[0].median, b = row->cell[1].median, low, high;

	if (isnan(a) || isnan(b)) {
		a = row->cell[0].mean;
		b = row->cell[1].mean;
	}
	low = fmin(a, b);
	high = fmax(a, b);
	return low <= 0 ? 5 : fmin(high / low, 5);
}

static long relevance(const char *key)
{
	static const char *const perf[] = { "iostat.", "vmstat.io", "vmstat.system", "perf-stat." };

	if (r5s_robot_class_of(key) == R5S_ROBOT_RESULT ||
	    r5s_robot_class_of(key) == R5S_ROBOT_FAILURE)
		return 100;
	if (!strncmp(key, "lock_stat", 9))
		return 5;
	for (size_t i = 0; i < sizeof(perf) / sizeof(perf[0]); i++)
		if (!strncmp(key, perf[i], strlen(perf[i])))
			return 1;
	if (!strncmp(key, "turbostat.", 10) && (strstr(key, "Watt") || strstr(key, "%Busy")))
		return 1;
	return 10;
}

/* The largest change among the rows of the row's monitor. */
static double largest(const struct r5s_result *r, const char *key)
{
	size_t len = r5s_robot_monitor(key);
	double most = 0;

	for (size_t i = 0; i < r->rows; i++)
		if (r5s_robot_monitor(r->row[i].key) == len && !strncmp(r->row[i].key, key, len))
			most = fmax(most, fabs(change_of(r, &r->row[i])));
	return most;
}

/* How many rows the row's monitor has. */
static long siblings(const struct r5s_result *r, const char *key)
{
	size_t len = r5s_robot_monitor(key);
	long n = 0;

	for (size_t i = 0; i < r->rows; i++)
		n += !strncmp(r->row[i].key, key, len) && r5s_robot_monitor(r->row[i].key) == len;
	return n;
}

static long score(const struct r5s_result *r, const struct r5s_result_row *row)
{
	if (row->failure)
		return -10000;
	return r5s_robot_class_of(row->key) == R5S_ROBOT_RESULT ? 0 : siblings(r, row->key);
}

static void fill(struct place *p, const struct r5s_result *r, enum r5s_order order,
		 enum r5s_result_style style)
{
	const struct r5s_result_row *row = &p->row;
	double change = change_of(r, row);

	p->name = strlen(row->key);
	if (order == R5S_ORDER_CHANGE) {
		p->name = 0;
		p->second = -fabs(change);
	} else if (order == R5S_ORDER_GROUP) {
		p->second = -largest(r, row->key);
		p->name = r5s_robot_monitor(row->key);
		p->third = -fabs(change);
	} else if (order == R5S_ORDER_P) {
		p->second = r->groups > 1 ? row->cell[1].p : NAN;
		if (isnan(p->second))
			p->second = 2;
	} else if (order == R5S_ORDER_STYLE && style == R5S_RESULT_SUMMARY) {
		p->name = 0;
		p->first = change < 0;
		p->second = -fabs(change);
	} else if (order == R5S_ORDER_STYLE && style == R5S_RESULT_CLASSIC) {
		p->name = 0;
		p->first = row->failure ? -1000 : -relevance(row->key);
		p->second = -median_ratio(row);
	} else if (order == R5S_ORDER_STYLE && style == R5S_RESULT_CLASSIC_2016) {
		p->first = score(r, row);
		p->name = r5s_robot_monitor(row->key);
		p->third = -change;
	} else if (order == R5S_ORDER_STYLE && style == R5S_RESULT_OWN) {
		p->first = row->failure ? -1 : r5s_robot_class_of(row->key) != R5S_ROBOT_RESULT;
		p->second = 2;
		for (size_t g = 1; g < r->groups; g++)
			if (row->cell[g].q < p->second)
				p->second = row->cell[g].q;
	} else if (order == R5S_ORDER_STYLE) {
		p->first = score(r, row);
		if (!strncmp(row->key, "perf-profile", 12)) {
			size_t two = r5s_robot_monitor(row->key);

			two += row->key[two] ? 1 + r5s_robot_monitor(row->key + two + 1) : 0;
			p->name = two;
			p->third = change;
		}
	}
}

static int by_place(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;
	size_t name = a->name < b->name ? a->name : b->name;
	int c;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	c = strncmp(a->row.key, b->row.key, name);
	if (!c && a->name != b->name)
		c = a->name < b->name ? -1 : 1;
	if (c)
		return c;
	if (a->third != b->third)
		return a->third < b->third ? -1 : 1;
	return a->was < b->was ? -1 : 1;
}

int r5s_order_sort(struct r5s_result *r, enum r5s_order order, enum r5s_result_style style)
{
	struct place *p;

	if (order == R5S_ORDER_NONE || r->rows < 2)
		return 0;
	p = calloc(r->rows, sizeof(*p));
	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < r->rows; i++) {
		p[i].row = r->row[i];
		p[i].was = i;
		fill(&p[i], r, order, style);
	}
	qsort(p, r->rows, sizeof(*p), by_place);
	for (size_t i = 0; i < r->rows; i++)
		r->row[i] = p[i].row;
	free(p);
	return 0;
}

int r5s_order_parse(const char *name)
{
	static const char *const names[] = { "style", "change", "key", "p", "group", "none" };

	for (int i = 0; i <= R5S_ORDER_NONE; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -EINVAL;
}
