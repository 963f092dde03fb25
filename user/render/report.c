// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/table.h"

enum { CORRELATIONS = 12 };	/* lines; the rest is a number */

static void line(FILE *out, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void line(FILE *out, const char *name, const char *format, ...)
{
	va_list args;

	fprintf(out, "%-10s ", name);
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fputc('\n', out);
}

void r5s_report_status(const struct r5s_summary *s, char *buf, size_t room)
{
	const struct r5s_store_run *r = &s->runs.run[0];
	double t = (double)(s->end_t_ns - s->start_t_ns) / 1e9;

	switch (r->status) {
	case R5S_STORE_RUNNING:
		snprintf(buf, room, "still running");
		break;
	case R5S_STORE_COMPLETE:
		snprintf(buf, room, "exit status 0 after %.2f s", t);
		break;
	case R5S_STORE_FAILED:
		snprintf(buf, room, "FAILED with exit status %d after %.2f s", r->exit_status, t);
		break;
	case R5S_STORE_KILLED:
		snprintf(buf, room, "KILLED by signal %d (%s) after %.2f s", r->signal,
			 strsignal(r->signal), t);
		break;
	case R5S_STORE_INCOMPLETE:
		snprintf(buf, room, "INCOMPLETE: its recorder died, %.2f s were kept", t);
		break;
	}
}

static void print_setting(const struct r5s_summary *s, const char *key, const char *before,
			  const char *after, FILE *out)
{
	const char *v = r5s_summary_setting(s, key);
	char *safe = v ? r5s_table_escape(v, strlen(v)) : NULL;

	if (safe)
		fprintf(out, "%s%s%s", before, safe, after);
	free(safe);
}

static void print_text(FILE *out, const char *name, const char *text)
{
	char *safe = text ? r5s_table_escape(text, strlen(text)) : NULL;

	if (safe)
		line(out, name, "%s", safe);
	free(safe);
}

static void print_facts(const struct r5s_summary *s, FILE *out)
{
	const struct r5s_store_run *r = &s->runs.run[0];
	char status[256], when[64] = "", *kernel;
	time_t t = (time_t)(r->started_real_ns / 1000000000);
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm);
	kernel = r->kernel ? r5s_table_escape(r->kernel, strlen(r->kernel)) : NULL;
	line(out, "run", "%" PRId64 ", %s, kernel %s", r->id, when, kernel ? kernel : "-");
	free(kernel);
	print_text(out, "command", r->command);
	r5s_report_status(s, status, sizeof(status));
	line(out, "status", "%s", status);
	if (r->note && r->note[0])
		print_text(out, "note", r->note);
	if (r->array && r->array[0]) {
		char *safe = r5s_table_escape(r->array, strlen(r->array));

		fprintf(out, "%-10s %s:", "array", safe ? safe : "?");
		free(safe);
		print_setting(s, "array.level", " ", ",", out);
		print_setting(s, "array.raid_disks", " ", " disks,", out);
		print_setting(s, "array.chunk_size", " chunk ", " bytes,", out);
		print_setting(s, "array.group_thread_cnt", " group_thread_cnt ", ",", out);
		print_setting(s, "array.consistency_policy", " ", "", out);
		fputc('\n', out);
	}
	if (r5s_summary_setting(s, "mount.point")) {
		fprintf(out, "%-10s", "mount");
		print_setting(s, "mount.point", " ", "", out);
		print_setting(s, "mount.fstype", ", ", "", out);
		print_setting(s, "mount.source", " on ", "", out);
		print_setting(s, "mount.options", ", ", "", out);
		fputc('\n', out);
	}
}

