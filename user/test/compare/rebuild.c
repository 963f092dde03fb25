// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Published tables, rebuilt from made-up runs that have the printed means and spreads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "compare/cases.h"
#include "compare/order.h"
#include "render/lkp.h"
#include "report/report.h"
#include "test/tap.h"

enum { RUNS = 100, GRID = 100, ROW = 1024 };

/* Numbers that print like this cell does. */
static void interval(const struct r5s_result_cell *c, double *low, double *high)
{
	double half;

	if (c->decimals < 0) {
		half = pow(10, floor(log10(fabs(c->mean))) - 3) / 2;
	} else if (!c->decimals) {
		*low = c->mean;
		*high = c->mean + 1;
		return;
	} else {
		half = pow(10, -c->decimals) / 2;
	}
	*low = fmax(c->mean - half, 0);
	*high = c->mean + half;
}

/* Half a unit of the printed change's last digit, less a trace. */
static double tolerance(const struct r5s_result_cell *c)
{
	double unit = c->change_decimals < 0 ? pow(10, floor(log10(fabs(c->change)))) :
					       pow(10, -c->change_decimals);

	return 0.4999 * unit;
}

/* The place in an interval that is tried as number i of GRID: whole numbers from their lower end,
 * because their spread is printed, too; others from the middle, away from where rounding decides.
 */
static double place(double low, double high, int i, bool whole)
{
	double part = (double)i / GRID;

	return whole ? low + part : low + (high - low) * (0.5 + (i % 2 ? part : -part) / 2);
}

/* Means inside the printed ones from which the printed change follows. */
static bool means(const struct r5s_result_row *row, bool whole, double *base, double *head)
{
	const struct r5s_result_cell *c = &row->cell[1];
	double bl, bh, hl, hh;

	interval(&row->cell[0], &bl, &bh);
	interval(c, &hl, &hh);
	for (int i = 0; i < GRID; i++) {
		bool zero = row->cell[0].mean == 0 && c->kind == R5S_RESULT_ABSOLUTE;

		*base = zero ? 0 : place(bl, bh, i, whole);
		for (int k = 0; k < GRID; k++) {
			double change;

			*head = place(hl, hh, k, whole);
			change = c->kind == R5S_RESULT_PERCENT ? 100 * (*head / *base - 1) :
								 *head - *base;
			if (fabs(change - c->change) <= tolerance(c))
				return true;
		}
	}
	return false;
}

/* RUNS values with that mean and spread: two levels, or whole numbers around the mean. */
static void values(double mean, double percent, bool whole, double *v)
{
	double sd = fabs(mean) * percent / 100;

	if (!whole) {
		for (int i = 0; i < RUNS; i++)
			v[i] = mean + (i % 2 ? sd : -sd);
		return;
	}
	/* The mean to 1/RUNS, then pairs a step apart until the spread fits. */
	double low = floor(mean), part = mean - low, need;
	int above = (int)lround(part * RUNS), step = (int)fmax(1, ceil(sd)), pairs;

	for (int i = 0; i < RUNS; i++)
		v[i] = low + (i < above);
	need = sd * sd - part * (1 - part);
	pairs = need > 0 ? (int)lround(need * RUNS / (2.0 * step * step)) : 0;
	/* A pair of equal values moves apart: the mean stays, the square grows. */
	for (int i = 0, done = 0; done < pairs && i + 1 < RUNS; i += 2) {
		if (v[i] != v[i + 1])
			continue;
		v[i] -= step;
		v[i + 1] += step;
		done++;
	}
}

static double spread_wanted(const struct r5s_result_cell *c, enum r5s_result_style style)
{
	if (c->spread_printed)
		return c->spread + 0.5;
	return style == R5S_RESULT_MODERN ? 1 : style == R5S_RESULT_CLASSIC_2016 ? 1.5 : 0;
}

