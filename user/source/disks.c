// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sources diskstats and iostat.
 */
#include "source/disks.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/classes.h"

static const char *const field_names[R5S_DISK_FIELDS] = {
	"read_ios", "read_merges", "read_sectors", "read_ticks", "write_ios", "write_merges",
	"write_sectors", "write_ticks", "in_flight", "io_ticks", "time_in_queue", "discard_ios",
	"discard_merges", "discard_sectors", "discard_ticks", "flush_ios", "flush_ticks"
};

struct state {
	struct r5s_disks before, now;
	struct r5s_stat stat;
};

/* A name may hold blanks and end in digits: it ends with the word of the last other character. */
static char *behind_name(char *name)
{
	char *p = name + strlen(name);

	while (p > name && (isdigit((unsigned char)p[-1]) || p[-1] == ' '))
		p--;
	return strchr(p > name ? p - 1 : p, ' ');
}

static int one(char *line, struct r5s_disk *d)
{
	bool active = false;
	uint64_t dev;
	char *end;

	memset(d, 0, sizeof(*d));
	if (!r5s_text_u64(&line, &dev) || !r5s_text_u64(&line, &dev) || *line != ' ')
		return -EPROTO;
	line++;
	end = behind_name(line);
	if (!end || end == line || end - line >= (ptrdiff_t)sizeof(d->name))
		return -EPROTO;
	memcpy(d->name, line, (size_t)(end - line));
	while (d->fields < R5S_DISK_FIELDS && r5s_text_u64(&end, &d->f[d->fields]))
		active |= d->f[d->fields++] != 0;
	/* Partitions had four numbers before 2.6.25. */
	if (d->fields < R5S_DISK_OLD_FIELDS && d->fields != 4)
		return -EPROTO;
	return active && d->fields >= R5S_DISK_OLD_FIELDS;
}

int r5s_disks_parse(char *text, struct r5s_disks *out, struct r5s_values *err)
{
	unsigned int n = 0;
	char *line;

	out->n = 0;
	while ((line = r5s_text_line(&text))) {
		int got;

		n++;
		if (out->n == out->room) {
			size_t room = out->room ? 2 * out->room : 32;
			struct r5s_disk *more = reallocarray(out->disk, room, sizeof(*more));

			if (!more)
				return -ENOMEM;
			out->disk = more;
			out->room = room;
		}
		got = one(line, &out->disk[out->n]);
		if (got < 0)
			return r5s_values_stop(err, "diskstats", n, line);
		out->n += (size_t)got;
	}
	return 0;
}

static void put(struct r5s_values *out, const char *dev, const char *name, const char *unit,
		double value)
{
	r5s_values_real(out, unit, value, "iostat.%s.%s", dev, name);
}

void r5s_disks_iostat(const struct r5s_disk *b, const struct r5s_disk *n, double seconds,
		      struct r5s_values *out)
{
	double d[R5S_DISK_OLD_FIELDS], ios, util;

	for (int i = 0; i < R5S_DISK_OLD_FIELDS; i++) {
		uint64_t delta = 0;

		if (i != R5S_DISK_IN_FLIGHT && !r5s_values_delta(b->f[i], n->f[i], &delta))
			return;
		d[i] = (double)delta;
	}
	ios = d[R5S_DISK_READ_IOS] + d[R5S_DISK_WRITE_IOS];
	put(out, n->name, "r/s", "1/s", d[R5S_DISK_READ_IOS] / seconds);
	put(out, n->name, "w/s", "1/s", d[R5S_DISK_WRITE_IOS] / seconds);
	put(out, n->name, "rkB/s", "kB/s", d[R5S_DISK_READ_SECTORS] / 2 / seconds);
	put(out, n->name, "wkB/s", "kB/s", d[R5S_DISK_WRITE_SECTORS] / 2 / seconds);
	put(out, n->name, "rrqm/s", "1/s", d[R5S_DISK_READ_MERGES] / seconds);
	put(out, n->name, "wrqm/s", "1/s", d[R5S_DISK_WRITE_MERGES] / seconds);
	put(out, n->name, "avgqu-sz", "requests", d[R5S_DISK_TIME_IN_QUEUE] / 1000 / seconds);
	util = d[R5S_DISK_IO_TICKS] / 10 / seconds;
	put(out, n->name, "util", "%", util > 100 ? 100 : util);
	if (ios > 0) {
		put(out, n->name, "avgrq-sz", "sectors", (d[R5S_DISK_READ_SECTORS] +
		    d[R5S_DISK_WRITE_SECTORS]) / ios);
		put(out, n->name, "await", "ms", (d[R5S_DISK_READ_TICKS] +
		    d[R5S_DISK_WRITE_TICKS]) / ios);
	}
	if (d[R5S_DISK_READ_IOS] > 0)
		put(out, n->name, "r_await", "ms", d[R5S_DISK_READ_TICKS] / d[R5S_DISK_READ_IOS]);
	if (d[R5S_DISK_WRITE_IOS] > 0)
		put(out, n->name, "w_await", "ms", d[R5S_DISK_WRITE_TICKS] / d[R5S_DISK_WRITE_IOS]);
}

