// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a query answers, row by row.
 */
#include "store/internal.h"

#include <errno.h>
#include <stdlib.h>

int r5s_store_no_memory(struct r5s_store *s)
{
	return r5s_store_refuse(s, -ENOMEM, "out of memory");
}

void *r5s_store_grow(void *old, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16;
	void *p;

	if (n < *room)
		return old;
	p = reallocarray(old, more, size);
	if (p)
		*room = more;
	return p;
}

int r5s_store_each_row(struct r5s_store *s, sqlite3_stmt *st, r5s_store_row_fn fn, void *out,
		       const char *doing)
{
	int rc, err = 0;

	while (!err && (rc = sqlite3_step(st)) != SQLITE_DONE)
		err = rc == SQLITE_ROW ? fn(s, st, out) : r5s_store_fail(s, rc, doing);
	sqlite3_finalize(st);
	return err;
}

int r5s_store_each_of(struct r5s_store *s, const char *sql, int64_t id, r5s_store_row_fn fn,
		      void *out, const char *doing)
{
	sqlite3_stmt *st = NULL;
	int err = r5s_store_prepare(s, sql, &st);

	if (err)
		return err;
	sqlite3_bind_int64(st, 1, id);
	return r5s_store_each_row(s, st, fn, out, doing);
}
