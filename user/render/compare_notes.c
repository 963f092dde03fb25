// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The robot's known faults, where they mattered.
 */
#include "render/compare.h"

#include <math.h>
#include <string.h>

static void note_missing(const struct r5s_result *r, FILE *out)
{
	const struct r5s_result_row *worst = NULL;
	size_t rows = 0, worst_group = 0;
	double most = 0;

	for (size_t i = 0; i < r->rows; i++) {
		bool some = false;

		for (size_t g = 0; !r->row[i].failure && g < r->groups; g++) {
			const struct r5s_result_cell *c = &r->row[i].cell[g];
			double share;

			if (!c->n && !c->runs)
				continue;
			if (c->n < c->runs)
				some = true;
			share = 1 - (double)c->n / (double)(c->runs ? c->runs : 1);
			if (c->n && share > most) {
				most = share;
				worst = &r->row[i];
				worst_group = g;
			}
		}
		rows += some;
	}
	if (!rows)
		return;
	fprintf(out, "note: missing is missing: %zu rows lack a value in some run; the robot counts it as 0",
		rows);
	if (worst)
		fprintf(out, " (%s: mean %.4g over %zu of %zu runs, the robot's %.4g)", worst->key,
			worst->cell[worst_group].mean, worst->cell[worst_group].n,
			worst->cell[worst_group].runs,
			worst->cell[worst_group].mean * (1 - most));
	fputs(".\n", out);
}

static void note_reproduction(const struct r5s_result *r, FILE *out)
{
	bool failures = false, differ = false;

	for (size_t i = 0; i < r->rows; i++) {
		failures |= r->row[i].failure;
		for (size_t g = 1; r->row[i].failure && g < r->groups; g++)
			differ |= r->row[i].cell[g].runs != r->row[i].cell[0].runs;
	}
	if (failures && differ)
		fputs("note: %reproduction divides by each group's own runs; the robot divides by those of the group before.\n",
		      out);
}

static void note_zero(const struct r5s_result *r, FILE *out)
{
	size_t rows = 0;

	for (size_t i = 0; i < r->rows; i++)
		for (size_t g = 1; g < r->groups; g++)
			rows += r->row[i].cell[g].kind == R5S_RESULT_FROM_ZERO;
	if (rows)
		fprintf(out, "note: %zu rows come from a base of 0 and have no percentage; the robot prints one of 1e+100 and more.\n",
			rows);
}

static void note_step(const struct r5s_result *r, const struct r5s_result_row *row, FILE *out)
{
	bool steady = false;

	if (!(row->step > 0.1) || (!row->on_step && !row->step_decides))
		return;
	for (size_t g = 0; g < r->groups; g++)
		steady |= row->cell[g].spread_printed && row->cell[g].spread < 0.005;
	for (size_t g = 1; g < r->groups; g++) {
		double half = row->step / 2, b = row->cell[0].mean, h = row->cell[g].mean;

		if (isnan(b) || isnan(h))
			continue;
		fprintf(out, "note: %s %.2f -> %.2f: fs_mark's sum moves in steps of up to %.1f files/s; rounding alone allows ",
			row->key, b, h, row->step);
		if (b > half)
			fprintf(out, "%+.0f %% to %+.0f %%", 100 * ((h - half) / (b + half) - 1),
				100 * ((h + half) / (b - half) - 1));
		else
			fprintf(out, "%+.0f %% and more", 100 * ((h - half) / (b + half) - 1));
		if (row->step_decides)
			fputs(", so it could be the whole difference", out);
		if (row->true_rate && row->true_rate[0] > 0 && !isnan(row->true_rate[g]))
			fprintf(out, "; true rate %.2f -> %.2f files/s, %+.1f %% (%s)",
				row->true_rate[0], row->true_rate[g],
				100 * (row->true_rate[g] / row->true_rate[0] - 1),
				row->true_rate_from);
		fputs(".\n", out);
	}
	if (steady)
		fprintf(out, "note: %s: ± 0 %% is the same rounding, not steadiness.\n", row->key);
}

static void note_softirqs(const struct r5s_result *r, FILE *out)
{
	for (size_t i = 0; i < r->rows; i++) {
		if (strncmp(r->row[i].key, "softirqs.", 9))
			continue;
		fputs("note: softirqs.* from the robot are the mean of two counts since boot, not what the run did.\n",
		      out);
		return;
	}
}

static void note_single(const struct r5s_result *r, FILE *out)
{
	for (size_t g = 0; g < r->groups; g++) {
		size_t runs = r->group[g].runs;

		for (size_t i = 0; !runs && i < r->rows; i++)
			runs = r->row[i].cell[g].n;
		if (runs == 1)
			fprintf(out, "note: %s is a single run: it has no spread, and nothing can be tested against it.\n",
				r->group[g].name);
	}
}

static void note_negative(const struct r5s_result *r, FILE *out)
{
	size_t rows = 0;

	for (size_t i = 0; i < r->rows; i++)
		for (size_t g = 0; g < r->groups; g++)
			rows += r->row[i].cell[g].n > 1 && r->row[i].cell[g].mean < 0;
	if (rows)
		fprintf(out, "note: %zu means are below 0; their spread is shown, the robot hides it.\n",
			rows);
}

void r5s_compare_show_notes(const struct r5s_result *r, bool printed, FILE *out)
{
	if (!printed) {
		note_missing(r, out);
		note_reproduction(r, out);
		note_zero(r, out);
		note_negative(r, out);
	}
	for (size_t i = 0; i < r->rows; i++)
		note_step(r, &r->row[i], out);
	note_softirqs(r, out);
	note_single(r, out);
}
