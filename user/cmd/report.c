// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "privilege.h"
#include "render/report.h"

static const char help[] =
	"usage: raid5stat report [RUN] [--report-every N] [--db FILE] [--json]\n"
	"\n"
	"The report of a run that `raid5stat run` recorded, whether it ended well, failed, was killed,\n"
	"or lost its recorder.\n"
	"\n"
	"  RUN                its number, \"last\" (default), or the first characters of its uuid\n"
	"  --report-every N   seconds a line (default 1)\n"
	"  --db FILE          the store; else $RAID5STAT_DB, else ~/.local/state/raid5stat/runs.db\n"
	"  --json             for programs\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: 0 shown, 2 no such run, 3 the store cannot be read\n";

int r5s_cmd_report_print(struct r5s_store *store, const char *run, double every_s, bool json)
{
	struct r5s_summary s;
	int err;

	err = r5s_summary_make(&s, store, run, every_s);
	if (!err)
		err = json ? r5s_report_json(&s, r5s_store_file(store), stdout) :
			     r5s_report_print(&s, r5s_store_file(store), stdout);
	r5s_summary_free(&s);
	return err;
}

int r5s_cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "db", required_argument, NULL, 'd' },
		{ "report-every", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	const char *db = NULL, *run = "last";
	struct r5s_store *store;
	double every_s = 1;
	bool json = false;
	char *end;
	int c, err, rc = R5S_EXIT_DONE;

	while ((c = getopt_long(argc, argv, "hj", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			db = optarg;
			break;
		case 'r':
			every_s = strtod(optarg, &end);
			if (end == optarg || *end || !(every_s >= 0.1 && every_s <= 86400)) {
				r5s_cmd_say("--report-every takes seconds from 0.1 to 86400, not %s",
					    r5s_cmd_escape(optarg));
				return R5S_EXIT_USAGE;
			}
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return R5S_EXIT_DONE;
		default:
			return r5s_cmd_usage("report");
		}
	}
	if (argc - optind > 1)
		return r5s_cmd_usage("report");
	if (optind < argc)
		run = argv[optind];
	err = r5s_store_open(&store, db, R5S_STORE_READ);
	if (err) {
		r5s_cmd_say("the store: %s", store ? r5s_store_error(store) : "no memory");
		rc = R5S_EXIT_LACKS;
	} else {
		r5s_privilege_keep(R5S_PRIVILEGE_NONE);
		err = r5s_cmd_report_print(store, run, every_s, json);
		if (err == -ERANGE) {
			r5s_cmd_say("run %s lasted more than a month by the store: its times are damaged",
				    r5s_cmd_escape(run));
			rc = R5S_EXIT_LACKS;
		} else if (err) {
			r5s_cmd_say("%s", r5s_store_error(store)[0] ? r5s_store_error(store) :
				    strerror(-err));
			rc = err == -ENOENT || err == -EINVAL ? R5S_EXIT_USAGE : R5S_EXIT_LACKS;
		}
	}
	r5s_store_close(store);
	return rc;
}
