// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power of packages and their memory, where the CPU counts energy.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/classes.h"
#include "source/sysfs.h"

#define ZONES "class/powercap"

enum zone_kind { PACKAGE, DRAM, KINDS };

struct energy {
	uint64_t uj[KINDS];		/* grown since the first sample */
	bool has[KINDS];
};

struct zone {
	unsigned int package, part;	/* part 0: the package itself */
	uint64_t uj;
};

struct state {
	struct zone *zone;
	size_t n;
};

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->sys, ZONES "/intel-rapl:0/energy_uj",
			       "modprobe intel_rapl_msr; virtual machines have none", why, room);
}

/* Its counter goes round at max_energy_range_uj. */
static void take(struct r5s_source *s, const char *path, unsigned int package, unsigned int part,
		 enum zone_kind kind, struct energy *e)
{
	struct state *st = s->state;
	uint64_t now, range;
	struct zone *z = NULL;

	if (r5s_sysfs_number(s->root.sys, &now, ZONES "/%s/energy_uj", path))
		return;
	for (size_t i = 0; i < st->n && !z; i++)
		if (st->zone[i].package == package && st->zone[i].part == part)
			z = &st->zone[i];
	if (!z) {
		struct zone *more = reallocarray(st->zone, st->n + 1, sizeof(*more));

		if (!more)
			return;
		st->zone = more;
		st->zone[st->n++] = (struct zone){ package, part, now };
		return;
	}
	if (now < z->uj && !r5s_sysfs_number(s->root.sys, &range, ZONES "/%s/max_energy_range_uj",
					     path))
		e->uj[kind] += range - z->uj + now;
	else if (now >= z->uj)
		e->uj[kind] += now - z->uj;
	e->has[kind] = true;
	z->uj = now;
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	static const char *const names[KINDS] = { "PkgWatt", "RAMWatt" };
	struct energy e = { 0 };
	unsigned int *package;
	char path[64], name[32];
	size_t n;
	int err = r5s_source_numbers(s->root.sys, ZONES, "intel-rapl:", &package, &n);

	for (size_t i = 0; !err && i < n; i++) {
		snprintf(path, sizeof(path), "intel-rapl:%u", package[i]);
		if (r5s_sysfs_text(s->root.sys, name, sizeof(name), ZONES "/%s/name", path) <= 0 ||
		    strncmp(name, "package", 7))
			continue;
		take(s, path, package[i], 0, PACKAGE, &e);
		for (unsigned int part = 0; part < 8; part++) {
			snprintf(path, sizeof(path), "intel-rapl:%u:%u", package[i], part);
			if (r5s_sysfs_text(s->root.sys, name, sizeof(name), ZONES "/%s/name",
					   path) > 0 && !strcmp(name, "dram"))
				take(s, path, package[i], part + 1, DRAM, &e);
		}
	}
	free(package);
	for (int k = 0; k < KINDS; k++)
		if (e.has[k] && s->before_ns)
			r5s_values_real(out, "W", (double)e.uj[k] * 1e3 /
					(double)(s->t_ns - s->before_ns), "turbostat.%s", names[k]);
	return err;
}

static void finish(struct r5s_source *s)
{
	struct state *st = s->state;

	free(st->zone);
}

const struct r5s_source_class r5s_source_rapl = {
	.name = "turbostat", .interval_ms = 1000, .state_size = sizeof(struct state),
	.probe = probe, .sample = sample, .close = finish,
};
