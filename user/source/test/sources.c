// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every source's parser: files as other kernels and machines write them, made-up trees, and damage.
 * The expected values are written down by hand from those files.
 */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../test/tap.h"
#include "source/classes.h"
#include "source/disks.h"

enum { CPUS = 128 };

static struct r5s_values vs;
static struct r5s_text text;
static char tree[PATH_MAX];

static char *saved(const char *name)
{
	char dir[PATH_MAX];

	/* The tests' common data are in user/test/data, ours beside us. */
	snprintf(dir, sizeof(dir), "%s/../../source/test/data", getenv("R5S_TEST_DATA"));
	if (r5s_text_read(&text, dir, "%s", name))
		exit(3);
	r5s_values_reset(&vs);
	return text.s;
}

static char *given(const char *s)
{
	static char copy[1 << 16];

	snprintf(copy, sizeof(copy), "%s", s);
	r5s_values_reset(&vs);
	return copy;
}

static void is(const char *name, double want)
{
	ok_num(r5s_values_number(&vs, name), want, 1e-9, name);
}

static void put(const char *content, const char *path)
{
	char full[PATH_MAX * 2];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", tree, path);
	for (char *s = full + strlen(tree) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	f = fopen(full, "w");
	if (!f || fputs(content, f) < 0 || fclose(f))
		exit(3);
}

static void test_delta(void)
{
	uint64_t d = 0;

	ok(r5s_values_delta(5, 9, &d) && d == 4, "a counter grows by 4");
	ok(r5s_values_delta(4294967290u, 10, &d) && d == 16, "32 bits go round: 16");
	ok(!r5s_values_delta(1000, 10, &d), "set back: not known");
	ok(!r5s_values_delta(UINT64_C(1) << 40, 10, &d), "64 bits set back: not known");
}

static void test_disks(void)
{
	struct r5s_disks a = { 0 }, b = { 0 };

	ok(!r5s_disks_parse(saved("diskstats-2.6.32.txt"), &a, &vs) && a.n == 4,
	   "2.6.32: idle loop0 and the old partition line are left out");
	ok_text(a.disk[1].name, "cciss/c0d0", "a name with a slash");
	ok_text(a.disk[2].name, "md127", "a name that ends in digits");
	ok(a.disk[0].f[R5S_DISK_WRITE_SECTORS] == 65536 && a.disk[0].fields == 11, "its numbers");
	ok(!r5s_disks_parse(saved("diskstats-6.1.txt"), &b, &vs) && b.n == 4,
	   "6.1: 17 numbers a device");
	ok(b.disk[0].fields == 17 && b.disk[0].f[16] == 5 &&
	   b.disk[0].f[R5S_DISK_WRITE_IOS] == UINT64_MAX, "the largest and the last number");
	ok_text(b.disk[3].name, "md_home", "a named array");
	ok(r5s_disks_parse(given("8 0 sda 1 2 3 4 5\n"), &b, &vs) == -EPROTO && vs.where[0],
	   "five numbers are refused, the place is named: %s", vs.where);

	b.n = 0;
	ok(!r5s_disks_parse(given("   8 0 sda 1300 40 41960 5500 1000 250 73536 17000 3 9500 22000\n"),
			    &b, &vs), "two seconds later");
	r5s_disks_iostat(&a.disk[0], &b.disk[0], 2, &vs);
	is("iostat.sda.r/s", 50);
	is("iostat.sda.w/s", 100);
	is("iostat.sda.rkB/s", 250);
	is("iostat.sda.wkB/s", 2000);
	is("iostat.sda.rrqm/s", 5);
	is("iostat.sda.wrqm/s", 25);
	is("iostat.sda.avgrq-sz", 30);
	is("iostat.sda.avgqu-sz", 0.5);
	is("iostat.sda.await", 5);
	is("iostat.sda.r_await", 5);
	is("iostat.sda.w_await", 5);
	is("iostat.sda.util", 25);
	r5s_values_reset(&vs);
	r5s_disks_iostat(&a.disk[0], &a.disk[0], 2, &vs);
	is("iostat.sda.w/s", 0);
	is("iostat.sda.w_await", NAN);
	r5s_values_reset(&vs);
	r5s_disks_iostat(&b.disk[0], &a.disk[0], 2, &vs);
	ok(vs.n == 0, "a device that was set back is absent");
	free(a.disk);
	free(b.disk);
}

static void test_files(void)
{
	struct r5s_cpu_ticks zero = { 0 };
	struct r5s_cpu_share c;
	struct r5s_stat st;

	ok(!r5s_slabs_parse(saved("slabinfo-2.6.32.txt"), &vs), "slabinfo, 2.6.32");
	is("slabinfo.raid5-md0.num_objs", 275);
	is("slabinfo.raid5-md0.active_objs", 256);
	is("slabinfo.ext4_inode_cache.active_slabs", 250);
	is("slabinfo.ext4_inode_cache.num_slabs", 251);
	ok(!r5s_slabs_parse(given("# name <num_objs> <active_objs> : x <num_slabs> <active_slabs>\n"
				  "a 1 2 : x 3 4\n"), &vs), "columns in another order");
	is("slabinfo.a.active_objs", 2);
	is("slabinfo.a.num_slabs", 3);
	ok(r5s_slabs_parse(given("a 1 2 3 4\n"), &vs) == -EPROTO, "no header is refused");

	ok(!r5s_stat_parse(saved("stat-2.6.32.txt"), &st, &vs) && st.running == 3 &&
	   st.blocked == 1 && st.switches == 6789 && st.interrupts == 12345, "stat, 2.6.32");
	ok(r5s_stat_share(&zero, &st.cpu, &c), "time passed");
	ok_num(c.usr, 10, 1e-9, "usr 10 %");
	ok_num(c.iowait, 4, 1e-9, "iowait 4 %");
	st.cpu.guest = 40;
	r5s_stat_share(&zero, &st.cpu, &c);
	ok_num(c.usr, 6, 1e-9, "a guest's time is not user's too");
	ok(!r5s_stat_share(&st.cpu, &st.cpu, &c), "no time passed: no percent");
	ok(r5s_stat_parse(given("ctxt 5\n"), &st, &vs) == -EPROTO, "no cpu line is refused");

	ok(!r5s_meminfo_parse(saved("meminfo-3.10.txt"), "meminfo", "meminfo.", &vs),
	   "meminfo, 3.10");
	is("meminfo.Inactive(file)", 500000);
	is("meminfo.HugePages_Total", 4);
	is("meminfo.Memused", 7000000);
	ok(r5s_meminfo_parse(given("MemTotal: 5 kB\nMemFree x\n"), "meminfo", "m.", &vs) == -EPROTO &&
	   strstr(vs.where, "line 2"), "line 2 is refused by its number");

	ok(!r5s_irqs_parse(saved("interrupts-offline.txt"), "interrupts", &vs),
	   "interrupts, CPU1 is offline");
	is("interrupts.CAL:Function_call_interrupts", 60);
	is("interrupts.CPU2.CAL:Function_call_interrupts", 20);
	is("interrupts.CPU1.CAL:Function_call_interrupts", NAN);
	is("interrupts.120:PCI-MSI.1048576-edge.nvme0q0,.nvme0q1", 4294967298.0);
	is("interrupts.ERR", 7);
	ok(r5s_irqs_parse(given(" CPU0 CPU1 CPU2\n RCU: 1 2\n"), "softirqs", &vs) == -EPROTO,
	   "a row with two of three CPUs is refused");

	ok(!r5s_uptime_parse(given("18253.07 7000.50\n"), &vs), "uptime");
	is("uptime.boot", 18253.07);
	ok(!r5s_psi_parse(given("some avg10=1.25 avg60=0.00 avg300=0.00 total=99\n"), "io", &vs),
	   "pressure without full, as before 5.13 for the CPU");
	is("psi.io.some.total", 99);
	is("psi.io.some.avg10", 1.25);
	is("psi.io.full.total", NAN);

	ok(!r5s_pairs_parse(given("nr_dirty 4\nnr_dirtied 9\npgfault 7\nworkingset_nodes 2\n"),
			    "vmstat", "proc-vmstat.", NULL, r5s_vmstat_counter, &vs), "vmstat");
	ok(vs.v[0].kind == R5S_VALUE_GAUGE && vs.v[1].kind == R5S_VALUE_COUNTER &&
	   vs.v[2].kind == R5S_VALUE_COUNTER && vs.v[3].kind == R5S_VALUE_GAUGE,
	   "gauges and counters are told apart");
}

/* As the kernel prints it for 128 CPUs: CPU n counts n, 1000 + n. */
static void test_wide(void)
{
	char *wide = malloc(CPUS * 64), *s = wide;

	for (int c = 0; c < CPUS; c++)
		s += sprintf(s, "%10s%d", "CPU", c);
	s += sprintf(s, "\n%12s", "RCU:");
	for (int c = 0; c < CPUS; c++)
		s += sprintf(s, " %10d", c);
	s += sprintf(s, "\n%12s", "BLOCK:");
	for (int c = 0; c < CPUS; c++)
		s += sprintf(s, " %10d", 1000 + c);
	strcpy(s, "\n");
	r5s_values_reset(&vs);
	ok(!r5s_irqs_parse(wide, "softirqs", &vs) && vs.n == 2 * (CPUS + 1), "128 CPUs");
	is("softirqs.RCU", 8128);
	is("softirqs.CPU127.BLOCK", 1127);
	free(wide);
}

static void test_threads(void)
{
	char *name;
	uint64_t ticks;

	ok(!r5s_mdthreads_parse(given("77 (md0_raid5) S 2 0 0 0 -1 2129984 0 0 0 0 12 30 0 0 20 0 1 "
				      "0 99 0 0\n"), &name, &ticks) && ticks == 42,
	   "a thread's user and system ticks");
	ok_text(name, "md0_raid5", "its name");
	ok(!r5s_mdthreads_parse(given("77 (a) b (x) S 2 0 0 0 -1 2 0 0 0 0 1 2 0\n"), &name,
				&ticks) && ticks == 3, "parentheses in a name");
	ok(r5s_mdthreads_parse(given("77 (a) S 2\n"), &name, &ticks) == -EPROTO, "cut short");
	ok(r5s_mdthreads_is_one("md127_resync") && r5s_mdthreads_is_one("md_home_raid6") &&
	   r5s_mdthreads_is_one("mdX_raid5"), "md's threads");
	ok(!r5s_mdthreads_is_one("mdadm") && !r5s_mdthreads_is_one("kworker/u8:1-raid5wq") &&
	   !r5s_mdthreads_is_one("jbd2/md0-8"), "not md's");
}

static void sample(struct r5s_source *s, int64_t t_ns)
{
	int err = r5s_source_sample(s, t_ns, &vs);

	ok(!err, "%s is sampled%s%s", s->class->name, err ? ": " : "", vs.where);
}

static void open_one(struct r5s_source *s, const char *name, const struct r5s_source_root *root)
{
	char why[R5S_SOURCE_WHY] = "";

	if (!ok(!r5s_source_open(s, r5s_source_named(name), root, why, sizeof(why)),
		"%s is there %s", name, why))
		exit(1);
}

static void test_trees(void)
{
	struct r5s_source_root root = { tree, tree };
	char why[R5S_SOURCE_WHY], path[64], content[128];
	struct r5s_source s;

	ok(r5s_source_open(&s, r5s_source_named("cpuidle"), &root, why, sizeof(why)) == -ENOENT &&
	   strstr(why, "cpuidle"), "absent with its reason");
	for (int n = 0; n < 4; n++) {
		snprintf(path, sizeof(path), "devices/system/node/node%d/meminfo", n * 8);
		snprintf(content, sizeof(content), "Node %d MemTotal: 1000 kB\n"
			 "Node %d MemFree: %d kB\nNode %d Dirty: %d kB\n", n * 8, n * 8, n, n * 8, 7 * n);
		put(content, path);
		snprintf(path, sizeof(path), "devices/system/node/node%d/numastat", n * 8);
		snprintf(content, sizeof(content), "numa_hit %d\nlocal_node 3\n", 100 + n);
		put(content, path);
	}
	open_one(&s, "numa-meminfo", &root);
	sample(&s, 1);
	is("numa-meminfo.node24.Dirty", 21);
	is("numa-meminfo.node8.Dirty", 7);
	is("numa-meminfo.node1.Dirty", NAN);
	r5s_source_close(&s);
	open_one(&s, "numa-numastat", &root);
	sample(&s, 1);
	is("numa-numastat.node16.numa_hit", 102);
	r5s_source_close(&s);

	for (int c = 0; c < 3; c++) {
		snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/cpuidle/state0/name", c);
		put("C1E-IVT\n", path);
		strcpy(strrchr(path, '/'), "/time");
		put("1000\n", path);
		strcpy(strrchr(path, '/'), "/usage");
		put("5\n", path);
	}
	open_one(&s, "cpuidle", &root);
	sample(&s, 1);
	is("cpuidle.C1E-IVT.usage", 15);
	is("cpuidle.C1E-IVT.time", 3000);
	r5s_source_close(&s);

	put("package-0\n", "class/powercap/intel-rapl:0/name");
	put("999000000\n", "class/powercap/intel-rapl:0/energy_uj");
	put("1000000000\n", "class/powercap/intel-rapl:0/max_energy_range_uj");
	put("dram\n", "class/powercap/intel-rapl:0:1/name");
	put("5000000\n", "class/powercap/intel-rapl:0:1/energy_uj");
	open_one(&s, "turbostat", &root);
	sample(&s, 1);
	ok(vs.n == 0, "no power from one sample");
	put("39000000\n", "class/powercap/intel-rapl:0/energy_uj");
	put("9000000\n", "class/powercap/intel-rapl:0:1/energy_uj");
	sample(&s, 2000000001);
	is("turbostat.PkgWatt", 20);	/* went round: 40 J in 2 s */
	is("turbostat.RAMWatt", 2);
	r5s_source_close(&s);
}

static void test_rusage(void)
{
	struct rusage u = { .ru_utime = { 1, 500000 }, .ru_stime = { 0, 500000 }, .ru_maxrss = 77,
			    .ru_nvcsw = 5 };

	r5s_values_reset(&vs);
	r5s_rusage_values(&u, 4000000000, &vs);
	is("time.user_time", 1.5);
	is("time.percent_of_cpu_this_job_got", 50);
	is("time.voluntary_context_switches", 5);
	is("time.maximum_resident_set_size", 77);
}

int main(void)
{
	char clean[PATH_MAX + 16];

	snprintf(tree, sizeof(tree), "%s/r5s-sources-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!getenv("R5S_TEST_DATA") || !mkdtemp(tree))
		return 3;
	test_delta();
	test_disks();
	test_files();
	test_wide();
	test_threads();
	test_trees();
	test_rusage();
	r5s_values_free(&vs);
	r5s_text_free(&text);
	snprintf(clean, sizeof(clean), "rm -rf '%s'", tree);
	if (system(clean))
		return 3;
	return tap_done();
}
