// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "privilege.h"

/* Raw, so that every byte comes through as it was written: our own terminal does the rest. */
static int open_terminal(int like, int pair[2])
{
	struct termios tio;
	struct winsize size = { 0 };

	if (openpty(&pair[0], &pair[1], NULL, NULL, NULL))
		return -errno;
	if (!tcgetattr(pair[1], &tio)) {
		cfmakeraw(&tio);
		tcsetattr(pair[1], TCSANOW, &tio);
	}
	if (!ioctl(like, TIOCGWINSZ, &size))
		ioctl(pair[1], TIOCSWINSZ, &size);
	fcntl(pair[0], F_SETFD, FD_CLOEXEC);
	fcntl(pair[1], F_SETFD, FD_CLOEXEC);
	return 0;
}

static int open_stream(int ours, int pair[2])
{
	int err = 0;

	if (isatty(ours))
		err = open_terminal(ours, pair);
	else if (pipe2(pair, O_CLOEXEC))
		err = -errno;
	if (!err)
		fcntl(pair[0], F_SETFL, O_NONBLOCK);
	return err;
}

static void close_pair(int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

__attribute__((noreturn))
static void child(char *const argv[], int out, int err, int report)
{
	sigset_t none;
	int e;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	r5s_privilege_child();
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execvp(argv[0], argv);
	e = errno;
	if (write(report, &e, sizeof(e)) != sizeof(e))
		_exit(126);
	_exit(127);
}

int r5s_process_start(struct r5s_process *p, char *const argv[])
{
	int pair[R5S_PROCESS_STREAMS][2], report[2], e, err;
	ssize_t n;

	memset(p, 0, sizeof(*p));
	p->pidfd = p->fd[0] = p->fd[1] = -1;
	err = open_stream(STDOUT_FILENO, pair[0]);
	if (err)
		return err;
	err = open_stream(STDERR_FILENO, pair[1]);
	if (err)
		goto err_out;
	if (pipe2(report, O_CLOEXEC)) {
		err = -errno;
		goto err_err;
	}
	p->pid = fork();
	if (p->pid < 0) {
		err = -errno;
		goto err_report;
	}
	if (!p->pid)
		child(argv, pair[0][1], pair[1][1], report[1]);
	close(report[1]);
	do
		n = read(report[0], &e, sizeof(e));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == sizeof(e)) {
		waitpid(p->pid, NULL, 0);
		err = -e;
		goto err_err;
	}
	p->pidfd = pidfd_open(p->pid, 0);
	if (p->pidfd < 0) {
		err = -errno;
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
		goto err_err;
	}
	for (int i = 0; i < R5S_PROCESS_STREAMS; i++) {
		close(pair[i][1]);
		p->fd[i] = pair[i][0];
	}
	return 0;

err_report:
	close_pair(report);
err_err:
	close_pair(pair[1]);
err_out:
	close_pair(pair[0]);
	return err;
}

ssize_t r5s_process_read(struct r5s_process *p, int stream, char *buf, size_t room)
{
	ssize_t n = read(p->fd[stream], buf, room);

	if (n > 0)
		return n;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	/* A terminal whose other side was closed says EIO. */
	close(p->fd[stream]);
	p->fd[stream] = -1;
	return 0;
}

bool r5s_process_reap(struct r5s_process *p)
{
	if (!p->ended && waitpid(p->pid, &p->status, WNOHANG) == p->pid)
		p->ended = true;
	return p->ended;
}

void r5s_process_close(struct r5s_process *p)
{
	for (int i = 0; i < R5S_PROCESS_STREAMS; i++)
		if (p->fd[i] >= 0)
			close(p->fd[i]);
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = p->fd[0] = p->fd[1] = -1;
}
