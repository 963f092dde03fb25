// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same files for each NUMA node. With one node they would repeat meminfo and vmstat: absent, as
 * with the robot.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/classes.h"

#define NODES "devices/system/node"

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

int r5s_source_numbers(const char *root, const char *path, const char *prefix, unsigned int **out,
		       size_t *n)
{
	char full[PATH_MAX];
	struct dirent *e;
	size_t room = 0;
	DIR *dir;

	*out = NULL;
	*n = 0;
	snprintf(full, sizeof(full), "%s/%s", root, path);
	dir = opendir(full);
	if (!dir)
		return -errno;
	while ((e = readdir(dir))) {
		char *s = e->d_name + strlen(prefix);
		uint64_t number;

		if (strncmp(e->d_name, prefix, strlen(prefix)) || !r5s_text_u64(&s, &number) ||
		    *s || number > 1 << 20)
			continue;
		if (*n == room) {
			unsigned int *more;

			room = 2 * room + 16;
			more = reallocarray(*out, room, sizeof(*more));
			if (!more) {
				free(*out);
				*out = NULL;
				closedir(dir);
				return -ENOMEM;
			}
			*out = more;
		}
		(*out)[(*n)++] = (unsigned int)number;
	}
	closedir(dir);
	if (*n)
		qsort(*out, *n, sizeof(**out), by_number);
	return 0;
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	unsigned int *node;
	size_t n;
	int err = r5s_source_numbers(root->sys, NODES, "node", &node, &n);

	if (err) {
		snprintf(why, room, "%.80s/" NODES ": %s (use a kernel built with CONFIG_NUMA)",
			 root->sys, strerror(-err));
		return err;
	}
	free(node);
	if (n > 1)
		return 0;
	snprintf(why, room, "the machine has one NUMA node: see meminfo and proc-vmstat");
	return -ENODEV;
}

static bool grows(const char *name)
{
	(void)name;
	return true;
}

static int one(struct r5s_source *s, unsigned int node, struct r5s_values *out)
{
	const char *file = s->class->name + strlen("numa-");
	char prefix[64];
	int err = r5s_text_read(&s->text, s->root.sys, NODES "/node%u/%s", node, file);

	snprintf(prefix, sizeof(prefix), "%s.node%u.", s->class->name, node);
	if (err == -ENOENT)
		return 0;	/* gone since the directory was read */
	if (err)
		return err;
	if (!strcmp(file, "meminfo"))
		return r5s_meminfo_parse(s->text.s, file, prefix, out);
	return r5s_pairs_parse(s->text.s, file, prefix, NULL,
			       !strcmp(file, "vmstat") ? r5s_vmstat_counter : grows, out);
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	unsigned int *node;
	size_t n;
	int err = r5s_source_numbers(s->root.sys, NODES, "node", &node, &n);

	for (size_t i = 0; !err && i < n; i++)
		err = one(s, node[i], out);
	free(node);
	return err;
}

const struct r5s_source_class r5s_source_numa_meminfo = {
	.name = "numa-meminfo", .interval_ms = 1000, .probe = probe, .sample = sample,
};

const struct r5s_source_class r5s_source_numa_vmstat = {
	.name = "numa-vmstat", .interval_ms = 1000, .probe = probe, .sample = sample,
};

const struct r5s_source_class r5s_source_numa_numastat = {
	.name = "numa-numastat", .interval_ms = 1000, .probe = probe, .sample = sample,
};
