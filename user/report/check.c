// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/check.h"

#include <math.h>
#include <stdbool.h>

enum { EXPONENT_DIGITS = 4, DECIMALS_MOST = 9 };

#define CHANGE_EXPONENT_FROM 1e5
#define SLACK 1e-9

/* The numbers that are printed like this one. */
static void range(const struct r5s_result_cell *cell, bool cut, double *low, double *high)
{
	double v = cell->mean, half;

	if (cell->decimals == 0 && cut) {
		/* Cut towards 0: "0" stands for both sides of it. */
		*low = v > 0 ? v : v - 1;
		*high = v < 0 ? v : v + 1;
		return;
	}
	if (cell->decimals < 0)
		half = v != 0 ? pow(10, floor(log10(fabs(v))) - EXPONENT_DIGITS + 1) / 2 : 0;
	else
		half = pow(10, -(cell->decimals < DECIMALS_MOST ? cell->decimals : DECIMALS_MOST)) / 2;
	*low = v - half;
	*high = v + half;
}

/* Half of the last digit of a printed change; %g forms have one or two digits. */
static double change_half(const struct r5s_result_cell *cell, bool one_digit)
{
	double c = fabs(cell->change);

	if (cell->change_decimals < 0 || one_digit) {
		int digits = one_digit || c < CHANGE_EXPONENT_FROM ? 1 : 2;

		return c > 0 ? pow(10, floor(log10(c)) - digits + 1) / 2 : 0.5;
	}
	return pow(10, -cell->change_decimals) / 2;
}

void r5s_check_row(const struct r5s_result *r, const struct r5s_result_row *row, size_t group,
		   struct r5s_check *out)
{
	const struct r5s_result_cell *base = &row->cell[0], *head = &row->cell[group];
	bool absolute = head->kind == R5S_RESULT_ABSOLUTE, cut = r->style != R5S_RESULT_SUMMARY;
	double bl, bh, hl, hh, half;

	*out = (struct r5s_check){ .computed = NAN, .low = -INFINITY, .high = INFINITY };
	if (row->failure || isnan(base->mean) || isnan(head->mean) || isnan(head->change) ||
	    head->kind == R5S_RESULT_NO_CHANGE || head->kind == R5S_RESULT_FROM_ZERO)
		return;
	range(base, cut, &bl, &bh);
	range(head, cut, &hl, &hh);
	half = change_half(head, absolute && r->style == R5S_RESULT_CLASSIC_2016);
	if (absolute) {
		out->computed = head->mean - base->mean;
		out->low = hl - bh;
		out->high = hh - bl;
	} else {
		if (base->mean != 0)
			out->computed = 100 * (head->mean - base->mean) / fabs(base->mean);
		if (bl > 0) {
			out->low = 100 * (hl / (hl > 0 ? bh : bl) - 1);
			out->high = 100 * (hh / (hh > 0 ? bl : bh) - 1);
		} else if (bh > 0 && hl >= 0) {
			/* The base may be as small as one likes, never larger than this. */
			out->low = 100 * (hl / bh - 1);
		}
	}
	if (!isnan(out->computed) && fabs(out->computed - head->change) <= half + SLACK)
		out->verdict = R5S_CHECK_EXACT;
	else if (head->change + half + SLACK * fabs(head->change) >= out->low &&
		 head->change - half - SLACK * fabs(head->change) <= out->high)
		out->verdict = R5S_CHECK_WITHIN;
	else
		out->verdict = R5S_CHECK_DISAGREES;
}

const char *r5s_check_name(enum r5s_check_verdict verdict)
{
	static const char *const names[] = {
		[R5S_CHECK_NOTHING] = "nothing to check",
		[R5S_CHECK_EXACT] = "exact",
		[R5S_CHECK_WITHIN] = "within printing",
		[R5S_CHECK_DISAGREES] = "disagrees",
	};

	return names[verdict];
}
