// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/compare.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "compare/step.h"
#include "render/compare.h"
#include "render/json.h"
#include "render/lkp.h"
#include "report/report.h"

enum { CHUNK = 1 << 16, REPORT_MAX = 64 << 20, NOISE_PERCENT = 50 };

bool r5s_cmd_compare_wanted(const char *key, void *arg)
{
	const struct r5s_cmd_compare *c = arg;

	for (size_t i = 0; i < c->withouts; i++)
		if (!fnmatch(c->without[i], key, 0))
			return false;
	for (size_t i = 0; i < c->metrics; i++)
		if (!fnmatch(c->metric[i], key, 0))
			return true;
	return !c->metrics;
}

static bool keep(const struct r5s_result_row *row, void *arg)
{
	return r5s_cmd_compare_wanted(row->key, arg);
}

/* The 2015 and 2016 printers hide what scatters by more than half of its mean. */
static bool is_quiet(const struct r5s_result_row *row, void *arg)
{
	const struct r5s_result *r = arg;

	for (size_t g = 0; !row->failure && g < r->groups; g++)
		if (row->cell[g].spread > NOISE_PERCENT || row->cell[g].mean < 0)
			return false;
	return true;
}

int r5s_cmd_compare_print(const struct r5s_cmd_compare *c, struct r5s_result *r,
			  const struct r5s_compare_summary *sum)
{
	enum r5s_result_style style = c->style_set ? c->style : R5S_RESULT_OWN;
	enum r5s_order order = c->order;
	bool summary = r->style == R5S_RESULT_SUMMARY && style != R5S_RESULT_OWN;
	int err;

	/* A report is shown in its own order unless somebody asks. */
	if (!sum && order == R5S_ORDER_STYLE && !c->order_set && !summary)
		order = R5S_ORDER_NONE;
	if (sum && !c->o.everything &&
	    (style == R5S_RESULT_CLASSIC || style == R5S_RESULT_CLASSIC_2016))
		r5s_result_rows_keep(r, is_quiet, r);
	err = r5s_order_sort(r, order, summary ? R5S_RESULT_SUMMARY : style);
	if (err)
		return err;
	if (c->json) {
		struct json_object *o = r5s_compare_show_json(r, sum, &c->o);

		err = o ? r5s_json_print(o, stdout, true) : -ENOMEM;
		json_object_put(o);
		return err;
	}
	if (!r->rows)
		err = 0;	/* the sentences below say all */
	else if (style == R5S_RESULT_OWN)
		err = r5s_compare_show_table(r, stdout);
	else
		err = r5s_lkp_print(r, summary ? R5S_RESULT_SUMMARY : style, stdout);
	if (err)
		return err;
	r5s_compare_show_notes(r, !sum, stdout);
	if (sum)
		r5s_compare_show_verdict(r, sum, &c->o, stdout);
	putchar('\n');
	return 0;
}

static int read_all(const char *path, char **text, size_t *len)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	size_t room = 0;
	int err = 0;

	*text = NULL;
	*len = 0;
	if (!f)
		return -errno;
	while (!err && !feof(f)) {
		if (*len + CHUNK > room) {
			char *p = realloc(*text, room = room * 2 + CHUNK);

			if (!p) {
				err = -ENOMEM;
				break;
			}
			*text = p;
		}
		errno = 0;
		*len += fread(*text + *len, 1, CHUNK, f);
		if (ferror(f))
			err = errno ? -errno : -EIO;
		else if (*len > REPORT_MAX)
			err = -EFBIG;
	}
	if (f != stdin)
		fclose(f);
	return err;
}

static int show(struct r5s_cmd_compare *c, struct r5s_result *r)
{
	struct r5s_result pivot;
	int err;

	if (r->style == R5S_RESULT_GRID) {
		/* As it was: a grid has no other form, but those that compare can be turned. */
		if (c->style_set && c->style != R5S_RESULT_OWN)
			return r5s_lkp_print(r, R5S_RESULT_GRID, stdout);
		err = r5s_report_pivot(r, &pivot);
		if (!err) {
			r5s_result_rows_keep(&pivot, keep, c);
			err = pivot.rows ? r5s_cmd_compare_print(c, &pivot, NULL) : 0;
		} else if (err == -EINVAL) {
			err = c->json ? 0 : r5s_lkp_print(r, R5S_RESULT_GRID, stdout);
		}
		r5s_result_free(&pivot);
		return err;
	}
	r5s_result_rows_keep(r, keep, c);
	if (!r->rows)
		return 0;
	return r5s_cmd_compare_print(c, r, NULL);
}

int r5s_cmd_compare_reports(struct r5s_cmd_compare *c)
{
	struct r5s_report report = { 0 };
	size_t rows = 0, wrong = 0, len = 0;
	unsigned int lines;
	char *text = NULL;
	int err = read_all(c->from, &text, &len);

	if (err) {
		r5s_cmd_say("%s: %s%s", r5s_cmd_escape(c->from), strerror(-err),
			    err == -ENOENT ? "; --from wants a file with a report, or - for standard input" : "");
		free(text);
		return R5S_EXIT_USAGE;
	}
	err = r5s_report_parse(&report, text, len);
	for (size_t i = 0; !err && i < report.n; i++)
		err = r5s_step_mark(&report.result[i], c->threads);
	for (size_t i = 0; !err && i < report.n; i++) {
		struct r5s_result *r = &report.result[i];

		rows += r->rows;
		if (!c->check) {
			err = show(c, r);
		} else if (r->style != R5S_RESULT_GRID) {
			r5s_result_rows_keep(r, keep, c);
			wrong += r5s_compare_show_check(r, stdout);
			r5s_compare_show_notes(r, true, stdout);
		}
	}
	if (!err && report.strange)
		r5s_cmd_say("%u lines in tables are neither rows nor headers; they were left out",
			    report.strange);
	lines = report.lines;
	r5s_report_free(&report);
	free(text);
	if (err) {
		r5s_cmd_say("%s", strerror(-err));
		return R5S_EXIT_LACKS;
	}
	if (!rows) {
		r5s_cmd_say("%s: no table of the kernel test robot, dbench, tiobench or iostat in %u lines; paste the rows with their header",
			    r5s_cmd_escape(c->from), lines);
		return R5S_EXIT_USAGE;
	}
	return c->exit_code && wrong ? R5S_EXIT_FINDING : R5S_EXIT_DONE;
}
