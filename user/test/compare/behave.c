// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules of the comparison, one by one: formats, missing values, failures, base 0, the robot's
 * rule, verdicts, LKP's files, fs_mark's steps, checks, plots.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/compare.h"
#include "analysis/direction.h"
#include "compare/order.h"
#include "compare/robot.h"
#include "compare/step.h"
#include "render/compare.h"
#include "render/lkp.h"
#include "render/plot.h"
#include "report/check.h"
#include "report/report.h"
#include "store/lkpjson.h"
#include "store/lkptree.h"
#include "test/tap.h"

static const struct r5s_compare_options all = { .alpha = 0.05, .seed = 1, .everything = true };

static void runs(struct r5s_matrix *m, const char *name, int n)
{
	r5s_matrix_init(m, name);
	for (int i = 0; i < n; i++)
		r5s_matrix_run_add(m, name);
}

/* One metric's values; NAN is missing. */
static void put(struct r5s_matrix *m, const char *key, int n, ...)
{
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < n; i++) {
		double v = va_arg(ap, double);

		if (!isnan(v))
			r5s_matrix_put(m, key, (size_t)i, v, v == floor(v));
	}
	va_end(ap);
}

static char *text_of(const struct r5s_result *r, enum r5s_result_style style)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (style == R5S_RESULT_OWN)
		r5s_compare_show_table(r, f);
	else
		r5s_lkp_print(r, style, f);
	r5s_compare_show_notes(r, false, f);
	fclose(f);
	return text;
}

static void has(const struct r5s_result *r, enum r5s_result_style style, const char *part,
		const char *what)
{
	char *text = text_of(r, style);

	if (!ok(strstr(text, part) != NULL, "%s", what))
		printf("# no \"%s\" in\n# %s\n", part, text);
	free(text);
}

static const struct r5s_result_row *row(const struct r5s_result *r, const char *key)
{
	for (size_t i = 0; i < r->rows; i++)
		if (!strcmp(r->row[i].key, key))
			return &r->row[i];
	return NULL;
}

static void value(double v, bool real, enum r5s_result_style style, const char *want)
{
	struct r5s_result_row one = { .real = real };
	char got[64];

	r5s_lkp_value(&one, v, style, got, sizeof(got));
	ok_text(got, want, want);
}

static void changed(double c, enum r5s_result_kind kind, enum r5s_result_style style,
		    const char *want)
{
	struct r5s_result_cell cell = { .kind = kind, .change = c, .mean = 1, .n = 1 };
	char got[64];

	r5s_lkp_change(&cell, style, got, sizeof(got));
	ok_text(got, want, *want ? want : "(blank)");
}

static void formats(void)
{
	value(273.1, false, R5S_RESULT_CLASSIC, "273");
	value(273.9, false, R5S_RESULT_CLASSIC, "273");
	value(99.999, true, R5S_RESULT_CLASSIC, "100.00");
	value(1.015e8, false, R5S_RESULT_CLASSIC, "1.015e+08");
	value(99999999, false, R5S_RESULT_CLASSIC, "99999999");
	value(999.994, false, R5S_RESULT_MODERN, "999.99");
	value(1000.9, true, R5S_RESULT_MODERN, "1000");
	value(1e8, false, R5S_RESULT_MODERN, "100000000");
	value(1.00001e8, false, R5S_RESULT_MODERN, "1e+08");
	value(-0.5, false, R5S_RESULT_MODERN, "-0.50");
	value(NAN, false, R5S_RESULT_MODERN, "-");
	changed(200, R5S_RESULT_PERCENT, R5S_RESULT_CLASSIC, "+200.0%");
	changed(123456, R5S_RESULT_PERCENT, R5S_RESULT_CLASSIC, "+1.2e+05%");
	changed(-8.25, R5S_RESULT_PERCENT, R5S_RESULT_CLASSIC_2016, "-8%");
	changed(2.9, R5S_RESULT_PERCENT, R5S_RESULT_CLASSIC_2016, "");
	changed(92118830, R5S_RESULT_ABSOLUTE, R5S_RESULT_CLASSIC_2016, "9e+07");
	changed(-5.86, R5S_RESULT_ABSOLUTE, R5S_RESULT_MODERN, "-5.9");
	changed(250000, R5S_RESULT_PERCENT, R5S_RESULT_MODERN, "+2.5e+05%");
	changed(NAN, R5S_RESULT_FROM_ZERO, R5S_RESULT_MODERN, "+inf%");
	ok(r5s_result_absolute("mpstat.cpu.all.iowait%", R5S_RESULT_MODERN) &&
	   !r5s_result_absolute("iostat.cpu.iowait", R5S_RESULT_MODERN) &&
	   !r5s_result_absolute("perf-profile.x", R5S_RESULT_CLASSIC) &&
	   r5s_result_absolute("latency_stats.sum.x", R5S_RESULT_CLASSIC_2016) &&
	   !r5s_result_absolute("perf-stat.miss-rate%", R5S_RESULT_CLASSIC_2016),
	   "which rows show a difference, by style");
}

