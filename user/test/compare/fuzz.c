// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: the first byte says which reader gets the rest.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/order.h"
#include "compare/step.h"
#include "render/compare.h"
#include "render/lkp.h"
#include "report/check.h"
#include "report/report.h"
#include "store/lkpjson.h"
#include "workload/fsmark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *sink;

static void report(const char *text, size_t len)
{
	struct r5s_report r;

	r5s_report_parse(&r, text, len);
	for (size_t i = 0; i < r.n; i++) {
		struct r5s_result *t = &r.result[i], pivot;

		r5s_step_mark(t, 0);
		r5s_lkp_print(t, t->style, sink);
		if (t->style == R5S_RESULT_GRID) {
			if (!r5s_report_pivot(t, &pivot))
				r5s_compare_show_table(&pivot, sink);
			r5s_result_free(&pivot);
			continue;
		}
		for (int style = R5S_RESULT_CLASSIC; style <= R5S_RESULT_MODERN; style++) {
			r5s_order_sort(t, R5S_ORDER_STYLE, (enum r5s_result_style)style);
			r5s_lkp_print(t, (enum r5s_result_style)style, sink);
		}
		r5s_compare_show_table(t, sink);
		r5s_compare_show_check(t, sink);
		r5s_compare_show_notes(t, true, sink);
		json_object_put(r5s_compare_show_json(t, NULL, NULL));
	}
	r5s_report_free(&r);
}

static void matrix(const char *text, size_t len)
{
	struct r5s_matrix m[2];
	struct r5s_compare_options o = { .alpha = 0.05, .seed = 1, .everything = true };
	struct r5s_compare_summary sum;
	struct r5s_result r;
	size_t half = len / 2;

	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0')
			half = i;
	for (int g = 0; g < 2; g++) {
		if (r5s_matrix_init(&m[g], "g"))
			abort();
		r5s_lkpjson_read(&m[g], text + (g ? half : 0), g ? len - half : half, "fuzz");
	}
	/* Big ones only cost time. */
	if (m[0].runs <= 64 && m[1].runs <= 64 && m[0].n <= 64 && m[1].n <= 64) {
		r5s_compare_groups(m, 2, &o, &r, &sum);
		r5s_compare_show_table(&r, sink);
		r5s_compare_show_notes(&r, false, sink);
		r5s_lkp_print(&r, R5S_RESULT_MODERN, sink);
		r5s_result_free(&r);
	}
	r5s_matrix_free(&m[0]);
	r5s_matrix_free(&m[1]);
}

static void fsmark(const char *text, size_t len)
{
	struct r5s_fsmark *f = malloc(sizeof(*f));

	if (!f)
		abort();
	r5s_fsmark_init(f);
	r5s_fsmark_feed(f, text, len / 3);
	r5s_fsmark_feed(f, text + len / 3, len - len / 3);
	r5s_fsmark_finish(f);
	r5s_fsmark_free(f);
	free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!sink)
		sink = fopen("/dev/null", "w");
	if (!sink || !size)
		return 0;
	switch (data[0]) {
	case 'r':
		report((const char *)data + 1, size - 1);
		break;
	case 'm':
		matrix((const char *)data + 1, size - 1);
		break;
	case 'f':
		fsmark((const char *)data + 1, size - 1);
		break;
	}
	return 0;
}
