// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cmd.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/last.h"
#include "render/json.h"
#include "render/table.h"

static const char help[] =
	"usage: raid5stat show [ARRAY] [--json] [--since-load]\n"
	"\n"
	"What RAID4/5/6 arrays do now: every metric with its unit, and the rate of what is counted\n"
	"since you called show last (the first time: since counting began). \"-\" means that nobody\n"
	"measures it now; counters run from level counters on (`raid5stat load --level counters`, or\n"
	"while `raid5stat run` holds it).\n"
	"\n"
	"  ARRAY           md0, md_home, /dev/md0, ...; all arrays without it\n"
	"  --since-load    rates since counting began\n"
	"  --json          for programs; what is absent is missing\n"
	"  -h, --help      this text\n"
	"\n"
	"exit status: 0 shown, 2 no such array, 3 the module or an array is missing\n";

struct view {
	const struct r5s_snapshot *now;
	const struct r5s_snapshot *then;	/* NULL: rates since counting began */
	bool has_floor;
	uint64_t sysfs_floor;
};

static double rate(const struct view *v, enum r5s_metric m)
{
	const struct r5s_metric_info *t = &r5s_metric_table[m];
	const struct r5s_snapshot *s = v->now;
	uint64_t since;

	if (!s->has[m] || !r5s_metric_grows(t))
		return NAN;
	if (v->then)
		return r5s_snapshot_rate(v->then, s, m);
	if (t->level < RAID5STAT_LEVEL_COUNTERS)
		return NAN;
	since = t->level >= RAID5STAT_LEVEL_LATENCY ? s->latency_since_ns : s->since_ns;
	if (!since || s->mono_ns <= since)
		return NAN;
	return (double)s->value[m] / ((double)(s->mono_ns - since) / 1e9);
}

static double seconds(const struct view *v)
{
	if (v->then)
		return (double)(v->now->mono_ns - v->then->mono_ns) / 1e9;
	if (!v->now->since_ns)
		return NAN;
	return (double)(v->now->mono_ns - v->now->since_ns) / 1e9;
}

static void add_row(struct r5s_table *t, const struct view *v, enum r5s_metric m)
{
	const struct r5s_metric_info *i = &r5s_metric_table[m];
	bool time = !strcmp(i->unit, "ns");
	double r = rate(v, m), scale = time ? 1e-6 : 1;
	char num[32];

	snprintf(num, sizeof(num), "%.3f", (double)v->now->value[m] * scale);
	r5s_table_text(t, i->name);
	if (!v->now->has[m])
		r5s_table_absent(t);
	else if (r5s_metric_word(m, v->now->value[m]))
		r5s_table_text(t, r5s_metric_word(m, v->now->value[m]));
	else if (time)
		r5s_table_text(t, num);
	else
		r5s_table_u64(t, v->now->value[m]);
	r5s_table_double(t, r * scale);
	r5s_table_text(t, time ? "ms" : r5s_metric_word(m, 0) ? "" : i->unit);
}

static void print_head(const struct view *v)
{
	const struct r5s_snapshot *s = v->now;

	printf("%s:", r5s_cmd_escape(s->name));
	if (s->has[R5S_METRIC_ABOUT_LEVEL])
		printf(" raid%llu,", (unsigned long long)s->value[R5S_METRIC_ABOUT_LEVEL]);
	if (s->has[R5S_METRIC_ABOUT_DISKS])
		printf(" %llu disks,", (unsigned long long)s->value[R5S_METRIC_ABOUT_DISKS]);
	if (s->has[R5S_METRIC_ABOUT_DEGRADED] && s->value[R5S_METRIC_ABOUT_DEGRADED])
		printf(" DEGRADED by %llu,",
		       (unsigned long long)s->value[R5S_METRIC_ABOUT_DEGRADED]);
	if (s->has[R5S_METRIC_ABOUT_CHUNK])
		printf(" chunk %llu KiB,",
		       (unsigned long long)s->value[R5S_METRIC_ABOUT_CHUNK] / 1024);
	if (s->has[R5S_METRIC_ABOUT_SYNC_ACTION])
		printf(" %s,", r5s_metric_word(R5S_METRIC_ABOUT_SYNC_ACTION,
					       s->value[R5S_METRIC_ABOUT_SYNC_ACTION]));
	printf(" id %llu\n", (unsigned long long)s->id);

	if (s->has[R5S_METRIC_CACHE_SIZE]) {
		printf("holds %llu stripes now",
		       (unsigned long long)s->value[R5S_METRIC_CACHE_SIZE]);
		if (s->has[R5S_METRIC_CACHE_BYTES])
			printf(" = %.1f MiB",
			       (double)s->value[R5S_METRIC_CACHE_BYTES] / 1048576);
		if (v->has_floor)
			printf("; sysfs stripe_cache_size says %llu, the floor",
			       (unsigned long long)v->sysfs_floor);
		else if (s->has[R5S_METRIC_CACHE_FLOOR])
			printf("; its floor is %llu",
			       (unsigned long long)s->value[R5S_METRIC_CACHE_FLOOR]);
		putchar('\n');
	}
	if (!s->since_ns)
		puts("counters are not running: they do while `raid5stat run` records, or after `raid5stat "
		     "unload` and `raid5stat load --level counters`");
	else if (v->then)
		printf("rates over %.1f s, since the last show\n", seconds(v));
	else
		printf("rates over %.1f s, since counting began\n", seconds(v));
}

