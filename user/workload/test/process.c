// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands: output through a pipe and a terminal, ends of every kind.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../test/tap.h"
#include "workload/process.h"

static size_t collect(struct r5s_process *p, int stream, char *out, size_t room)
{
	size_t len = 0;

	while (p->fd[stream] >= 0) {
		struct pollfd f = { p->fd[stream], POLLIN, 0 };
		ssize_t n;

		poll(&f, 1, 5000);
		n = r5s_process_read(p, stream, out + len, room - len - 1);
		if (n > 0)
			len += (size_t)n;
		else if (n == 0)
			break;
	}
	out[len] = '\0';
	return len;
}

static void wait_end(struct r5s_process *p)
{
	struct pollfd f = { p->pidfd, POLLIN, 0 };

	poll(&f, 1, 10000);
	r5s_process_reap(p);
}

static void test_shell(const char *script, const char *out, const char *err, int status,
		       const char *what)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	char got[4096];
	struct r5s_process p;

	if (!ok(!r5s_process_start(&p, argv), "%s: starts", what))
		return;
	collect(&p, R5S_PROCESS_OUT, got, sizeof(got));
	ok_text(got, out, "its output");
	collect(&p, R5S_PROCESS_ERR, got, sizeof(got));
	ok_text(got, err, "its errors");
	wait_end(&p);
	ok(p.ended && p.status == status, "its end: 0x%x", (unsigned int)p.status);
	r5s_process_close(&p);
}

static void test_missing(void)
{
	char *argv[] = { "/no/such/command", NULL }, *dir[] = { "/tmp", NULL };
	struct r5s_process p;

	ok(r5s_process_start(&p, argv) == -ENOENT, "a command that is not there");
	ok(r5s_process_start(&p, dir) == -EACCES, "a directory is no command");
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no child is left behind");
}

/* Big outputs on both streams: neither may block the other. */
static void test_much(void)
{
	char *argv[] = { "sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2", NULL };
	size_t got[2] = { 0, 0 };
	char buf[8192];
	struct r5s_process p;

	r5s_process_start(&p, argv);
	while (p.fd[0] >= 0 || p.fd[1] >= 0) {
		struct pollfd f[2] = { { p.fd[0], POLLIN, 0 }, { p.fd[1], POLLIN, 0 } };

		if (poll(f, 2, 5000) <= 0)
			break;
		for (int i = 0; i < 2; i++) {
			ssize_t n = f[i].revents ? r5s_process_read(&p, i, buf, sizeof(buf)) : 0;

			if (n > 0)
				got[i] += (size_t)n;
		}
	}
	ok(got[0] == 300000 && got[1] == 300000, "300000 bytes on each stream: %zu, %zu", got[0],
	   got[1]);
	wait_end(&p);
	r5s_process_close(&p);
}

/* With a terminal as our standard output the command sees one, too, of the same size. */
static void test_terminal(void)
{
	char *argv[] = { "sh", "-c", "test -t 1 && stty size <&1; printf 'a\\nb'", NULL };
	struct winsize size = { .ws_row = 33, .ws_col = 77 };
	int saved = dup(STDOUT_FILENO), master, slave, err;
	struct r5s_process p;
	char got[256];

	if (saved < 0 || openpty(&master, &slave, NULL, NULL, &size)) {
		skip("a terminal", "no pseudo terminal here");
		return;
	}
	fflush(stdout);
	dup2(slave, STDOUT_FILENO);
	err = r5s_process_start(&p, argv);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	if (ok(!err, "starts on a terminal")) {
		collect(&p, R5S_PROCESS_OUT, got, sizeof(got));
		ok_text(got, "33 77\na\nb", "it sees a terminal of our size, bytes come unchanged");
		wait_end(&p);
		r5s_process_close(&p);
	}
	close(master);
	close(slave);
}

int main(void)
{
	int self = pidfd_open(getpid(), 0);

	if (self < 0) {
		skip("commands", "no pidfd_open here: an old kernel, or valgrind");
		return tap_done();
	}
	close(self);
	test_shell("echo a; echo b >&2; exit 7", "a\n", "b\n", 7 << 8, "exit status 7");
	test_shell("kill -9 $$", "", "", SIGKILL, "killed");
	test_shell("kill -INT $$", "", "", SIGINT, "signals are not blocked in it");
	test_missing();
	test_much();
	test_terminal();
	return tap_done();
}
