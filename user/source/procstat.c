// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/stat, which vmstat, mpstat and iostat read too.
 */
#include <errno.h>
#include <string.h>

#include "source/classes.h"

static bool ticks(char *s, struct r5s_cpu_ticks *c)
{
	uint64_t *to[] = { &c->user, &c->nice, &c->system, &c->idle, &c->iowait, &c->irq,
			   &c->softirq, &c->steal, &c->guest, &c->guest_nice };
	size_t i = 0;

	memset(c, 0, sizeof(*c));
	while (i < sizeof(to) / sizeof(to[0]) && r5s_text_u64(&s, to[i]))
		i++;
	return i >= 4;
}

int r5s_stat_parse(char *text, struct r5s_stat *out, struct r5s_values *err)
{
	static const char *const names[] = { "intr ", "ctxt ", "procs_running ", "procs_blocked " };
	uint64_t *to[] = { &out->interrupts, &out->switches, &out->running, &out->blocked };
	unsigned int n = 0;
	bool seen = false;
	char *line;

	memset(out, 0, sizeof(*out));
	while ((line = r5s_text_line(&text))) {
		char *s;

		n++;
		if (!strncmp(line, "cpu ", 4)) {
			if (!ticks(line + 4, &out->cpu))
				return r5s_values_stop(err, "stat", n, line);
			seen = true;
		}
		for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
			if (strncmp(line, names[i], strlen(names[i])))
				continue;
			s = line + strlen(names[i]);
			if (!r5s_text_u64(&s, to[i]))
				return r5s_values_stop(err, "stat", n, line);
		}
	}
	return seen ? 0 : r5s_values_stop(err, "stat", n, "no line of all CPUs");
}

/* idle and iowait can step back by a few ticks: that is no time, not a lot of it. */
static double grown(uint64_t before, uint64_t now)
{
	return now > before ? (double)(now - before) : 0;
}

bool r5s_stat_share(const struct r5s_cpu_ticks *b, const struct r5s_cpu_ticks *n,
		    struct r5s_cpu_share *out)
{
	double user = grown(b->user, n->user), nice = grown(b->nice, n->nice), total;

	out->guest = grown(b->guest, n->guest);
	out->gnice = grown(b->guest_nice, n->guest_nice);
	/* The kernel counts a guest's time as user's as well. */
	out->usr = user > out->guest ? user - out->guest : 0;
	out->nice = nice > out->gnice ? nice - out->gnice : 0;
	out->sys = grown(b->system, n->system);
	out->idle = grown(b->idle, n->idle);
	out->iowait = grown(b->iowait, n->iowait);
	out->irq = grown(b->irq, n->irq);
	out->soft = grown(b->softirq, n->softirq);
	out->steal = grown(b->steal, n->steal);
	total = out->usr + out->nice + out->sys + out->idle + out->iowait + out->irq + out->soft +
		out->steal + out->guest + out->gnice;
	if (total <= 0)
		return false;
	for (double *v = &out->usr; v <= &out->idle; v++)
		*v *= 100 / total;
	return true;
}
