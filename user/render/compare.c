// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/direction.h"
#include "analysis/stats.h"
#include "render/table.h"
#include "report/check.h"

enum {
	TEXT = 96,
	FIGURE = 32,
	EXPONENT_DIGITS = 4,
	DECIMALS_MOST = 9,
	NAME = 16,		/* of a group in a header */
	BASE_COLUMNS = 5,
	HEAD_COLUMNS = 8
};

/* Which columns have anything in them: a report knows no p, and seldom the number of runs. */
struct columns {
	bool spread;
	bool n;
	bool interval;
	bool p;
};

static struct columns columns_of(const struct r5s_result *r)
{
	struct columns has = { 0 };

	for (size_t i = 0; i < r->rows; i++) {
		for (size_t g = 0; g < r->groups; g++) {
			const struct r5s_result_cell *c = &r->row[i].cell[g];

			has.spread |= c->spread_printed && !isnan(c->spread);
			has.n |= c->n || r->row[i].failure;
			has.interval |= !isnan(c->low);
			has.p |= !isnan(c->p);
		}
	}
	return has;
}

/* Four figures that matter, plain digits where they fit. */
static void figure(double v, char *out, size_t room)
{
	double a = fabs(v);

	if (isnan(v))
		snprintf(out, room, "-");
	else if (v == 0 || (a >= 1000 && a < 1e12))
		snprintf(out, room, "%.0f", v);
	else if (a >= 100 && a < 1000)
		snprintf(out, room, "%.1f", v);
	else if (a >= 0.1 && a < 100)
		snprintf(out, room, "%.2f", v);
	else
		snprintf(out, room, "%.3g", v);
}

static void chance(double p, char *out, size_t room)
{
	if (isnan(p))
		snprintf(out, room, "-");
	else if (p < 0.0001)
		snprintf(out, room, "<0.0001");
	else
		snprintf(out, room, "%.4f", p);
}

static void change_text(const struct r5s_result_cell *c, char *out, size_t room)
{
	char value[FIGURE];

	switch (c->kind) {
	case R5S_RESULT_PERCENT:
		snprintf(out, room, "%+.1f %%", c->change);
		break;
	case R5S_RESULT_ABSOLUTE:
		figure(fabs(c->change), value, sizeof(value));
		snprintf(out, room, "%c%s", c->change < 0 ? '-' : '+', value);
		break;
	case R5S_RESULT_FROM_ZERO:
		snprintf(out, room, "from 0");
		break;
	default:
		snprintf(out, room, "-");
	}
}

static void value_cells(struct r5s_table *t, const struct columns *has,
			const struct r5s_result_row *row, const struct r5s_result_cell *c)
{
	char text[TEXT];

	if (row->failure)
		snprintf(text, sizeof(text), "%zu failed", c->fails);
	else if (row->line && !isnan(c->mean))
		/* No digits that the report did not print. */
		snprintf(text, sizeof(text), c->decimals < 0 ? "%.*g" : "%.*f", c->decimals < 0 ?
			 EXPONENT_DIGITS : c->decimals > DECIMALS_MOST ? DECIMALS_MOST :
			 c->decimals, c->mean);
	else
		figure(c->mean, text, sizeof(text));
	r5s_table_text(t, text);
	if (!has->spread)
		;
	else if (row->failure || isnan(c->spread) || !c->spread_printed)
		r5s_table_absent(t);
	else if (c->spread > 0 && c->spread < 0.05)
		r5s_table_text(t, "<0.1");
	else if (row->line && !c->n && c->spread >= 0)
		r5s_table_u64(t, (uint64_t)fmin(c->spread, 1e9));
	else
		r5s_table_double(t, c->spread);
	if (!has->n)
		return;
	if (row->failure && c->runs)
		r5s_table_u64(t, c->runs);
	else if (c->n)
		r5s_table_u64(t, c->n);
	else
		r5s_table_absent(t);
}

static double move(const struct r5s_result_cell *base, const struct r5s_result_cell *c)
{
	if (!isnan(c->change) && c->kind != R5S_RESULT_NO_CHANGE &&
	    c->kind != R5S_RESULT_FROM_ZERO)
		return c->change;
	return c->mean - base->mean;
}

