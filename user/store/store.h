/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run store: one SQLite file that keeps every run.
 *
 * DOC: what is in the file
 *
 * People query it with sqlite3, so names and meaning are stable (PRAGMA user_version and table meta
 * carry the version). Times are nanoseconds since the run began (t_ns) unless named _real_ns
 * (CLOCK_REALTIME) or _mono_ns (CLOCK_MONOTONIC). The view `series` is the way in:
 *
 *	SELECT t_ns / 1e9, value FROM series
 *	WHERE run_id = 1 AND array = 'md0' AND metric = 'cache-size' ORDER BY t_ns;
 *
 * A row of `samples` is written when a value *changed*, when R5S_STORE_REPEAT_NS have passed since
 * the track's last row, and with value NULL when a metric became absent. Between two rows the value
 * held; after the last row it held until the track's last_t_ns. So an unchanged metric costs six rows
 * a minute instead of 600, nothing is lost, and no value is ever assumed for longer than
 * R5S_STORE_REPEAT_NS. The price: "the row at second 17" is "the newest row at or before second 17",
 * and an AVG() over the rows is not a mean over time.
 *
 * The key of `samples` is (run_id, t_ns, track_id): rows arrive in that order, so they are appended.
 * With the track first, every second would touch one page per metric (1500 x 4 KiB written beside
 * the workload that is being measured) and pages would stay half empty. The price: one metric is
 * read by passing over its run, about 0.1 s for ten minutes at 10 Hz.
 *
 * Counters at or above 2^63 are stored as REAL, everything below exactly.
 *
 * Samples, events and output lines are collected in memory and written in one short transaction a
 * second. So a SIGKILL loses at most the last second, and two recorders on one file hardly meet.
 * WAL with synchronous=NORMAL: a power cut may lose the last seconds, never the file. A file system
 * without shared memory between processes (9p, some network ones) cannot have a WAL: there the
 * file gets a rollback journal, with a word (r5s_store_word()).
 */
#ifndef R5S_STORE_STORE_H
#define R5S_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workload/fsmark.h"

enum {
	R5S_STORE_VERSION = 2,
	R5S_STORE_BUSY_MS = 10000
};

#define R5S_STORE_FLUSH_NS INT64_C(1000000000)
#define R5S_STORE_REPEAT_NS INT64_C(10000000000)

enum r5s_store_flags {
	R5S_STORE_READ = 0,
	R5S_STORE_WRITE = 1 << 0,	/* also marks dead runs as incomplete */
	R5S_STORE_CREATE = 1 << 1	/* with WRITE: make directory and file when missing */
};

enum r5s_store_status {
	R5S_STORE_RUNNING,
	R5S_STORE_COMPLETE,
	R5S_STORE_FAILED,	/* the command ended with a status other than 0 */
	R5S_STORE_KILLED,	/* by a signal */
	R5S_STORE_INCOMPLETE	/* the recorder died */
};

enum r5s_store_kind {
	R5S_STORE_GAUGE,
	R5S_STORE_COUNTER,
	R5S_STORE_TIME,		/* a counter of nanoseconds */
	R5S_STORE_HISTOGRAM	/* one bucket of one: a counter */
};

struct r5s_store;

/**
 * struct r5s_store_begin - what is known when a run starts; NULL where not known
 * @argv: the command's words, ended by NULL
 * @cwd: where it runs
 * @array: array the user asked for
 * @module_version: of the loaded module
 * @tool_version: of this program
 * @note: the user's
 *
 * uuid, host, kernel, start stamps, pid and boot id are filled in by the store.
 */
struct r5s_store_begin {
	const char *const *argv;
	const char *cwd;
	const char *array;
	const char *module_version;
	const char *tool_version;
	const char *note;
};

/**
 * struct r5s_store_end - how a run ended
 * @status: anything but RUNNING
 * @exit_status: of the command, -1 when it has none
 * @signal: that killed it, 0 when none
 * @note: added to the run's note; may be NULL
 */
struct r5s_store_end {
	enum r5s_store_status status;
	int exit_status;
	int signal;
	const char *note;
};

/**
 * struct r5s_store_run - a run as read; strings are NULL where the store has none
 * @status: as stored, but INCOMPLETE when it says running and its recorder is gone
 * @ended_real_ns: 0 while it has not ended
 * @last_t_ns: the last thing recorded, since the start
 */
