/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Giving up what a command does not need, so that a file made to break a parser meets one that can do
 * little. Somebody without privileges notices nothing.
 */
#ifndef R5S_PRIVILEGE_H
#define R5S_PRIVILEGE_H

/**
 * enum r5s_privilege - what a command may need, to be joined by |
 * @R5S_PRIVILEGE_NONE: only what any user has
 * @R5S_PRIVILEGE_SUBSCRIBE: levels, samples and events of the module (CAP_NET_ADMIN)
 * @R5S_PRIVILEGE_FILES: fanotify marks on a file system (CAP_SYS_ADMIN)
 * @R5S_PRIVILEGE_MODULE: loading and removing modules (CAP_SYS_MODULE)
 * @R5S_PRIVILEGE_READ: files that belong to others (CAP_DAC_READ_SEARCH)
 * @R5S_PRIVILEGE_STORE: opening a store that belongs to somebody else (CAP_DAC_OVERRIDE)
 * @R5S_PRIVILEGE_SIGNAL: ending a workload that runs as somebody else (CAP_KILL)
 * @R5S_PRIVILEGE_COUNT: perf events of all CPUs (CAP_PERFMON)
 * @R5S_PRIVILEGE_START: a workload that gets all that the user has: r5s_privilege_child() gives it back
 * @R5S_PRIVILEGE_ALL: nothing is given up: for commands that make arrays, file systems and mounts
 */
enum r5s_privilege {
	R5S_PRIVILEGE_NONE = 0,
	R5S_PRIVILEGE_SUBSCRIBE = 1 << 0,
	R5S_PRIVILEGE_FILES = 1 << 1,
	R5S_PRIVILEGE_MODULE = 1 << 2,
	R5S_PRIVILEGE_READ = 1 << 3,
	R5S_PRIVILEGE_STORE = 1 << 4,
	R5S_PRIVILEGE_SIGNAL = 1 << 5,
	R5S_PRIVILEGE_START = 1 << 6,
	R5S_PRIVILEGE_ALL = 1 << 7,
	R5S_PRIVILEGE_COUNT = 1 << 8
};

/**
 * r5s_privilege_keep - give up everything else, for good but for what a workload gets
 * @keep: enum r5s_privilege, joined; what was given up before stays so
 *
 * With R5S_PRIVILEGE_START the rest is only laid down, so that r5s_privilege_child() can take it up.
 *
 * Return: 0, or a negative errno.
 */
int r5s_privilege_keep(unsigned int keep);

/** r5s_privilege_child - in a new process, before exec: all that the user had. 0, or a negative errno */
int r5s_privilege_child(void);

#endif
