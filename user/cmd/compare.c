// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/compare.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "compare/cases.h"
#include "compare/step.h"
#include "privilege.h"
#include "render/compare.h"
#include "render/plot.h"
#include "store/lkptree.h"

enum { DEPTH_MAX = 16, CASES_MAX = 4096, GROUPS_MAX = 64, SEED = 20150318 };

/* Everything that is being compared. */
struct job {
	struct r5s_cmd_compare *c;
	struct r5s_runs runs;
	bool runs_open;
	struct r5s_result summary;
	char **what;	/* groups as named */
	size_t groups;
	size_t tables;
	int status;	/* the most telling so far */
	bool different;
	bool too_few;
};

static void help(void)
{
	fputs("usage: raid5stat compare [options] A B [C ...]\n"
	      "       raid5stat compare [options] --by KEY\n"
	      "       raid5stat compare [options] --from REPORT.txt\n\n"
	      "A group is: runs of the store (3, 2-5, last, a uuid, KEY=PATTERN, several with commas),\n"
	      "or a directory of LKP results, a matrix.json(.gz), stats.json files with commas.\n"
	      "The first group is the base.\n\n"
	      "  --db FILE        a run store (may be repeated; else the usual one)\n"
	      "  --by KEY         a group for each value of KEY: kernel, host, or any setting\n"
	      "  --where WHAT     only these runs\n"
	      "  --cases KEY      a table for each value of KEY\n"
	      "  --root DIR       a table for each LKP test case below DIR that has commits A and B\n"
	      "  --summary        one row per test case instead of tables\n"
	      "  --incomplete     take runs that failed or were killed, too\n"
	      "  --from FILE      tables out of a mail (- is standard input); --check recomputes them\n"
	      "  --metric PATTERN only these metrics (may be repeated): fewer rows need fewer runs\n"
	      "  --all            every row, changed or not\n"
	      "  --style STYLE    own, classic, classic-2016, modern, modern-2017\n"
	      "  --robot RULE     gap=X, distance=X, variance=X, profile=X, whole, deny (see the man page)\n"
	      "  --without PATTERN  not these metrics (may be repeated)\n"
	      "  --geo-mean       with --summary: the geometric mean over the test cases, too\n"
	      "  --sort ORDER     style, change, group, key, p, none\n"
	      "  --plot PATTERN   draw these metrics over the runs\n"
	      "  --threads N      fs_mark's threads, where the runs do not say\n"
	      "  --alpha X        false discovery rate (0.05)      --seed N   of the resampling\n"
	      "  --save DIR       write each group as an LKP result tree below DIR\n"
	      "  --json           for programs\n"
	      "  --exit-code      1 different, 0 no difference shown, 4 too few runs to tell\n", stdout);
}

static int fail(int err, const char *what)
{
	r5s_cmd_say("%s: %s", r5s_cmd_escape(what), strerror(-err));
	return R5S_EXIT_LACKS;
}

static int open_stores(struct job *job)
{
	size_t n = job->c->dbs ? job->c->dbs : 1;
	int err = 0;

	if (job->runs_open)
		return R5S_EXIT_DONE;
	job->runs_open = true;
	for (size_t i = 0; !err && i < n; i++)
		err = r5s_runs_open(&job->runs, job->c->dbs ? job->c->db[i] : NULL);
	if (!err && !job->c->save)
		r5s_privilege_keep(R5S_PRIVILEGE_READ);
	if (!err)
		return R5S_EXIT_DONE;
	r5s_cmd_say("%s", *job->runs.error ? job->runs.error : strerror(-err));
	return R5S_EXIT_LACKS;
}

static int group_from_store(struct job *job, const char *what, const char *key, const char *value,
			    struct r5s_matrix *m)
{
	unsigned int threads = 0;
	size_t left_out = 0;
	int rc = open_stores(job), err;

	if (rc)
		return rc;
	err = r5s_runs_group(&job->runs, what, key, value, job->c->incomplete, m, &threads,
			     &left_out);
	if (left_out)
		r5s_cmd_say("%s: %zu runs did not end well and were left out; --incomplete takes them",
			    r5s_cmd_escape(m->name ?: "?"), left_out);
	if (err == -ENOENT) {
		r5s_cmd_say("%s: no run of the store fits, and no such directory or .json file; `raid5stat report` shows a run, sqlite3 on the store lists all",
			    r5s_cmd_escape(what ?: value));
		return R5S_EXIT_USAGE;
	}
	if (err) {
		r5s_cmd_say("%s", *job->runs.error ? job->runs.error : strerror(-err));
		return R5S_EXIT_LACKS;
	}
	if (threads && !job->c->threads)
		job->c->threads = threads;
	return R5S_EXIT_DONE;
}

