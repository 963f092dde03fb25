// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Our numbers beside those of vmstat, iostat, mpstat, slabtop, numastat and GNU time on this
 * machine, now. The first report of the first three is since boot: so ours are made between all
 * zeros and now, over the uptime, and must be equal but for what happened between two readers.
 */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../test/tap.h"
#include "source/classes.h"

enum { COLUMNS = 40 };

static struct r5s_values vs;
static char tree[PATH_MAX];

/* Titles and values of a table that a reader prints; strings live until the next call. */
struct table {
	char *title[COLUMNS];
	char *value[COLUMNS];
	int titles, values;
};

static int words(char *line, char *word[COLUMNS])
{
	char *w;
	int n = 0;

	while (n < COLUMNS && (w = strsep(&line, " \t\n")))
		if (*w)
			word[n++] = w;
	return n;
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* The line that has @title among its words, and the first one below it that has @row. */
static bool ask(const char *command, const char *title, const char *row, struct table *t)
{
	static char head[4096], body[4096];
	char line[4096], copy[4096];
	bool titled = false, found = false;
	FILE *f = popen(command, "r");

	memset(t, 0, sizeof(*t));
	while (f && fgets(line, sizeof(line), f)) {
		char *word[COLUMNS];
		int n;

		strcpy(copy, line);
		n = words(copy, word);
		for (int i = 0; i < n && !found; i++) {
			if (!titled && !strcmp(word[i], title)) {
				strcpy(head, line);
				t->titles = words(head, t->title);
				titled = true;
				break;
			}
			if (titled && (!row || !strcmp(word[i], row))) {
				strcpy(body, line);
				t->values = words(body, t->value);
				found = true;
			}
		}
	}
	if (f)
		pclose(f);
	return found;
}

/* Columns are counted from the right: mpstat's time of day has one or two words. */
static double column(const struct table *t, const char *title)
{
	for (int i = 0; i < t->titles; i++)
		if (!strcmp(t->title[i], title) && t->values - t->titles + i >= 0)
			return strtod(t->value[t->values - t->titles + i], NULL);
	return NAN;
}

static void same(const struct table *t, const char *title, const char *name, double rounding)
{
	double theirs = column(t, title), ours = r5s_values_number(&vs, name);

	ok(fabs(ours - theirs) <= rounding + 0.01 * fabs(theirs), "%s: ours %.3f, theirs %.3f", name,
	   ours, theirs);
}

/* In its first line vmstat divides these by the ticks of all CPUs, not by the time. */
static void per_cpu(const struct table *t, const char *title, const char *name)
{
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), theirs = column(t, title) * cpus;
	double ours = r5s_values_number(&vs, name);

	ok(fabs(ours - theirs) <= cpus + 0.01 * theirs, "%s: ours %.3f, theirs %.3f over %.0f CPUs",
	   name, ours, theirs, cpus);
}

static bool has(const char *program)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", program);
	return !system(command);
}

