/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records a command while it runs: the array's metrics, the files that it closes, what it prints,
 * what happens to the array.
 */
#ifndef R5S_RECORD_RECORDER_H
#define R5S_RECORD_RECORDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "source/files.h"
#include "source/netlink.h"
#include "store/store.h"
#include "workload/fsmark.h"
#include "workload/process.h"

enum {
	R5S_RECORDER_INTERVAL_MS = 100,
	R5S_RECORDER_INTERVAL_MIN_MS = 10,
	R5S_RECORDER_INTERVAL_MAX_MS = 60000
};

/* Names of what does not come from the module. */
#define R5S_RECORDER_FILES "files.closed"
#define R5S_RECORDER_SYSFS "sysfs.stripe_cache_size"

/**
 * struct r5s_recorder - all that is needed, set by the caller
 * @store: open for writing
 * @run: run that has begun
 * @nl: connection that holds the level; NULL: the module is not there
 * @events: connection that has joined the events, or NULL
 * @array: name of the array, "" when there is none
 * @array_id: its id in the module, 0 when not known
 * @files: opened, or NULL when files cannot be counted
 * @fsmark: initialised; it is fed with standard output
 * @interval_ms: between two samples
 * @pass: where to pass standard output and error on to, -1: they are only recorded
 *
 * Filled in by r5s_recorder_run():
 * @elapsed_ns: from the start of the command to its end
 * @late: samples that were left out since we came too late for them
 * @signals: signals that asked us to end
 * @store_error: first negative errno that the store gave, 0 when none
 * @gone: the array went away while the command ran
 */
struct r5s_recorder {
	struct r5s_store *store;
	int64_t run;
	struct r5s_netlink *nl;
	struct r5s_netlink *events;
	char array[R5S_SNAPSHOT_NAME];
	uint64_t array_id;
	struct r5s_files *files;
	struct r5s_fsmark *fsmark;
	int interval_ms;
	int pass[R5S_PROCESS_STREAMS];

	int64_t elapsed_ns;
	uint64_t late;
	unsigned int signals;
	int store_error;
	bool gone;

	/* Private to recorder.c and sample.c from here on. */
	int64_t array_row;
	int64_t metric[R5S_METRICS];
	int64_t files_metric;
	int64_t sysfs_metric;
	int64_t *node_metric;
	size_t n_nodes;
	int64_t slow_ns;
	size_t rows_stored;
};

/**
 * r5s_recorder_prepare - make the tracks and take the first sample, before the command starts
 * @r: recorder
 *
 * Return: 0, or a negative errno of the store.
 */
int r5s_recorder_prepare(struct r5s_recorder *r);

/**
 * r5s_recorder_block - hold back what would end us, from before the command starts
 * @mask: the signals that r5s_recorder_run() takes; may be NULL
 */
void r5s_recorder_block(sigset_t *mask);

/**
 * r5s_recorder_run - record until the command has ended
 * @r: prepared recorder
 * @p: the command, just started; ended on return
 *
 * SIGINT from the terminal reaches the command by itself, other requests to end are passed on to it;
 * the third one kills it.
 *
 * Return: 0, or a negative errno when it could not even wait for the command.
 */
int r5s_recorder_run(struct r5s_recorder *r, struct r5s_process *p);

/** r5s_recorder_sample - take one sample of everything now; @all: also what is taken once a second */
void r5s_recorder_sample(struct r5s_recorder *r, bool all);

/** r5s_recorder_add_event - keep an event of the array */
void r5s_recorder_add_event(const struct r5s_event *e, void *recorder);

/** r5s_recorder_free - give back what the recorder allocated */
void r5s_recorder_free(struct r5s_recorder *r);

#endif
