// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf stat's basic counts over all CPUs, as rates. An event that cannot be counted is absent.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source/classes.h"

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
};

enum { EVENTS = sizeof(events) / sizeof(events[0]) };

struct state {
	size_t cpus;
	int *fd;		/* EVENTS for each CPU; -1: none */
	double before[EVENTS];
};

static int count(const struct event *e, int cpu)
{
	struct perf_event_attr attr = {
		.type = e->type, .size = sizeof(attr), .config = e->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	int fd;

	if (strcmp(root->proc, "/proc")) {
		snprintf(why, room, "counts only the running machine");
		return -ENODEV;
	}
	fd = count(&events[0], 0);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	snprintf(why, room, "perf_event_open: %s (%s)", strerror(-fd),
		 fd != -EACCES && fd != -EPERM ? "use a kernel built with CONFIG_PERF_EVENTS" :
		 geteuid() ? "become root, or sysctl kernel.perf_event_paranoid=0" :
		 "not even root may: this machine or its container forbids it");
	return fd;
}

static void drop(struct state *st, size_t e)
{
	for (size_t c = 0; c < st->cpus; c++) {
		int *fd = &st->fd[c * EVENTS + e];

		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

static int begin(struct r5s_source *s)
{
	struct state *st = s->state;
	unsigned int *cpu;
	int err = r5s_source_numbers(s->root.sys, "devices/system/cpu", "cpu", &cpu, &st->cpus);

	if (err)
		return err;
	st->fd = malloc((st->cpus * EVENTS + 1) * sizeof(*st->fd));
	if (!st->fd) {
		free(cpu);
		return -ENOMEM;
	}
	for (size_t i = 0; i < st->cpus * EVENTS; i++)
		st->fd[i] = -1;
	for (size_t e = 0; e < EVENTS; e++)
		for (size_t c = 0; c < st->cpus; c++) {
			int fd = count(&events[e], (int)cpu[c]);

			/* ENODEV: the CPU is offline. Else a part of the CPUs is not the sum. */
			if (fd < 0 && fd != -ENODEV) {
				drop(st, e);
				break;
			}
			st->fd[c * EVENTS + e] = fd < 0 ? -1 : fd;
		}
	free(cpu);
	return 0;
}

/* Scaled up when the event shared its counter with others. */
static bool total(const struct state *st, size_t e, double *sum)
{
	bool any = false;

	*sum = 0;
	for (size_t c = 0; c < st->cpus; c++) {
		struct { uint64_t value, enabled, running; } r;
		int fd = st->fd[c * EVENTS + e];

		if (fd < 0 || read(fd, &r, sizeof(r)) != sizeof(r))
			continue;
		any = true;
		if (r.running)
			*sum += (double)r.value * (double)r.enabled / (double)r.running;
	}
	return any;
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	struct state *st = s->state;
	double seconds = (double)(s->t_ns - s->before_ns) / 1e9, now;

	for (size_t e = 0; e < EVENTS; e++) {
		if (!total(st, e, &now))
			continue;
		if (s->before_ns && now >= st->before[e])
			r5s_values_real(out, "1/s", (now - st->before[e]) / seconds,
					"perf-stat.i.%s", events[e].name);
		st->before[e] = now;
	}
	return 0;
}

static void finish(struct r5s_source *s)
{
	struct state *st = s->state;

	for (size_t e = 0; st->fd && e < EVENTS; e++)
		drop(st, e);
	free(st->fd);
}

const struct r5s_source_class r5s_source_perf_stat = {
	.name = "perf-stat", .interval_ms = 1000, .state_size = sizeof(struct state),
	.probe = probe, .open = begin, .sample = sample, .close = finish,
};
