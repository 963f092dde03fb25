/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subcommands. Each gets its own argc and argv (argv[0] is its name) and returns an exit status.
 */
#ifndef R5S_CMD_CMD_H
#define R5S_CMD_CMD_H

#include <stdbool.h>

#include "source/netlink.h"
#include "source/sysfs.h"

#define R5S_VERSION "0.1"

enum r5s_cmd_exit {
	R5S_EXIT_DONE = 0,
	R5S_EXIT_FINDING = 1,
	R5S_EXIT_USAGE = 2,
	R5S_EXIT_LACKS = 3,
	R5S_EXIT_SKIPPED = 4
};

int r5s_cmd_show(int argc, char **argv);
int r5s_cmd_doctor(int argc, char **argv);
int r5s_cmd_load(int argc, char **argv);
int r5s_cmd_unload(int argc, char **argv);
int r5s_cmd_run(int argc, char **argv);
int r5s_cmd_report(int argc, char **argv);
int r5s_cmd_runs(int argc, char **argv);
int r5s_cmd_store(int argc, char **argv);
int r5s_cmd_compare(int argc, char **argv);

/** r5s_cmd_say - a message to standard error: "raid5stat: ..." */
__attribute__((format(printf, 1, 2)))
void r5s_cmd_say(const char *format, ...);

/** r5s_cmd_escape - a name from outside for a message; the result is overwritten after 4 calls */
const char *r5s_cmd_escape(const char *name);

/**
 * r5s_cmd_usage - the end of a command line that was not understood
 * @name: of the subcommand
 *
 * Return: R5S_EXIT_USAGE.
 */
int r5s_cmd_usage(const char *name);

/**
 * r5s_cmd_pick - the array that the user named
 * @nl: connection
 * @name: "md0", "/dev/md0" or "/dev/md/home"
 * @out: its snapshot
 *
 * Says why when there is none: what the name is and which arrays there are.
 *
 * Return: an exit status.
 */
int r5s_cmd_pick(struct r5s_netlink *nl, const char *name, struct r5s_snapshot *out);

struct r5s_store;

/**
 * r5s_cmd_report_print - the report of a run to standard output
 *
 * Return: 0, or a negative errno.
 */
int r5s_cmd_report_print(struct r5s_store *store, const char *run, double every_s, bool json);

#endif
