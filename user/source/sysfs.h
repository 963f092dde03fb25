/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * md arrays as sysfs shows them. @sys is where sysfs is mounted, "/sys" but in tests.
 */
#ifndef R5S_SOURCE_SYSFS_H
#define R5S_SOURCE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { R5S_SYSFS_NAME = 64 };

/**
 * struct r5s_sysfs_array - one md array
 * @name: kernel name, from outside: escape it before showing it
 * @level: "raid5", "raid1", ...; empty while the array is being made
 * @has_dev: major and minor are known
 */
struct r5s_sysfs_array {
	char name[R5S_SYSFS_NAME];
	char level[16];
	bool has_dev;
	uint32_t major;
	uint32_t minor;
};

struct r5s_sysfs_arrays {
	struct r5s_sysfs_array *array;
	size_t n;
};

/**
 * r5s_sysfs_text - what a small file says, without the newline at its end
 * @sys: where sysfs is mounted
 * @buf: result
 * @room: its size
 * @path: printf format of the path below @sys
 *
 * Return: length, or a negative errno.
 */
__attribute__((format(printf, 4, 5)))
int r5s_sysfs_text(const char *sys, char *buf, size_t room, const char *path, ...);

/** r5s_sysfs_number - the same for a file that holds one decimal number */
__attribute__((format(printf, 3, 4)))
int r5s_sysfs_number(const char *sys, uint64_t *value, const char *path, ...);

/** r5s_sysfs_is456 - is this level one that raid456 runs? */
bool r5s_sysfs_is456(const char *level);

/** r5s_sysfs_arrays - every md array, of any level, by name. 0, or a negative errno */
int r5s_sysfs_arrays(const char *sys, struct r5s_sysfs_arrays *out);

/**
 * r5s_sysfs_under - the RAID4/5/6 arrays that a block device lies on
 * @sys: where sysfs is mounted
 * @major: of the block device
 * @minor: of the block device
 * @out: arrays found below partitions, dm, bcache and other md devices, each once
 *
 * Return: 0, also when there are none; or a negative errno.
 */
int r5s_sysfs_under(const char *sys, uint32_t major, uint32_t minor,
		    struct r5s_sysfs_arrays *out);

/** r5s_sysfs_members - names of the members' block devices of an array, by slot */
int r5s_sysfs_members(const char *sys, const char *array, struct r5s_sysfs_arrays *out);

void r5s_sysfs_free(struct r5s_sysfs_arrays *a);

#endif
