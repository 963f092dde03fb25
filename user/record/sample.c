// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One sample of everything, into the store.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/recorder.h"
#include "source/sysfs.h"

static void note(struct r5s_recorder *r, int err)
{
	if (err && !r->store_error)
		r->store_error = err;
}

static enum r5s_store_kind store_kind(const struct r5s_metric_info *m)
{
	switch (m->kind) {
	case R5S_METRIC_COUNTER:
		return R5S_STORE_COUNTER;
	case R5S_METRIC_TIME:
		return R5S_STORE_TIME;
	default:
		return R5S_STORE_GAUGE;
	}
}

static int make_metrics(struct r5s_recorder *r)
{
	int err = 0;

	for (int i = 0; i < R5S_METRICS && !err; i++)
		err = r5s_store_metric_id(r->store, r5s_metric_table[i].name,
					  r5s_metric_table[i].unit,
					  store_kind(&r5s_metric_table[i]),
					  r5s_metric_table[i].help, &r->metric[i]);
	if (!err)
		err = r5s_store_metric_id(r->store, R5S_RECORDER_FILES, "files", R5S_STORE_COUNTER,
					  "Files closed after writing on the file system of the "
					  "workload.", &r->files_metric);
	if (!err)
		err = r5s_store_metric_id(r->store, R5S_RECORDER_SYSFS, "stripes", R5S_STORE_GAUGE,
					  "What sysfs stripe_cache_size says: the floor.",
					  &r->sysfs_metric);
	return err;
}

int r5s_recorder_prepare(struct r5s_recorder *r)
{
	int err = make_metrics(r);

	if (!err && r->array[0])
		err = r5s_store_array_add(r->store, r->run, r->array, r->array_id, &r->array_row);
	if (err)
		return err;
	r5s_recorder_sample(r, true);
	return r->store_error;
}

static void put_array(struct r5s_recorder *r, const struct r5s_snapshot *s)
{
	int64_t t = r5s_store_run_t(r->store, (int64_t)s->mono_ns);

	for (int i = 0; i < R5S_METRICS; i++) {
		if (s->has[i])
			note(r, r5s_store_sample_u64(r->store, r->run, r->array_row, r->metric[i], t,
						     s->value[i]));
		else
			note(r, r5s_store_sample_absent(r->store, r->run, r->array_row, r->metric[i],
							t));
	}
}

static void lose_array(struct r5s_recorder *r)
{
	int64_t t = r5s_store_run_now(r->store);

	for (int i = 0; i < R5S_METRICS; i++)
		note(r, r5s_store_sample_absent(r->store, r->run, r->array_row, r->metric[i], t));
	r->array_id = 0;
	r->gone = true;
}

/* An array that is stopped and assembled again has another id: another array, of the same name. */
static void sample_array(struct r5s_recorder *r, bool all)
{
	struct r5s_snapshot s;
	int err;

	if (r->array_id) {
		err = r5s_netlink_array_id(r->nl, r->array_id, &s);
		if (!err)
			put_array(r, &s);
		else if (err == -ENOENT || err == -ENODEV)
			lose_array(r);
	} else if (all && !r5s_netlink_array(r->nl, r->array, &s)) {
		r->array_id = s.id;
		err = r5s_store_array_add(r->store, r->run, r->array, s.id, &r->array_row);
		if (err)
			note(r, err);
		else
			put_array(r, &s);
	}
}

static int node_metrics(struct r5s_recorder *r, size_t n)
{
	int64_t *more = calloc(n * R5S_NODE_METRICS_COUNT + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	free(r->node_metric);
	r->node_metric = more;
	r->n_nodes = n;
	return 0;
}

static void put_node(struct r5s_recorder *r, const struct r5s_node *node, int64_t *ids)
{
	int64_t t = r5s_store_run_t(r->store, (int64_t)node->mono_ns);
	char name[96];

	for (int i = 0; i < R5S_NODE_METRICS_COUNT; i++) {
		const struct r5s_metric_info *m = &r5s_metric_node_table[i];

		if (!node->has[i])
			continue;
		snprintf(name, sizeof(name), "node%" PRIu32 "%s", node->id, m->name + 4);
		if (!ids[i])
			note(r, r5s_store_metric_id(r->store, name, m->unit, store_kind(m), m->help,
						    &ids[i]));
		if (ids[i])
			note(r, r5s_store_sample_u64(r->store, r->run, 0, ids[i], t,
						     node->value[i]));
	}
}

static void sample_nodes(struct r5s_recorder *r)
{
	struct r5s_nodes nodes;

	if (r5s_netlink_nodes(r->nl, &nodes))
		return;
	if (nodes.n == r->n_nodes || !node_metrics(r, nodes.n))
		for (size_t i = 0; i < nodes.n; i++)
			put_node(r, &nodes.node[i], &r->node_metric[i * R5S_NODE_METRICS_COUNT]);
	r5s_netlink_free_nodes(&nodes);
}

static void sample_files(struct r5s_recorder *r)
{
	int64_t t;

	r5s_files_read(r->files);
	t = r5s_store_run_now(r->store);
	if (r->files->overflow)
		note(r, r5s_store_sample_absent(r->store, r->run, 0, r->files_metric, t));
	else
		note(r, r5s_store_sample_u64(r->store, r->run, 0, r->files_metric, t,
					     r->files->closed));
}

void r5s_recorder_sample(struct r5s_recorder *r, bool all)
{
	uint64_t floor;

	if (r->files)
		sample_files(r);
	if (r->nl && r->array[0])
		sample_array(r, all);
	if (!all)
		return;
	if (r->nl)
		sample_nodes(r);
	if (r->array[0] &&
	    !r5s_sysfs_number("/sys", &floor, "block/%s/md/stripe_cache_size", r->array))
		note(r, r5s_store_sample_u64(r->store, r->run, r->array_row, r->sysfs_metric,
					     r5s_store_run_now(r->store), floor));
}

void r5s_recorder_add_event(const struct r5s_event *e, void *recorder)
{
	struct r5s_recorder *r = recorder;
	char text[320];
	int n = 0;

	text[0] = '\0';
	if (e->has_size)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "size %" PRIu64 " active %" PRIu64
			      " ", e->size, e->active);
	if (e->has_state)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "state 0x%" PRIx64 " ", e->state);
	if (e->count)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "count %" PRIu64 " ", e->count);
	if (e->probe[0])
		n += snprintf(text + n, sizeof(text) - (size_t)n, "probe %s ", e->probe);
	if (e->lost)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "lost before this %" PRIu64 " ",
			      e->lost);
	if (n)
		text[n - 1] = '\0';
	note(r, r5s_store_event_add(r->store, r->run, r5s_store_run_t(r->store, (int64_t)e->mono_ns),
				    e->name[0] ? e->name : NULL, r5s_snapshot_event_name(e->kind),
				    text));
}

void r5s_recorder_free(struct r5s_recorder *r)
{
	free(r->node_metric);
	r->node_metric = NULL;
	r->n_nodes = 0;
}