static void put(const char *name, const char *content)
{
	char path[PATH_MAX + 32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	f = fopen(path, "w");
	if (!f || fputs(content, f) < 0 || fclose(f))
		exit(3);
}

/* A machine on which nothing has happened yet: its devices have one request in flight. */
static void make_tree(void)
{
	struct r5s_text text = { 0 };
	char *rest, *line, *out, *o;

	put("stat", "cpu  0 0 0 0 0 0 0 0 0 0\nintr 0\nctxt 0\nprocs_running 1\nprocs_blocked 0\n");
	put("vmstat", "pgpgin 0\npgpgout 0\npswpin 0\npswpout 0\n");
	put("meminfo", "MemTotal: 1 kB\nMemFree: 1 kB\n");
	put("uptime", "1.00 1.00\n");
	if (r5s_text_read(&text, "/proc", "diskstats"))
		exit(3);
	out = o = calloc(2, strlen(text.s) + 4096);
	rest = text.s;
	while ((line = r5s_text_line(&rest))) {
		unsigned int major, minor;
		char name[64];

		if (sscanf(line, "%u %u %63s", &major, &minor, name) == 3)
			o += sprintf(o, "%u %u %s 0 0 0 0 0 0 0 0 1 0 0\n", major, minor, name);
	}
	put("diskstats", out);
	free(out);
	r5s_text_free(&text);
}

static void since_boot(const char *name)
{
	struct r5s_source_root zero = { tree, "/sys" };
	char why[R5S_SOURCE_WHY] = "";
	struct r5s_values up = { 0 };
	struct r5s_text text = { 0 };
	struct r5s_source s;

	if (r5s_source_open(&s, r5s_source_named(name), &zero, why, sizeof(why)) ||
	    r5s_source_sample(&s, 1, &vs) || r5s_text_read(&text, "/proc", "uptime") ||
	    r5s_uptime_parse(text.s, &up)) {
		ok(false, "%s since boot: %s%s", name, why, vs.where);
		exit(1);
	}
	s.root.proc = "/proc";
	ok(!r5s_source_sample(&s, 1 + (int64_t)(r5s_values_number(&up, "uptime.boot") * 1e9), &vs),
	   "%s since boot", name);
	r5s_source_close(&s);
	r5s_values_free(&up);
	r5s_text_free(&text);
}

static void test_vmstat(void)
{
	struct table t;

	if (!has("vmstat"))
		return skip("vmstat", "apt-get install procps");
	since_boot("vmstat");
	if (!ok(ask("LC_ALL=C vmstat -n", "swpd", NULL, &t), "vmstat answers"))
		return;
	per_cpu(&t, "bi", "vmstat.io.bi");
	per_cpu(&t, "bo", "vmstat.io.bo");
	per_cpu(&t, "in", "vmstat.system.in");
	per_cpu(&t, "cs", "vmstat.system.cs");
	same(&t, "us", "vmstat.cpu.us", 1);
	same(&t, "sy", "vmstat.cpu.sy", 1);
	same(&t, "id", "vmstat.cpu.id", 1);
	same(&t, "wa", "vmstat.cpu.wa", 1);
	same(&t, "swpd", "vmstat.memory.swpd", 64);
	same(&t, "buff", "vmstat.memory.buff", 1024);
	same(&t, "cache", "vmstat.memory.cache", 65536);
}

/* The device of which most was written. */
static bool busiest(char *name, size_t room)
{
	double most = 0;

	for (size_t i = 0; i < vs.n; i++) {
		const char *metric = r5s_values_name(&vs, &vs.v[i]), *end = strstr(metric, ".wkB/s");

		if (end && vs.v[i].real > most) {
			most = vs.v[i].real;
			snprintf(name, room, "%.*s", (int)(end - metric - 7), metric + 7);
		}
	}
	return most > 0;
}

static void test_iostat(void)
{
	static const struct { const char *theirs, *ours; double rounding; } pairs[] = {
		{ "r/s", "r/s", .01 }, { "w/s", "w/s", .01 }, { "rkB/s", "rkB/s", .01 },
		{ "wkB/s", "wkB/s", .01 }, { "rrqm/s", "rrqm/s", .01 }, { "wrqm/s", "wrqm/s", .01 },
		{ "r_await", "r_await", .01 }, { "w_await", "w_await", .01 },
		{ "aqu-sz", "avgqu-sz", .01 }, { "%util", "util", .01 },
	};
	char name[64] = "", command[128], metric[128];
	struct table t;

	if (!has("iostat"))
		return skip("iostat", "apt-get install sysstat");
	since_boot("iostat");
	if (ask("LC_ALL=C iostat -c", "avg-cpu:", NULL, &t)) {
		same(&t, "%user", "iostat.cpu.user", .2);
		same(&t, "%system", "iostat.cpu.system", .2);
		same(&t, "%idle", "iostat.cpu.idle", .2);
		same(&t, "%iowait", "iostat.cpu.iowait", .2);
	}
	if (!busiest(name, sizeof(name)))
		return skip("iostat of a device", "no device was written to");
	snprintf(command, sizeof(command), "LC_ALL=C iostat -dxk %s", name);
	if (!ok(ask(command, "Device", name, &t), "iostat knows %s", name))
		return;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		snprintf(metric, sizeof(metric), "iostat.%s.%s", name, pairs[i].ours);
		same(&t, pairs[i].theirs, metric, pairs[i].rounding);
	}
}

