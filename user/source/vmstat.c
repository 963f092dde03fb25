// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What vmstat prints; its rates are per second since the sample before, never since boot.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "source/classes.h"

struct moving {
	struct r5s_stat stat;
	uint64_t in_kb, out_kb, swap_in, swap_out;
};

struct state {
	struct moving before;
	struct r5s_values parts;
};

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	int err = r5s_source_file(root->proc, "stat", "mount -t proc proc /proc", why, room);

	return err ? err : r5s_source_file(root->proc, "vmstat", "mount -t proc proc /proc", why,
					   room);
}

static int read_part(struct r5s_source *s, const char *path)
{
	struct state *st = s->state;
	int err = r5s_text_read(&s->text, s->root.proc, "%s", path);

	r5s_values_reset(&st->parts);
	if (err)
		return err;
	if (!strcmp(path, "meminfo"))
		return r5s_meminfo_parse(s->text.s, path, "", &st->parts);
	return r5s_pairs_parse(s->text.s, path, "", NULL, r5s_vmstat_counter, &st->parts);
}

static uint64_t part(const struct state *st, const char *name)
{
	const struct r5s_value *v = r5s_values_find(&st->parts, name);

	return v ? v->u64 : 0;
}

static void memory(const struct state *st, struct r5s_values *out)
{
	r5s_values_add(out, R5S_VALUE_GAUGE, "kB", part(st, "SwapTotal") - part(st, "SwapFree"),
		       "vmstat.memory.swpd");
	r5s_values_add(out, R5S_VALUE_GAUGE, "kB", part(st, "MemFree"), "vmstat.memory.free");
	r5s_values_add(out, R5S_VALUE_GAUGE, "kB", part(st, "Buffers"), "vmstat.memory.buff");
	r5s_values_add(out, R5S_VALUE_GAUGE, "kB", part(st, "Cached") + part(st, "SReclaimable"),
		       "vmstat.memory.cache");
}

static void rate(struct r5s_values *out, const char *name, const char *unit, uint64_t before,
		 uint64_t now, double scale)
{
	uint64_t delta;

	if (r5s_values_delta(before, now, &delta))
		r5s_values_real(out, unit, (double)delta * scale, "vmstat.%s", name);
}

static void rates(const struct moving *b, const struct moving *n, double seconds,
		  struct r5s_values *out)
{
	double page_kb = (double)sysconf(_SC_PAGESIZE) / 1024;
	struct r5s_cpu_share c;

	rate(out, "io.bi", "kB/s", b->in_kb, n->in_kb, 1 / seconds);
	rate(out, "io.bo", "kB/s", b->out_kb, n->out_kb, 1 / seconds);
	rate(out, "swap.si", "kB/s", b->swap_in, n->swap_in, page_kb / seconds);
	rate(out, "swap.so", "kB/s", b->swap_out, n->swap_out, page_kb / seconds);
	rate(out, "system.in", "1/s", b->stat.interrupts, n->stat.interrupts, 1 / seconds);
	rate(out, "system.cs", "1/s", b->stat.switches, n->stat.switches, 1 / seconds);
	if (!r5s_stat_share(&b->stat.cpu, &n->stat.cpu, &c))
		return;
	r5s_values_real(out, "%", c.usr + c.nice + c.guest + c.gnice, "vmstat.cpu.us");
	r5s_values_real(out, "%", c.sys + c.irq + c.soft, "vmstat.cpu.sy");
	r5s_values_real(out, "%", c.idle, "vmstat.cpu.id");
	r5s_values_real(out, "%", c.iowait, "vmstat.cpu.wa");
	r5s_values_real(out, "%", c.steal, "vmstat.cpu.st");
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	struct state *st = s->state;
	struct moving now = { 0 };
	int err = read_part(s, "meminfo");

	if (!err)
		memory(st, out);
	if (!err)
		err = read_part(s, "vmstat");
	if (err) {
		memcpy(out->where, st->parts.where, sizeof(out->where));
		return err;
	}
	now.in_kb = part(st, "pgpgin");
	now.out_kb = part(st, "pgpgout");
	now.swap_in = part(st, "pswpin");
	now.swap_out = part(st, "pswpout");
	err = r5s_text_read(&s->text, s->root.proc, "stat");
	if (!err)
		err = r5s_stat_parse(s->text.s, &now.stat, out);
	if (err)
		return err;
	r5s_values_add(out, R5S_VALUE_GAUGE, "tasks", now.stat.running, "vmstat.procs.r");
	r5s_values_add(out, R5S_VALUE_GAUGE, "tasks", now.stat.blocked, "vmstat.procs.b");
	if (s->before_ns)
		rates(&st->before, &now, (double)(s->t_ns - s->before_ns) / 1e9, out);
	st->before = now;
	return 0;
}

static void finish(struct r5s_source *s)
{
	struct state *st = s->state;

	r5s_values_free(&st->parts);
}

const struct r5s_source_class r5s_source_vmstat = {
	.name = "vmstat", .interval_ms = 1000, .state_size = sizeof(struct state),
	.probe = probe, .sample = sample, .close = finish,
};