static void interval_cell(struct r5s_table *t, const struct r5s_result_cell *c)
{
	char text[TEXT], low[FIGURE], high[FIGURE];

	if (isnan(c->low)) {
		r5s_table_absent(t);
		return;
	}
	figure(c->low, low, sizeof(low));
	figure(c->high, high, sizeof(high));
	snprintf(text, sizeof(text), "%s .. %s", low, high);
	r5s_table_text(t, text);
}

static void row_cells(struct r5s_table *t, const struct columns *has, const struct r5s_result *r,
		      const struct r5s_result_row *row)
{
	const char *metric = r5s_result_metric(r, row);
	char text[TEXT];

	r5s_table_text(t, row->key);
	r5s_table_text(t, row->unit ?: r5s_direction_unit(metric));
	value_cells(t, has, row, &row->cell[0]);
	for (size_t g = 1; g < r->groups; g++) {
		const struct r5s_result_cell *c = &row->cell[g];
		double moved = row->failure ? c->change : move(&row->cell[0], c);

		value_cells(t, has, row, c);
		if (row->failure)
			snprintf(text, sizeof(text), "%+.0f %%", c->change);
		else
			change_text(c, text, sizeof(text));
		r5s_table_text(t, text);
		if (has->interval)
			interval_cell(t, c);
		if (has->p) {
			chance(c->p, text, sizeof(text));
			r5s_table_text(t, text);
			chance(c->q, text, sizeof(text));
			r5s_table_text(t, text);
		}
		snprintf(text, sizeof(text), "%s%s", r5s_direction_word(metric, moved),
			 row->on_step || row->step_decides ? ", fs_mark step" : "");
		r5s_table_text(t, text);
	}
}

static size_t head(const struct r5s_result *r, const struct columns *has, char (*names)[NAME + 1],
		   struct r5s_table_column *col)
{
	size_t k = 0;

	col[k++] = (struct r5s_table_column){ .title = "metric", .align = R5S_TABLE_LEFT };
	col[k++] = (struct r5s_table_column){ .title = "unit", .align = R5S_TABLE_LEFT };
	for (size_t g = 0; g < r->groups; g++) {
		snprintf(names[g], sizeof(names[g]), "%.*s", NAME, r->group[g].name);
		col[k++] = (struct r5s_table_column){ .title = names[g], .unit = "mean" };
		if (has->spread)
			col[k++] = (struct r5s_table_column){ .title = "±", .unit = "%",
							      .precision = 1 };
		if (has->n)
			col[k++] = (struct r5s_table_column){ .title = "n", .unit = "runs" };
		if (!g)
			continue;
		col[k++] = (struct r5s_table_column){ .title = "change" };
		if (has->interval)
			col[k++] = (struct r5s_table_column){ .title = "shift",
							      .unit = "95 % interval" };
		if (has->p) {
			col[k++] = (struct r5s_table_column){ .title = "p" };
			col[k++] = (struct r5s_table_column){ .title = "q" };
		}
		col[k++] = (struct r5s_table_column){ .title = "", .align = R5S_TABLE_LEFT };
	}
	return k;
}

int r5s_compare_show_table(const struct r5s_result *r, FILE *out)
{
	struct columns has = columns_of(r);
	struct r5s_table_column *col = calloc(BASE_COLUMNS + r->groups * HEAD_COLUMNS, sizeof(*col));
	char (*names)[NAME + 1] = calloc(r->groups + 1, sizeof(*names));
	struct r5s_table *t = NULL;
	int err = -ENOMEM;

	if (!col || !names)
		goto out;
	t = r5s_table_new(col, head(r, &has, names, col));
	if (!t)
		goto out;
	for (size_t i = 0; i < r->rows; i++)
		row_cells(t, &has, r, &r->row[i]);
	if (r->testcase)
		fprintf(out, "%s\n", r->testcase);
	err = r5s_table_print(t, out);
out:
	r5s_table_free(t);
	free(names);
	free(col);
	return err;
}

