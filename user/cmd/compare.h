/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the halves of `raid5stat compare` share.
 */
#ifndef R5S_CMD_COMPARE_H
#define R5S_CMD_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compare.h"
#include "compare/order.h"
#include "compare/runs.h"

enum { R5S_CMD_COMPARE_LISTS = 64 };	/* --db, --metric and --without may be repeated that often */

/**
 * struct r5s_cmd_compare - the command line
 * @style_set: a style was asked for
 * @order_set: an order was asked for
 * @threads: fs_mark's, when names do not say; 0 not given
 */
struct r5s_cmd_compare {
	const char *from;
	const char *root;
	const char *by;
	const char *cases;
	const char *where;
	const char *save;
	const char *plot;
	const char *db[R5S_CMD_COMPARE_LISTS];
	size_t dbs;
	const char *metric[R5S_CMD_COMPARE_LISTS];
	size_t metrics;
	const char *without[R5S_CMD_COMPARE_LISTS];
	size_t withouts;
	enum r5s_result_style style;
	bool style_set;
	enum r5s_order order;
	bool order_set;
	bool check;
	bool summary;
	bool geo_mean;
	bool json;
	bool exit_code;
	bool incomplete;
	unsigned int threads;
	struct r5s_compare_options o;
};

/** r5s_cmd_compare_wanted - does a metric fit --metric and not --without? Its signature suits r5s_compare_options. */
bool r5s_cmd_compare_wanted(const char *key, void *arg);

/** r5s_cmd_compare_reports - the part behind --from. Return: an exit status. */
int r5s_cmd_compare_reports(struct r5s_cmd_compare *c);

/**
 * r5s_cmd_compare_print - one table in the style asked for
 * @c: command line
 * @r: table; sorted here
 * @sum: NULL for a table out of a report
 *
 * Return: 0, or a negative errno.
 */
int r5s_cmd_compare_print(const struct r5s_cmd_compare *c, struct r5s_result *r,
			  const struct r5s_compare_summary *sum);

#endif