static void print_rate(const struct r5s_summary *s, enum r5s_rate_kind kind, FILE *out)
{
	static const char letter[R5S_RATE_KINDS] = { 'a', 'b', 'c' };
	const struct r5s_rate *r = &s->rates.rate[kind];

	fprintf(out, "  (%c) %-24s ", letter[kind], r->label);
	if (isnan(r->files_per_sec))
		fputs("       -          ", out);
	else
		fprintf(out, "%10.2f files/s", r->files_per_sec);
	if (kind == R5S_RATE_FSMARK && !isnan(r->step))
		fprintf(out, "  moves in steps of %.1f (0.1 x %u threads)", r->step,
			s->input.threads);
	if (kind == R5S_RATE_WINDOW && s->input.window_files)
		fprintf(out, "  %" PRIu64 " files in %.2f s%s", s->input.window_files,
			(double)s->input.window_ns / 1e9,
			s->window_estimated ? ", first to last close as sampled" : "");
	if (kind == R5S_RATE_WINDOW && s->windows > 1 && !s->window_estimated)
		fprintf(out, " in %" PRIu64 " iterations", s->windows);
	if (kind == R5S_RATE_ELAPSED && s->input.elapsed_ns)
		fprintf(out, "  of %.2f s", (double)s->input.elapsed_ns / 1e9);
	if (s->rates.judged == (int)kind)
		fputs("  <- the one to judge by", out);
	fputc('\n', out);
}

static void print_rates(const struct r5s_summary *s, FILE *out)
{
	const char *why = r5s_summary_setting(s, R5S_SUMMARY_NO_FILES);

	fputs("\nfile rate\n", out);
	for (int k = 0; k < R5S_RATE_KINDS; k++)
		print_rate(s, k, out);
	if (why)
		print_text(out, "  no (b):", why);
	for (unsigned int bit = 1; bit <= R5S_RATE_WARN_COUNT; bit <<= 1)
		if (s->rates.warn & bit)
			line(out, "  note:", "%s", r5s_rate_warn_text((enum r5s_rate_warn)bit));
	if (s->rates.warn & R5S_RATE_WARN_COUNT)
		line(out, "", "(%" PRIu64 " closed, fs_mark says %" PRIu64 ": other programs, its log "
		     "file, or a file closed twice)", s->input.window_files, s->input.fsmark_files);
	if (s->has_fsmark && s->fsmark.note[0])
		print_text(out, "  note:", s->fsmark.note);
}

static int print_lines(const struct r5s_summary *s, FILE *out)
{
	struct r5s_table_column columns[R5S_SUMMARY_COLUMNS + 1] = {
		{ "t", "s", R5S_TABLE_RIGHT, s->step_s < 1 ? 1 : 0, 5 }
	};
	struct r5s_table *t;
	int err;

	if (!s->n_lines)
		return 0;
	for (int c = 0; c < R5S_SUMMARY_COLUMNS; c++)
		columns[c + 1] = (struct r5s_table_column){
			r5s_summary_titles[c].title, r5s_summary_titles[c].unit, R5S_TABLE_RIGHT,
			r5s_summary_titles[c].precision, r5s_summary_titles[c].width
		};
	/* The last line may end between two seconds. */
	if (s->step_s >= 1 && fabs(s->t_s[s->n_lines - 1] - rint(s->t_s[s->n_lines - 1])) > 0.01)
		columns[0].precision = 1;
	t = r5s_table_new(columns, R5S_SUMMARY_COLUMNS + 1);
	if (!t)
		return -ENOMEM;
	fputc('\n', out);
	for (size_t i = 0; i < s->n_lines; i++) {
		r5s_table_double(t, s->t_s[i]);
		for (int c = 0; c < R5S_SUMMARY_COLUMNS; c++)
			r5s_table_double(t, s->column[c][i]);
	}
	err = r5s_table_print(t, out);
	r5s_table_free(t);
	return err;
}

static void print_span(FILE *out, double min, double max)
{
	if (max > min)
		fprintf(out, "%.0f to %.0f", min, max);
	else
		fprintf(out, "%.0f", min);
}

