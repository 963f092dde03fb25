// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/target.h"
#include "metric.h"
#include "privilege.h"
#include "record/recorder.h"
#include "record/summary.h"
#include "source/facts.h"
#include "source/module.h"

static const char help[] =
	"usage: raid5stat run [options] [--] COMMAND [ARGUMENTS]\n"
	"\n"
	"Runs a command, records the array under it ten times a second, and reports. Files/s are\n"
	"counted for fs_mark, as root.\n"
	"\n"
	"  --array NAME       md0, /dev/md0, ...; else the array below fs_mark's -d, else the only one\n"
	"  --level LEVEL      counters, or latency (default), which times the waits too\n"
	"  --interval MS      between two samples, 10 to 60000 (default 100)\n"
	"  --report-every N   seconds a line of the report (default 1)\n"
	"  --set KEY=VALUE    a word about the run, to group by later: commit=abc, tag=before\n"
	"  --db FILE          the store; else $RAID5STAT_DB, else\n"
	"                     ~/.local/state/raid5stat/runs.db\n"
	"  --no-load          do not load the kernel module when it is missing\n"
	"  --json             the report for programs; the command's output goes to standard error\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: the command's own, 128 + N when signal N killed it; before it starts: 2 usage,\n"
	"3 something is missing and what brings it\n";

enum { SET_MAX = 32 };

struct options {
	const char *set[SET_MAX];
	int sets;
	const char *array;
	const char *db;
	int level;
	int interval_ms;
	double every_s;
	bool no_load;
	bool json;
	char **argv;
	int argc;
};

/* What a run holds while it lasts. */
struct run {
	struct options o;
	struct r5s_netlink *nl;		/* NULL: the module is not there */
	struct r5s_netlink *events;
	struct r5s_target target;
	struct r5s_info info;
	struct r5s_fsmark_args fsmark_args;
	bool has_fsmark;
	struct r5s_store *store;
	int64_t id;
	struct r5s_files files;
	struct r5s_fsmark fsmark;
	struct r5s_recorder rec;
};

static int number(const char *text, const char *option, double min, double max, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end != text && !*end && *out >= min && *out <= max)
		return 0;
	r5s_cmd_say("%s takes a number from %g to %g, not %s", option, min, max,
		    r5s_cmd_escape(text));
	return R5S_EXIT_USAGE;
}

static int set(struct options *o, const char *text)
{
	size_t key = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.");

	if (!key || text[key] != '=') {
		r5s_cmd_say("--set takes KEY=VALUE with letters, digits, _ - . in the key, not %s",
			    r5s_cmd_escape(text));
		return -EINVAL;
	}
	if (o->sets == SET_MAX) {
		r5s_cmd_say("--set: at most %d", SET_MAX);
		return -EINVAL;
	}
	o->set[o->sets++] = text;
	return 0;
}