static int read_disks(struct r5s_source *s, struct r5s_values *err)
{
	struct state *st = s->state;
	int rc = r5s_text_read(&s->text, s->root.proc, "diskstats");

	return rc ? rc : r5s_disks_parse(s->text.s, &st->now, err);
}

static int sample_counters(struct r5s_source *s, struct r5s_values *out)
{
	struct state *st = s->state;
	int err = read_disks(s, out);

	for (size_t i = 0; !err && i < st->now.n; i++) {
		const struct r5s_disk *d = &st->now.disk[i];

		for (int f = 0; f < d->fields; f++)
			r5s_values_add(out, f == R5S_DISK_IN_FLIGHT ? R5S_VALUE_GAUGE :
				       R5S_VALUE_COUNTER, NULL, d->f[f], "diskstats.%s.%s",
				       field_names[f], d->name);
	}
	return err;
}

/* Devices come and go, but the order of the others stays. */
static const struct r5s_disk *earlier(const struct r5s_disks *all, size_t guess, const char *name)
{
	if (guess < all->n && !strcmp(all->disk[guess].name, name))
		return &all->disk[guess];
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->disk[i].name, name))
			return &all->disk[i];
	return NULL;
}

/* iostat shows whole devices; sysfs names them so, with '!' for '/'. */
static bool whole(const struct r5s_source *s, const char *name)
{
	char path[PATH_MAX], *p;
	int n = snprintf(path, sizeof(path), "%s/block", s->root.sys);

	if (n >= (int)sizeof(path) - 70 || access(path, F_OK))
		return true;
	snprintf(path + n, sizeof(path) - (size_t)n, "/%s", name);
	for (p = path + n + 1; (p = strchr(p, '/')); )
		*p = '!';
	return !access(path, F_OK);
}

static int sample_iostat(struct r5s_source *s, struct r5s_values *out)
{
	struct state *st = s->state;
	double seconds = (double)(s->t_ns - s->before_ns) / 1e9;
	struct r5s_disks swap;
	struct r5s_stat stat;
	struct r5s_cpu_share c;
	int err = read_disks(s, out);

	if (!err)
		err = r5s_text_read(&s->text, s->root.proc, "stat");
	if (!err)
		err = r5s_stat_parse(s->text.s, &stat, out);
	if (err)
		return err;
	for (size_t i = 0; s->before_ns && i < st->now.n; i++) {
		const struct r5s_disk *b = earlier(&st->before, i, st->now.disk[i].name);

		if (b && whole(s, b->name))
			r5s_disks_iostat(b, &st->now.disk[i], seconds, out);
	}
	if (s->before_ns && r5s_stat_share(&st->stat.cpu, &stat.cpu, &c)) {
		put(out, "cpu", "user", "%", c.usr + c.guest);
		put(out, "cpu", "nice", "%", c.nice + c.gnice);
		put(out, "cpu", "system", "%", c.sys + c.irq + c.soft);
		put(out, "cpu", "iowait", "%", c.iowait);
		put(out, "cpu", "steal", "%", c.steal);
		put(out, "cpu", "idle", "%", c.idle);
	}
	st->stat = stat;
	swap = st->before;
	st->before = st->now;
	st->now = swap;
	return 0;
}

static int probe(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "diskstats", "mount -t proc proc /proc", why, room);
}

static void finish(struct r5s_source *s)
{
	struct state *st = s->state;

	free(st->before.disk);
	free(st->now.disk);
}

const struct r5s_source_class r5s_source_diskstats = {
	.name = "diskstats", .interval_ms = 1000, .state_size = sizeof(struct state),
	.probe = probe, .sample = sample_counters, .close = finish,
};

const struct r5s_source_class r5s_source_iostat = {
	.name = "iostat", .interval_ms = 1000, .state_size = sizeof(struct state),
	.probe = probe, .sample = sample_iostat, .close = finish,
};
