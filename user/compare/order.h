/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which order rows are shown.
 */
#ifndef R5S_COMPARE_ORDER_H
#define R5S_COMPARE_ORDER_H

#include "compare/result.h"

enum r5s_order {
	R5S_ORDER_STYLE,	/* the style's own */
	R5S_ORDER_CHANGE,	/* largest change first */
	R5S_ORDER_KEY,
	R5S_ORDER_P,
	R5S_ORDER_GROUP,	/* the monitor with the largest change first, inside by change */
	R5S_ORDER_NONE
};

/**
 * r5s_order_sort - sort the rows
 * @r: table
 * @order: by what
 * @style: of the printer, for R5S_ORDER_STYLE
 *
 * classic: relevance, then the ratio of the medians; classic-2016: test results first, then
 * monitors with few changed rows, inside by change; modern: failures, results, monitors with few
 * changed rows, inside by name (perf-profile: by its first two parts, then by change). A summary
 * has the largest gain first, then the largest loss. Ours: failures, results, then by q, then name.
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_order_sort(struct r5s_result *r, enum r5s_order order, enum r5s_result_style style);

/** r5s_order_parse - "style", "change", "key", "p", "group", "none"; -EINVAL */
int r5s_order_parse(const char *name);

#endif
