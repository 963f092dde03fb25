/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the block layer counts for a device.
 */
#ifndef R5S_SOURCE_DISKSTATS_H
#define R5S_SOURCE_DISKSTATS_H

#include <stdint.h>
#include <stdio.h>

struct r5s_diskstats {
	uint64_t reads;
	uint64_t read_sectors;
	uint64_t writes;
	uint64_t write_sectors;
	uint64_t in_flight;
};

/**
 * r5s_diskstats_find - one device
 * @f: as /proc/diskstats
 * @major: device number
 * @minor: device number
 * @out: result
 *
 * Return: 0, or -ENOENT.
 */
int r5s_diskstats_find(FILE *f, uint32_t major, uint32_t minor, struct r5s_diskstats *out);

#endif