static void test_mpstat(void)
{
	static const char *const names[] = { "usr", "nice", "sys", "iowait", "irq", "soft", "steal",
					     "guest", "gnice", "idle" };
	char title[16], metric[64];
	struct table t;

	if (!has("mpstat"))
		return skip("mpstat", "apt-get install sysstat");
	since_boot("mpstat");
	if (!ok(ask("LC_ALL=C mpstat", "CPU", "all", &t), "mpstat answers"))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(title, sizeof(title), "%%%s", names[i]);
		snprintf(metric, sizeof(metric), "mpstat.cpu.all.%s%%", names[i]);
		same(&t, title, metric, .2);
	}
}

static bool take(const char *name, struct r5s_values *out)
{
	char why[R5S_SOURCE_WHY];
	struct r5s_source s;
	int err;

	if (r5s_source_open(&s, r5s_source_named(name), &r5s_source_live, why, sizeof(why))) {
		skip(name, why);
		return false;
	}
	err = r5s_source_sample(&s, now(), out);
	r5s_source_close(&s);
	return ok(!err, "%s is sampled %s", name, out->where);
}

/* Between ours before and ours after, with room for what came and went meanwhile. */
static void between(const struct r5s_values *b, const struct r5s_values *a, const char *name,
		    double theirs)
{
	double x = r5s_values_number(b, name), y = r5s_values_number(a, name);
	double lo = fmin(x, y), hi = fmax(x, y), room = 0.02 * hi + 1;

	ok(theirs >= lo - room && theirs <= hi + room, "%s: theirs %.0f, ours %.0f to %.0f", name,
	   theirs, lo, hi);
}

static void test_slabtop(void)
{
	static const char *const caches[] = { "task_struct", "inode_cache", "files_cache" };
	struct r5s_values b = { 0 }, a = { 0 };
	char name[64];
	struct table t;

	if (!has("slabtop") || access("/proc/slabinfo", R_OK))
		return skip("slabtop", "apt-get install procps, and be root");
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		bool good = take("slabinfo", &b) &&
			    ask("LC_ALL=C slabtop -o", "ACTIVE", caches[i], &t) && take("slabinfo", &a);

		snprintf(name, sizeof(name), "slabinfo.%s.num_objs", caches[i]);
		if (good)
			between(&b, &a, name, strtod(t.value[0], NULL));
		snprintf(name, sizeof(name), "slabinfo.%s.num_slabs", caches[i]);
		if (good)
			between(&b, &a, name, strtod(t.value[4], NULL));
	}
	r5s_values_free(&b);
	r5s_values_free(&a);
}

static void test_numastat(void)
{
	static const char *const rows[] = { "numa_hit", "numa_miss", "local_node", "other_node",
					    "interleave_hit" };
	struct r5s_values b = { 0 }, a = { 0 };
	char name[64];
	struct table t;

	if (!has("numastat"))
		return skip("numastat", "apt-get install numactl");
	if (!take("numa-numastat", &b))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!ok(take("numa-numastat", &b) && ask("LC_ALL=C numastat", "node0", rows[i], &t) &&
			take("numa-numastat", &a), "numastat has %s", rows[i]))
			continue;
		for (int n = 0; n < t.titles; n++) {
			snprintf(name, sizeof(name), "numa-numastat.%s.%s", t.title[n], rows[i]);
			between(&b, &a, name, column(&t, t.title[n]));
		}
	}
	if (take("numa-meminfo", &b) && ask("LC_ALL=C numastat -m", "Node", "MemTotal", &t))
		ok_num(r5s_values_number(&b, "numa-meminfo.node1.MemTotal") / 1024,
		       strtod(t.value[2], NULL), .01, "numastat -m, node 1: MemTotal in MB");
	r5s_values_free(&b);
	r5s_values_free(&a);
}

