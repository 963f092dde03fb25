// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/direction.h"

#include <fnmatch.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* First match decides. */
struct rule {
	const char *pattern;
	int direction;
};

static const struct rule rules[] = {
	{ "*files_per_sec*", 1 },
	{ "*files-closed-rate", 1 },
	{ "*app_overhead*", -1 },
	{ "*max_latency*", -1 },
	{ "*avg-latency", -1 },
	{ "*max-latency", -1 },
	{ "*latency-over-*", -1 },
	{ "dbench.*.average", 1 },
	{ "dbench.*.high", 1 },
	{ "dbench.*.low", 1 },
	{ "*throughput*", 1 },
	{ "tiobench.*.rate", 1 },
	{ "tiobench.*.cpu-efficiency", 1 },
	{ "stress-ng.*.ops", 1 },
	{ "*ops_per_sec", 1 },
	{ "*_per_sec", 1 },
	{ "vm-scalability.median*", 1 },
	{ "vm-scalability.stddev*", -1 },
	{ "*elapsed_time*", -1 },
	{ "*.system_time", -1 },
	{ "*.user_time", -1 },
	{ "iostat.*.[rw]kB/s", 1 },
	{ "iostat.*await*", -1 },
	{ "iostat.*.svctm", -1 },
	{ "*wait-ns*", -1 },
	{ "*waits*", -1 },
	{ "*.fail", -1 },
	{ "dmesg.*", -1 },
};

static const char *const results[] = { "fsmark.", "files_per_sec.", "dbench.", "tiobench.",
				       "stress-ng.", "vm-scalability.", "aim7.", "aim9.", "fio.",
				       "fio-basic.", "filebench.", "hackbench.", "netperf.",
				       "iozone.", "unixbench.", "will-it-scale.",
				       "phoronix-test-suite.", "blogbench.", "postmark." };

struct unit {
	const char *pattern;
	const char *unit;
};

static const struct unit units[] = {
	{ "*files_per_sec*", "files/s" },
	{ "*app_overhead", "us" },
	{ "*.elapsed_time*", "s" },
	{ "*.system_time", "s" },
	{ "*.user_time", "s" },
	{ "*percent_of_cpu*", "%" },
	{ "*maximum_resident_set_size", "kB" },
	{ "dbench.*.average", "MB/s" },
	{ "dbench.*.high", "MB/s" },
	{ "dbench.*.low", "MB/s" },
	{ "dbench.throughput*", "MB/s" },
	{ "dbench.*latency*", "ms" },
	{ "tiobench.*.rate", "MB/s" },
	{ "tiobench.*-latency", "ms" },
	{ "*ops_per_sec", "ops/s" },
	{ "stress-ng.*.ops", "ops" },
	{ "vm-scalability.throughput", "kB/s" },
	{ "*context_switches", "switches" },
	{ "*page_faults", "faults" },
	{ "iostat.*kB/s", "kB/s" },
	{ "iostat.*await*", "ms" },
	{ "iostat.*svctm", "ms" },
	{ "iostat.*.[rw]/s", "1/s" },
	{ "iostat.*rqm/s", "1/s" },
	{ "iostat.*avgrq-sz", "sectors" },
	{ "iostat.cpu.*", "%" },
	{ "meminfo.*", "kB" },
	{ "numa-meminfo.*", "kB" },
	{ "*vmstat.nr_*", "pages" },
	{ "numa-vmstat.*.nr_*", "pages" },
	{ "vmstat.io.*", "kB/s" },
	{ "vmstat.system.*", "1/s" },
	{ "vmstat.cpu.*", "%" },
	{ "vmstat.memory.*", "kB" },
	{ "cpuidle.*.time", "us" },
	{ "cpuidle.*.usage", "entries" },
	{ "slabinfo.*objs", "objects" },
	{ "slabinfo.*slabs", "slabs" },
	{ "turbostat.*Watt", "W" },
	{ "turbostat.*MHz", "MHz" },
	{ "uptime.*", "s" },
	{ "interrupts.*", "interrupts" },
	{ "softirqs.*", "softirqs" },
	{ "perf-profile.*", "%" },
	{ "*%*", "%" },
};

int r5s_direction_of(const char *key)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!fnmatch(rules[i].pattern, key, 0))
			return rules[i].direction;
	return 0;
}

const char *r5s_direction_word(const char *key, double change)
{
	int direction = r5s_direction_of(key);

	if (isnan(change))
		return "-";
	if (change == 0)
		return "same";
	if (!direction)
		return change > 0 ? "more" : "less";
	return change * direction > 0 ? "better" : "worse";
}

bool r5s_direction_is_result(const char *key)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (!strncmp(key, results[i], strlen(results[i])))
			return true;
	return false;
}

const char *r5s_direction_unit(const char *key)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!fnmatch(units[i].pattern, key, 0))
			return units[i].unit;
	return NULL;
}
