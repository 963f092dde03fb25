// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/matrix.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 64 };

/* FNV-1a: short, and keys differ at their end. */
static size_t hash(const char *key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ (h >> 32));
}

/* The slot that holds the key, or the free one where it belongs. Slots are index + 1, 0 is free. */
static size_t find(const struct r5s_matrix *m, const char *key)
{
	size_t at = hash(key) & (m->slots - 1);

	while (m->slot[at] && strcmp(m->metric[m->slot[at] - 1].key, key))
		at = (at + 1) & (m->slots - 1);
	return at;
}

static int rehash(struct r5s_matrix *m)
{
	size_t slots = m->slots ? m->slots * 2 : SLOTS_FIRST;
	size_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	free(m->slot);
	m->slot = slot;
	m->slots = slots;
	for (size_t i = 0; i < m->n; i++)
		m->slot[find(m, m->metric[i].key)] = i + 1;
	return 0;
}

int r5s_matrix_init(struct r5s_matrix *m, const char *name)
{
	*m = (struct r5s_matrix){ .name = strdup(name) };
	return m->name ? rehash(m) : -ENOMEM;
}

void r5s_matrix_free(struct r5s_matrix *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->metric[i].key);
		free(m->metric[i].unit);
		free(m->metric[i].v);
	}
	for (size_t i = 0; i < m->runs; i++)
		free(m->source[i]);
	free(m->metric);
	free(m->source);
	free(m->slot);
	free(m->name);
	free(m->testcase);
	*m = (struct r5s_matrix){ 0 };
}

long r5s_matrix_run_add(struct r5s_matrix *m, const char *source)
{
	if (m->runs == m->source_room) {
		size_t room = m->source_room ? m->source_room * 2 : 8;
		char **p = realloc(m->source, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		m->source = p;
		m->source_room = room;
	}
	m->source[m->runs] = strdup(source);
	if (!m->source[m->runs])
		return -ENOMEM;
	return (long)m->runs++;
}

static struct r5s_matrix_metric *metric_get(struct r5s_matrix *m, const char *key)
{
	size_t at;

	if (m->n * 2 >= m->slots && rehash(m))
		return NULL;
	at = find(m, key);
	if (m->slot[at])
		return &m->metric[m->slot[at] - 1];
	if (m->n == m->metric_room) {
		size_t room = m->metric_room ? m->metric_room * 2 : 64;
		struct r5s_matrix_metric *p = realloc(m->metric, room * sizeof(*p));

		if (!p)
			return NULL;
		m->metric = p;
		m->metric_room = room;
	}
	m->metric[m->n] = (struct r5s_matrix_metric){ .key = strdup(key), .integer = true };
	if (!m->metric[m->n].key)
		return NULL;
	m->slot[at] = ++m->n;
	return &m->metric[m->n - 1];
}

int r5s_matrix_put(struct r5s_matrix *m, const char *key, size_t run, double value, bool integer)
{
	struct r5s_matrix_metric *metric;

	if (run >= m->runs)
		return -EINVAL;
	metric = metric_get(m, key);
	if (!metric)
		return -ENOMEM;
	if (run >= metric->room) {
		size_t room = metric->room ? metric->room * 2 : 4;
		double *p;

		while (room <= run)
			room *= 2;
		p = realloc(metric->v, room * sizeof(*p));
		if (!p)
			return -ENOMEM;
		for (size_t i = metric->room; i < room; i++)
			p[i] = NAN;
		metric->v = p;
		metric->room = room;
	}
	metric->v[run] = value;
	if (!isnan(value) && !integer)
		metric->integer = false;
	return 0;
}

int r5s_matrix_unit_put(struct r5s_matrix *m, const char *key, const char *unit)
{
	struct r5s_matrix_metric *metric = metric_get(m, key);

	if (!metric)
		return -ENOMEM;
	if (unit && !metric->unit) {
		metric->unit = strdup(unit);
		if (!metric->unit)
			return -ENOMEM;
	}
	return 0;
}

const struct r5s_matrix_metric *r5s_matrix_find(const struct r5s_matrix *m, const char *key)
{
	size_t at = find(m, key);

	return m->slot[at] ? &m->metric[m->slot[at] - 1] : NULL;
}

double r5s_matrix_value(const struct r5s_matrix_metric *metric, size_t run)
{
	return run < metric->room ? metric->v[run] : NAN;
}

size_t r5s_matrix_present(const struct r5s_matrix *m, const struct r5s_matrix_metric *metric,
			  double *out)
{
	size_t n = 0;

	for (size_t i = 0; metric && i < m->runs; i++) {
		double v = r5s_matrix_value(metric, i);

		if (!isnan(v))
			out[n++] = v;
	}
	return n;
}
