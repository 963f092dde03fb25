// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define MILLI INT64_C(1000000)

enum {
	BUFFER = 64 * 1024,
	KILL_AT = 3		/* the third request to end is no request any more */
};

enum { ON_END, ON_OUT, ON_ERR, ON_SIGNAL, ON_EVENTS, ON_FILES, ON_ALL };

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void note(struct r5s_recorder *r, int err)
{
	if (err && !r->store_error)
		r->store_error = err;
}

static void pass_on(struct r5s_recorder *r, int stream, const char *buf, ssize_t n)
{
	while (n > 0 && r->pass[stream] >= 0) {
		ssize_t done = write(r->pass[stream], buf, (size_t)n);

		if (done > 0) {
			buf += done;
			n -= done;
		} else if (errno == EAGAIN) {
			struct pollfd p = { .fd = r->pass[stream], .events = POLLOUT };

			poll(&p, 1, 1000);
		} else if (errno != EINTR) {
			/* Nobody reads us any more: the recording goes on. */
			r->pass[stream] = -1;
		}
	}
}

static void store_rows(struct r5s_recorder *r, int64_t t)
{
	for (; r->rows_stored < r->fsmark->n_rows; r->rows_stored++)
		note(r, r5s_store_fsmark_add(r->store, r->run, (unsigned int)r->rows_stored + 1, t,
					     &r->fsmark->rows[r->rows_stored]));
}

static void take_output(struct r5s_recorder *r, struct r5s_process *p, int stream)
{
	static char buf[BUFFER];
	int64_t t;
	ssize_t n;

	while (p->fd[stream] >= 0 && (n = r5s_process_read(p, stream, buf, sizeof(buf))) > 0) {
		pass_on(r, stream, buf, n);
		t = r5s_store_run_now(r->store);
		note(r, r5s_store_output_add(r->store, r->run, t, stream + 1, buf, (size_t)n));
		if (stream == R5S_PROCESS_OUT) {
			note(r, r5s_fsmark_feed(r->fsmark, buf, (size_t)n));
			store_rows(r, t);
		}
	}
}

static void take_signal(struct r5s_recorder *r, struct r5s_process *p, int fd)
{
	struct signalfd_siginfo s;

	while (read(fd, &s, sizeof(s)) == sizeof(s)) {
		r->signals++;
		/* Ctrl-C goes to the whole foreground group: the command has it already. */
		if (r->signals >= KILL_AT)
			kill(p->pid, SIGKILL);
		else if (s.ssi_signo != SIGINT || s.ssi_code == SI_USER || s.ssi_code == SI_TKILL)
			kill(p->pid, (int)s.ssi_signo);
	}
}

static void take_events(struct r5s_recorder *r)
{
	if (r5s_netlink_events(r->events, r5s_recorder_add_event, r) == -ENOBUFS)
		note(r, r5s_store_event_add(r->store, r->run, r5s_store_run_now(r->store), NULL,
					    "events-lost", "they came faster than they were read"));
}

static void tick(struct r5s_recorder *r, int64_t t, int64_t *next)
{
	int64_t step = r->interval_ms * MILLI;
	bool all = t >= r->slow_ns;

	r5s_recorder_sample(r, all);
	if (all)
		r->slow_ns = t + SECOND - step / 2;
	*next += step;
	if (*next <= t) {
		r->late += (uint64_t)((t - *next) / step + 1);
		*next += ((t - *next) / step + 1) * step;
	}
}

static int wait_time(int64_t t, int64_t next, int64_t files_next)
{
	int64_t until = files_next > t && files_next < next ? files_next : next;

	return until <= t ? 0 : (int)((until - t + MILLI - 1) / MILLI);
}

static int loop(struct r5s_recorder *r, struct r5s_process *p, int signals)
{
	int64_t next = now() + r->interval_ms * MILLI, files_next = 0, t;

	while (!r5s_process_reap(p)) {
		struct pollfd fd[ON_ALL] = {
			[ON_END] = { p->pidfd, POLLIN, 0 },
			[ON_OUT] = { p->fd[R5S_PROCESS_OUT], POLLIN, 0 },
			[ON_ERR] = { p->fd[R5S_PROCESS_ERR], POLLIN, 0 },
			[ON_SIGNAL] = { signals, POLLIN, 0 },
			[ON_EVENTS] = { r->events ? r5s_netlink_fd(r->events) : -1, POLLIN, 0 },
			[ON_FILES] = { -1, POLLIN, 0 },
		};

		t = now();
		/* Not woken for every file: a pause after each read, then all at once. */
		if (r->files && t >= files_next)
			fd[ON_FILES].fd = r->files->fd;
		if (poll(fd, ON_ALL, wait_time(t, next, files_next)) < 0 && errno != EINTR)
			return -errno;
		t = now();
		if (fd[ON_FILES].revents) {
			r5s_files_read(r->files);
			files_next = t + R5S_FILES_PAUSE_MS * MILLI;
		}
		if (fd[ON_OUT].revents)
			take_output(r, p, R5S_PROCESS_OUT);
		if (fd[ON_ERR].revents)
			take_output(r, p, R5S_PROCESS_ERR);
		if (fd[ON_SIGNAL].revents)
			take_signal(r, p, signals);
		if (fd[ON_EVENTS].revents)
			take_events(r);
		if (t >= next)
			tick(r, t, &next);
	}
	return 0;
}

void r5s_recorder_block(sigset_t *mask)
{
	sigset_t set;

	if (!mask)
		mask = &set;
	sigemptyset(mask);
	sigaddset(mask, SIGINT);
	sigaddset(mask, SIGTERM);
	sigaddset(mask, SIGHUP);
	sigprocmask(SIG_BLOCK, mask, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int r5s_recorder_run(struct r5s_recorder *r, struct r5s_process *p)
{
	int64_t begin = now();
	sigset_t mask;
	int signals, err;

	r5s_recorder_block(&mask);
	signals = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals < 0)
		return -errno;
	err = loop(r, p, signals);
	r->elapsed_ns = now() - begin;
	take_output(r, p, R5S_PROCESS_OUT);
	take_output(r, p, R5S_PROCESS_ERR);
	r5s_recorder_sample(r, true);
	if (r->files)
		r5s_files_finish(r->files);
	if (r->events)
		take_events(r);
	if (r5s_fsmark_finish(r->fsmark) < 0)
		note(r, -ENOMEM);
	store_rows(r, r5s_store_run_now(r->store));
	close(signals);
	return err;
}
