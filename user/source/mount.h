/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mount that a path lies on.
 */
#ifndef R5S_SOURCE_MOUNT_H
#define R5S_SOURCE_MOUNT_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct r5s_mount - one line of mountinfo, unescaped
 * @major: of the superblock's device; 0 for file systems like btrfs that have one of their own
 * @source: e.g. "/dev/md0"
 * @options: of the mount and of the superblock, joined by a comma
 */
struct r5s_mount {
	uint64_t id;
	uint32_t major;
	uint32_t minor;
	char *point;
	char *fstype;
	char *source;
	char *options;
};

/**
 * r5s_mount_parse - look for a mount
 * @f: as /proc/self/mountinfo
 * @id: mount id
 * @out: result
 *
 * Return: 0; -ENOENT when it is not there; -ENOMEM.
 */
int r5s_mount_parse(FILE *f, uint64_t id, struct r5s_mount *out);

/**
 * r5s_mount_of - the mount that holds a path
 * @path: need not exist: then its nearest parent that does
 * @out: result
 *
 * Return: 0, or a negative errno.
 */
int r5s_mount_of(const char *path, struct r5s_mount *out);

/**
 * r5s_mount_device - the block device below a mount
 * @m: mount
 * @major: result
 * @minor: result
 *
 * Return: 0; -ENODEV when there is none (tmpfs, NFS).
 */
int r5s_mount_device(const struct r5s_mount *m, uint32_t *major, uint32_t *minor);

void r5s_mount_free(struct r5s_mount *m);

#endif
