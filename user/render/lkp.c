// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/lkp.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
	CELL = 64,
	SPREAD_COLUMNS = 6,
	MODERN_DECIMALS_BELOW = 1000,
	SPREAD_ABOVE_2016 = 3,
	SPREAD_ABOVE_MODERN = 2,
	CHANGE_ABOVE_2016 = 3,
	RULE = 89			/* '=' above the modern header */
};

#define EXPONENT_FROM 1e8
#define CHANGE_EXPONENT_FROM 1e5

static bool is_modern(enum r5s_result_style style)
{
	return style == R5S_RESULT_MODERN || style == R5S_RESULT_MODERN_2017;
}

void r5s_lkp_value(const struct r5s_result_row *row, double mean, enum r5s_result_style style,
		   char *out, size_t room)
{
	bool decimals = is_modern(style) ? fabs(mean) < MODERN_DECIMALS_BELOW : row->real;
	bool exponent = is_modern(style) ? fabs(mean) > EXPONENT_FROM :
					   fabs(mean) >= EXPONENT_FROM;

	if (isnan(mean))
		snprintf(out, room, "-");
	else if (exponent)
		snprintf(out, room, "%.4g", mean);
	else if (decimals)
		snprintf(out, room, "%.2f", mean);
	else
		snprintf(out, room, "%lld", (long long)mean);
}

void r5s_lkp_change(const struct r5s_result_cell *cell, enum r5s_result_style style, char *out,
		    size_t room)
{
	const char *sign = cell->kind == R5S_RESULT_PERCENT ? "%" : "";
	double c = cell->change;

	*out = '\0';
	if (cell->kind == R5S_RESULT_NO_CHANGE)
		return;
	if (cell->kind == R5S_RESULT_FROM_ZERO) {
		snprintf(out, room, cell->mean < 0 ? "-inf%%" : "+inf%%");
	} else if (style == R5S_RESULT_CLASSIC_2016) {
		if (!*sign)
			snprintf(out, room, "%.0g", c);
		else if (fabs(c) >= CHANGE_EXPONENT_FROM)
			snprintf(out, room, "%.0g%%", c);
		else if (fabs(c) >= CHANGE_ABOVE_2016)
			snprintf(out, room, "%.0f%%", c);
	} else if (fabs(c) >= CHANGE_EXPONENT_FROM) {
		snprintf(out, room, "%+.2g%s", c, sign);
	} else {
		snprintf(out, room, "%+.1f%s", c, sign);
	}
}

static void spread(const struct r5s_result_cell *cell, enum r5s_result_style style, char *out,
		   size_t room)
{
	double above = style == R5S_RESULT_MODERN ? SPREAD_ABOVE_MODERN :
		       style == R5S_RESULT_CLASSIC_2016 ? SPREAD_ABOVE_2016 : -1;
	/* From a report (n is 0): what it printed. */
	bool shown = cell->spread_printed && !isnan(cell->spread) &&
		     (!cell->n || cell->spread > above);

	if (shown)
		snprintf(out, room, " ±%3d%%", (int)fmin(cell->spread, 99999));
	else
		snprintf(out, room, "%*s", SPREAD_COLUMNS, "");
}

static void value_cell(const struct r5s_result_row *row, const struct r5s_result_cell *cell,
		       enum r5s_result_style style, FILE *out)
{
	char value[CELL], err[CELL];

	if (row->failure) {
		if (cell->fails)
			fprintf(out, "%11zu:%-4zu", cell->fails, cell->runs);
		else
			fprintf(out, "%11s:%-4zu", "", cell->runs);
		return;
	}
	r5s_lkp_value(row, cell->mean, style, value, sizeof(value));
	spread(cell, style, err, sizeof(err));
	fprintf(out, "%10s%s", value, err);
}

static void print_row(const struct r5s_result *r, const struct r5s_result_row *row,
		      enum r5s_result_style style, FILE *out)
{
	char change[CELL];

	value_cell(row, &row->cell[0], style, out);
	for (size_t g = 1; g < r->groups; g++) {
		struct r5s_result_cell shown = row->cell[g], *cell = &shown;
		size_t width;

		/* What a report printed stays as it was; what is computed follows the style. */
		if (!row->failure && r->style != style)
			r5s_result_change(row, g, style, cell);
		if (row->failure && cell->kind != R5S_RESULT_NO_CHANGE)
			snprintf(change, sizeof(change), "%.0f%%", cell->change);
		else
			r5s_lkp_change(cell, style, change, sizeof(change));
		width = strlen(change);
		/* The percent sign has a column of its own, also where it is missing. */
		if (width && change[width - 1] != '%')
			strcat(change, " ");
		if (is_modern(style))
			fprintf(out, "%11s ", change);
		else
			fprintf(out, "  %9s ", change);
		value_cell(row, cell, style, out);
	}
	fprintf(out, "  %s\n", row->key);
}

