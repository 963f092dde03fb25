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

#endif
