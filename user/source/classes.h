/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources, and their parsers, which take a file's content in memory (and cut it to pieces).
 */
#ifndef R5S_SOURCE_CLASSES_H
#define R5S_SOURCE_CLASSES_H

#include <sys/resource.h>

#include "source/source.h"

extern const struct r5s_source_class r5s_source_vmstat;
extern const struct r5s_source_class r5s_source_proc_vmstat;
extern const struct r5s_source_class r5s_source_meminfo;
extern const struct r5s_source_class r5s_source_slabs;
extern const struct r5s_source_class r5s_source_diskstats;
extern const struct r5s_source_class r5s_source_iostat;
extern const struct r5s_source_class r5s_source_mpstat;
extern const struct r5s_source_class r5s_source_softirqs;
extern const struct r5s_source_class r5s_source_interrupts;
extern const struct r5s_source_class r5s_source_cpuidle;
extern const struct r5s_source_class r5s_source_numa_meminfo;
extern const struct r5s_source_class r5s_source_numa_vmstat;
extern const struct r5s_source_class r5s_source_numa_numastat;
extern const struct r5s_source_class r5s_source_uptime;
extern const struct r5s_source_class r5s_source_psi;
extern const struct r5s_source_class r5s_source_mdthreads;
extern const struct r5s_source_class r5s_source_rapl;
extern const struct r5s_source_class r5s_source_perf_stat;

/**
 * struct r5s_cpu_ticks - a "cpu" line of /proc/stat, in ticks; what old kernels lack is 0
 */
struct r5s_cpu_ticks {
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice;
};

/**
 * struct r5s_stat - what /proc/stat says of the whole machine
 */
struct r5s_stat {
	struct r5s_cpu_ticks cpu;
	uint64_t interrupts, switches, running, blocked;
};

/** struct r5s_cpu_share - percent of the time between two samples; as mpstat divides it */
struct r5s_cpu_share {
	double usr, nice, sys, iowait, irq, soft, steal, guest, gnice, idle;
};

/** r5s_stat_parse - /proc/stat. 0, or -EPROTO with the place in @err */
int r5s_stat_parse(char *text, struct r5s_stat *out, struct r5s_values *err);

/** r5s_stat_share - where the time went; false when no time passed */
bool r5s_stat_share(const struct r5s_cpu_ticks *before, const struct r5s_cpu_ticks *now,
		    struct r5s_cpu_share *out);

/**
 * r5s_pairs_parse - lines "name value", as in /proc/vmstat and nodeN/{vmstat,numastat}
 * @text: content
 * @file: its name, for messages
 * @prefix: of the metrics' names, with its dot
 * @unit: of the values, NULL when mixed
 * @counter: is the metric of this name a counter?
 * @out: result
 */
int r5s_pairs_parse(char *text, const char *file, const char *prefix, const char *unit,
		    bool (*counter)(const char *name), struct r5s_values *out);

/** r5s_vmstat_counter - is this line of /proc/vmstat a counter? Else it is a gauge */
bool r5s_vmstat_counter(const char *name);

/** r5s_meminfo_parse - /proc/meminfo or nodeN/meminfo, which has "Node N" before each name */
int r5s_meminfo_parse(char *text, const char *file, const char *prefix, struct r5s_values *out);

/** r5s_slabs_parse - /proc/slabinfo; its columns are found by their names in the header */
int r5s_slabs_parse(char *text, struct r5s_values *out);

/** r5s_irqs_parse - /proc/softirqs or /proc/interrupts, @file says which: totals and each CPU's */
int r5s_irqs_parse(char *text, const char *file, struct r5s_values *out);

/** r5s_uptime_parse - /proc/uptime: seconds since boot, idle seconds summed over the CPUs */
int r5s_uptime_parse(char *text, struct r5s_values *out);

/** r5s_psi_parse - /proc/pressure/RESOURCE */
int r5s_psi_parse(char *text, const char *resource, struct r5s_values *out);

/** r5s_mdthreads_parse - /proc/PID/stat: @name points into @text. 0, or -EPROTO */
int r5s_mdthreads_parse(char *text, char **name, uint64_t *ticks);

/** r5s_mdthreads_is_one - is a thread of this name md's? */
bool r5s_mdthreads_is_one(const char *name);

/** r5s_rusage_values - time.* of a command, from wait4() and the time from its start to its end */
void r5s_rusage_values(const struct rusage *u, int64_t elapsed_ns, struct r5s_values *out);

/**
 * r5s_source_numbers - numbers of the entries PREFIXn of a directory, ascending
 * @out: to be freed, also when there are none
 */
int r5s_source_numbers(const char *root, const char *path, const char *prefix, unsigned int **out,
		       size_t *n);

#endif
