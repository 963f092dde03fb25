// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "metric.h"
#include "source/module.h"

static const char load_help[] =
	"usage: raid5stat load [--module FILE] [--level LEVEL]\n"
	"\n"
	"Loads the kernel module raid5stat, once; needs root.\n"
	"\n"
	"  --module FILE   the module's file; else $RAID5STAT_MODULE, else raid5stat.ko below\n"
	"                  /lib/modules/$(uname -r)/updates or extra\n"
	"  --level LEVEL   what it measures even when no reader asks: off, gauges (its default),\n"
	"                  counters, latency\n"
	"  -h, --help      this text\n"
	"\n"
	"exit status: 0 loaded (or it was), 2 usage, 3 it cannot be loaded and why\n";

static const char unload_help[] =
	"usage: raid5stat unload\n"
	"\n"
	"Removes the kernel module raid5stat; needs root. Counters are lost.\n"
	"\n"
	"exit status: 0 removed (or it was not there), 2 usage, 3 it cannot be removed and why\n";

int r5s_cmd_load(int argc, char **argv)
{
	static const struct option options[] = {
		{ "module", required_argument, NULL, 'm' },
		{ "level", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	const char *file = NULL, *level = NULL;
	struct r5s_module_why why = { "" };
	int c, rc;

	while ((c = getopt_long(argc, argv, "hm:l:", options, NULL)) != -1) {
		switch (c) {
		case 'm':
			file = optarg;
			break;
		case 'l':
			if (r5s_metric_level_parse(optarg) < 0) {
				r5s_cmd_say("--level takes off, gauges, counters or latency, not %s",
					    r5s_cmd_escape(optarg));
				return R5S_EXIT_USAGE;
			}
			level = r5s_metric_level_name((unsigned int)r5s_metric_level_parse(optarg));
			break;
		case 'h':
			fputs(load_help, stdout);
			return R5S_EXIT_DONE;
		default:
			return r5s_cmd_usage("load");
		}
	}
	if (optind < argc) {
		r5s_cmd_say("load takes no argument; the file goes behind --module");
		return r5s_cmd_usage("load");
	}
	rc = r5s_module_load(file, level, &why);
	if (rc < 0) {
		r5s_cmd_say("%s", why.text);
		return R5S_EXIT_LACKS;
	}
	if (rc && level)
		r5s_cmd_say("the module was loaded before: `raid5stat unload` first to change its "
			    "level");
	return R5S_EXIT_DONE;
}

int r5s_cmd_unload(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct r5s_module_why why = { "" };
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c != 'h')
			return r5s_cmd_usage("unload");
		fputs(unload_help, stdout);
		return R5S_EXIT_DONE;
	}
	if (optind < argc)
		return r5s_cmd_usage("unload");
	if (r5s_module_unload(&why) < 0) {
		r5s_cmd_say("%s", why.text);
		return R5S_EXIT_LACKS;
	}
	return R5S_EXIT_DONE;
}