static int parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "array", required_argument, NULL, 'a' },
		{ "db", required_argument, NULL, 'd' },
		{ "interval", required_argument, NULL, 'i' },
		{ "report-every", required_argument, NULL, 'r' },
		{ "level", required_argument, NULL, 'l' },
		{ "set", required_argument, NULL, 's' },
		{ "no-load", no_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	double v;
	int c;

	*o = (struct options){ .level = RAID5STAT_LEVEL_LATENCY,
			       .interval_ms = R5S_RECORDER_INTERVAL_MS, .every_s = 1 };
	while ((c = getopt_long(argc, argv, "+hj", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			o->array = optarg;
			break;
		case 'd':
			o->db = optarg;
			break;
		case 'i':
			if (number(optarg, "--interval", R5S_RECORDER_INTERVAL_MIN_MS,
				   R5S_RECORDER_INTERVAL_MAX_MS, &v))
				return R5S_EXIT_USAGE;
			o->interval_ms = (int)v;
			break;
		case 'r':
			if (number(optarg, "--report-every", 0.1, 86400, &o->every_s))
				return R5S_EXIT_USAGE;
			break;
		case 'l':
			o->level = r5s_metric_level_parse(optarg);
			if (o->level < RAID5STAT_LEVEL_COUNTERS) {
				r5s_cmd_say("--level takes counters or latency, not %s",
					    r5s_cmd_escape(optarg));
				return R5S_EXIT_USAGE;
			}
			break;
		case 's':
			if (set(o, optarg))
				return R5S_EXIT_USAGE;
			break;
		case 'n':
			o->no_load = true;
			break;
		case 'j':
			o->json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return -1;
		default:
			return r5s_cmd_usage("run");
		}
	}
	o->argv = argv + optind;
	o->argc = argc - optind;
	if (!o->argc) {
		r5s_cmd_say("run needs a command, such as fs_mark -d /mnt/array -n 1000 -t 16 -S 0");
		return r5s_cmd_usage("run");
	}
	return 0;
}

/* The recording goes on without the module, with a word. */
static void connect_module(struct run *r)
{
	struct r5s_module_why why = { "" };
	int err;

	err = r5s_netlink_open(&r->nl);
	if (err == -ENOENT && !r->o.no_load) {
		r5s_netlink_close(r->nl);
		if (r5s_module_load(NULL, NULL, &why) < 0)
			r5s_cmd_say("%s", why.text);
		err = r5s_netlink_open(&r->nl);
	}
	if (err) {
		r5s_cmd_say("%s", r5s_netlink_error(r->nl));
		r5s_cmd_say("going on WITHOUT the module: only the files and the output are recorded");
		r5s_netlink_close(r->nl);
		r->nl = NULL;
		return;
	}
	if (r5s_netlink_info(r->nl, &r->info))
		memset(&r->info, 0, sizeof(r->info));
	if (r5s_netlink_hold(r->nl, (uint32_t)r->o.level))
		r5s_cmd_say("level %s: %s; what is not measured is absent",
			    r5s_metric_level_name((unsigned int)r->o.level),
			    r5s_netlink_error(r->nl));
	if (!r5s_netlink_open(&r->events) && !r5s_netlink_join(r->events))
		return;
	r5s_cmd_say("events: %s; they are not recorded", r5s_netlink_error(r->events));
	r5s_netlink_close(r->events);
	r->events = NULL;
}

static int open_store(struct run *r)
{
	char cwd[4096];
	struct r5s_store_begin b = {
		.argv = (const char *const *)r->o.argv,
		.cwd = getcwd(cwd, sizeof(cwd)),
		.array = r->target.name,
		.module_version = r->nl && r->info.version[0] ? r->info.version : NULL,
		.tool_version = R5S_VERSION,
	};
	int err;

	err = r5s_store_open(&r->store, r->o.db, R5S_STORE_WRITE | R5S_STORE_CREATE);
	err = err ? err : r5s_store_run_begin(r->store, &b, &r->id);
	if (r->store && r5s_store_word(r->store)[0])
		r5s_cmd_say("the store: %s", r5s_store_word(r->store));
	if (!err)
		return 0;
	r5s_cmd_say("the store: %s", r->store ? r5s_store_error(r->store) : "no memory");
	return R5S_EXIT_LACKS;
}

static void put(void *arg, const char *key, const char *value)
{
	struct run *r = arg;

	r5s_store_setting_put(r->store, r->id, key, value);
}

static void put_array(void *arg, const char *key, const char *value)
{
	struct run *r = arg;
	char name[160];

	snprintf(name, sizeof(name), "array.%s", key);
	r5s_store_setting_put(r->store, r->id, name, value);
}

static void put_number(struct run *r, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put(r, key, text);
}

static void put_words(struct run *r)
{
	for (int i = 0; i < r->o.sets; i++) {
		const char *value = strchr(r->o.set[i], '=');
		char *key = strndup(r->o.set[i], (size_t)(value - r->o.set[i]));

		if (key)
			put(r, key, value + 1);
		free(key);
	}
}

static void put_facts(struct run *r)
{
	put_words(r);
	r5s_facts_machine("/sys", "/proc", put, r);
	if (r->target.has_mount)
		r5s_facts_mount(&r->target.mount, put, r);
	r5s_facts_array("/sys", r->target.name, put_array, r);
	put_number(r, R5S_SUMMARY_PAGE, sysconf(_SC_PAGESIZE));
	put_number(r, "recorder.interval_ms", r->o.interval_ms);
	if (!r->nl)
		return;
	put(r, "module.version", r->info.version);
	put(r, "module.layout", r5s_snapshot_layout_name(r->info.layout));
	put(r, "module.level_asked", r5s_metric_level_name((unsigned int)r->o.level));
}

static void open_files(struct run *r)
{
	uint64_t each = r->fsmark_args.fill ? 0 : r->fsmark_args.files * r->fsmark_args.threads;
	bool sync_after = r->fsmark_args.sync_method > 1;	/* 0 never, 1 before closing */
	char why[160];
	int err;

	if (!r->has_fsmark || !r->target.has_mount) {
		put(r, R5S_SUMMARY_NO_FILES, "files are counted for fs_mark only, which names its "
		    "directory by -d");
		return;
	}
	err = r5s_files_open(&r->files, r->target.mount.point, each, sync_after);
	if (!err) {
		r->rec.files = &r->files;
		return;
	}
	if (err == -EPERM)
		snprintf(why, sizeof(why), "counting files needs root");
	else
		snprintf(why, sizeof(why), "fanotify on this file system: %s", strerror(-err));
	put(r, R5S_SUMMARY_NO_FILES, why);
	r5s_cmd_say("%s: the true file rate is absent", why);
}

static void put_end(struct run *r)
{
	const struct r5s_files *f = &r->files;

	put_number(r, R5S_SUMMARY_ELAPSED, r->rec.elapsed_ns);
	put_number(r, "recorder.late_samples", (int64_t)r->rec.late);
	if (r->fsmark.version[0])
		put(r, "fsmark.version", r->fsmark.version);
	if (!r->rec.files)
		return;
	put_number(r, R5S_SUMMARY_WINDOWS, (int64_t)f->windows);
	put_number(r, R5S_SUMMARY_WINDOW_FILES, (int64_t)f->window_files);
	put_number(r, R5S_SUMMARY_WINDOW_NS, f->window_ns);
	put_number(r, R5S_SUMMARY_CREATES, f->sees_creates);
	put_number(r, R5S_SUMMARY_OVERFLOW, f->overflow);
	if (f->overflow)
		put(r, R5S_SUMMARY_NO_FILES, "the kernel dropped file events: the count is too low");
}

/* The command cannot be started. */
static int not_started(struct run *r, int err)
{
	const char *name = r->o.argv[0], *base = strrchr(name, '/');
	struct r5s_store_end end = { R5S_STORE_FAILED, -1, 0, "the command could not be started" };

	base = base ? base + 1 : name;
	if (err == -ENOENT && !strcmp(base, "fs_mark"))
		r5s_cmd_say("fs_mark not found: apt install fsmark");
	else
		r5s_cmd_say("%s cannot be started: %s", r5s_cmd_escape(name), strerror(-err));
	r5s_store_run_end(r->store, r->id, &end);
	return R5S_EXIT_LACKS;
}

static int record(struct run *r, struct r5s_store_end *end)
{
	struct r5s_recorder *rec = &r->rec;
	struct r5s_process p;
	int err;

	rec->store = r->store;
	rec->run = r->id;
	rec->nl = r->nl;
	rec->events = r->events;
	snprintf(rec->array, sizeof(rec->array), "%s", r->target.name);
	rec->array_id = r->target.id;
	rec->fsmark = &r->fsmark;
	rec->interval_ms = r->o.interval_ms;
	rec->pass[R5S_PROCESS_OUT] = r->o.json ? STDERR_FILENO : STDOUT_FILENO;
	rec->pass[R5S_PROCESS_ERR] = STDERR_FILENO;
	r5s_fsmark_init(&r->fsmark);
	put_facts(r);
	open_files(r);
	r5s_cmd_say("recording %s as run %" PRId64 " in %s", r5s_cmd_escape(r->target.name), r->id,
		    r5s_store_file(r->store));

	r5s_recorder_block(NULL);
	err = r5s_recorder_prepare(rec);
	if (err) {
		r5s_cmd_say("the store: %s", r5s_store_error(r->store));
		return R5S_EXIT_LACKS;
	}
	put_number(r, R5S_SUMMARY_START, r5s_store_run_now(r->store));
	/* All that needs privileges is open; the command itself gets back what the user had. */
	r5s_privilege_keep(R5S_PRIVILEGE_SIGNAL | R5S_PRIVILEGE_START);
	err = r5s_process_start(&p, r->o.argv);
	r5s_privilege_keep(R5S_PRIVILEGE_SIGNAL);
	if (err)
		return not_started(r, err);
	err = r5s_recorder_run(rec, &p);
	if (err)
		r5s_cmd_say("recording broke off: %s", strerror(-err));
	put_end(r);

	*end = (struct r5s_store_end){ .status = R5S_STORE_COMPLETE, .exit_status = -1 };
	if (rec->gone)
		end->note = "the array went away while the command ran";
	if (WIFSIGNALED(p.status)) {
		end->status = R5S_STORE_KILLED;
		end->signal = WTERMSIG(p.status);
	} else {
		end->exit_status = WEXITSTATUS(p.status);
		if (end->exit_status)
			end->status = R5S_STORE_FAILED;
	}
	r5s_process_close(&p);
	return -1;
}

static int finish(struct run *r, const struct r5s_store_end *end)
{
	char id[32];
	int err;

	err = r5s_store_run_end(r->store, r->id, end);
	if (r->rec.store_error || err)
		r5s_cmd_say("the recording has gaps: %s", r5s_store_error(r->store));
	snprintf(id, sizeof(id), "%" PRId64, r->id);
	if (!r->o.json)
		putchar('\n');
	err = r5s_cmd_report_print(r->store, id, r->o.every_s, r->o.json);
	if (err)
		r5s_cmd_say("no report: %s", r5s_store_error(r->store)[0] ?
			    r5s_store_error(r->store) : strerror(-err));
	return end->signal ? 128 + end->signal : end->exit_status;
}

static int run(struct run *r)
{
	struct r5s_store_end end;
	char why[256] = "";
	int at, rc;

	at = r5s_fsmark_find(r->o.argc, r->o.argv);
	r->has_fsmark = at >= 0;
	if (at >= 0 && r5s_fsmark_args_parse(&r->fsmark_args, r->o.argc - at, r->o.argv + at, why,
					     sizeof(why)) && why[0])
		r5s_cmd_say("fs_mark's arguments: %s", why);
	connect_module(r);
	rc = r5s_target_find(&r->target, r->nl, r->o.array,
			     r->fsmark_args.n_dirs ? r->fsmark_args.dirs[0] : NULL);
	if (rc)
		return rc;
	rc = open_store(r);
	if (rc)
		return rc;
	rc = record(r, &end);
	return rc < 0 ? finish(r, &end) : rc;
}

int r5s_cmd_run(int argc, char **argv)
{
	struct run r = { .files.fd = -1 };
	int rc;

	rc = parse(&r.o, argc, argv);
	if (rc)
		return rc < 0 ? R5S_EXIT_DONE : rc;
	rc = run(&r);
	r5s_recorder_free(&r.rec);
	r5s_files_close(&r.files);
	r5s_fsmark_free(&r.fsmark);
	r5s_fsmark_args_free(&r.fsmark_args);
	if (r5s_store_close(r.store))
		r5s_cmd_say("the end of the recording could not be written");
	r5s_target_free(&r.target);
	r5s_snapshot_free_info(&r.info);
	r5s_netlink_close(r.events);
	r5s_netlink_close(r.nl);
	return rc;
}