static int group_from_files(const char *path, struct r5s_matrix *m)
{
	char *failed = NULL;
	int err = r5s_lkptree_read(m, path, &failed);

	if (!err)
		return R5S_EXIT_DONE;
	r5s_cmd_say("%s: %s", r5s_cmd_escape(failed ?: path), err == -EBADMSG ?
		    "is not a result of LKP: stats.json, matrix.json or matrix.json.gz is wanted" :
		    err == -ENOENT ? "has no stats.json or matrix.json in it or in its run directories" :
		    strerror(-err));
	free(failed);
	return R5S_EXIT_USAGE;
}

static bool is_files(const char *what)
{
	char first[PATH_MAX];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(what, ","), what);
	/* A path that is not there should be told as one. */
	return r5s_lkptree_is(first) || (strchr(first, '/') && !strchr(first, '='));
}

static int save(const struct r5s_cmd_compare *c, const struct r5s_matrix *m, size_t n)
{
	char path[PATH_MAX];
	int err = 0;

	if (mkdir(c->save, 0777) && errno != EEXIST)
		return fail(-errno, c->save);
	for (size_t g = 0; !err && g < n; g++) {
		if (snprintf(path, sizeof(path), "%s/%s", c->save, m[g].name) >= PATH_MAX)
			return fail(-ENAMETOOLONG, c->save);
		/* A name becomes one directory. */
		for (char *s = path + strlen(c->save) + 1; *s; s++)
			if (*s == '/' || *s == ' ')
				*s = '_';
		err = r5s_lkptree_write(&m[g], path);
	}
	return err ? fail(err, path) : R5S_EXIT_DONE;
}

static int plots(const struct r5s_cmd_compare *c, const struct r5s_matrix *m, size_t n)
{
	struct r5s_cmd_compare only = { .metric = { c->plot }, .metrics = 1 };
	size_t drawn = 0;

	for (size_t i = 0; i < m[0].n; i++) {
		const struct r5s_matrix_metric *base = &m[0].metric[i];

		if (!r5s_cmd_compare_wanted(base->key, &only))
			continue;
		for (size_t g = 1; g < n; g++) {
			const struct r5s_matrix_metric *head = r5s_matrix_find(&m[g], base->key);

			drawn += !r5s_plot_print(base->key, base->unit, base->v,
						 base->room < m[0].runs ? base->room : m[0].runs,
						 head ? head->v : NULL, !head ? 0 :
						 head->room < m[g].runs ? head->room : m[g].runs,
						 stdout);
		}
		putchar('\n');
	}
	if (drawn)
		return R5S_EXIT_DONE;
	r5s_cmd_say("--plot %s: no metric of the base fits", r5s_cmd_escape(c->plot));
	return R5S_EXIT_USAGE;
}

static int compare(struct job *job, struct r5s_matrix *m, size_t n, const char *name)
{
	struct r5s_cmd_compare *c = job->c;
	struct r5s_compare_options o = c->o;
	struct r5s_compare_summary sum;
	struct r5s_result r;
	int err, rc = R5S_EXIT_DONE;

	if (c->summary && n > 2) {
		r5s_cmd_say("--summary has two groups, the base and another, not %zu: name fewer", n);
		return R5S_EXIT_USAGE;
	}
	/* A summary needs rows that a table would leave out. */
	o.everything |= c->summary;
	err = r5s_compare_groups(m, n, &o, &r, &sum);
	if (!err && name && !r.testcase) {
		r.testcase = strdup(name);
		err = r.testcase ? 0 : -ENOMEM;
	}
	if (!err)
		err = r5s_step_mark(&r, c->threads);
	job->different |= sum.verdict == R5S_COMPARE_DIFFERENT;
	job->too_few |= sum.verdict == R5S_COMPARE_TOO_FEW;
	if (!err && c->summary) {
		err = r5s_cases_add(&job->summary, &r, r.testcase ?: name ?: m[0].name);
		err = err < 0 ? err : 0;
	} else if (!err) {
		err = r5s_cmd_compare_print(c, &r, &sum);
	}
	job->tables++;
	r5s_result_free(&r);
	if (err)
		return fail(err, "compare");
	if (c->plot)
		rc = plots(c, m, n);
	if (!rc && c->save)
		rc = save(c, m, n);
	return rc;
}