size_t r5s_compare_show_check(const struct r5s_result *r, FILE *out)
{
	size_t count[R5S_CHECK_DISAGREES + 1] = { 0 };

	for (size_t i = 0; i < r->rows; i++) {
		const struct r5s_result_row *row = &r->row[i];

		for (size_t g = 1; g < r->groups; g++) {
			struct r5s_check c;
			char printed[TEXT];

			r5s_check_row(r, row, g, &c);
			count[c.verdict]++;
			if (c.verdict != R5S_CHECK_DISAGREES && c.verdict != R5S_CHECK_WITHIN)
				continue;
			change_text(&row->cell[g], printed, sizeof(printed));
			fprintf(out, "line %u: %s: %s: printed %s, its means give ", row->line,
				row->key, r5s_check_name(c.verdict), printed);
			if (isnan(c.computed))
				fputs("none (base 0)", out);
			else if (row->cell[g].kind == R5S_RESULT_PERCENT)
				fprintf(out, "%+.1f %%", c.computed);
			else
				fprintf(out, "%+.4g", c.computed);
			if (isfinite(c.low) && isfinite(c.high))
				fprintf(out, ", cut digits allow %+.4g to %+.4g", c.low, c.high);
			putc('\n', out);
		}
		if (row->on_step || row->step_decides)
			fprintf(out, "line %u: %s: fs_mark step of %.1f files/s: %s\n", row->line,
				row->key, row->step, row->on_step ?
				"both means are whole multiples of it" :
				"the difference is not larger than it");
	}
	fprintf(out, "%zu changes: %zu exact, %zu within printing, %zu disagree; %zu without one\n",
		count[R5S_CHECK_EXACT] + count[R5S_CHECK_WITHIN] + count[R5S_CHECK_DISAGREES],
		count[R5S_CHECK_EXACT], count[R5S_CHECK_WITHIN], count[R5S_CHECK_DISAGREES],
		count[R5S_CHECK_NOTHING]);
	return count[R5S_CHECK_DISAGREES];
}

static void same_text(const struct r5s_result *r, FILE *out)
{
	for (size_t i = 0; i < r->rows; i++) {
		const struct r5s_result_row *row = &r->row[i];
		const struct r5s_result_cell *c = &row->cell[1];

		if (row->failure || !r5s_direction_is_result(row->key) ||
		    strstr(row->key, ".time.") || !isfinite(c->detectable) ||
		    !(row->cell[0].mean > 0))
			continue;
		fprintf(out, "  %s: runs that spread like these would have shown %.1f %% or more (4 times in 5, tested alone)\n",
			row->key, 100 * c->detectable / row->cell[0].mean);
	}
}

void r5s_compare_show_verdict(const struct r5s_result *r, const struct r5s_compare_summary *sum,
			      const struct r5s_compare_options *o, FILE *out)
{
	switch (sum->verdict) {
	case R5S_COMPARE_DIFFERENT:
		fprintf(out, "Different: %zu of %zu rows at a false discovery rate of %g (Mann-Whitney, Benjamini-Hochberg).\n",
			sum->found, sum->tested, o->alpha);
		break;
	case R5S_COMPARE_SAME:
		fprintf(out, "No difference shown in %zu rows at a false discovery rate of %g.\n",
			sum->tested, o->alpha);
		break;
	case R5S_COMPARE_TOO_FEW:
		if (!sum->tested) {
			fputs("Too few runs to tell: no metric has values in both groups.\n", out);
			break;
		}
		fprintf(out, "Too few runs to tell: %zu against %zu runs give p = %.2g at best, and one row among %zu needs %.2g.\n",
			sum->least_base, sum->least_head, sum->least_p, sum->tested,
			o->alpha / (double)sum->tested);
		fprintf(out, "  What to do: %zu runs in each group, or name the metric in question with --metric.\n",
			sum->need);
		break;
	}
	if (sum->verdict != R5S_COMPARE_DIFFERENT)
		same_text(r, out);
	if (sum->robot)
		fprintf(out, "The robot's own rule (min, median and max cross) calls %zu rows changed.\n",
			sum->robot);
	fprintf(out, "Intervals of the shift: Hodges-Lehmann, %d resamples, seed %llu; above %d pairs of runs from the ranks.\n",
		R5S_STATS_RESAMPLES, (unsigned long long)o->seed, R5S_STATS_PAIRS_MAX);
}
