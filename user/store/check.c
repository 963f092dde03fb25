// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is the file whole?
 */
#include "store/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct report {
	FILE *out;
	size_t n;
};

static int integrity(struct r5s_store *s, struct report *r)
{
	sqlite3_stmt *st = NULL;
	int rc, err = r5s_store_prepare(s, "PRAGMA integrity_check(100)", &st);

	if (err)
		return err;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		if (text && strcmp(text, "ok")) {
			fprintf(r->out, "file: %s\n", text);
			r->n++;
		}
	}
	sqlite3_finalize(st);
	if ((rc & 0xff) == SQLITE_CORRUPT) {
		r5s_store_fail(s, rc, "checking");
		fprintf(r->out, "file: %s\n", r5s_store_error(s));
		r->n++;
		return 0;
	}
	return rc == SQLITE_DONE ? 0 : r5s_store_fail(s, rc, "checking");
}

static int foreign_keys(struct r5s_store *s, struct report *r)
{
	sqlite3_stmt *st = NULL;
	int rc, err = r5s_store_prepare(s, "PRAGMA foreign_key_check", &st);

	if (err)
		return err;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (r->n++ < 100)
			fprintf(r->out, "table %s: a row refers to something missing in %s\n",
				sqlite3_column_text(st, 0), sqlite3_column_text(st, 2));
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : r5s_store_fail(s, rc, "checking");
}

static int count_problem(struct r5s_store *s, struct report *r, const char *sql, const char *what)
{
	int64_t n = 0;
	int err = r5s_store_pragma(s, sql, &n);

	if (!err && n) {
		fprintf(r->out, "%lld %s\n", (long long)n, what);
		r->n++;
	}
	return err;
}

static uint64_t size_of(const struct r5s_store *s, const char *suffix)
{
	struct stat st;
	char *path;
	uint64_t size = 0;

	if (asprintf(&path, "%s%s", s->file, suffix) < 0)
		return 0;
	if (!stat(path, &st))
		size = (uint64_t)st.st_size;
	free(path);
	return size;
}

static int run_checks(struct r5s_store *s, struct report *r, struct r5s_store_check *out)
{
	struct r5s_store_runs runs;
	int64_t version = 0;
	int err = integrity(s, r);

	/* In a damaged file the other questions only fail. */
	if (err || r->n)
		return err;
	err = r5s_store_pragma(s, "PRAGMA user_version", &version);
	out->version = (int)version;
	if (!err)
		err = foreign_keys(s, r);
	if (!err)
		err = count_problem(s, r,
			"SELECT count(*) FROM samples s WHERE NOT EXISTS (SELECT 1 FROM tracks t"
			" WHERE t.run_id = s.run_id AND t.track_id = s.track_id)",
			"samples belong to no track");
	if (!err)
		err = count_problem(s, r,
			"SELECT count(*) FROM (SELECT 1 FROM tracks GROUP BY run_id, array_id, metric_id"
			" HAVING count(*) > 1)",
			"metrics are recorded twice in one run");
	if (!err)
		err = r5s_store_run_list(s, &runs);
	if (err)
		return err;
	out->runs = runs.n;
	for (size_t i = 0; i < runs.n; i++)
		out->incomplete += runs.run[i].status == R5S_STORE_INCOMPLETE;
	r5s_store_runs_free(&runs);
	return 0;
}

int r5s_store_check(struct r5s_store *s, struct r5s_store_check *out)
{
	struct report r = { 0 };
	size_t len;
	int err;

	memset(out, 0, sizeof(*out));
	r.out = open_memstream(&out->problems, &len);
	if (!r.out)
		return r5s_store_refuse(s, -ENOMEM, "out of memory");
	err = run_checks(s, &r, out);
	if (fclose(r.out) && !err)
		err = r5s_store_refuse(s, -ENOMEM, "out of memory");
	out->n_problems = r.n;
	out->bytes = size_of(s, "") + size_of(s, "-wal");
	if (err) {
		free(out->problems);
		out->problems = NULL;
	}
	return err;
}
