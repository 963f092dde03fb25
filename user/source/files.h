/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files closed after writing on one file system, counted as it happens.
 *
 * One fanotify mark on the whole file system, so the writers pay for one small event a file and we
 * for reading them in bulk. Needs CAP_SYS_ADMIN. Where the kernel cannot report file handles of
 * that file system, only closing is seen, by a mark on the mount.
 */
#ifndef R5S_SOURCE_FILES_H
#define R5S_SOURCE_FILES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	R5S_FILES_PAUSE_MS = 10		/* between two reads: the stamps are that exact */
};

/**
 * struct r5s_files - what was seen
 * @fd: to be polled for reading; -1 when closed
 * @sees_creates: creating and unlinking are seen too
 * @overflow: the kernel dropped events: the counts are too low
 * @closed: files closed after writing
 * @windows: writing windows that have ended
 * @window_files: files closed in windows that have ended
 * @window_ns: first create to last close (or the end of the sync), summed over these windows
 * @open_since_ns: begin of the window that is open, 0 when none is
 * @open_files: files closed in it
 * @last_close_ns: CLOCK_MONOTONIC of the last close, 0 before
 * @per_window: files after which a window ends, 0 when not known
 * @sync_after: the workload syncs after its last close: unlinking, or its end, ends the window
 * @full: the window that is open has all its files, the sync goes on
 */
struct r5s_files {
	int fd;
	bool sees_creates;
	bool overflow;
	uint64_t closed;
	uint64_t windows;
	uint64_t window_files;
	int64_t window_ns;
	int64_t open_since_ns;
	uint64_t open_files;
	int64_t last_close_ns;
	uint64_t per_window;
	bool sync_after;
	bool full;
};

/**
 * r5s_files_open - start to count
 * @f: result
 * @path: anything on the file system
 * @per_window: files that one iteration writes, 0 when not known: then unlinking ends a window
 * @sync_after: see there
 *
 * Return: 0, or a negative errno (-EPERM: not root).
 */
int r5s_files_open(struct r5s_files *f, const char *path, uint64_t per_window, bool sync_after);

/** r5s_files_read - take what has happened, without waiting. 0, or a negative errno */
int r5s_files_read(struct r5s_files *f);

/** r5s_files_finish - the command has ended: the window that is open ends at its last close */
void r5s_files_finish(struct r5s_files *f);

void r5s_files_close(struct r5s_files *f);

/**
 * r5s_files_take - account one batch of raw events; what r5s_files_read() does with what it read
 * @f: counters
 * @buf: events as the kernel writes them
 * @len: bytes
 * @now_ns: CLOCK_MONOTONIC of the read
 */
void r5s_files_take(struct r5s_files *f, const void *buf, long len, int64_t now_ns);

#endif