struct r5s_store_run {
	int64_t id;
	char *uuid;
	enum r5s_store_status status;
	int64_t started_real_ns;
	int64_t started_mono_ns;
	int64_t ended_real_ns;
	int64_t last_t_ns;
	char *host;
	char *kernel;
	char *module_version;
	char *tool_version;
	char *command;
	char *argv_json;
	char *cwd;
	char *array;
	char *note;
	int exit_status;	/* -1: none */
	int signal;		/* 0: none */
	int64_t pid;
};

struct r5s_store_runs {
	struct r5s_store_run *run;
	size_t n;
};

/* Which metrics of which arrays a run has. array_id is 0 and array NULL for the machine as a whole. */
struct r5s_store_track {
	int64_t id;
	int64_t array_id;
	char *array;
	int64_t metric_id;
	char *metric;
	char *unit;
	char *help;
	enum r5s_store_kind kind;
	int64_t first_t_ns;
	int64_t last_t_ns;
};

struct r5s_store_tracks {
	struct r5s_store_track *track;
	size_t n;
};

/* One stored row; value is NaN where the metric became absent. */
struct r5s_store_point {
	int64_t t_ns;
	double value;
};

/**
 * struct r5s_store_series - the rows of one track, closed by a point at its last sample
 * @point: in order of time
 * @n: number of points
 * @last_t_ns: the last time that the metric was sampled
 */
struct r5s_store_series {
	struct r5s_store_point *point;
	size_t n;
	int64_t last_t_ns;
};

struct r5s_store_event {
	int64_t t_ns;
	char *array;	/* NULL: none */
	char *kind;
	char *text;
};

struct r5s_store_events {
	struct r5s_store_event *event;
	size_t n;
};

struct r5s_store_setting {
	char *key;
	char *value;
};

struct r5s_store_settings {
	struct r5s_store_setting *setting;
	size_t n;
};

/*
 * Every int function returns 0 or a negative errno (-ENOSPC full, -EBUSY locked by another process
 * for R5S_STORE_BUSY_MS, -EROFS opened for reading, -EPROTO a schema or file of another kind, -ENOENT
 * no such file or run, -EIO, -EINVAL, -ENOMEM); r5s_store_error() then says it in words, and what to
 * do. A handle belongs to one thread.
 */

/**
 * r5s_store_path - where the store lies when nobody says otherwise
 *
 * $RAID5STAT_DB, else $XDG_STATE_HOME/raid5stat/runs.db, else $HOME/.local/state/raid5stat/runs.db.
 *
 * Return: a string to free(), or NULL (no memory, or neither variable is set).
 */
char *r5s_store_path(void);

/**
 * r5s_store_open - open a store
 * @out: handle, also on failure so that r5s_store_error() can be asked; NULL without memory. To
 *	be closed in every case.
 * @path: file, NULL takes r5s_store_path()
 * @flags: enum r5s_store_flags
 *
 * A created directory gets mode 0700, a created file 0600.
 */
int r5s_store_open(struct r5s_store **out, const char *path, unsigned int flags);

/**
 * r5s_store_close - write what is pending and close
 * @s: handle, may be NULL
 *
 * A run that was not ended stays "running" and will be found incomplete.
 *
 * Return: what the last flush returned; the handle is gone in every case.
 */
int r5s_store_close(struct r5s_store *s);

/** r5s_store_error - the last failure in words; "" when none, never NULL */
const char *r5s_store_error(const struct r5s_store *s);

/** r5s_store_word - something to tell the user though opening succeeded; "" when nothing, never NULL */
const char *r5s_store_word(const struct r5s_store *s);

/** r5s_store_file - the file that is open */
const char *r5s_store_file(const struct r5s_store *s);

/* Writing. */

/**
 * r5s_store_run_begin - a run starts now
 * @s: handle
 * @b: facts
 * @run: its id
 *
 * t_ns counts from here; r5s_store_run_now() gives the stamp that belongs to the present.
 */
int r5s_store_run_begin(struct r5s_store *s, const struct r5s_store_begin *b, int64_t *run);

/**
 * r5s_store_run_now - nanoseconds of CLOCK_MONOTONIC since the run of this handle began
 * @s: handle
 */
int64_t r5s_store_run_now(const struct r5s_store *s);

/**
 * r5s_store_run_t - t_ns of a CLOCK_MONOTONIC stamp
 * @s: handle
 * @mono_ns: stamp
 *
 * Return: negative for a stamp before the run.
 */
int64_t r5s_store_run_t(const struct r5s_store *s, int64_t mono_ns);

/**
 * r5s_store_run_end - a run is over: flush, then status and stamps
 * @s: handle
 * @run: its id
 * @end: how
 */
int r5s_store_run_end(struct r5s_store *s, int64_t run, const struct r5s_store_end *end);