static void words(void)
{
	ok_text(r5s_direction_word("fsmark.app_overhead", -71.2), "better", "71.2 % less overhead is better");
	ok_text(r5s_direction_word("fsmark.files_per_sec", -11.1), "worse", "fewer files/s are worse");
	ok_text(r5s_direction_word("slabinfo.raid5-md0.num_objs", 413), "more",
		"a larger cache is only larger");
	ok_text(r5s_direction_word("dbench.max_latency", 3), "worse", "more latency is worse");
	ok_text(r5s_direction_word("x", NAN), "-", "nothing is known of a missing change");
	ok_text(r5s_direction_unit("iostat.md0.wkB/s"), "kB/s", "units from names");
}

static void faults(void)
{
	struct r5s_matrix m[3];
	struct r5s_compare_summary sum;
	struct r5s_result r;

	runs(&m[0], "old", 4);
	runs(&m[1], "new", 5);
	runs(&m[2], "newer", 2);
	put(&m[0], "x.whole", 4, 10., 10., 10., NAN);
	put(&m[1], "x.whole", 5, 20., 20., 20., 20., 20.);
	put(&m[0], "x.zero", 4, 0., 0., 0., 0.);
	put(&m[1], "x.zero", 5, 5., 5., 5., 5., 5.);
	put(&m[1], "x.only_new", 5, 1., 2., 3., 4., 5.);
	put(&m[0], "dmesg.WARNING:at_x", 4, 1., NAN, NAN, NAN);
	put(&m[1], "dmesg.WARNING:at_x", 5, 1., 1., 1., NAN, NAN);
	put(&m[2], "dmesg.WARNING:at_x", 2, 1., 1.);
	put(&m[0], "x.negative", 4, -10., -12., -10., -12.);
	put(&m[1], "x.negative", 5, -5., -6., -5., -6., -5.);
	r5s_compare_groups(m, 3, &all, &r, &sum);
	ok_num(row(&r, "x.whole")->cell[0].mean, 10, 0, "a missing value is missing: the mean is 10, not 7.5");
	ok(row(&r, "x.whole")->cell[0].n == 3 && row(&r, "x.whole")->cell[0].runs == 4, "3 of 4 runs");
	has(&r, R5S_RESULT_OWN, "(x.whole: mean 10 over 3 of 4 runs, the robot's 7.5)",
	    "and the line below says what the robot would print");
	ok(row(&r, "x.only_new")->cell[1].kind == R5S_RESULT_NO_CHANGE &&
	   isnan(row(&r, "x.only_new")->cell[0].mean), "a metric without base has no change");
	ok(row(&r, "x.zero")->cell[1].kind == R5S_RESULT_FROM_ZERO, "a base of 0 has no percentage");
	has(&r, R5S_RESULT_MODERN, "+inf%", "which the modern style prints as +inf%");
	has(&r, R5S_RESULT_MODERN, "rows come from a base of 0", "and says");
	has(&r, R5S_RESULT_MODERN,
	    "          1:4           35%           3:5           75%           2:2     dmesg.WARNING:at_x\n",
	    "failures: 1 of 4, 3 of 5 (+35 %%), 2 of 2 (+75 %%), each by its own runs");
	has(&r, R5S_RESULT_MODERN, "       fail:runs  %reproduction    fail:runs  %reproduction    fail:runs\n",
	    "header of the failure block");
	has(&r, R5S_RESULT_MODERN, "%reproduction divides by each group's own runs", "and says");
	has(&r, R5S_RESULT_MODERN, "means are below 0; their spread is shown", "negative means keep their spread");
	ok_num(row(&r, "x.negative")->cell[0].spread, 100 / 11., 1e-9, "of 1 in 11");
	ok_num(row(&r, "x.negative")->cell[1].change, 100 * (-5.4 + 11) / 11, 1e-9,
	       "from -11 to -5.4 is up");
	r5s_result_free(&r);
	for (int g = 0; g < 3; g++)
		r5s_matrix_free(&m[g]);

	runs(&m[0], "a", 3);
	runs(&m[1], "b", 3);
	put(&m[0], "last_state.is_incomplete_run", 3, 0., 1., 0.);
	put(&m[0], "fsmark.files_per_sec", 3, 10., 99., 11.);
	put(&m[1], "fsmark.files_per_sec", 3, 10., 10., 11.);
	r5s_compare_groups(m, 2, &all, &r, &sum);
	ok_num(row(&r, "fsmark.files_per_sec")->cell[0].mean, 10.5, 0, "a run that did not end does not count");
	r5s_result_free(&r);
	r5s_matrix_free(&m[0]);
	r5s_matrix_free(&m[1]);

	runs(&m[0], "a", 1);
	runs(&m[1], "b", 1);
	put(&m[0], "fsmark.files_per_sec", 1, 10.5);
	put(&m[1], "fsmark.files_per_sec", 1, 99.5);
	r5s_compare_groups(m, 2, &all, &r, &sum);
	ok(sum.verdict == R5S_COMPARE_TOO_FEW && isnan(row(&r, "fsmark.files_per_sec")->cell[0].spread),
	   "single runs: no spread, too few to tell");
	has(&r, R5S_RESULT_OWN, "a is a single run", "and says");
	has(&r, R5S_RESULT_MODERN, "     10.50          +847.6%      99.50        fsmark.files_per_sec\n",
	    "modern row of single runs");
	r5s_result_free(&r);
	r5s_matrix_free(&m[0]);
	r5s_matrix_free(&m[1]);
}

