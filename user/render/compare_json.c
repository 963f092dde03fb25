// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/compare.h"

#include <math.h>

#include "analysis/direction.h"
#include "render/json.h"
#include "report/check.h"

static const char *const change_names[] = {
	[R5S_RESULT_NO_CHANGE] = NULL,
	[R5S_RESULT_PERCENT] = "percent",
	[R5S_RESULT_ABSOLUTE] = "absolute",
	[R5S_RESULT_FROM_ZERO] = "from-zero",
};

static void count(struct json_object *o, const char *key, size_t n)
{
	if (n)
		r5s_json_u64(o, key, n);
	else
		r5s_json_null(o, key);
}

static void cell(struct json_object *to, const struct r5s_result *r,
		 const struct r5s_result_row *row, size_t g, bool read)
{
	const struct r5s_result_cell *c = &row->cell[g];
	struct json_object *o = r5s_json_object(to, NULL);

	if (row->failure) {
		r5s_json_u64(o, "fails", c->fails);
		count(o, "runs", c->runs);
	} else {
		r5s_json_double(o, "mean", c->mean);
		r5s_json_double(o, "spread_percent", c->spread_printed ? c->spread : NAN);
		count(o, "n", c->n);
		count(o, "runs", c->runs);
		r5s_json_double(o, "min", c->min);
		r5s_json_double(o, "median", c->median);
		r5s_json_double(o, "max", c->max);
	}
	if (!isnan(c->minutes))
		r5s_json_double(o, "minutes", c->minutes);
	if (row->true_rate)
		r5s_json_double(o, "true_files_per_sec", row->true_rate[g]);
	if (!g)
		return;
	r5s_json_text(o, "change_kind", change_names[c->kind]);
	r5s_json_double(o, "change", c->kind == R5S_RESULT_FROM_ZERO ? NAN : c->change);
	r5s_json_text(o, "direction", r5s_direction_word(r5s_result_metric(r, row), c->mean - row->cell[0].mean));
	if (read) {
		struct r5s_check check;

		r5s_check_row(r, row, g, &check);
		r5s_json_text(o, "check", r5s_check_name(check.verdict));
		r5s_json_double(o, "computed", check.computed);
		return;
	}
	r5s_json_double(o, "p", c->p);
	r5s_json_bool(o, "exact", c->exact);
	r5s_json_double(o, "q", c->q);
	r5s_json_double(o, "shift", c->shift);
	r5s_json_double(o, "low", c->low);
	r5s_json_double(o, "high", c->high);
	r5s_json_double(o, "detectable", c->detectable);
	r5s_json_bool(o, "robot_changed", c->robot);
}

struct json_object *r5s_compare_show_json(const struct r5s_result *r,
					  const struct r5s_compare_summary *sum,
					  const struct r5s_compare_options *o)
{
	static const char *const verdicts[] = {
		[R5S_COMPARE_DIFFERENT] = "different",
		[R5S_COMPARE_SAME] = "no-difference-shown",
		[R5S_COMPARE_TOO_FEW] = "too-few-runs",
	};
	struct json_object *top = json_object_new_object(), *list;

	if (!top)
		return NULL;
	r5s_json_text(top, "testcase", r->testcase);
	r5s_json_text(top, "style", r5s_result_style_name(r->style));
	if (sum) {
		r5s_json_text(top, "verdict", verdicts[sum->verdict]);
		r5s_json_u64(top, "tested", sum->tested);
		r5s_json_u64(top, "found", sum->found);
		r5s_json_u64(top, "robot_changed", sum->robot);
		r5s_json_double(top, "least_p", sum->least_p);
		r5s_json_u64(top, "runs_needed", sum->need);
		r5s_json_double(top, "alpha", o->alpha);
		r5s_json_u64(top, "seed", o->seed);
	}
	list = r5s_json_array(top, "groups");
	for (size_t g = 0; g < r->groups; g++) {
		struct json_object *group = r5s_json_object(list, NULL);

		r5s_json_text(group, "name", r->group[g].name);
		count(group, "runs", r->group[g].runs);
	}
	list = r5s_json_array(top, "rows");
	for (size_t i = 0; i < r->rows; i++) {
		const struct r5s_result_row *row = &r->row[i];
		struct json_object *one = r5s_json_object(list, NULL), *cells;

		r5s_json_text(one, "metric", row->key);
		r5s_json_text(one, "unit", row->unit ?: r5s_direction_unit(r5s_result_metric(r, row)));
		r5s_json_bool(one, "failure", row->failure);
		if (row->line)
			r5s_json_u64(one, "line", row->line);
		if (row->step > 0) {
			r5s_json_double(one, "step", row->step);
			r5s_json_bool(one, "on_step", row->on_step);
			r5s_json_bool(one, "step_decides", row->step_decides);
			r5s_json_text(one, "true_rate_from", row->true_rate_from);
		}
		cells = r5s_json_array(one, "cells");
		for (size_t g = 0; g < r->groups; g++)
			cell(cells, r, row, g, !sum);
	}
	return top;
}