static void test_time(void)
{
	static const char work[] = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; cat /etc/passwd >/dev/null";
	char out[PATH_MAX + 16];
	double user, sys, elapsed, rss, minor;
	struct rusage u;
	int status = 1;
	int64_t t;
	FILE *f;
	pid_t pid;

	if (access("/usr/bin/time", X_OK))
		return skip("GNU time", "apt-get install time");
	snprintf(out, sizeof(out), "%s/time", tree);
	t = now();
	pid = fork();
	if (!pid) {
		execl("/usr/bin/time", "time", "-o", out, "-f", "%U %S %e %M %R", "sh", "-c", work,
		      (char *)NULL);
		_exit(127);
	}
	wait4(pid, &status, 0, &u);
	r5s_values_reset(&vs);
	r5s_rusage_values(&u, now() - t, &vs);
	f = fopen(out, "r");
	if (!ok(!status && f && fscanf(f, "%lf %lf %lf %lf %lf", &user, &sys, &elapsed, &rss,
				       &minor) == 5, "time answers")) {
		if (f)
			fclose(f);
		return;
	}
	fclose(f);
	/* Ours has time's own start in it. */
	ok_num(r5s_values_number(&vs, "time.user_time"), user, .05, "time.user_time");
	ok_num(r5s_values_number(&vs, "time.system_time"), sys, .05, "time.system_time");
	ok_num(r5s_values_number(&vs, "time.elapsed_time"), elapsed, .3, "time.elapsed_time");
	ok(r5s_values_number(&vs, "time.minor_page_faults") >= minor, "time.minor_page_faults");
	ok(r5s_values_number(&vs, "time.maximum_resident_set_size") >= rss,
	   "time.maximum_resident_set_size");
}

/* ps reads the same thread's time in seconds; sysfs knows how many stripes there are at least. */
static void test_array(const char *array)
{
	struct r5s_values b = { 0 };
	char name[96], command[128];
	double theirs = NAN;
	FILE *f;

	snprintf(command, sizeof(command), "ps -eo cputimes=,comm= | awk '$2 == \"%s_raid5\" { print $1 }'",
		 array);
	f = popen(command, "r");
	if (f && fscanf(f, "%lf", &theirs) != 1)
		theirs = NAN;
	if (f)
		pclose(f);
	snprintf(name, sizeof(name), "mdthreads.%s_raid5.cpu", array);
	if (take("mdthreads", &b))
		ok_num(trunc(r5s_values_number(&b, name) / 1000), theirs, 1, name);
	snprintf(name, sizeof(name), "slabinfo.raid5-%s.num_objs", array);
	if (take("slabinfo", &b))
		ok(r5s_values_number(&b, name) >= 256, "%s: %.0f", name, r5s_values_number(&b, name));
	r5s_values_free(&b);
}

int main(int argc, char **argv)
{
	/* Just booted, what happens between two readers is much of what happened since boot. */
	bool young = argc > 1 && !strcmp(argv[1], "young");
	char clean[PATH_MAX + 16];

	snprintf(tree, sizeof(tree), "%s/r5s-readers-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(tree))
		return 3;
	make_tree();
	if (!young) {
		test_vmstat();
		test_iostat();
		test_mpstat();
		test_time();
	}
	test_slabtop();
	test_numastat();
	if (getenv("R5S_TEST_ARRAY"))
		test_array(getenv("R5S_TEST_ARRAY"));
	r5s_values_free(&vs);
	snprintf(clean, sizeof(clean), "rm -rf '%s'", tree);
	if (system(clean))
		return 3;
	return tap_done();
}