static enum r5s_compare_verdict verdict(int na, int nb, double shift, int metrics)
{
	struct r5s_matrix m[2];
	struct r5s_compare_summary sum;
	struct r5s_result r;

	runs(&m[0], "a", na);
	runs(&m[1], "b", nb);
	for (int k = 0; k < metrics; k++) {
		char key[32];

		snprintf(key, sizeof(key), "x.%d", k);
		for (int i = 0; i < na; i++)
			r5s_matrix_put(&m[0], key, (size_t)i, 100 + i, true);
		for (int i = 0; i < nb; i++)
			r5s_matrix_put(&m[1], key, (size_t)i, 100 + i + (k ? 0 : shift), true);
	}
	r5s_compare_groups(m, 2, &all, &r, &sum);
	r5s_result_free(&r);
	r5s_matrix_free(&m[0]);
	r5s_matrix_free(&m[1]);
	return sum.verdict;
}

static void verdicts(void)
{
	ok(verdict(3, 3, 1000, 1) == R5S_COMPARE_TOO_FEW, "3 against 3: too few, however far apart");
	ok(verdict(4, 4, 1000, 1) == R5S_COMPARE_DIFFERENT, "4 against 4, far apart: different");
	ok(verdict(4, 4, 0, 1) == R5S_COMPARE_SAME, "4 against 4, equal: no difference shown");
	ok(verdict(4, 4, 1000, 500) == R5S_COMPARE_TOO_FEW, "one row among 500: 4 against 4 are too few");
	ok(verdict(9, 9, 1000, 500) == R5S_COMPARE_DIFFERENT, "9 against 9 are enough");
}

static struct r5s_robot_rule rule;

