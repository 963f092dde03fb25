/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a printed change follow from the two printed means?
 */
#ifndef R5S_REPORT_CHECK_H
#define R5S_REPORT_CHECK_H

#include <stddef.h>

#include "compare/result.h"

enum r5s_check_verdict {
	R5S_CHECK_NOTHING,	/* no change printed, or nothing to compute it from */
	R5S_CHECK_EXACT,	/* computed from the printed means it is the same to the last digit */
	R5S_CHECK_WITHIN,	/* it differs, but the digits that were cut off can explain it */
	R5S_CHECK_DISAGREES
};

/**
 * struct r5s_check - one row
 * @verdict: of the head's change
 * @computed: from the two printed means, in percent or in the metric's unit
 * @low: smallest change that the cut digits allow
 * @high: largest; both infinite when the base may be 0
 */
struct r5s_check {
	enum r5s_check_verdict verdict;
	double computed;
	double low;
	double high;
};

/**
 * r5s_check_row - recompute a row's change
 * @r: table as read from a report
 * @row: its row
 * @group: which head, from 1
 * @out: filled in
 *
 * Whole numbers were cut by the printers, so 273 stands for 273 up to 274; decimals and exponents
 * were rounded.
 */
void r5s_check_row(const struct r5s_result *r, const struct r5s_result_row *row, size_t group,
		   struct r5s_check *out);

const char *r5s_check_name(enum r5s_check_verdict verdict);

#endif
