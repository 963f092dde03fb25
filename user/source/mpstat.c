// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the CPUs' time went, as mpstat divides it; and how long the machine is up.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "source/classes.h"

static int probe_mpstat(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "stat", "mount -t proc proc /proc", why, room);
}

static int sample_mpstat(struct r5s_source *s, struct r5s_values *out)
{
	struct r5s_stat *before = s->state, now;
	struct r5s_cpu_share c;
	int err = r5s_text_read(&s->text, s->root.proc, "stat");

	if (!err)
		err = r5s_stat_parse(s->text.s, &now, out);
	if (err)
		return err;
	if (s->before_ns && r5s_stat_share(&before->cpu, &now.cpu, &c)) {
		const struct { const char *name; double v; } all[] = {
			{ "usr", c.usr }, { "nice", c.nice }, { "sys", c.sys },
			{ "iowait", c.iowait }, { "irq", c.irq }, { "soft", c.soft },
			{ "steal", c.steal }, { "guest", c.guest }, { "gnice", c.gnice },
			{ "idle", c.idle }
		};

		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			r5s_values_real(out, "%", all[i].v, "mpstat.cpu.all.%s%%", all[i].name);
	}
	*before = now;
	return 0;
}

const struct r5s_source_class r5s_source_mpstat = {
	.name = "mpstat", .interval_ms = 1000, .state_size = sizeof(struct r5s_stat),
	.probe = probe_mpstat, .sample = sample_mpstat,
};

/* SECONDS.HUNDREDTHS, whatever the locale; moves *s behind it. */
static bool hundredths(char **s, double *out)
{
	uint64_t whole, part;

	if (!r5s_text_u64(s, &whole) || *(*s)++ != '.' || !r5s_text_u64(s, &part) || part > 99)
		return false;
	*out = (double)whole + (double)part / 100;
	return true;
}

int r5s_uptime_parse(char *text, struct r5s_values *out)
{
	double boot, idle;
	char *s = text;

	if (!hundredths(&s, &boot) || !hundredths(&s, &idle))
		return r5s_values_stop(out, "uptime", 1, text);
	r5s_values_real(out, "s", boot, "uptime.boot");
	r5s_values_real(out, "s", idle, "uptime.idle");
	return 0;
}

static int probe_uptime(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "uptime", "mount -t proc proc /proc", why, room);
}

static int sample_uptime(struct r5s_source *s, struct r5s_values *out)
{
	int err = r5s_text_read(&s->text, s->root.proc, "uptime");

	return err ? err : r5s_uptime_parse(s->text.s, out);
}

const struct r5s_source_class r5s_source_uptime = {
	.name = "uptime", .interval_ms = R5S_SOURCE_BEGIN_END, .probe = probe_uptime,
	.sample = sample_uptime,
};

int r5s_psi_parse(char *text, const char *resource, struct r5s_values *out)
{
	unsigned int n = 0;
	char *line;

	while ((line = r5s_text_line(&text))) {
		char *total = strstr(line, " total="), *avg = strstr(line, " avg10=");
		uint64_t us;
		double avg10;

		n++;
		if (!total || !avg)
			return r5s_values_stop(out, resource, n, line);
		total += 7;
		avg += 7;
		if (!r5s_text_u64(&total, &us) || !hundredths(&avg, &avg10))
			return r5s_values_stop(out, resource, n, line);
		*strchr(line, ' ') = '\0';
		r5s_values_add(out, R5S_VALUE_COUNTER, "us", us, "psi.%s.%s.total", resource, line);
		r5s_values_real(out, "%", avg10, "psi.%s.%s.avg10", resource, line);
	}
	return 0;
}

static int probe_psi(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "pressure/io",
			       "boot with psi=1 a kernel built with CONFIG_PSI", why, room);
}

static int sample_psi(struct r5s_source *s, struct r5s_values *out)
{
	static const char *const resources[] = { "cpu", "io", "memory" };
	int err = 0;

	for (size_t i = 0; !err && i < 3; i++) {
		err = r5s_text_read(&s->text, s->root.proc, "pressure/%s", resources[i]);
		if (!err)
			err = r5s_psi_parse(s->text.s, resources[i], out);
	}
	return err;
}

const struct r5s_source_class r5s_source_psi = {
	.name = "psi", .interval_ms = 1000, .probe = probe_psi, .sample = sample_psi,
};