static bool robot(const char *key, int n, ...)
{
	double v[32];
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < 2 * n; i++)
		v[i] = va_arg(ap, double);
	va_end(ap);
	return r5s_robot_changed(&rule, key, v, (size_t)n, v + n, (size_t)n);
}

static void robots(void)
{
	ok(robot("fsmark.files_per_sec", 3, 10., 11., 12., 13., 14., 15.), "ranges apart: changed");
	ok(robot("fsmark.files_per_sec", 3, 10., 11., 14., 13., 15., 16.),
	   "ranges may touch as long as each median is outside the other");
	ok(!robot("fsmark.files_per_sec", 3, 10., 14., 15., 13., 14., 16.), "overlapping medians: not changed");
	ok(!robot("fsmark.files_per_sec", 2, 10., 11., 23., 24.), "two runs on both sides: not looked at");
	ok(!robot("slabinfo.x.num_objs", 3, 1000., 1000., 1000., 1040., 1040., 1040.),
	   "a monitor needs a ratio above 1.05");
	ok(robot("fsmark.files_per_sec", 3, 1000., 1000., 1000., 1040., 1040., 1040.), "a result above 1.01");
	ok(!robot("iostat.sda.w_await", 3, 5., 5., 5., 45., 45., 45.), "implausibly small await: left out");
	ok(robot("iostat.sda.w_await", 3, 5., 5., 5., 59., 59., 59.), "above 50 ms: shown");
	ok(r5s_robot_class_of("dmesg.BUG:x") == R5S_ROBOT_FAILURE &&
	   r5s_robot_class_of("dmesg.timestamp:x") == R5S_ROBOT_MONITOR &&
	   r5s_robot_class_of("stress-ng.fork.ops") == R5S_ROBOT_RESULT &&
	   r5s_robot_class_of("iostat.md0.w/s") == R5S_ROBOT_PERF, "classes by name");
}

