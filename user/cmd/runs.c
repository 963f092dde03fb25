// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/json.h"
#include "render/table.h"
#include "store/store.h"

static const char help[] =
	"usage: raid5stat runs [list] [--db FILE] [--json]\n"
	"       raid5stat runs show RUN\n"
	"       raid5stat runs note RUN TEXT\n"
	"       raid5stat runs delete RUN...\n"
	"\n"
	"The runs in the store: list them, show one's facts, write a note to one, delete some.\n"
	"RUN is a number, \"last\", or the first characters of a uuid. `raid5stat report RUN` tells\n"
	"what was measured.\n"
	"\n"
	"  --db FILE          the store; else $RAID5STAT_DB, else ~/.local/state/raid5stat/runs.db\n"
	"  --json             for programs (list and show)\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: 0 done, 2 no such run, 3 the store cannot be read or written\n";

static int failed(struct r5s_store *s, int err)
{
	r5s_cmd_say("%s", s && r5s_store_error(s)[0] ? r5s_store_error(s) : strerror(-err));
	return err == -ENOENT || err == -EINVAL ? R5S_EXIT_USAGE : R5S_EXIT_LACKS;
}

static void when(const struct r5s_store_run *r, char *buf, size_t room)
{
	time_t t = (time_t)(r->started_real_ns / 1000000000);
	struct tm tm;

	if (!localtime_r(&t, &tm) || !strftime(buf, room, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(buf, room, "-");
}

static void put(struct json_object *o, const struct r5s_store_run *r)
{
	r5s_json_i64(o, "id", r->id);
	r5s_json_text(o, "uuid", r->uuid);
	r5s_json_text(o, "status", r5s_store_status_name(r->status));
	r5s_json_i64(o, "started_real_ns", r->started_real_ns);
	r5s_json_i64(o, "last_t_ns", r->last_t_ns);
	r5s_json_text(o, "host", r->host);
	r5s_json_text(o, "kernel", r->kernel);
	r5s_json_text(o, "array", r->array);
	r5s_json_text(o, "command", r->command);
	r5s_json_text(o, "note", r->note);
	if (r->exit_status >= 0)
		r5s_json_i64(o, "exit_status", r->exit_status);
	if (r->signal)
		r5s_json_i64(o, "signal", r->signal);
}

static void print_fields(struct json_object *o)
{
	json_object_object_foreach(o, key, value) {
		printf("%-32s %s\n", key, value ? r5s_cmd_escape(json_object_get_string(value)) : "-");
	}
}

static int list(struct r5s_store *s, bool json)
{
	static const struct r5s_table_column columns[] = {
		{ "run", "", R5S_TABLE_RIGHT, 0, 3 }, { "started", "", R5S_TABLE_LEFT, 0, 19 },
		{ "length", "s", R5S_TABLE_RIGHT, 1, 7 }, { "status", "", R5S_TABLE_LEFT, 0, 8 },
		{ "array", "", R5S_TABLE_LEFT, 0, 5 }, { "command", "", R5S_TABLE_LEFT, 0, 8 },
		{ "note", "", R5S_TABLE_LEFT, 0, 4 },
	};
	struct json_object *root = NULL, *a;
	struct r5s_table *t = NULL;
	struct r5s_store_runs r;
	char text[32];
	int err = r5s_store_run_list(s, &r);

	if (err)
		return failed(s, err);
	if (json) {
		root = json_object_new_object();
		a = r5s_json_array(root, "runs");
		for (size_t i = 0; i < r.n; i++)
			put(r5s_json_object(a, NULL), &r.run[i]);
		err = r5s_json_print(root, stdout, true);
		json_object_put(root);
	} else {
		t = r5s_table_new(columns, sizeof(columns) / sizeof(columns[0]));
		err = t ? 0 : -ENOMEM;
		for (size_t i = 0; t && i < r.n; i++) {
			when(&r.run[i], text, sizeof(text));
			r5s_table_i64(t, r.run[i].id);
			r5s_table_text(t, text);
			r5s_table_double(t, (double)r.run[i].last_t_ns / 1e9);
			r5s_table_text(t, r5s_store_status_name(r.run[i].status));
			r5s_table_text(t, r.run[i].array && r.run[i].array[0] ? r.run[i].array : NULL);
			r5s_table_text(t, r.run[i].command);
			r5s_table_text(t, r.run[i].note);
		}
		if (t)
			err = r5s_table_print(t, stdout);
		r5s_table_free(t);
	}
	r5s_store_runs_free(&r);
	return err ? failed(NULL, err) : R5S_EXIT_DONE;
}

static int show(struct r5s_store *s, const char *name, bool json)
{
	struct r5s_store_settings facts = { 0 };
	struct json_object *root, *o;
	struct r5s_store_runs r;
	int err = r5s_store_run_get(s, name, &r);

	if (!err)
		err = r5s_store_setting_list(s, r.run[0].id, &facts);
	if (err) {
		r5s_store_runs_free(&r);
		return failed(s, err);
	}
	root = json_object_new_object();
	put(root, &r.run[0]);
	o = r5s_json_object(root, "settings");
	for (size_t i = 0; i < facts.n; i++)
		r5s_json_text(o, facts.setting[i].key, facts.setting[i].value);
	if (json) {
		err = r5s_json_print(root, stdout, true);
	} else {
		json_object_object_del(root, "settings");
		print_fields(root);
		for (size_t i = 0; i < facts.n; i++)
			printf("%-32s %s\n", r5s_cmd_escape(facts.setting[i].key),
			       r5s_cmd_escape(facts.setting[i].value));
	}
	json_object_put(root);
	r5s_store_settings_free(&facts);
	r5s_store_runs_free(&r);
	return err ? failed(NULL, err) : R5S_EXIT_DONE;
}

/* @note: NULL deletes the run. */
static int change(struct r5s_store *s, const char *name, const char *note)
{
	struct r5s_store_runs r;
	int err = r5s_store_run_get(s, name, &r);

	if (!err)
		err = note ? r5s_store_run_note(s, r.run[0].id, note[0] ? note : NULL) :
			     r5s_store_run_delete(s, r.run[0].id);
	r5s_store_runs_free(&r);
	return err ? failed(s, err) : R5S_EXIT_DONE;
}

int r5s_cmd_runs(int argc, char **argv)
{
	static const struct option options[] = {
		{ "db", required_argument, NULL, 'd' }, { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	const char *db = NULL, *verb;
	struct r5s_store *s = NULL;
	bool json = false, writes;
	int c, n, rc = R5S_EXIT_DONE, err;

	while ((c = getopt_long(argc, argv, "hj", options, NULL)) != -1) {
		if (c == 'd') {
			db = optarg;
		} else if (c == 'j') {
			json = true;
		} else if (c == 'h') {
			fputs(help, stdout);
			return R5S_EXIT_DONE;
		} else {
			return r5s_cmd_usage("runs");
		}
	}
	verb = optind < argc ? argv[optind++] : "list";
	n = argc - optind;
	writes = !strcmp(verb, "note") || !strcmp(verb, "delete");
	if (!(!strcmp(verb, "list") && !n) && !(!strcmp(verb, "show") && n == 1) &&
	    !(!strcmp(verb, "note") && n == 2) && !(!strcmp(verb, "delete") && n))
		return r5s_cmd_usage("runs");
	err = r5s_store_open(&s, db, writes ? R5S_STORE_WRITE : R5S_STORE_READ);
	if (err) {
		failed(s, err);
		rc = R5S_EXIT_LACKS;
	} else if (!strcmp(verb, "list")) {
		rc = list(s, json);
	} else if (!strcmp(verb, "show")) {
		rc = show(s, argv[optind], json);
	} else if (!strcmp(verb, "note")) {
		rc = change(s, argv[optind], argv[optind + 1]);
	} else {
		for (; optind < argc && rc == R5S_EXIT_DONE; optind++)
			rc = change(s, argv[optind], NULL);
	}
	r5s_store_close(s);
	return rc;
}