static int print_text(const struct view *v)
{
	static const struct r5s_table_column columns[] = {
		{ "metric", NULL, R5S_TABLE_LEFT, 0, 0 },
		{ "now", NULL, R5S_TABLE_RIGHT, 0, 12 },
		{ "rate", "per s", R5S_TABLE_RIGHT, 1, 10 },
		{ "unit", NULL, R5S_TABLE_LEFT, 0, 0 },
	};
	struct r5s_table *t = r5s_table_new(columns, 4);
	int err;

	print_head(v);
	if (!t)
		return -1;
	for (int m = 0; m < R5S_METRICS; m++)
		add_row(t, v, m);
	err = r5s_table_print(t, stdout);
	r5s_table_free(t);
	return err;
}

static void put_json(struct json_object *arrays, const struct view *v)
{
	const struct r5s_snapshot *s = v->now;
	struct json_object *o = r5s_json_object(arrays, NULL), *metrics, *m;

	r5s_json_text(o, "name", s->name);
	r5s_json_u64(o, "id", s->id);
	if (s->has_dev) {
		r5s_json_u64(o, "major", s->major);
		r5s_json_u64(o, "minor", s->minor);
	}
	r5s_json_u64(o, "sequence", s->sequence);
	r5s_json_u64(o, "mono_ns", s->mono_ns);
	r5s_json_u64(o, "boot_ns", s->boot_ns);
	if (s->since_ns)
		r5s_json_u64(o, "since_ns", s->since_ns);
	if (s->latency_since_ns)
		r5s_json_u64(o, "latency_since_ns", s->latency_since_ns);
	if (s->gauges_ns)
		r5s_json_u64(o, "gauges_ns", s->gauges_ns);
	if (v->has_floor)
		r5s_json_u64(o, "sysfs_stripe_cache_size", v->sysfs_floor);
	if (!isnan(seconds(v))) {
		r5s_json_text(o, "rates_since", v->then ? "last-show" : "counting-began");
		r5s_json_double(o, "rates_seconds", seconds(v));
	}
	metrics = r5s_json_object(o, "metrics");
	for (int i = 0; i < R5S_METRICS; i++) {
		if (!s->has[i])
			continue;
		m = r5s_json_object(metrics, r5s_metric_table[i].name);
		r5s_json_u64(m, "value", s->value[i]);
		r5s_json_text(m, "unit", r5s_metric_table[i].unit);
		r5s_json_text(m, "kind", r5s_metric_kind_name(r5s_metric_table[i].kind));
		if (r5s_metric_word(i, s->value[i]))
			r5s_json_text(m, "word", r5s_metric_word(i, s->value[i]));
		if (!isnan(rate(v, i)))
			r5s_json_double(m, "per_second", rate(v, i));
	}
}

static int show(const struct r5s_snapshot *array, size_t n, bool json, bool since_load)
{
	struct json_object *root = json ? json_object_new_object() : NULL;
	struct json_object *arrays = r5s_json_array(root, "arrays");
	struct r5s_snapshots last;
	int err = 0;

	r5s_last_load(&last);
	for (size_t i = 0; i < n && !err; i++) {
		struct view v = { .now = &array[i] };

		if (!since_load)
			v.then = r5s_last_find(&last, &array[i]);
		v.has_floor = !strchr(array[i].name, '/') &&
			!r5s_sysfs_number("/sys", &v.sysfs_floor, "block/%s/md/stripe_cache_size",
					  array[i].name);
		if (json)
			put_json(arrays, &v);
		else
			err = print_text(&v);
		if (!json && i + 1 < n)
			putchar('\n');
	}
	if (json)
		err = r5s_json_print(root, stdout, true);
	json_object_put(root);
	if (!since_load)
		r5s_last_save(&last, array, n);
	r5s_netlink_free_arrays(&last);
	return err ? R5S_EXIT_LACKS : R5S_EXIT_DONE;
}

static int show_all(struct r5s_netlink *nl, bool json, bool since_load)
{
	struct r5s_snapshots all;
	int rc;

	if (r5s_netlink_arrays(nl, &all)) {
		r5s_cmd_say("%s", r5s_netlink_error(nl));
		return R5S_EXIT_LACKS;
	}
	if (!all.n && !json) {
		r5s_cmd_say("no RAID4/5/6 array is running: start one by `mdadm --assemble --scan` or "
			    "make one by `mdadm --create` (package mdadm)");
		return R5S_EXIT_LACKS;
	}
	rc = show(all.array, all.n, json, since_load);
	r5s_netlink_free_arrays(&all);
	return rc;
}

int r5s_cmd_show(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "since-load", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	bool json = false, since_load = false;
	struct r5s_snapshot one;
	struct r5s_netlink *nl;
	int c, rc;

	while ((c = getopt_long(argc, argv, "hj", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 's':
			since_load = true;
			break;
		case 'h':
			fputs(help, stdout);
			return R5S_EXIT_DONE;
		default:
			return r5s_cmd_usage("show");
		}
	}
	if (argc - optind > 1) {
		r5s_cmd_say("show takes one array, or none for all");
		return r5s_cmd_usage("show");
	}
	if (r5s_netlink_open(&nl)) {
		r5s_cmd_say("%s", r5s_netlink_error(nl));
		rc = R5S_EXIT_LACKS;
	} else if (optind == argc) {
		rc = show_all(nl, json, since_load);
	} else {
		rc = r5s_cmd_pick(nl, argv[optind], &one);
		if (rc == R5S_EXIT_DONE)
			rc = show(&one, 1, json, since_load);
	}
	r5s_netlink_close(nl);
	return rc;
}
