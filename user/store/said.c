// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading back what the workload said: fs_mark's table and plain output.
 */
#include "store/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row_list {
	struct r5s_fsmark_row *row;
	size_t n;
	size_t room;
};

static uint64_t number(sqlite3_stmt *st, int at, enum r5s_fsmark_column column, uint32_t *has)
{
	if (sqlite3_column_type(st, at) == SQLITE_NULL)
		return 0;
	*has |= UINT32_C(1) << column;
	return (uint64_t)sqlite3_column_int64(st, at);
}

static int fsmark_row(struct r5s_store *s, sqlite3_stmt *st, void *out)
{
	struct row_list *l = out;
	struct r5s_fsmark_row *r;
	const char *printed = (const char *)sqlite3_column_text(st, 4);

	r = r5s_store_grow(l->row, l->n, &l->room, sizeof(*r));
	if (!r)
		return r5s_store_no_memory(s);
	l->row = r;
	r = &l->row[l->n++];
	memset(r, 0, sizeof(*r));
	r->fsuse_pct = (double)number(st, 0, R5S_FSMARK_COL_FSUSE, &r->has);
	r->count = number(st, 1, R5S_FSMARK_COL_COUNT, &r->has);
	r->size = number(st, 2, R5S_FSMARK_COL_SIZE, &r->has);
	r->files_per_sec = NAN;
	if (sqlite3_column_type(st, 3) != SQLITE_NULL)
		r->files_per_sec = sqlite3_column_double(st, 3);
	if (printed) {
		r->has |= UINT32_C(1) << R5S_FSMARK_COL_RATE;
		snprintf(r->files_per_sec_text, sizeof(r->files_per_sec_text), "%s", printed);
	}
	r->app_overhead_us = number(st, 5, R5S_FSMARK_COL_OVERHEAD, &r->has);
	for (int c = 0; c < R5S_FSMARK_CALLS; c++) {
		enum r5s_fsmark_column column = (enum r5s_fsmark_column)(R5S_FSMARK_COL_CALLS + c);

		r->call[c].min_us = number(st, 6 + 3 * c, column, &r->has);
		r->call[c].avg_us = number(st, 7 + 3 * c, column, &r->has);
		r->call[c].max_us = number(st, 8 + 3 * c, column, &r->has);
	}
	return 0;
}

int r5s_store_fsmark_list(struct r5s_store *s, int64_t run, struct r5s_fsmark_row **rows, size_t *n)
{
	struct row_list l = { 0 };
	int err;

	*rows = NULL;
	*n = 0;
	err = r5s_store_each_of(s,
		"SELECT fsuse_pct, count, size_bytes, files_per_sec, files_per_sec_text, app_overhead_us,"
		" creat_min_us, creat_avg_us, creat_max_us, write_min_us, write_avg_us, write_max_us,"
		" fsync_min_us, fsync_avg_us, fsync_max_us, sync_min_us, sync_avg_us, sync_max_us,"
		" close_min_us, close_avg_us, close_max_us, unlink_min_us, unlink_avg_us, unlink_max_us"
		" FROM fsmark_rows WHERE run_id = ? ORDER BY iteration",
		      run, fsmark_row, &l, "reading fs_mark's rows");
	if (err) {
		free(l.row);
		return err;
	}
	*rows = l.row;
	*n = l.n;
	return 0;
}

static int output_row(struct r5s_store *s, sqlite3_stmt *st, void *out)
{
	const void *p = sqlite3_column_blob(st, 0);
	size_t len = (size_t)sqlite3_column_bytes(st, 0);

	return len && fwrite(p, 1, len, out) != len ? r5s_store_no_memory(s) : 0;
}

int r5s_store_output_get(struct r5s_store *s, int64_t run, int stream, char **out, size_t *len)
{
	sqlite3_stmt *st = NULL;
	FILE *mem;
	int err;

	*out = NULL;
	*len = 0;
	err = r5s_store_prepare(s, "SELECT text FROM output WHERE run_id = ? AND (?2 = 0 OR stream = ?2)"
				   " ORDER BY id", &st);
	if (err)
		return err;
	mem = open_memstream(out, len);
	if (!mem) {
		sqlite3_finalize(st);
		return r5s_store_no_memory(s);
	}
	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int(st, 2, stream);
	err = r5s_store_each_row(s, st, output_row, mem, "reading the output");
	if (fclose(mem) && !err)
		err = r5s_store_no_memory(s);
	if (err) {
		free(*out);
		*out = NULL;
		*len = 0;
	}
	return err;
}