static void rules(void)
{
	struct r5s_robot_rule none = { 0 }, r = { 0 };

	/* Apart by 1, medians by 3: 1 is more than 3 * 0.3, less than 3 * 0.4. */
	ok(!r5s_robot_rule_parse(&rule, "gap=0.3") && robot("fsmark.x", 3, 10., 11., 12., 13., 14., 15.),
	   "gap=0.3: ranges apart by a third of the medians");
	ok(!r5s_robot_rule_parse(&rule, "gap=0.4") && !robot("fsmark.x", 3, 10., 11., 12., 13., 14., 15.),
	   "gap=0.4: not enough");
	ok(robot("fsmark.x", 3, 13., 14., 15.1, 10., 10.1, 10.2), "nor does it matter which is higher");
	rule = none;
	r5s_robot_rule_parse(&rule, "distance=5");
	ok(!robot("fsmark.x", 3, 10., 11., 12., 13., 14., 15.), "distance: whole ranges 1 apart are unchanged");
	ok(!robot("fsmark.x", 3, 10., 11., 12., 13.25, 14., 15.), "1.25 of 3 is less than half");
	ok(robot("fsmark.x", 3, 10., 11., 12., 14., 14.5, 15.), "2 of 3.5 is more");
	ok(!robot("fsmark.x", 2, 10., 11., 20., 21.), "two runs are not looked at");
	r5s_robot_rule_parse(&rule, "whole");
	ok(robot("fsmark.x", 2, 10., 11., 20., 21.), "whole: they are; 9 apart is more than 5 ranges of 1");
	ok(!robot("fsmark.x", 2, 10., 11., 15., 16.), "4 apart is not");
	rule = none;
	ok(robot("fsmark.x", 3, 10., 11., 12., 13., 14., 15.), "the default again");
	r5s_robot_rule_parse(&rule, "variance=3");
	ok(!robot("fsmark.x", 3, 10., 11., 12., 1., 14., 25.), "variance: wants 10 runs on both sides");
	ok(robot("fsmark.x", 10, 10., 10., 10., 10., 10., 10., 10., 10., 10., 11.,
		 10., 10., 10., 10., 10., 10., 10., 10., 10., 14.), "one range four times the other");
	ok(!robot("fsmark.x", 10, 10., 10., 10., 10., 10., 10., 10., 10., 10., 11.,
		  20., 20., 20., 20., 20., 20., 20., 20., 20., 25.), "relative to the medians 2.5 times");
	ok(!robot("fsmark.x", 10, 20., 20., 20., 20., 20., 20., 20., 20., 20., 25.,
		  10., 10., 10., 10., 10., 10., 10., 10., 10., 11.), "the other way round");
	ok(robot("fsmark.x", 10, 10., 10., 10., 10., 10., 10., 10., 10., 10., 14.,
		 10., 10., 10., 10., 10., 10., 10., 10., 10., 11.), "the base's range four times");
	rule = none;
	ok(robot("perf-profile.self.x", 3, 1., 1., 1., 2., 2., 2.), "a profile row without threshold");
	r5s_robot_rule_parse(&rule, "profile=5");
	ok(!robot("perf-profile.self.x", 3, 1., 1., 1., 2., 2., 2.), "profile=5: 2 %% is too little");
	ok(robot("perf-profile.self.x", 3, 6., 6., 6., 6., 6., 6.), "profile=5: 6 %% is shown, changed or not");
	rule = none;
	ok(robot("softirqs.BLOCK", 3, 20000., 20000., 20000., 90000., 90000., 90000.),
	   "softirqs are shown");
	r5s_robot_rule_parse(&rule, "deny");
	ok(!robot("softirqs.BLOCK", 3, 20000., 20000., 20000., 90000., 90000., 90000.),
	   "deny: as the robot does not");
	ok(r5s_robot_denied("slabinfo.raid5-md0.num_objs") && !r5s_robot_denied("iostat.md0.w/s"),
	   "what the robot hides");
	rule = none;
	ok(!r5s_robot_rule_parse(&r, "gap=1,distance=2,variance=3,profile=4,whole,deny") && r.gap == 1 &&
	   r.distance == 2 && r.variance == 3 && r.profile == 4 && r.whole && r.deny, "all words");
	ok(r5s_robot_rule_parse(&r, "") && r5s_robot_rule_parse(&r, "gap") &&
	   r5s_robot_rule_parse(&r, "gap=") && r5s_robot_rule_parse(&r, "gap=-1") &&
	   r5s_robot_rule_parse(&r, "gap=1x") && r5s_robot_rule_parse(&r, "whole=1") &&
	   r5s_robot_rule_parse(&r, "gap=1,") && r5s_robot_rule_parse(&r, "gaps=1") &&
	   r5s_robot_rule_parse(&r, "gap=nan"), "others are refused");
}

static void steps(void)
{
	struct r5s_step_case c;

	r5s_step_case_parse(&c, "ivb44/fsmark/1x-64t-3HDD-RAID5-ext4-4M-40G-fsyncBeforeClose", NULL);
	ok(c.threads == 64 && c.files == 10240, "1x-64t-...-4M-40G: 64 threads, 10240 files");
	r5s_step_case_parse(&c, "1x-64t-4BRD_12G-RAID5-btrfs-4M-30G-NoSync", NULL);
	ok(c.threads == 64 && c.files == 7680, "4BRD_12G is no size");
	r5s_step_case_parse(&c, "4M/btrfs/1/RAID5/64/130G", "filesize/fs/iterations/md/nr_threads/test_size");
	ok(c.threads == 64 && c.files == 33280, "axes: 64 threads, 33280 files");
	r5s_step_case_parse(&c, "filesystem/10%", "class/nr_threads");
	ok(!c.threads && !c.files, "10%% of the CPUs is no number of threads");
	r5s_step_case_parse(&c, "", NULL);
	ok(!c.threads && !c.files, "nothing known");
}

static enum r5s_check_verdict check(const char *line)
{
	struct r5s_report p;
	struct r5s_check c = { 0 };

	r5s_report_parse(&p, line, strlen(line));
	if (p.n && p.result[0].rows)
		r5s_check_row(&p.result[0], &p.result[0].row[0], 1, &c);
	r5s_report_free(&p);
	return c.verdict;
}

