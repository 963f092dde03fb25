/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that runs beside us: its output passes through us, its end can be polled for.
 */
#ifndef R5S_WORKLOAD_PROCESS_H
#define R5S_WORKLOAD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { R5S_PROCESS_OUT, R5S_PROCESS_ERR, R5S_PROCESS_STREAMS };

/**
 * struct r5s_process - a command
 * @pid: its process, the leader of nothing: it stays in our process group, so that Ctrl-C reaches it
 * @pidfd: readable once it has ended
 * @fd: what it prints, non-blocking; -1 once that stream has ended. A terminal of its own when ours
 *	is one, so that it prints as it would without us
 * @ended: it has been waited for
 * @status: as of waitpid()
 */
struct r5s_process {
	pid_t pid;
	int pidfd;
	int fd[R5S_PROCESS_STREAMS];
	bool ended;
	int status;
};

/**
 * r5s_process_start - start a command
 * @p: result
 * @argv: its words, ended by NULL; looked for in PATH
 *
 * Return: 0; a negative errno when it could not be started (-ENOENT: no such command).
 */
int r5s_process_start(struct r5s_process *p, char *const argv[]);

/**
 * r5s_process_read - take what it has printed
 * @p: command
 * @stream: R5S_PROCESS_OUT or R5S_PROCESS_ERR
 * @buf: result
 * @room: its size
 *
 * Return: bytes; 0 when the stream has ended (and is closed); -EAGAIN when nothing is there now.
 */
ssize_t r5s_process_read(struct r5s_process *p, int stream, char *buf, size_t room);

/** r5s_process_reap - has it ended? Sets @p->status then */
bool r5s_process_reap(struct r5s_process *p);

/** r5s_process_close - forget it; it is not killed */
void r5s_process_close(struct r5s_process *p);

#endif