static void line_of(const struct r5s_result *r, enum r5s_result_style style, const char *key,
		    char *out)
{
	char *text = NULL, line[ROW];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len), *in;

	r5s_lkp_print(r, style, f);
	fclose(f);
	*out = '\0';
	in = fmemopen(text, len, "r");
	while (fgets(line, sizeof(line), in)) {
		size_t n = strcspn(line, "\n"), k = strlen(key);

		line[n] = '\0';
		if (n > k && !strcmp(line + n - k, key) && line[n - k - 1] == ' ')
			strcpy(out, line);
	}
	fclose(in);
	free(text);
}

static void table(const struct r5s_result *r, const char *file)
{
	struct r5s_matrix m[2];
	struct r5s_compare_options o = { .alpha = 0.05, .seed = 1, .everything = true };
	struct r5s_compare_summary sum;
	struct r5s_result made;
	double v[RUNS];
	size_t impossible = 0, different = 0;

	for (int g = 0; g < 2; g++) {
		r5s_matrix_init(&m[g], r->group[g].name);
		for (int i = 0; i < RUNS; i++)
			r5s_matrix_run_add(&m[g], "made up");
	}
	for (size_t i = 0; i < r->rows; i++) {
		const struct r5s_result_row *row = &r->row[i];
		bool classic = r->style == R5S_RESULT_CLASSIC ||
			       r->style == R5S_RESULT_CLASSIC_2016;
		bool whole = classic && !row->real && row->cell[0].decimals == 0 &&
			     fmin(row->cell[0].mean, row->cell[1].mean) < 1000;
		double mean[2];

		if (!means(row, whole, &mean[0], &mean[1])) {
			printf("# no means fit: %s\n", row->key);
			impossible++;
			continue;
		}
		for (int g = 0; g < 2; g++) {
			const struct r5s_result_cell *c = &row->cell[g];

			values(mean[g], spread_wanted(c, r->style), whole, v);
			for (int k = 0; k < RUNS; k++)
				r5s_matrix_put(&m[g], row->key, (size_t)k, v[k], whole);
		}
	}
	r5s_compare_groups(m, 2, &o, &made, &sum);
	for (size_t i = 0; i < r->rows; i++) {
		struct r5s_result one = *r, two = made;
		char want[ROW], got[ROW];

		/* The same metric may stand in a table only once; print it alone. */
		one.row = &r->row[i];
		one.rows = 1;
		two.rows = 0;
		for (size_t k = 0; k < made.rows; k++) {
			if (!strcmp(made.row[k].key, r->row[i].key)) {
				two.row = &made.row[k];
				two.rows = 1;
			}
		}
		if (!two.rows)
			continue;
		line_of(&one, r->style, one.row->key, want);
		line_of(&two, r->style, one.row->key, got);
		if (!*want || strcmp(want, got)) {
			printf("# want %s\n# got  %s\n", want, got);
			different++;
		}
	}
	ok(!impossible && !different && made.rows == r->rows,
	   "%s: %zu of %zu rows rebuilt as printed (%s)", file, r->rows - impossible - different,
	   r->rows, r5s_result_style_name(r->style));
	if (r->style == R5S_RESULT_MODERN || r->style == R5S_RESULT_MODERN_2017) {
		const char *last = r->row[r->rows - 1].key;
		size_t moved = 0, k = 0;

		r5s_order_sort(&made, R5S_ORDER_STYLE, r->style);
		/*
		 * Inside perf-profile the order is by digits that were not printed, and where a
		 * published table was cut off nobody knows how many rows the monitor really had.
		 */
		for (size_t i = 0; i < r->rows; i++) {
			if (!strncmp(r->row[i].key, last, strcspn(last, ".")))
				continue;
			while (k < made.rows && !strncmp(made.row[k].key, last, strcspn(last, ".")))
				k++;
			if (k >= made.rows || strcmp(made.row[k].key, r->row[i].key)) {
				printf("# row %zu: want %s, got %s\n", i, r->row[i].key,
				       k < made.rows ? made.row[k].key : "none");
				moved++;
			}
			k++;
		}
		ok(!moved, "%s: the rows come in the printed order", file);
	}
	r5s_result_free(&made);
	r5s_matrix_free(&m[0]);
	r5s_matrix_free(&m[1]);
}