#define HEAD "a b\n---------------- --------------------------\n%stddev %change %stddev\n\\ | \\\n"

static void checks(void)
{
	ok(check(HEAD "6.40 ± 0% +200.0% 19.20 ± 0% fsmark.files_per_sec") == R5S_CHECK_EXACT,
	   "6.40 -> 19.20 is +200.0 %%");
	ok(check(HEAD "2 ± 0% +230.0% 6 ± 12% vmstat.procs.b") == R5S_CHECK_WITHIN,
	   "2 -> 6 as +230.0 %%: cut digits allow it");
	ok(check(HEAD "6.40 ± 0% +201.0% 19.20 ± 0% fsmark.files_per_sec") == R5S_CHECK_DISAGREES,
	   "6.40 -> 19.20 as +201.0 %% is wrong");
	ok(check(HEAD "2000 ± 0% +230.0% 6000 ± 12% x.y") == R5S_CHECK_DISAGREES, "2000 -> 6000 as +230.0 %% too");
	ok(check(HEAD "0 ± 0% +830.0% 6 ± 12% x.y") == R5S_CHECK_WITHIN &&
	   check(HEAD "0 ± 0% +230.0% 6 ± 12% x.y") == R5S_CHECK_DISAGREES,
	   "a base below 1 allows +500 %% and more, not less");
	ok(check("> > 3 18.6 6.400 ±0.0% 5 9.2 19.200 ±0.0% 100.0% a/fsmark/b") == R5S_CHECK_DISAGREES,
	   "in a summary, without its header, quoted");
}

static size_t rows_in(const char *text, enum r5s_result_style *style)
{
	struct r5s_report p;
	size_t n = 0;

	r5s_report_parse(&p, text, strlen(text));
	for (size_t i = 0; i < p.n; i++) {
		n += p.result[i].rows;
		*style = p.result[i].style;
	}
	r5s_report_free(&p);
	return n;
}

static void reports(void)
{
	enum r5s_result_style style = R5S_RESULT_OWN;

	ok(rows_in(HEAD "1 +100.0% 2 x.y\n", &style) == 1 && style == R5S_RESULT_CLASSIC, "no spread printed");
	ok(rows_in(HEAD "> 1.00 \xb1 5% +100.0% 2.00 \xb1  3% x.y\n", &style) == 1, "Latin-1 plus-minus");
	ok(rows_in(HEAD "1.00 ?  5% +100.0% 2.00 ?103% x.y\n", &style) == 1, "? for plus-minus");
	ok(rows_in(HEAD "1.00 ± 5% +100.0% 2.00 ± 3%\n> a.very.long.key\n", &style) == 1, "key on its own line");
	ok(rows_in(HEAD "1.00 ± 5% +100.0% 2.00 ± 3%\n1 2 3\n", &style) == 0, "a row without key is none");
	ok(rows_in("fail:runs %reproduction fail:runs\n| | |\n:4 75% 3:4 dmesg.x\n"
		   "%stddev %change %stddev\n\\ | \\\n90.22 +6.2% 95.83 iostat.cpu.idle\n", &style) == 2 &&
	   style == R5S_RESULT_MODERN, "failure block and values in one table");
	ok(rows_in("Dear all,\nversion 2.4.20 came in 3 parts.\n4.4e+13 ++--+\n0 *+* |\n", &style) == 0,
	   "prose and plots are no rows");
	ok(rows_in("", &style) == 0 && rows_in("\n\n>\n", &style) == 0, "nothing");
}

