// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/cases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/direction.h"
#include "compare/step.h"

enum { SECONDS_PER_MINUTE = 60 };

static const struct r5s_result_row *achieved(const struct r5s_result *one)
{
	const struct r5s_result_row *first = NULL;

	for (size_t i = 0; i < one->rows; i++) {
		const struct r5s_result_row *row = &one->row[i];

		if (r5s_step_is_rate(row->key))
			return row;
		if (!first && !row->failure && r5s_direction_is_result(row->key) &&
		    r5s_direction_of(row->key) && !strstr(row->key, ".time."))
			first = row;
	}
	return first;
}

static double minutes(const struct r5s_result *one, size_t group)
{
	double found = NAN;

	for (size_t i = 0; i < one->rows; i++) {
		size_t len = strlen(one->row[i].key);

		if (len >= 17 && !strcmp(one->row[i].key + len - 17, "time.elapsed_time"))
			found = one->row[i].cell[group].mean / SECONDS_PER_MINUTE;
	}
	return found;
}

int r5s_cases_add(struct r5s_result *summary, const struct r5s_result *one, const char *name)
{
	const struct r5s_result_row *from = achieved(one);
	struct r5s_result_row *row;
	int err = 0;

	if (!from || one->groups < 2)
		return 0;
	for (size_t g = 0; !err && summary->groups < 2 && g < 2; g++)
		err = r5s_result_group_add(summary, one->group[g].name, NULL, 0);
	row = err ? NULL : r5s_result_row_add(summary, name);
	if (!row)
		return -ENOMEM;
	row->real = true;
	for (size_t g = 0; g < 2; g++) {
		row->cell[g] = from->cell[g];
		row->cell[g].minutes = minutes(one, g);
	}
	return 1;
}

size_t r5s_cases_geo_mean(const struct r5s_result *summary, double mean[2])
{
	double sum[2] = { 0 };
	size_t n = 0;

	for (size_t i = 0; summary->groups >= 2 && i < summary->rows; i++) {
		const struct r5s_result_cell *c = summary->row[i].cell;

		if (summary->row[i].failure || !(c[0].mean > 0) || !(c[1].mean > 0))
			continue;
		sum[0] += log(c[0].mean);
		sum[1] += log(c[1].mean);
		n++;
	}
	for (int g = 0; g < 2; g++)
		mean[g] = n ? exp(sum[g] / (double)n) : NAN;
	return n;
}