/* The table over test cases: a comparison for each, and the summary made of them. */
static void cases(const struct r5s_result *r, const char *file)
{
	struct r5s_compare_options o = { .alpha = 0.05, .seed = 1, .everything = true };
	size_t different = 0, moved = 0;
	struct r5s_result made;

	r5s_result_init(&made, R5S_RESULT_SUMMARY);
	/* Last comes first, so that the printed order is made here. */
	for (size_t i = r->rows; i-- > 0;) {
		struct r5s_compare_summary sum;
		struct r5s_matrix m[2];
		struct r5s_result one;

		for (int g = 0; g < 2; g++) {
			const struct r5s_result_cell *c = &r->row[i].cell[g];
			double sd = c->mean * c->spread / 100;

			r5s_matrix_init(&m[g], r->group[g].name);
			for (size_t k = 0; k < c->n; k++) {
				/* Of an odd number one run has the mean, and the others are further away. */
				double odd = c->n % 2 && c->n > 1 ?
					     sqrt((double)c->n / (double)(c->n - 1)) : 1;
				double v = k == c->n - 1 && c->n % 2 ? c->mean :
					   c->mean + (k % 2 ? sd : -sd) * odd;

				r5s_matrix_run_add(&m[g], "made up");
				r5s_matrix_put(&m[g], "fsmark.files_per_sec", k, v, false);
				r5s_matrix_put(&m[g], "fsmark.time.elapsed_time", k, c->minutes * 60, false);
			}
		}
		r5s_compare_groups(m, 2, &o, &one, &sum);
		r5s_cases_add(&made, &one, r->row[i].key);
		r5s_result_free(&one);
		r5s_matrix_free(&m[0]);
		r5s_matrix_free(&m[1]);
	}
	r5s_order_sort(&made, R5S_ORDER_STYLE, R5S_RESULT_SUMMARY);
	for (size_t i = 0; i < r->rows; i++) {
		char want[ROW], got[ROW];

		line_of(r, R5S_RESULT_SUMMARY, r->row[i].key, want);
		line_of(&made, R5S_RESULT_SUMMARY, r->row[i].key, got);
		/* One run has no spread; the robot printed 0. */
		for (char *at; r->row[i].cell[0].n == 1 && (at = strstr(want, "±0.0%"));) {
			memset(at, ' ', strlen("     "));
			memmove(at + 5, at + strlen("±0.0%"), strlen(at + strlen("±0.0%")) + 1);
		}
		if (!*want || strcmp(want, got)) {
			printf("# want %s\n# got  %s\n", want, got);
			different++;
		}
		moved += i >= made.rows || strcmp(made.row[i].key, r->row[i].key);
	}
	ok(r->rows && !different && made.rows == r->rows, "%s: %zu of %zu test cases rebuilt as printed",
	   file, r->rows - different, r->rows);
	ok(!moved, "%s: and they come in the printed order", file);
	r5s_result_free(&made);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		static char text[1 << 20];
		struct r5s_report report;
		FILE *f = fopen(argv[i], "r");
		size_t len = f ? fread(text, 1, sizeof(text), f) : 0;

		if (f)
			fclose(f);
		r5s_report_parse(&report, text, len);
		for (size_t k = 0; k < report.n; k++) {
			if (report.result[k].style == R5S_RESULT_SUMMARY)
				cases(&report.result[k], argv[i]);
			else if (report.result[k].style != R5S_RESULT_GRID)
				table(&report.result[k], argv[i]);
		}
		r5s_report_free(&report);
	}
	return tap_done();
}