/* The groups as named, restricted to one test case of the store. */
static int groups(struct job *job, const char *cases, const char *one)
{
	struct r5s_matrix m[GROUPS_MAX] = { 0 };
	const char **value = NULL;
	char what[PATH_MAX];
	long n = (long)job->groups;
	int rc = R5S_EXIT_DONE;

	if (job->c->by) {
		rc = open_stores(job);
		n = rc ? 0 : r5s_runs_values(&job->runs, job->c->where, job->c->by, &value);
		if (!rc && n < 2) {
			r5s_cmd_say("--by %s: %ld values in the runs; a comparison needs two",
				    r5s_cmd_escape(job->c->by), n < 0 ? 0 : n);
			rc = R5S_EXIT_USAGE;
		}
	}
	if (n > GROUPS_MAX) {
		r5s_cmd_say("%ld groups; at most %d fit into a table, --where chooses", n, GROUPS_MAX);
		rc = R5S_EXIT_USAGE;
	}
	for (long g = 0; !rc && g < n; g++) {
		if (job->c->by) {
			rc = group_from_store(job, job->c->where, job->c->by, value[g], &m[g]);
			free(m[g].name);
			m[g].name = strdup(value[g]);
		} else if (is_files(job->what[g])) {
			rc = group_from_files(job->what[g], &m[g]);
		} else {
			snprintf(what, sizeof(what), "%s%s%s", job->what[g],
				 job->c->where ? "," : "", job->c->where ?: "");
			rc = group_from_store(job, what, cases, one, &m[g]);
			free(m[g].name);
			m[g].name = strdup(job->what[g]);
		}
		if (!m[g].name)
			rc = rc ?: R5S_EXIT_LACKS;
	}
	if (!rc)
		rc = compare(job, m, (size_t)n, one);
	for (long g = 0; g < n && g < GROUPS_MAX; g++)
		r5s_matrix_free(&m[g]);
	free(value);
	return rc;
}

static int store_cases(struct job *job)
{
	const char **value = NULL;
	int rc = open_stores(job);
	long n = rc ? 0 : r5s_runs_values(&job->runs, job->c->where, job->c->cases, &value);

	if (!rc && n < 1) {
		r5s_cmd_say("--cases %s: no run has it", r5s_cmd_escape(job->c->cases));
		rc = R5S_EXIT_USAGE;
	}
	for (long i = 0; !rc && i < n; i++)
		rc = groups(job, job->c->cases, value[i]);
	free(value);
	return rc;
}

/* Every directory below that has all the commits. */
static int tree_cases(struct job *job, const char *dir, int depth)
{
	struct r5s_matrix m[GROUPS_MAX] = { 0 };
	char path[PATH_MAX];
	struct dirent **list = NULL;
	size_t have = 0;
	int n, rc = R5S_EXIT_DONE;

	for (size_t g = 0; g < job->groups && g < GROUPS_MAX; g++)
		if (snprintf(path, sizeof(path), "%s/%s", dir, job->what[g]) < PATH_MAX)
			have += r5s_lkptree_is(path);
	if (have == job->groups && job->tables < CASES_MAX) {
		for (size_t g = 0; !rc && g < have; g++) {
			snprintf(path, sizeof(path), "%s/%s", dir, job->what[g]);
			rc = group_from_files(path, &m[g]);
		}
		if (!rc)
			rc = compare(job, m, have, dir);
		for (size_t g = 0; g < have; g++)
			if (m[g].slot)
				r5s_matrix_free(&m[g]);
		return rc;
	}
	if (depth >= DEPTH_MAX)
		return rc;
	n = scandir(dir, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		struct stat st;

		if (!rc && list[i]->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name) < PATH_MAX &&
		    !lstat(path, &st) && S_ISDIR(st.st_mode))
			rc = tree_cases(job, path, depth + 1);
		free(list[i]);
	}
	free(list);
	return rc;
}

static int number(const char *option, const char *text, double low, double high, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end != text && !*end && *out >= low && *out <= high)
		return 0;
	r5s_cmd_say("%s wants a number from %g to %g, not %s", option, low, high,
		    r5s_cmd_escape(text));
	return -EINVAL;
}

