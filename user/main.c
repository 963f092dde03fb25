// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raid5stat: what an md RAID4/5/6 array does now, and what held a run back.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "privilege.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	unsigned int keep;	/* enum r5s_privilege, all that it may need */
	const char *help;
};

enum {
	RECORDS = R5S_PRIVILEGE_SUBSCRIBE | R5S_PRIVILEGE_FILES | R5S_PRIVILEGE_MODULE |
		  R5S_PRIVILEGE_STORE | R5S_PRIVILEGE_SIGNAL | R5S_PRIVILEGE_COUNT,
	READS = R5S_PRIVILEGE_READ | R5S_PRIVILEGE_STORE
};

static const struct command commands[] = {
	{ "show", r5s_cmd_show, R5S_PRIVILEGE_NONE,
	  "what the arrays do now: stripe cache, writes, reclaim, writeback" },
	{ "run", r5s_cmd_run, RECORDS | R5S_PRIVILEGE_START,
	  "run a command such as fs_mark, record everything, report" },
	{ "report", r5s_cmd_report, READS,
	  "the report of a recorded run again" },
	{ "runs", r5s_cmd_runs, READS,
	  "list the recorded runs, show, annotate, delete them" },
	{ "store", r5s_cmd_store, READS,
	  "check the file that keeps the runs, shrink it, merge another" },
	{ "compare", r5s_cmd_compare, READS,
	  "is one group of runs faster than another, and what else changed" },
	{ "doctor", r5s_cmd_doctor, R5S_PRIVILEGE_SUBSCRIBE | R5S_PRIVILEGE_COUNT,
	  "is everything there, do the numbers agree, what is missing" },
	{ "load", r5s_cmd_load, R5S_PRIVILEGE_MODULE | R5S_PRIVILEGE_READ,
	  "load the kernel module" },
	{ "unload", r5s_cmd_unload, R5S_PRIVILEGE_MODULE,
	  "remove it" },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void help(FILE *out)
{
	fputs("usage: raid5stat COMMAND [options]\n\n", out);
	for (int i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\n"
	      "`raid5stat COMMAND -h` tells the options. Begin with\n"
	      "\n"
	      "  raid5stat run -- fs_mark -d /mnt/array -n 1000 -t 16 -s 65536 -S 0\n"
	      "\n"
	      "exit status: 0 done, 1 a finding (--exit-code), 2 usage, 3 something is missing\n"
	      "(the message says what brings it), 4 skipped; run: the command's own\n", out);
}

int main(int argc, char **argv)
{
	int rc = -1, err;

	if (argc < 2) {
		help(stderr);
		return R5S_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		help(stdout);
		rc = R5S_EXIT_DONE;
	} else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("raid5stat " R5S_VERSION);
		rc = R5S_EXIT_DONE;
	}
	for (int i = 0; rc < 0 && i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		err = r5s_privilege_keep(commands[i].keep);
		if (err) {
			r5s_cmd_say("privileges cannot be given up: %s", strerror(-err));
			return R5S_EXIT_LACKS;
		}
		rc = commands[i].run(argc - 1, argv + 1);
	}
	if (rc < 0) {
		r5s_cmd_say("no command %s; `raid5stat -h` lists them", r5s_cmd_escape(argv[1]));
		return R5S_EXIT_USAGE;
	}
	if (fflush(stdout) && errno != EPIPE) {
		r5s_cmd_say("standard output: %s", strerror(errno));
		if (rc == R5S_EXIT_DONE)
			rc = R5S_EXIT_LACKS;
	}
	return rc;
}
