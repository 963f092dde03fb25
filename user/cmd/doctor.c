// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/doctor.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "render/json.h"

static const char help[] =
	"usage: raid5stat doctor [--json] [--exit-code] [--read]\n"
	"\n"
	"Is everything there that raid5stat needs, and do its numbers agree with what the kernel says\n"
	"elsewhere? Where something is missing, it says what brings it.\n"
	"\n"
	"  --read         read 1 MiB of each idle array past the page cache, so that there are\n"
	"                 sectors to compare (root)\n"
	"  --exit-code    exit with 1 when something is wrong or missing\n"
	"  --json         for programs\n"
	"  -h, --help     this text\n"
	"\n"
	"exit status: 0 looked, 1 a finding (--exit-code), 2 usage, 3 the module is not loaded\n";

static const char *const states[] = { "ok", "note", "unknown", "finding", "missing" };

void r5s_doctor_add(struct r5s_doctor *d, enum r5s_doctor_state state, const char *name,
		    const char *way_out, const char *format, ...)
{
	struct r5s_doctor_check *more = realloc(d->check, (d->n + 1) * sizeof(*more)), *c;
	va_list args;

	if (!more) {
		d->no_memory = true;
		return;
	}
	d->check = more;
	c = &d->check[d->n];
	c->state = state;
	c->name = strdup(name);
	c->way_out = way_out ? strdup(way_out) : NULL;
	va_start(args, format);
	if (vasprintf(&c->text, format, args) < 0)
		c->text = NULL;
	va_end(args);
	d->n++;
	if (!c->name || !c->text || (way_out && !c->way_out))
		d->no_memory = true;
}

static void print_text(const struct r5s_doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct r5s_doctor_check *c = &d->check[i];

		printf("%-8s %-22s %s\n", states[c->state], r5s_cmd_escape(c->name),
		       r5s_cmd_escape(c->text));
		if (c->way_out)
			printf("%-8s %-22s -> %s\n", "", "", c->way_out);
	}
}

static int print_json(const struct r5s_doctor *d, size_t bad)
{
	struct json_object *root = json_object_new_object(), *list, *o;
	int err;

	r5s_json_u64(root, "findings", bad);
	list = r5s_json_array(root, "checks");
	for (size_t i = 0; i < d->n; i++) {
		const struct r5s_doctor_check *c = &d->check[i];

		o = r5s_json_object(list, NULL);
		r5s_json_text(o, "state", states[c->state]);
		r5s_json_text(o, "name", c->name);
		r5s_json_text(o, "text", c->text);
		if (c->way_out)
			r5s_json_text(o, "do", c->way_out);
	}
	err = r5s_json_print(root, stdout, true);
	json_object_put(root);
	return err;
}

static void release(struct r5s_doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->check[i].name);
		free(d->check[i].text);
		free(d->check[i].way_out);
	}
	free(d->check);
}

int r5s_cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "exit-code", no_argument, NULL, 'e' },
		{ "read", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	bool json = false, exit_code = false, read = false, loaded;
	struct r5s_doctor d = { 0 };
	struct r5s_netlink *nl;
	size_t bad = 0;
	int c;

	while ((c = getopt_long(argc, argv, "hj", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 'e':
			exit_code = true;
			break;
		case 'r':
			read = true;
			break;
		case 'h':
			fputs(help, stdout);
			return R5S_EXIT_DONE;
		default:
			return r5s_cmd_usage("doctor");
		}
	}
	if (optind < argc)
		return r5s_cmd_usage("doctor");

	loaded = !r5s_netlink_open(&nl);
	r5s_doctor_machine(&d);
	r5s_doctor_module(&d, loaded ? nl : NULL);
	if (loaded)
		r5s_doctor_arrays(&d, nl, read);
	r5s_netlink_close(nl);

	for (size_t i = 0; i < d.n; i++)
		bad += d.check[i].state >= R5S_DOCTOR_FINDING;
	if (d.no_memory)
		r5s_cmd_say("no memory");
	else if (json)
		print_json(&d, bad);
	else
		print_text(&d);
	release(&d);
	if (d.no_memory || !loaded)
		return R5S_EXIT_LACKS;
	return bad && exit_code ? R5S_EXIT_FINDING : R5S_EXIT_DONE;
}
