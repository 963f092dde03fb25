// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/classes.h"

const struct r5s_source_root r5s_source_live = { .proc = "/proc", .sys = "/sys" };

static const struct r5s_source_class *const table[] = {
	&r5s_source_vmstat,
	&r5s_source_proc_vmstat,
	&r5s_source_meminfo,
	&r5s_source_slabs,
	&r5s_source_diskstats,
	&r5s_source_iostat,
	&r5s_source_mpstat,
	&r5s_source_softirqs,
	&r5s_source_interrupts,
	&r5s_source_cpuidle,
	&r5s_source_numa_meminfo,
	&r5s_source_numa_vmstat,
	&r5s_source_numa_numastat,
	&r5s_source_uptime,
	&r5s_source_psi,
	&r5s_source_mdthreads,
	&r5s_source_rapl,
	&r5s_source_perf_stat,
};

const struct r5s_source_class *r5s_source_at(size_t i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i] : NULL;
}

const struct r5s_source_class *r5s_source_named(const char *name)
{
	const struct r5s_source_class *c;

	for (size_t i = 0; (c = r5s_source_at(i)); i++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int r5s_source_open(struct r5s_source *s, const struct r5s_source_class *class,
		    const struct r5s_source_root *root, char *why, size_t room)
{
	int err = class->probe(root, why, room);

	if (err)
		return err;
	memset(s, 0, sizeof(*s));
	s->class = class;
	s->root = *root;
	if (class->state_size) {
		s->state = calloc(1, class->state_size);
		if (!s->state) {
			snprintf(why, room, "out of memory");
			return -ENOMEM;
		}
	}
	err = class->open ? class->open(s) : 0;
	if (err) {
		snprintf(why, room, "%s", strerror(-err));
		r5s_source_close(s);
	}
	return err;
}

int r5s_source_sample(struct r5s_source *s, int64_t t_ns, struct r5s_values *out)
{
	int err;

	r5s_values_reset(out);
	s->t_ns = t_ns;
	err = s->class->sample(s, out);
	if (!err && out->no_memory)
		err = -ENOMEM;
	if (err) {
		out->n = 0;
		out->names_len = 0;
		return err;
	}
	s->before_ns = t_ns;
	return 0;
}

void r5s_source_close(struct r5s_source *s)
{
	if (s->class && s->class->close && s->state)
		s->class->close(s);
	free(s->state);
	r5s_text_free(&s->text);
	memset(s, 0, sizeof(*s));
}

int r5s_source_file(const char *root, const char *path, const char *hint, char *why, size_t room)
{
	char full[PATH_MAX], byte;
	int fd, err = 0;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	/* With psi=0 the file is there, but reading it is refused. */
	if (fd < 0 || read(fd, &byte, 1) < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (!err)
		return 0;
	snprintf(why, room, "%.80s: %s (%s)", full, strerror(-err),
		 err == -EACCES || err == -EPERM ? "become root" : hint);
	return err;
}
