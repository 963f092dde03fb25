// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/fanotify.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 256 * 1024 };

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int open_mark(unsigned int flags, unsigned int where, uint64_t mask, const char *path)
{
	int fd, err;

	fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE |
			   FAN_UNLIMITED_MARKS | flags, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fanotify_mark(fd, FAN_MARK_ADD | where, mask, AT_FDCWD, path)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int r5s_files_open(struct r5s_files *f, const char *path, uint64_t per_window, bool sync_after)
{
	memset(f, 0, sizeof(*f));
	f->per_window = per_window;
	f->sync_after = sync_after;
	f->sees_creates = true;
	f->fd = open_mark(FAN_REPORT_FID, FAN_MARK_FILESYSTEM,
			  FAN_CLOSE_WRITE | FAN_CREATE | FAN_DELETE, path);
	if (f->fd < 0 && f->fd != -EPERM) {
		f->sees_creates = false;
		f->fd = open_mark(0, FAN_MARK_MOUNT, FAN_CLOSE_WRITE, path);
	}
	if (f->fd < 0) {
		int err = f->fd;

		f->fd = -1;
		return err;
	}
	return 0;
}

static void end_window(struct r5s_files *f, int64_t end_ns)
{
	if (f->open_since_ns && f->open_files) {
		f->windows++;
		f->window_files += f->open_files;
		f->window_ns += end_ns - f->open_since_ns;
	}
	f->open_since_ns = 0;
	f->open_files = 0;
	f->full = false;
}

static void on_close(struct r5s_files *f, int64_t now_ns)
{
	if (!f->open_since_ns)
		f->open_since_ns = now_ns;
	f->closed++;
	f->open_files++;
	f->last_close_ns = now_ns;
	if (!f->per_window || f->open_files != f->per_window)
		return;
	if (f->sync_after)
		f->full = true;
	else
		end_window(f, now_ns);
}

void r5s_files_take(struct r5s_files *f, const void *buf, long len, int64_t now_ns)
{
	const char *p = buf;
	struct fanotify_event_metadata e;

	/* Copied out: with file handles an event is a multiple of 4 bytes long, its mask wants 8. */
	for (; len >= (long)sizeof(e); p += e.event_len, len -= (long)e.event_len) {
		memcpy(&e, p, sizeof(e));
		if (e.vers != FANOTIFY_METADATA_VERSION || e.event_len < sizeof(e) ||
		    (long)e.event_len > len)
			return;
		if (e.mask & FAN_Q_OVERFLOW)
			f->overflow = true;
		/* Files that are kept: when the sync ended cannot be seen. */
		if (e.mask & FAN_CREATE && f->full)
			end_window(f, f->last_close_ns);
		if (e.mask & FAN_CREATE && !f->open_since_ns)
			f->open_since_ns = now_ns;
		if (e.mask & FAN_CLOSE_WRITE)
			on_close(f, now_ns);
		if (e.mask & FAN_DELETE && (!f->per_window || f->full))
			end_window(f, f->sync_after ? now_ns : f->last_close_ns);
		if (e.fd >= 0)
			close(e.fd);
	}
}

int r5s_files_read(struct r5s_files *f)
{
	static char buf[BUFFER] __attribute__((aligned(16)));
	ssize_t n;

	while ((n = read(f->fd, buf, sizeof(buf))) > 0) {
		r5s_files_take(f, buf, n, now());
		if (n < BUFFER / 2)
			return 0;
	}
	return n < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
}

void r5s_files_finish(struct r5s_files *f)
{
	end_window(f, f->full ? now() : f->last_close_ns);
}

void r5s_files_close(struct r5s_files *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}