static void print_head(const struct r5s_result *r, enum r5s_result_style style, FILE *out)
{
	static const char dashes[] = "---------------------------";
	bool modern = is_modern(style), failures = false, values = false;
	const char *word = style == R5S_RESULT_CLASSIC_2016 ? " change" : "%change";
	int width = modern ? 27 : 26;
	const char *gap = modern ? " " : "  ";

	if (modern && r->axes) {
		for (int i = 0; i < RULE; i++)
			putc('=', out);
		fprintf(out, "\n%s:\n  %s\n\n", r->axes, r->values ? r->values : "");
	} else if (r->testcase) {
		fprintf(out, "%s\n\n", r->testcase);
	}
	if (modern) {
		fputs("commit: \n", out);
		for (size_t g = 0; g < r->groups; g++)
			fprintf(out, "  %s%s%s\n", r->group[g].name, r->group[g].title ? " " : "",
				r->group[g].title ? r->group[g].title : "");
		putc('\n', out);
	}
	fprintf(out, "%16.16s%s", r->group[0].name, gap);
	for (size_t g = 1; g < r->groups; g++)
		fprintf(out, "%*.*s%s", width, width, r->group[g].name, gap);
	fprintf(out, "\n%.16s%s", dashes, gap);
	for (size_t g = 1; g < r->groups; g++)
		fprintf(out, "%.*s%s", width, dashes, gap);
	putc('\n', out);
	for (size_t i = 0; i < r->rows; i++) {
		failures |= r->row[i].failure;
		values |= !r->row[i].failure;
	}
	if (failures) {
		fputs("       fail:runs", out);
		for (size_t g = 1; g < r->groups; g++)
			fputs("  %reproduction    fail:runs", out);
		fputs("\n           |    ", out);
		for (size_t g = 1; g < r->groups; g++)
			fputs("         |             |    ", out);
		putc('\n', out);
		for (size_t i = 0; i < r->rows; i++)
			if (r->row[i].failure)
				print_row(r, &r->row[i], style, out);
	}
	if (!values)
		return;
	fputs("         %stddev", out);
	for (size_t g = 1; g < r->groups; g++)
		fprintf(out, "     %s         %%stddev", word);
	fputs("\n             \\  ", out);
	for (size_t g = 1; g < r->groups; g++)
		fputs("        |                \\  ", out);
	putc('\n', out);
}

static void print_summary(const struct r5s_result *r, FILE *out)
{
	static const char line[] = "----------------------------------------";

	for (size_t g = 0; g < r->groups && g < 2; g++)
		fprintf(out, "%-40.40s%s", r->group[g].name, g ? "\n" : "  ");
	fprintf(out, "%.40s  %.40s\n", line, line);
	fprintf(out, "%10s %28s  %10s %28s  %8s %s\n", "run time(m)", "metric_value     ±stddev",
		"run time(m)", "metric_value     ±stddev", "change",
		"testbox/benchmark/sub-testcase");
	fprintf(out, "%.3s %.6s %.28s  %.3s %.6s %.28s  %.8s %.30s\n", line, line, line, line, line,
		line, line, line);
	for (size_t i = 0; i < r->rows; i++) {
		const struct r5s_result_cell *cell = r->row[i].cell;

		for (int g = 0; g < 2; g++) {
			char minutes[CELL] = "-", value[CELL] = "-", err[CELL] = "";

			if (!isnan(cell[g].minutes))
				snprintf(minutes, sizeof(minutes), "%.1f", cell[g].minutes);
			if (!isnan(cell[g].mean))
				snprintf(value, sizeof(value), "%.3f", cell[g].mean);
			if (!isnan(cell[g].spread))
				snprintf(err, sizeof(err), "±%.1f%%", cell[g].spread);
			fprintf(out, "%3zu %6s %20s %s%*s", cell[g].n, minutes, value, err,
				*err ? 9 - (int)strlen(err) : 8, "");
		}
		if (cell[1].kind == R5S_RESULT_PERCENT)
			fprintf(out, " %7.1f%% %s\n", cell[1].change, r->row[i].key);
		else
			fprintf(out, " %8s %s\n", "-", r->row[i].key);
	}
}

static void print_grid(const struct r5s_result *r, FILE *out)
{
	size_t label = 0;

	for (size_t i = 0; i < r->rows; i++)
		label = strlen(r->row[i].key) > label ? strlen(r->row[i].key) : label;
	fprintf(out, "%s\n", r->head);
	for (size_t i = 0; i < r->rows; i++) {
		fprintf(out, "%-*s", (int)label, r->row[i].key);
		for (size_t g = 0; g < r->groups; g++) {
			const struct r5s_result_cell *c = &r->row[i].cell[g];
			char text[CELL];

			if (c->decimals < 0)
				snprintf(text, sizeof(text), "%g", c->mean);
			else
				snprintf(text, sizeof(text), "%.*f", c->decimals > 9 ? 9 :
					 c->decimals, c->mean);
			fprintf(out, " %9s%s", text, c->percent_sign ? "%" : "");
		}
		putc('\n', out);
	}
}

int r5s_lkp_print(const struct r5s_result *r, enum r5s_result_style style, FILE *out)
{
	if (r->style == R5S_RESULT_GRID && style == R5S_RESULT_GRID) {
		print_grid(r, out);
	} else if (style == R5S_RESULT_SUMMARY) {
		print_summary(r, out);
	} else {
		print_head(r, style, out);
		for (size_t i = 0; i < r->rows; i++)
			if (!r->row[i].failure)
				print_row(r, &r->row[i], style, out);
	}
	return ferror(out) ? -EIO : 0;
}
