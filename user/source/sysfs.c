// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 16 };

static int text(const char *sys, char *buf, size_t room, const char *path, va_list args)
{
	char rel[PATH_MAX], full[PATH_MAX];
	ssize_t n;
	int fd, len;

	len = vsnprintf(rel, sizeof(rel), path, args);
	if (len < 0 || len >= (int)sizeof(rel))
		return -ENAMETOOLONG;
	len = snprintf(full, sizeof(full), "%s/%s", sys, rel);
	if (len < 0 || len >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, room - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	buf[n] = '\0';
	while (n > 0 && buf[n - 1] == '\n')
		buf[--n] = '\0';
	return (int)n;
}

int r5s_sysfs_text(const char *sys, char *buf, size_t room, const char *path, ...)
{
	va_list args;
	int n;

	va_start(args, path);
	n = text(sys, buf, room, path, args);
	va_end(args);
	return n;
}

int r5s_sysfs_number(const char *sys, uint64_t *value, const char *path, ...)
{
	char buf[64], *end;
	va_list args;
	int n;

	va_start(args, path);
	n = text(sys, buf, sizeof(buf), path, args);
	va_end(args);
	if (n < 0)
		return n;
	if (buf[0] < '0' || buf[0] > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(buf, &end, 10);
	return errno ? -errno : *end && *end != ' ' ? -EINVAL : 0;
}

bool r5s_sysfs_is456(const char *level)
{
	return !strcmp(level, "raid4") || !strcmp(level, "raid5") || !strcmp(level, "raid6");
}

/* @dir: of the device, below @sys; @name: the last part of its path. */
static void describe(const char *sys, const char *dir, const char *name,
		     struct r5s_sysfs_array *a)
{
	char dev[32];

	memset(a, 0, sizeof(*a));
	snprintf(a->name, sizeof(a->name), "%s", name);
	if (r5s_sysfs_text(sys, a->level, sizeof(a->level), "%s/md/level", dir) < 0)
		a->level[0] = '\0';
	if (r5s_sysfs_text(sys, dev, sizeof(dev), "%s/dev", dir) > 0)
		a->has_dev = sscanf(dev, "%u:%u", &a->major, &a->minor) == 2;
}

static int add(struct r5s_sysfs_arrays *out, const struct r5s_sysfs_array *a)
{
	struct r5s_sysfs_array *more;

	for (size_t i = 0; i < out->n; i++)
		if (!strcmp(out->array[i].name, a->name))
			return 0;
	more = realloc(out->array, (out->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	out->array = more;
	out->array[out->n++] = *a;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct r5s_sysfs_array *)a)->name,
		      ((const struct r5s_sysfs_array *)b)->name);
}

static bool has_dir(const char *sys, const char *dir, const char *sub)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s/%s", sys, dir, sub) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static DIR *open_dir(const char *sys, const char *dir, const char *sub)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s/%s", sys, dir, sub) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return opendir(path);
}

int r5s_sysfs_arrays(const char *sys, struct r5s_sysfs_arrays *out)
{
	struct r5s_sysfs_array a;
	struct dirent *d;
	char dir[PATH_MAX];
	int err = 0;
	DIR *blk;

	memset(out, 0, sizeof(*out));
	blk = open_dir(sys, "block", ".");
	if (!blk)
		return -errno;
	while (!err && (d = readdir(blk))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(dir, sizeof(dir), "block/%s", d->d_name);
		if (!has_dir(sys, dir, "md"))
			continue;
		describe(sys, dir, d->d_name, &a);
		err = add(out, &a);
	}
	closedir(blk);
	if (err)
		r5s_sysfs_free(out);
	else if (out->n)
		qsort(out->array, out->n, sizeof(out->array[0]), by_name);
	return err;
}

/* Follows one device downwards; @dir may end in a symbolic link. */
static int descend(const char *sys, const char *dir, int depth, struct r5s_sysfs_arrays *out)
{
	char real[PATH_MAX], path[PATH_MAX], sub[PATH_MAX];
	struct r5s_sysfs_array a;
	struct dirent *d;
	const char *name;
	int err = 0;
	DIR *slaves;

	if (depth > DEPTH)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", sys, dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (!realpath(path, real))
		return -errno;
	if (has_dir(sys, dir, "partition")) {
		if (snprintf(sub, sizeof(sub), "%s/..", dir) >= (int)sizeof(sub))
			return -ENAMETOOLONG;
		return descend(sys, sub, depth + 1, out);
	}
	name = strrchr(real, '/') + 1;
	if (has_dir(sys, dir, "md")) {
		describe(sys, dir, name, &a);
		if (r5s_sysfs_is456(a.level))
			return add(out, &a);
	}
	slaves = open_dir(sys, dir, "slaves");
	while (slaves && !err && (d = readdir(slaves))) {
		if (d->d_name[0] == '.')
			continue;
		if (snprintf(sub, sizeof(sub), "%s/slaves/%s", dir, d->d_name) < (int)sizeof(sub))
			err = descend(sys, sub, depth + 1, out);
		if (err == -ENOENT)
			err = 0;
	}
	if (slaves)
		closedir(slaves);
	return err;
}

int r5s_sysfs_under(const char *sys, uint32_t major, uint32_t minor,
		    struct r5s_sysfs_arrays *out)
{
	char dir[64];
	int err;

	memset(out, 0, sizeof(*out));
	snprintf(dir, sizeof(dir), "dev/block/%u:%u", major, minor);
	err = descend(sys, dir, 0, out);
	if (err)
		r5s_sysfs_free(out);
	return err;
}

int r5s_sysfs_members(const char *sys, const char *array, struct r5s_sysfs_arrays *out)
{
	char path[PATH_MAX], link[PATH_MAX], dir[PATH_MAX];
	struct r5s_sysfs_array a;
	uint64_t disks;
	ssize_t n;
	int err;

	memset(out, 0, sizeof(*out));
	err = r5s_sysfs_number(sys, &disks, "block/%s/md/raid_disks", array);
	if (err)
		return err;
	for (uint64_t i = 0; !err && i < disks && i < 4096; i++) {
		if (snprintf(path, sizeof(path), "%s/block/%s/md/rd%llu/block", sys, array,
			     (unsigned long long)i) >= (int)sizeof(path))
			return -ENAMETOOLONG;
		n = readlink(path, link, sizeof(link) - 1);
		if (n <= 0)
			continue;
		link[n] = '\0';
		snprintf(dir, sizeof(dir), "block/%s/md/rd%llu/block", array,
			 (unsigned long long)i);
		describe(sys, dir, strrchr(link, '/') ? strrchr(link, '/') + 1 : link, &a);
		err = add(out, &a);
	}
	if (err)
		r5s_sysfs_free(out);
	return err;
}

void r5s_sysfs_free(struct r5s_sysfs_arrays *a)
{
	free(a->array);
	a->array = NULL;
	a->n = 0;
}