static int add(const char **list, size_t *n, const char *text)
{
	if (*n == R5S_CMD_COMPARE_LISTS) {
		r5s_cmd_say("more than %d --db, --metric or --without", R5S_CMD_COMPARE_LISTS);
		return -EINVAL;
	}
	list[(*n)++] = text;
	return 0;
}

/* -1: go on, else an exit status. */
static int options(struct r5s_cmd_compare *c, int argc, char **argv)
{
	enum { DB = 256, BY, WHERE, CASES, ROOT, SUMMARY, INCOMPLETE, FROM, CHECK, METRIC, ALL,
	       STYLE, SORT, ROBOT, WITHOUT, GEO_MEAN, PLOT, THREADS, ALPHA, SEED_SET, SAVE, JSON, EXIT_CODE };
	static const struct option longs[] = {
		{ "db", 1, NULL, DB }, { "by", 1, NULL, BY }, { "where", 1, NULL, WHERE },
		{ "cases", 1, NULL, CASES }, { "root", 1, NULL, ROOT },
		{ "summary", 0, NULL, SUMMARY }, { "incomplete", 0, NULL, INCOMPLETE },
		{ "from", 1, NULL, FROM }, { "check", 0, NULL, CHECK },
		{ "metric", 1, NULL, METRIC }, { "all", 0, NULL, ALL },
		{ "style", 1, NULL, STYLE }, { "sort", 1, NULL, SORT }, { "plot", 1, NULL, PLOT },
		{ "robot", 1, NULL, ROBOT }, { "without", 1, NULL, WITHOUT },
		{ "geo-mean", 0, NULL, GEO_MEAN },
		{ "threads", 1, NULL, THREADS }, { "alpha", 1, NULL, ALPHA },
		{ "seed", 1, NULL, SEED_SET }, { "save", 1, NULL, SAVE },
		{ "json", 0, NULL, JSON }, { "exit-code", 0, NULL, EXIT_CODE },
		{ "help", 0, NULL, 'h' }, { NULL, 0, NULL, 0 },
	};
	double v = 0;
	int opt, err = 0;

	optind = 1;
	while (!err && (opt = getopt_long(argc, argv, "h", longs, NULL)) >= 0) {
		switch (opt) {
		case 'h':
			help();
			return R5S_EXIT_DONE;
		case DB:
			err = add(c->db, &c->dbs, optarg);
			break;
		case METRIC:
			err = add(c->metric, &c->metrics, optarg);
			break;
		case BY:
			c->by = optarg;
			break;
		case WHERE:
			c->where = optarg;
			break;
		case CASES:
			c->cases = optarg;
			break;
		case ROOT:
			c->root = optarg;
			break;
		case FROM:
			c->from = optarg;
			break;
		case PLOT:
			c->plot = optarg;
			break;
		case SAVE:
			c->save = optarg;
			break;
		case WITHOUT:
			err = add(c->without, &c->withouts, optarg);
			break;
		case ROBOT:
			err = r5s_robot_rule_parse(&c->o.rule, optarg);
			if (err)
				r5s_cmd_say("--robot wants gap=X, distance=X, variance=X, profile=X, whole or deny with commas, X above 0, not %s",
					    r5s_cmd_escape(optarg));
			break;
		case GEO_MEAN:
			c->geo_mean = true;
			break;
		case SUMMARY:
			c->summary = true;
			break;
		case INCOMPLETE:
			c->incomplete = true;
			break;
		case CHECK:
			c->check = true;
			break;
		case ALL:
			c->o.everything = true;
			break;
		case JSON:
			c->json = true;
			break;
		case EXIT_CODE:
			c->exit_code = true;
			break;
		case STYLE:
			err = r5s_result_style_parse(optarg);
			if (err < 0)
				r5s_cmd_say("--style wants own, classic, classic-2016, modern or modern-2017, not %s",
					    r5s_cmd_escape(optarg));
			c->style = err < 0 ? R5S_RESULT_OWN : (enum r5s_result_style)err;
			c->style_set = true;
			err = err < 0 ? err : 0;
			break;
		case SORT:
			err = r5s_order_parse(optarg);
			if (err < 0)
				r5s_cmd_say("--sort wants style, change, group, key, p or none, not %s",
					    r5s_cmd_escape(optarg));
			c->order_set = true;
			c->order = err < 0 ? R5S_ORDER_STYLE : (enum r5s_order)err;
			err = err < 0 ? err : 0;
			break;
		case THREADS:
			err = number("--threads", optarg, 1, 1024, &v);
			c->threads = (unsigned int)v;
			break;
		case ALPHA:
			err = number("--alpha", optarg, 1e-6, 0.5, &c->o.alpha);
			break;
		case SEED_SET:
			err = number("--seed", optarg, 0, 9e15, &v);
			c->o.seed = (uint64_t)v;
			break;
		default:
			err = -EINVAL;
		}
	}
	return err ? r5s_cmd_usage("compare") : -1;
}