static void files(void)
{
	static const char stats[] = "{\"fsmark.files_per_sec\": 6.4, \"a.text\": \"x\", \"a.nan\": NaN, \"a.int\": 7}";
	static const char samples[] = "{\"slabinfo.time\": [1, 2, 3], \"slabinfo.raid5-md0.num_objs\": [275, 280],"
				      " \"cpuidle.C1.usage\": [10, 40], \"one.x\": [5]}";
	char dir[] = "/tmp/r5s-behave-XXXXXX", path[128], *failed = NULL;
	struct r5s_matrix m, back;
	bool same = true;

	ok(mkdtemp(dir) != NULL, "a directory");
	r5s_matrix_init(&m, "g");
	ok(!r5s_lkpjson_read(&m, stats, strlen(stats), "s") && m.runs == 1 && m.n == 2,
	   "stats.json: numbers only");
	ok(!r5s_lkpjson_read(&m, samples, strlen(samples), "t") && m.runs == 2, "samples are one run");
	ok_num(r5s_matrix_value(r5s_matrix_find(&m, "slabinfo.raid5-md0.num_objs"), 1), 185, 1e-9,
	       "a gauge is divided by the monitor's longest column, as LKP does");
	ok_num(r5s_matrix_value(r5s_matrix_find(&m, "cpuidle.C1.usage"), 1), 30, 0, "a counter is last - first");
	ok_num(r5s_matrix_value(r5s_matrix_find(&m, "fsmark.files_per_sec"), 1), NAN, 0,
	       "what the second run lacks is missing");
	r5s_matrix_free(&m);
	for (int i = 0; i < 3; i++) {
		static const char *const bad[] = { "", "[1,2]", "{\"a\":[1" };

		r5s_matrix_init(&m, "g");
		ok(r5s_lkpjson_read(&m, bad[i], strlen(bad[i]), "s") == -EBADMSG, "refused: \"%s\"", bad[i]);
		r5s_matrix_free(&m);
	}

	runs(&m, "g", 4);
	put(&m, "x.real", 4, 0.1, 1e-300, 12345678.901234567, -2.5);
	put(&m, "x.whole", 4, 1., 2., 3., 4e14);
	put(&m, "x.hole", 4, NAN, 5., NAN, 6.);
	put(&m, "x.short", 4, 5., 6., NAN, NAN);
	put(&m, "x.\"odd\\ key\xc3\xa9", 4, 1.5, 1.5, 1.5, 1.5);
	snprintf(path, sizeof(path), "%s/commit", dir);
	ok(!r5s_lkptree_write(&m, path), "tree written");
	ok(!r5s_lkptree_read(&back, path, &failed) && back.runs == 4 && back.n == m.n, "and read");
	for (size_t i = 0; i < m.n; i++) {
		const struct r5s_matrix_metric *b = r5s_matrix_find(&back, m.metric[i].key);

		for (size_t run = 0; b && run < 4; run++) {
			double x = r5s_matrix_value(&m.metric[i], run), y = r5s_matrix_value(b, run);

			same &= x == y || (isnan(x) && isnan(y));
		}
		same &= b && b->integer == m.metric[i].integer;
	}
	ok(same, "round trip: every value, every missing one, every kind the same");
	r5s_matrix_free(&back);
	free(failed);
	for (int gz = 0; gz < 2; gz++) {
		snprintf(path, sizeof(path), "%s/matrix.json%s", dir, gz ? ".gz" : "");
		ok(!r5s_lkpjson_write(&m, path), "%s written", path + strlen(dir) + 1);
		ok(!r5s_lkptree_read(&back, path, &failed) && back.runs == 4, "and read");
		ok_num(r5s_matrix_value(r5s_matrix_find(&back, "x.hole"), 0), 0, 0,
		       "a hole is padded with 0, as LKP's readers want it");
		ok_num(r5s_matrix_value(r5s_matrix_find(&back, "x.short"), 3), NAN, 0,
		       "a missing end stays missing");
		ok_num(r5s_matrix_value(r5s_matrix_find(&back, "x.real"), 2), 12345678.901234567, 0, "exactly");
		r5s_matrix_free(&back);
		free(failed);
	}
	ok(r5s_lkptree_read(&back, dir, &failed) == 0 && back.runs == 4, "a directory by its matrix.json");
	r5s_matrix_free(&back);
	free(failed);
	r5s_matrix_free(&m);
	snprintf(path, sizeof(path), "%s/none", dir);
	ok(r5s_lkptree_read(&back, path, &failed) == -ENOENT && failed, "a name that is not there");
	r5s_matrix_free(&back);
	free(failed);
	snprintf(path, sizeof(path), "rm -rf %s", dir);
	if (system(path))
		printf("# %s stays\n", dir);
}