static void print_size(const struct r5s_summary *s, FILE *out)
{
	if (!s->size.seen && !s->sysfs.seen)
		return;
	fputs("\nstripe cache: sysfs stripe_cache_size says ", out);
	if (s->sysfs.seen)
		print_span(out, s->sysfs.min, s->sysfs.max);
	else
		fputs("-", out);
	fputs(" (the floor); the cache really held ", out);
	if (!s->size.seen) {
		fputs("-\n", out);
		return;
	}
	print_span(out, s->size.min, s->size.max);
	fputs(" stripes", out);
	if (s->bytes.seen)
		fprintf(out, " = %.1f MiB at most", s->bytes.max / 1048576.0);
	fputc('\n', out);
}

/* Names of the metrics that @pick takes, wrapped. */
static void print_names(const struct r5s_summary *s, const char *head,
			bool (*pick)(const struct r5s_summary *s, int m), FILE *out)
{
	size_t col = 0;

	for (int m = 0; m < R5S_METRICS; m++) {
		const char *name = r5s_metric_table[m].name;

		if (!pick(s, m))
			continue;
		if (!col)
			col = (size_t)fprintf(out, "%s", head);
		if (col + strlen(name) > 96)
			col = (size_t)fprintf(out, "\n    ") - 1;
		col += (size_t)fprintf(out, " %s", name);
	}
	if (col)
		fputc('\n', out);
}

static bool counted_nothing(const struct r5s_summary *s, int m)
{
	return s->total[m].seen && !(s->total[m].delta > 0);
}

static bool is_absent(const struct r5s_summary *s, int m)
{
	return !s->seen[m];
}

static bool is_flat(const struct r5s_summary *s, int m)
{
	return s->flat[m];
}

static bool is_too_short(const struct r5s_summary *s, int m)
{
	return s->too_short[m];
}

static int print_totals(const struct r5s_summary *s, FILE *out)
{
	static const struct r5s_table_column columns[] = {
		{ "counted during the run", NULL, R5S_TABLE_LEFT, 0, 0 },
		{ "total", NULL, R5S_TABLE_RIGHT, 0, 12 },
		{ "unit", NULL, R5S_TABLE_LEFT, 0, 0 },
	};
	struct r5s_table *t = r5s_table_new(columns, 3);
	bool any = false;
	size_t rows = 0;
	int err = 0;

	if (!t)
		return -ENOMEM;
	for (int m = 0; m < R5S_METRICS; m++) {
		bool time = r5s_metric_table[m].kind == R5S_METRIC_TIME;

		if (!s->total[m].seen || !(s->total[m].delta > 0))
			continue;
		r5s_table_text(t, r5s_metric_table[m].name);
		r5s_table_double(t, s->total[m].delta * (time ? 1e-6 : 1));
		r5s_table_text(t, time ? "ms" : r5s_metric_table[m].unit);
		rows++;
	}
	if (rows) {
		fputc('\n', out);
		err = r5s_table_print(t, out);
	}
	r5s_table_free(t);
	for (int m = 0; m < R5S_METRICS; m++)
		any |= s->seen[m];
	if (!any) {
		fputs("\nno metric of the array was measured\n", out);
		return err;
	}
	print_names(s, "stayed at 0:", counted_nothing, out);
	print_names(s, "not measured:", is_absent, out);
	return err;
}

/* A probability is never 0. */
static void add_p(struct r5s_table *t, double p)
{
	if (p < 0.00005)
		r5s_table_text(t, "<0.0001");
	else
		r5s_table_double(t, p);
}

