/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of store/ share. Nobody else includes this.
 */
#ifndef R5S_STORE_INTERNAL_H
#define R5S_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store/store.h"

enum {
	R5S_STORE_APPLICATION_ID = 0x52355354,	/* "R5ST" */
	R5S_STORE_PENDING_MAX = 262144		/* rows kept while the file cannot be written */
};

enum item_type {
	ITEM_SAMPLE,
	ITEM_EVENT,
	ITEM_OUTPUT,
	ITEM_FSMARK
};

enum value_type {
	VALUE_NONE,	/* nothing seen yet */
	VALUE_NULL,
	VALUE_INT,
	VALUE_REAL
};

struct value {
	enum value_type type;
	union {
		int64_t i;
		double r;
	};
};

/* Something that waits for the next flush. */
struct item {
	enum item_type type;
	int number;		/* output: stream; fsmark: iteration */
	int64_t t_ns;
	union {
		struct {
			int64_t track;
			struct value value;
		} sample;
		struct {
			char *array;
			char *kind;
			char *text;
			size_t len;
		} text;
		struct r5s_fsmark_row *row;
	};
};

struct track {
	int64_t array;
	int64_t metric;
	int64_t id;		/* 0: free slot */
	int64_t first_t_ns;
	int64_t last_t_ns;	/* of the last sample */
	int64_t row_t_ns;	/* of the last row */
	struct value value;	/* of the last row */
	bool stored;		/* its row in tracks is committed */
};

enum statement {
	ST_SAMPLE,
	ST_TRACK,
	ST_EVENT,
	ST_OUTPUT,
	ST_FSMARK,
	ST_HEARTBEAT,
	ST_METRIC_FIND,
	ST_METRIC_ADD,
	ST_COUNT
};

struct r5s_store {
	sqlite3 *db;
	char *file;
	unsigned int flags;
	char error[512];
	char word[512];
	sqlite3_stmt *st[ST_COUNT];

	/* The run that this handle records; 0 when none. */
	int64_t run;
	int64_t run_mono_ns;
	int64_t last_t_ns;

	struct item *item;
	size_t n_items;
	size_t items_room;
	uint64_t lost;
	int64_t flushed_mono_ns;

	struct track *track;	/* open addressing, a power of two */
	size_t n_tracks;
	size_t tracks_room;
	size_t tracks_stored;
};

/* store.c */
int r5s_store_fail(struct r5s_store *s, int rc, const char *doing);
int r5s_store_refuse(struct r5s_store *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int r5s_store_exec(struct r5s_store *s, const char *sql, const char *doing);
int r5s_store_prepare(struct r5s_store *s, const char *sql, sqlite3_stmt **st);
int r5s_store_pragma(struct r5s_store *s, const char *sql, int64_t *value);
int r5s_store_writable(struct r5s_store *s);
void r5s_store_rollback(struct r5s_store *s);
int64_t r5s_store_clock(int clock);

/* rows.c: one row adds to what @out points to; all return 0 or a negative errno */
typedef int (*r5s_store_row_fn)(struct r5s_store *s, sqlite3_stmt *st, void *out);

int r5s_store_no_memory(struct r5s_store *s);
/* @old with room for one more of @size; NULL without memory, @old is still good then */
void *r5s_store_grow(void *old, size_t n, size_t *room, size_t size);
/* Finalizes @st. */
int r5s_store_each_row(struct r5s_store *s, sqlite3_stmt *st, r5s_store_row_fn fn, void *out,
		       const char *doing);
int r5s_store_each_of(struct r5s_store *s, const char *sql, int64_t id, r5s_store_row_fn fn,
		      void *out, const char *doing);

/* schema.c */
int r5s_store_schema(struct r5s_store *s);

/* live.c */
struct r5s_store_life {
	int64_t pid;
	int64_t pid_start;	/* clock ticks since boot, field 22 of /proc/PID/stat */
	int64_t pid_ns;		/* inode of /proc/self/ns/pid */
	char boot_id[40];
};

void r5s_store_life_self(struct r5s_store_life *l);
bool r5s_store_life_gone(const struct r5s_store_life *l);
int r5s_store_life_sweep(struct r5s_store *s);
void r5s_store_uuid(char out[37]);

/* write.c */
void r5s_store_pending_free(struct r5s_store *s);
int r5s_store_flush_quick(struct r5s_store *s);

#endif