static void ordered(enum r5s_order order, enum r5s_result_style style, const char *want)
{
	static const struct {
		const char *key;
		double base;
		double head;
	} rows[] = {
		{ "perf-profile.children.b", 1, 1.5 }, { "iostat.y", 10, 20 }, { "iostat.x", 10, 40 },
		{ "perf-profile.children.a", 1, 1.4 }, { "meminfo.z", 10, 11 },
		{ "perf-profile.calltrace.c", 1, 1.9 }, { "fsmark.q", 10, 11 }, { "dmesg.F", 0, 1 },
	};
	struct r5s_result r;
	char got[64] = "";

	r5s_result_init(&r, R5S_RESULT_OWN);
	r5s_result_group_add(&r, "a", NULL, 1);
	r5s_result_group_add(&r, "b", NULL, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct r5s_result_row *to = r5s_result_row_add(&r, rows[i].key);

		to->failure = rows[i].base == 0;
		to->cell[0].mean = to->cell[0].median = rows[i].base;
		to->cell[1].mean = to->cell[1].median = rows[i].head;
		to->cell[1].p = rows[i].head / 100;
		r5s_result_change(to, 1, style, &to->cell[1]);
	}
	r5s_order_sort(&r, order, style);
	for (size_t i = 0; i < r.rows; i++) {
		const char *key = r.row[i].key;

		strncat(got, key + strlen(key) - 1, 1);
	}
	ok_text(got, want, want);
	r5s_result_free(&r);
}

static void orders(void)
{
	/* Failures, results, monitors with few rows, inside by name; perf-profile by change. */
	ordered(R5S_ORDER_STYLE, R5S_RESULT_MODERN, "Fqzxycab");
	/* Relevance 100, 10, 1; inside by the ratio of the medians. */
	ordered(R5S_ORDER_STYLE, R5S_RESULT_CLASSIC, "Fqcbazxy");
	ordered(R5S_ORDER_STYLE, R5S_RESULT_CLASSIC_2016, "Fqzxycba");
	ordered(R5S_ORDER_CHANGE, R5S_RESULT_CLASSIC, "Fxycbazq");
	ordered(R5S_ORDER_KEY, R5S_RESULT_MODERN, "Fqxyzcab");
	ordered(R5S_ORDER_GROUP, R5S_RESULT_CLASSIC, "Fxycbaqz");
	ordered(R5S_ORDER_NONE, R5S_RESULT_MODERN, "byxazcqF");
}

static void plots(void)
{
	double up[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, flat[] = { 4, 4, NAN, 4 };
	char *text = NULL, first[96] = "", last[96] = "";
	size_t len, lines = 0, wide = 0, stars = 0, os = 0;
	FILE *f = open_memstream(&text, &len);

	ok(!r5s_plot_print("x.y", "files/s", up, 8, flat, 4, f), "a plot");
	fclose(f);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		lines++;
		wide = strlen(line) > wide ? strlen(line) : wide;
		if (lines == 2)
			snprintf(first, sizeof(first), "%s", line);
		if (lines > 1 && strchr(line, '*') && !strchr(line, '['))
			snprintf(last, sizeof(last), "%s", line);
		for (char *s = line; *s && !strchr(line, '['); s++) {
			stars += *s == '*';
			os += *s == 'O';
		}
	}
	ok(lines <= 20 && wide <= 80, "80 x 20: %zu x %zu", wide, lines);
	ok(stars >= 7 && stars <= 8 && os == 3, "8 base runs and 3 head runs, the missing one is not drawn");
	ok(strrchr(first, '*') > strchr(last, '*') - last + first, "what grows goes up to the right");
	free(text);
	f = fopen("/dev/null", "w");
	ok(r5s_plot_print("x", NULL, NULL, 0, flat + 2, 1, f) == -EINVAL, "nothing to draw");
	fclose(f);
}

int main(void)
{
	formats();
	words();
	faults();
	verdicts();
	robots();
	rules();
	steps();
	checks();
	reports();
	files();
	orders();
	plots();
	return tap_done();
}