static int print_table(const struct r5s_summary *s, FILE *out)
{
	static const struct r5s_table_column columns[] = {
		{ "metric", NULL, R5S_TABLE_LEFT, 0, 0 },
		{ "rho", NULL, R5S_TABLE_RIGHT, 2, 6 },
		{ "95 %", "low", R5S_TABLE_RIGHT, 2, 6 },
		{ "95 %", "high", R5S_TABLE_RIGHT, 2, 6 },
		{ "leads by", "s", R5S_TABLE_RIGHT, 0, 0 },
		{ "n", NULL, R5S_TABLE_RIGHT, 0, 4 },
		{ "n_eff", NULL, R5S_TABLE_RIGHT, 1, 6 },
		{ "p", NULL, R5S_TABLE_RIGHT, 4, 7 },
		{ "q", NULL, R5S_TABLE_RIGHT, 4, 7 },
	};
	struct r5s_table *t = r5s_table_new(columns, 9);
	int err;

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_corr && i < CORRELATIONS; i++) {
		const struct r5s_correlate_result *r = &s->corr[i];

		r5s_table_text(t, r5s_metric_table[r->tag].name);
		r5s_table_double(t, r->rho);
		r5s_table_double(t, r->low);
		r5s_table_double(t, r->high);
		r5s_table_double(t, r->lag * s->corr_period_s);
		r5s_table_u64(t, r->n);
		r5s_table_double(t, r->n_eff);
		add_p(t, r->p);
		add_p(t, r->q);
	}
	err = r5s_table_print(t, out);
	r5s_table_free(t);
	if (s->n_corr > CORRELATIONS)
		fprintf(out, "and %zu more with a larger q; --json has all\n",
			s->n_corr - CORRELATIONS);
	return err;
}

static int print_correlations(const struct r5s_summary *s, FILE *out)
{
	int err = 0;

	fputs("\nrank correlation with the file rate (1 s samples; a hint, not a cause; q is the false "
	      "discovery rate)\n", out);
	if (s->no_rate) {
		fputs("no live file rate was recorded, so there is nothing to compare with\n", out);
		return 0;
	}
	if (s->n_corr)
		err = print_table(s, out);
	else if (s->need_s > 0)
		fprintf(out, "the run is too short to tell: %.0f s; it would have to last about %.0f s\n",
			(double)(s->end_t_ns - s->start_t_ns) / 1e9, ceil(s->need_s));
	else
		fputs("the run is too short to tell, or nothing varied\n", out);
	if (s->n_corr) {
		print_names(s, "too few independent samples:", is_too_short, out);
		print_names(s, "did not change:", is_flat, out);
	}
	return err;
}

/* Many blocked and unblocked are the normal case: numbers, and where the first and last were. */
static void print_events(const struct r5s_summary *s, FILE *out)
{
	bool *told = calloc(s->events.n + 1, sizeof(*told));

	if (!told || !s->events.n)
		goto out;
	fputs("\nevents\n", out);
	for (size_t i = 0; i < s->events.n; i++) {
		const struct r5s_store_event *e = &s->events.event[i], *last = e;
		double t0 = (double)s->start_t_ns;
		char *safe;
		size_t n = 0;

		for (size_t k = i; k < s->events.n && !told[i]; k++) {
			if (told[k] || strcmp(s->events.event[k].kind, e->kind))
				continue;
			if (k > i)
				told[k] = true;
			last = &s->events.event[k];
			n++;
		}
		safe = n ? r5s_table_escape(e->kind, strlen(e->kind)) : NULL;
		if (safe)
			fprintf(out, "  %-14s %6zu  first at %.2f s, last at %.2f s\n", safe, n,
				((double)e->t_ns - t0) / 1e9, ((double)last->t_ns - t0) / 1e9);
		free(safe);
	}
out:
	free(told);
}

int r5s_report_print(const struct r5s_summary *s, const char *file, FILE *out)
{
	char *safe;
	int err;

	print_facts(s, out);
	print_rates(s, out);
	err = print_lines(s, out);
	print_size(s, out);
	err = err ? err : print_totals(s, out);
	print_events(s, out);
	err = err ? err : print_correlations(s, out);
	safe = r5s_table_escape(file, strlen(file));
	fprintf(out, "\nrecorded in %s as run %" PRId64 "; `raid5stat report %" PRId64 "` shows this "
		"again\n", safe ? safe : "?", s->runs.run[0].id, s->runs.run[0].id);
	free(safe);
	return err ? err : fflush(out) ? -errno : 0;
}