/**
 * r5s_store_setting_put - a fact about a run (mount options, a sysctl, ...)
 * @s: handle
 * @run: its id
 * @key: e.g. "sysctl.vm.dirty_ratio"; put again it is replaced
 * @value: text, NULL removes it
 */
int r5s_store_setting_put(struct r5s_store *s, int64_t run, const char *key, const char *value);

/**
 * r5s_store_array_add - an array of a run
 * @s: handle
 * @run: its id
 * @name: e.g. "md0"
 * @epoch: the module's id that is never used again, 0 when not known
 * @array: its id in the store; the same (name, epoch) gives the same id
 */
int r5s_store_array_add(struct r5s_store *s, int64_t run, const char *name, uint64_t epoch,
			int64_t *array);

/**
 * r5s_store_array_put - a fact about an array (level, chunk, a member, ...)
 * @s: handle
 * @array: its id
 * @key: e.g. "chunk-bytes"; put again it is replaced
 * @value: text, NULL removes it
 */
int r5s_store_array_put(struct r5s_store *s, int64_t array, const char *key, const char *value);

/**
 * r5s_store_metric_id - the id of a metric, made when new
 * @s: handle
 * @name: unique
 * @unit: NULL when none
 * @kind: what a value means
 * @help: NULL when none; kept from the first time
 * @metric: result; ask once and keep it
 */
int r5s_store_metric_id(struct r5s_store *s, const char *name, const char *unit,
			enum r5s_store_kind kind, const char *help, int64_t *metric);

/**
 * r5s_store_sample_u64 - a value was read
 * @s: handle
 * @run: run id
 * @array: array id, 0 for the machine as a whole
 * @metric: metric id
 * @t_ns: when, since the run began; not before the track's last sample
 * @value: the value
 *
 * Only collects; once a second it flushes, and only then it can fail other than by -ENOMEM. After a
 * failed flush everything is kept and tried again a second later.
 */
int r5s_store_sample_u64(struct r5s_store *s, int64_t run, int64_t array, int64_t metric,
			 int64_t t_ns, uint64_t value);

/** r5s_store_sample_double - the same for a fraction; NaN means absent */
int r5s_store_sample_double(struct r5s_store *s, int64_t run, int64_t array, int64_t metric,
			    int64_t t_ns, double value);

/** r5s_store_sample_absent - the metric is not there (any more): never a 0 */
int r5s_store_sample_absent(struct r5s_store *s, int64_t run, int64_t array, int64_t metric,
			    int64_t t_ns);

/**
 * r5s_store_event_add - something happened
 * @s: handle
 * @run: run id
 * @t_ns: when
 * @array: array name, NULL for none
 * @kind: a word
 * @text: NULL for none
 */
int r5s_store_event_add(struct r5s_store *s, int64_t run, int64_t t_ns, const char *array,
			const char *kind, const char *text);

/**
 * r5s_store_output_add - a piece of what the workload printed
 * @s: handle
 * @run: run id
 * @t_ns: when it was read
 * @stream: 1 standard output, 2 standard error
 * @text: bytes
 * @len: their number
 */
int r5s_store_output_add(struct r5s_store *s, int64_t run, int64_t t_ns, int stream,
			 const char *text, size_t len);

/**
 * r5s_store_fsmark_add - rows of fs_mark's table
 * @s: handle
 * @run: run id
 * @iteration: from 1
 * @t_ns: when the row was read, -1 when not known
 * @row: the row
 */
int r5s_store_fsmark_add(struct r5s_store *s, int64_t run, unsigned int iteration, int64_t t_ns,
			 const struct r5s_fsmark_row *row);

/** r5s_store_flush - write everything that is pending now */
int r5s_store_flush(struct r5s_store *s);

/** r5s_store_lost - rows that were given up because the file could not be written for too long */
uint64_t r5s_store_lost(const struct r5s_store *s);

/* Reading. */

/**
 * r5s_store_run_list - all runs, oldest first
 * @s: handle
 * @out: to be freed with r5s_store_runs_free()
 */
int r5s_store_run_list(struct r5s_store *s, struct r5s_store_runs *out);

/**
 * r5s_store_run_get - one run
 * @s: handle
 * @name: its number, "last", or a uuid (4 characters or more of it)
 * @out: array of exactly one run
 *
 * Return: -ENOENT when there is none, -EINVAL when the name fits several.
 */
int r5s_store_run_get(struct r5s_store *s, const char *name, struct r5s_store_runs *out);

