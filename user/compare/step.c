// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/step.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64, FILE_SIZE_LEAST = 4096, SECONDS_PER_MINUTE = 60 };

#define RATE_STEP 0.1		/* files/s per thread: fs_mark's "%.1f" */
#define RATE_KEY "fsmark.files_per_sec"
#define TRUE_KEY "files_per_sec.true"

/* "40G" in bytes; 0 when it is no size. */
static double size_parse(const char *s)
{
	static const char units[] = "BKMGTP";
	char *end;
	double v;
	const char *unit;

	if (!isdigit((unsigned char)*s))
		return 0;
	v = strtod(s, &end);
	unit = *end ? strchr(units, *end) : NULL;
	if (!unit || end[1])
		return 0;
	return ldexp(v, 10 * (int)(unit - units));
}

/* The word at place n of a list, "" when there is none. */
static const char *word(const char *list, char between, size_t n, char *out)
{
	size_t len;

	for (; n && list; n--) {
		list = strchr(list, between);
		list = list ? list + 1 : NULL;
	}
	if (!list)
		return NULL;
	len = strcspn(list, (char[]){ between, '\0' });
	if (len >= WORD)
		len = WORD - 1;
	memcpy(out, list, len);
	out[len] = '\0';
	return out;
}

static void finish(struct r5s_step_case *out, double iterations, double size, double total)
{
	double per_thread;

	if (!out->threads || !(size > 0) || !(total > 0) || !(iterations >= 1))
		return;
	size = fmax(size, FILE_SIZE_LEAST);
	per_thread = floor(total / size / out->threads / iterations);
	per_thread = fmin(fmax(per_thread, 1), 1e6);
	out->files = (uint64_t)(per_thread * out->threads * iterations);
}

static unsigned int threads_parse(const char *text)
{
	unsigned long n = strtoul(text, NULL, 10);

	return n > 0 && n <= 1024 ? (unsigned int)n : 0;
}

static void from_axes(struct r5s_step_case *out, const char *values, const char *axes)
{
	double iterations = 1, size = 0, total = 0;
	char name[WORD], value[WORD];

	for (size_t i = 0; word(axes, '/', i, name); i++) {
		if (!word(values, '/', i, value))
			break;
		if (!strcmp(name, "nr_threads") && !strchr(value, '%'))
			out->threads = threads_parse(value);
		else if (!strcmp(name, "iterations"))
			iterations = strtod(value, NULL);
		else if (!strcmp(name, "filesize"))
			size = size_parse(value);
		else if (!strcmp(name, "test_size"))
			total = size_parse(value);
	}
	finish(out, iterations, size, total);
}

void r5s_step_case_parse(struct r5s_step_case *out, const char *name, const char *axes)
{
	const char *tail = strrchr(name, '/');
	double iterations = 1, sizes[2] = { 0, 0 };
	size_t n_sizes = 0;
	char part[WORD];

	*out = (struct r5s_step_case){ 0 };
	if (axes) {
		from_axes(out, name, axes);
		return;
	}
	tail = tail ? tail + 1 : name;
	for (size_t i = 0; word(tail, '-', i, part); i++) {
		size_t digits = strspn(part, "0123456789");
		double size = size_parse(part);

		if (digits && !strcmp(part + digits, "t"))
			out->threads = threads_parse(part);
		else if (digits && !strcmp(part + digits, "x"))
			iterations = strtod(part, NULL);
		else if (size > 0 && n_sizes < 2)
			sizes[n_sizes++] = size;
	}
	finish(out, iterations, sizes[0], sizes[1]);
}

int r5s_step_is_rate(const char *key)
{
	return !strcmp(key, RATE_KEY);
}

static const struct r5s_result_row *row_find(const struct r5s_result *r, const char *key)
{
	for (size_t i = 0; i < r->rows; i++)
		if (!strcmp(r->row[i].key, key))
			return &r->row[i];
	return NULL;
}

static const struct r5s_result_row *row_of(const struct r5s_result *r, const char *tail)
{
	static const char *const before[] = { "", "fsmark.", "fsmark.time.", "time." };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		char key[WORD];
		const struct r5s_result_row *row;

		if (strlen(before[i]) + strlen(tail) >= sizeof(key))
			continue;
		strcpy(key, before[i]);
		strcat(key, tail);
		row = row_find(r, key);
		if (row)
			return row;
	}
	return NULL;
}

static bool whole_steps(const struct r5s_result_cell *cell, double step)
{
	double n = cell->mean / step;
	/* Means of the runs: within what two decimals can show. */
	return !isnan(n) && n > 0.5 && fabs(n - round(n)) * step < 0.005;
}

static int mark_row(struct r5s_result *r, struct r5s_result_row *row, unsigned int threads)
{
	const struct r5s_result_row *known = row_find(r, TRUE_KEY);
	const struct r5s_result_row *elapsed = row_of(r, "elapsed_time");
	struct r5s_step_case name = { 0 };
	bool any = false;

	if (r->style == R5S_RESULT_SUMMARY)
		r5s_step_case_parse(&name, row->key, NULL);
	else if (r->axes && r->values)
		r5s_step_case_parse(&name, r->values, r->axes);
	else if (r->testcase)
		r5s_step_case_parse(&name, r->testcase, NULL);
	if (threads)
		name.threads = threads;
	if (!name.threads)
		return 0;
	row->step = RATE_STEP * name.threads;
	row->on_step = name.threads > 1;
	for (size_t g = 0; g < r->groups; g++)
		row->on_step &= whole_steps(&row->cell[g], row->step);
	for (size_t g = 1; g < r->groups; g++) {
		double diff = fabs(row->cell[g].mean - row->cell[0].mean);

		/* Half a step on either side. */
		row->step_decides |= name.threads > 1 && diff > 0 &&
				     diff <= row->step * (1 + 1e-9);
	}
	row->true_rate = calloc(r->groups, sizeof(*row->true_rate));
	if (!row->true_rate)
		return -ENOMEM;
	for (size_t g = 0; g < r->groups; g++) {
		double seconds = elapsed ? elapsed->cell[g].mean : NAN;

		if (r->style == R5S_RESULT_SUMMARY)
			seconds = row->cell[g].minutes * SECONDS_PER_MINUTE;
		row->true_rate[g] = NAN;
		if (known) {
			row->true_rate[g] = known->cell[g].mean;
			row->true_rate_from = "files closed over the writing window";
		} else if (name.files && seconds > 0) {
			row->true_rate[g] = (double)name.files / seconds;
			row->true_rate_from = "files over elapsed time, unlinking included";
		}
		any |= !isnan(row->true_rate[g]);
	}
	if (!any) {
		free(row->true_rate);
		row->true_rate = NULL;
	}
	return 0;
}

int r5s_step_mark(struct r5s_result *r, unsigned int threads)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->rows; i++) {
		struct r5s_result_row *row = &r->row[i];
		bool rate = r->style == R5S_RESULT_SUMMARY ? strstr(row->key, "/fsmark/") != NULL :
							     r5s_step_is_rate(row->key);

		if (rate && !row->step)
			err = mark_row(r, row, threads);
	}
	return err;
}
