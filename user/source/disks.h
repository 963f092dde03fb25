/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/diskstats, all of it.
 */
#ifndef R5S_SOURCE_DISKS_H
#define R5S_SOURCE_DISKS_H

#include "source/values.h"

/* Order of the numbers in a line of /proc/diskstats; sectors of 512 bytes, ticks of 1 ms. */
enum r5s_disk_field {
	R5S_DISK_READ_IOS,
	R5S_DISK_READ_MERGES,
	R5S_DISK_READ_SECTORS,
	R5S_DISK_READ_TICKS,
	R5S_DISK_WRITE_IOS,
	R5S_DISK_WRITE_MERGES,
	R5S_DISK_WRITE_SECTORS,
	R5S_DISK_WRITE_TICKS,
	R5S_DISK_IN_FLIGHT,
	R5S_DISK_IO_TICKS,
	R5S_DISK_TIME_IN_QUEUE,
	R5S_DISK_OLD_FIELDS,		/* up to 4.17 */
	R5S_DISK_FIELDS = 17		/* discards since 4.18, flushes since 5.5 */
};

/** struct r5s_disk - a device; @fields of @f are there */
struct r5s_disk {
	char name[64];
	int fields;
	uint64_t f[R5S_DISK_FIELDS];
};

struct r5s_disks {
	struct r5s_disk *disk;
	size_t n;
	size_t room;
};

/** r5s_disks_parse - every device that has done anything. 0, -ENOMEM, -EPROTO (place in @err) */
int r5s_disks_parse(char *text, struct r5s_disks *out, struct r5s_values *err);

/**
 * r5s_disks_iostat - what iostat -x says of one device between two samples
 * @before: earlier
 * @now: later
 * @seconds: between them
 * @out: iostat.NAME.*; awaits are absent when nothing was completed
 *
 * All of the device is absent when one of its counters was set back.
 */
void r5s_disks_iostat(const struct r5s_disk *before, const struct r5s_disk *now, double seconds,
		      struct r5s_values *out);

#endif