static bool usable(const struct r5s_cmd_compare *c, int n)
{
	const char *why = NULL;

	if (c->from && (n || c->by || c->root || c->cases))
		why = "--from reads a report; it takes no groups";
	else if (c->check && !c->from)
		why = "--check is for reports: it wants --from";
	else if (!c->from && c->by && n)
		why = "--by makes the groups itself; --where says which runs";
	else if (!c->from && !c->by && n < 2)
		why = "two groups are wanted, the base first";
	else if (c->geo_mean && !c->summary)
		why = "--geo-mean is over test cases: it wants --summary";
	else if (c->geo_mean && c->json)
		why = "--geo-mean is a line below the table; a program takes it from --json's means";
	else if (c->json && c->plot)
		why = "--plot draws, --json is for programs: one of them";
	else if (c->plot && c->from)
		why = "--plot wants runs; a report has only their means";
	else if (n > GROUPS_MAX)
		why = "more groups than fit into a table";
	else if (c->root && (c->by || c->cases))
		why = "--root looks into LKP's directories; --by and --cases into the run store";
	if (why)
		r5s_cmd_say("%s", why);
	return !why;
}

static int summarise(struct job *job)
{
	struct r5s_cmd_compare s = *job->c;
	double mean[2];
	size_t n;

	if (!s.style_set || s.style == R5S_RESULT_OWN)
		s.style = R5S_RESULT_CLASSIC;
	s.style_set = true;
	if (r5s_step_mark(&job->summary, s.threads) ||
	    r5s_cmd_compare_print(&s, &job->summary, NULL))
		return R5S_EXIT_LACKS;
	if (!s.geo_mean)
		return R5S_EXIT_DONE;
	n = r5s_cases_geo_mean(&job->summary, mean);
	if (n)
		printf("GEO-MEAN of %zu test cases: %.3f -> %.3f, %+.1f %%", n, mean[0], mean[1],
		       100 * (mean[1] / mean[0] - 1));
	else
		fputs("GEO-MEAN: no test case has a value above 0 in both groups", stdout);
	if (n && n < job->summary.rows)
		printf("; %zu have no value above 0", job->summary.rows - n);
	putchar('\n');
	return R5S_EXIT_DONE;
}

int r5s_cmd_compare(int argc, char **argv)
{
	struct r5s_cmd_compare c = { .o = { .alpha = 0.05, .seed = SEED,
					    .wanted = r5s_cmd_compare_wanted } };
	struct job job = { .c = &c };
	int rc = options(&c, argc, argv);

	if (rc >= 0)
		return rc;
	c.o.arg = &c;
	c.o.named = c.metrics > 0;
	if (!usable(&c, argc - optind))
		return r5s_cmd_usage("compare");
	if (c.from)
		return r5s_cmd_compare_reports(&c);
	job.what = argv + optind;
	job.groups = (size_t)(argc - optind);
	r5s_result_init(&job.summary, R5S_RESULT_SUMMARY);
	if (c.root)
		rc = tree_cases(&job, c.root, 0);
	else if (c.cases)
		rc = store_cases(&job);
	else
		rc = groups(&job, NULL, NULL);
	if (!rc && !job.tables) {
		r5s_cmd_say("no directory below %s has %s and the other groups", r5s_cmd_escape(c.root),
			    r5s_cmd_escape(job.what[0]));
		rc = R5S_EXIT_USAGE;
	}
	if (!rc && c.summary)
		rc = summarise(&job);
	r5s_result_free(&job.summary);
	r5s_runs_close(&job.runs);
	if (rc || !c.exit_code)
		return rc;
	return job.different ? R5S_EXIT_FINDING : job.too_few ? R5S_EXIT_SKIPPED : R5S_EXIT_DONE;
}
