// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

static const char help[] =
	"usage: raid5stat store check [--db FILE] [--exit-code]\n"
	"       raid5stat store vacuum\n"
	"       raid5stat store merge OTHER.db\n"
	"\n"
	"Looks after the file that keeps the runs: is it whole, give back the space of deleted runs,\n"
	"take over the runs of another store (those that are here already are passed over).\n"
	"\n"
	"  --db FILE          the store; else $RAID5STAT_DB, else ~/.local/state/raid5stat/runs.db\n"
	"  --exit-code        check: status 1 when something is wrong\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: 0 done, 1 something is wrong (--exit-code), 2 usage, 3 the store cannot be used\n";

static int check(struct r5s_store *s, bool exit_code)
{
	struct r5s_store_check c;

	if (r5s_store_check(s, &c))
		return -1;
	printf("%s: schema %d, %" PRIu64 " runs (%" PRIu64 " incomplete), %.1f MB: ", r5s_store_file(s),
	       c.version, c.runs, c.incomplete, (double)c.bytes / 1e6);
	if (c.n_problems)
		printf("%zu problems\n%s", c.n_problems, c.problems);
	else
		puts("clean");
	exit_code = exit_code && c.n_problems;
	free(c.problems);
	return exit_code ? R5S_EXIT_FINDING : R5S_EXIT_DONE;
}

static int merge(struct r5s_store *s, const char *other)
{
	struct r5s_store_merge m;
	int err = r5s_store_merge(s, other, &m);

	printf("%" PRIu64 " runs merged, %" PRIu64 " were here already, %" PRIu64 " are still being recorded "
	       "there\n", m.merged, m.known, m.running);
	return err ? -1 : R5S_EXIT_DONE;
}

int r5s_cmd_store(int argc, char **argv)
{
	static const struct option options[] = {
		{ "db", required_argument, NULL, 'd' }, { "exit-code", no_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	struct r5s_store *s = NULL;
	const char *db = NULL, *verb;
	bool exit_code = false;
	int c, n, rc = -1;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'd') {
			db = optarg;
		} else if (c == 'e') {
			exit_code = true;
		} else if (c == 'h') {
			fputs(help, stdout);
			return R5S_EXIT_DONE;
		} else {
			return r5s_cmd_usage("store");
		}
	}
	verb = optind < argc ? argv[optind++] : "";
	n = argc - optind;
	if (!(!strcmp(verb, "check") && !n) && !(!strcmp(verb, "vacuum") && !n) &&
	    !(!strcmp(verb, "merge") && n == 1))
		return r5s_cmd_usage("store");
	if (!r5s_store_open(&s, db, !strcmp(verb, "check") ? R5S_STORE_READ :
			    !strcmp(verb, "merge") ? R5S_STORE_WRITE | R5S_STORE_CREATE :
			    R5S_STORE_WRITE)) {
		if (!strcmp(verb, "check"))
			rc = check(s, exit_code);
		else if (!strcmp(verb, "merge"))
			rc = merge(s, argv[optind]);
		else
			rc = r5s_store_vacuum(s) ? -1 : R5S_EXIT_DONE;
	}
	if (rc < 0) {
		r5s_cmd_say("%s", s ? r5s_store_error(s) : "no memory");
		rc = R5S_EXIT_LACKS;
	}
	r5s_store_close(s);
	return rc;
}