int r5s_store_track_list(struct r5s_store *s, int64_t run, struct r5s_store_tracks *out);

/**
 * r5s_store_series_get - one track
 * @s: handle
 * @run: run id
 * @track: track id from r5s_store_track_list()
 * @out: to be freed with r5s_store_series_free()
 *
 * Passes over the whole run: for more than one track use r5s_store_series_load().
 */
int r5s_store_series_get(struct r5s_store *s, int64_t run, int64_t track,
			 struct r5s_store_series *out);

/**
 * r5s_store_series_load - every track of a run in one pass
 * @s: handle
 * @run: run id
 * @tracks: from r5s_store_track_list()
 * @out: tracks->n series in the same order, each to be freed
 */
int r5s_store_series_load(struct r5s_store *s, int64_t run, const struct r5s_store_tracks *tracks,
			  struct r5s_store_series *out);

int r5s_store_event_list(struct r5s_store *s, int64_t run, struct r5s_store_events *out);
int r5s_store_setting_list(struct r5s_store *s, int64_t run, struct r5s_store_settings *out);
int r5s_store_array_list(struct r5s_store *s, int64_t array, struct r5s_store_settings *out);

/**
 * r5s_store_fsmark_list - fs_mark's rows of a run
 * @s: handle
 * @run: run id
 * @rows: to be given to free()
 * @n: their number
 */
int r5s_store_fsmark_list(struct r5s_store *s, int64_t run, struct r5s_fsmark_row **rows,
			  size_t *n);

/**
 * r5s_store_output_get - what the workload printed, all pieces of one stream
 * @s: handle
 * @run: run id
 * @stream: 1 or 2, 0 for both in order
 * @text: to be given to free(), ended by NUL
 * @len: without the NUL
 */
int r5s_store_output_get(struct r5s_store *s, int64_t run, int stream, char **text, size_t *len);

/**
 * struct r5s_store_check - what a check found
 * @version: schema version
 * @bytes: size of the file with its WAL
 * @runs: number of runs
 * @incomplete: of these, incomplete
 * @problems: lines for a person, ended by newlines; "" when clean. To be given to free().
 * @n_problems: their number
 */
struct r5s_store_check {
	int version;
	uint64_t bytes;
	uint64_t runs;
	uint64_t incomplete;
	char *problems;
	size_t n_problems;
};

/**
 * r5s_store_check - integrity, foreign keys, version, tracks without samples
 * @s: handle
 * @out: result
 *
 * Return: 0 when the check could be made, also when it found something.
 */
int r5s_store_check(struct r5s_store *s, struct r5s_store_check *out);

/**
 * r5s_store_run_delete - a run with all that belongs to it
 * @s: handle
 * @run: its id
 *
 * The space is used again by later runs; r5s_store_vacuum() gives it back.
 *
 * Return: -EBUSY for a run that is being recorded.
 */
int r5s_store_run_delete(struct r5s_store *s, int64_t run);

/** r5s_store_run_note - the user's words about a run; NULL takes them away */
int r5s_store_run_note(struct r5s_store *s, int64_t run, const char *note);

/** r5s_store_vacuum - write the file anew, without gaps */
int r5s_store_vacuum(struct r5s_store *s);

/**
 * struct r5s_store_merge - what a merge did
 * @merged: runs taken over
 * @known: runs that were here already
 * @running: runs left there since they are being recorded
 */
struct r5s_store_merge {
	uint64_t merged;
	uint64_t known;
	uint64_t running;
};

/**
 * r5s_store_merge - take over the runs of another store
 * @s: handle
 * @path: the other file, which is not changed
 * @out: result, also of a merge that broke off: what is told there is done
 *
 * Runs are the same when their uuid is; one that is here incomplete is replaced by a longer one. Our
 * ids differ from theirs.
 *
 * Return: -EEXIST when a metric there has the name of one here that means something else.
 */
int r5s_store_merge(struct r5s_store *s, const char *path, struct r5s_store_merge *out);

void r5s_store_runs_free(struct r5s_store_runs *r);
void r5s_store_tracks_free(struct r5s_store_tracks *t);
void r5s_store_series_free(struct r5s_store_series *p);
void r5s_store_events_free(struct r5s_store_events *e);
void r5s_store_settings_free(struct r5s_store_settings *e);

/** r5s_store_status_name - "running", "complete", "failed", "killed", "incomplete" */
const char *r5s_store_status_name(enum r5s_store_status status);

/** r5s_store_kind_name - "gauge", "counter", "time", "histogram" */
const char *r5s_store_kind_name(enum r5s_store_kind kind);

#endif
