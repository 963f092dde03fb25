// SPDX-License-Identifier: GPL-2.0
/* Which gendisks are md's, and whether raid4/5/6 runs on one. */
#include <linux/blkdev.h>
#include <linux/major.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat.h"
#include "disk.h"
#include "layout.h"

/* md's module is held by this exported function of it. */
#define PIN "md_run"

/* block_class and disk_type are not exported; every gendisk points to both. Set by init. */
static const struct class *class;
static const struct device_type *type;

/**
 * r5s_disk_init() - learn the class of disks
 *
 * Return: 0 or -ENOMEM.
 */
int r5s_disk_init(void)
{
	struct gendisk *disk = r5s_alloc_disk();

	if (!disk)
		return -ENOMEM;
	class = disk_to_dev(disk)->class;
	type = disk_to_dev(disk)->type;
	put_disk(disk);
	return 0;
}

/**
 * r5s_disk_walk_begin() - start to walk over md's disks
 * @w: ended by r5s_disk_walk_end()
 *
 * Context: process.
 */
void r5s_disk_walk_begin(struct r5s_disk_walk *w)
{
	w->pinned = __symbol_get(PIN);
	r5s_class_dev_iter_init(&w->iter, class, type);
}

/* The number tells md's disks; fops is followed only then: no other module is held. */
static bool is_md(const struct gendisk *disk)
{
	struct module *owner;

	if (disk->major != MD_MAJOR && strncmp(disk->disk_name, "md_d", 4))
		return false;
	owner = disk->fops->owner;
	return disk->private_data && (!owner || !strcmp(module_name(owner), "md_mod"));
}

/**
 * r5s_disk_walk_next() - the next disk of md
 * @w: the walk
 *
 * Return: the disk, whose private_data is its struct mddev, referenced until the next call; NULL at
 * the end.
 */
struct gendisk *r5s_disk_walk_next(struct r5s_disk_walk *w)
{
	struct device *dev;

	if (!w->pinned)
		return NULL;
	while ((dev = class_dev_iter_next(&w->iter))) {
		struct gendisk *disk = dev_to_disk(dev);

		if (is_md(disk))
			return disk;
	}
	return NULL;
}

/**
 * r5s_disk_walk_end() - end a walk
 * @w: the walk; at any disk
 */
void r5s_disk_walk_end(struct r5s_disk_walk *w)
{
	class_dev_iter_exit(&w->iter);
	if (w->pinned)
		__symbol_put(PIN);
}

/**
 * r5s_disk_exists() - is there an md device of this name, of whatever level
 * @name: such as md0
 *
 * Context: process.
 */
bool r5s_disk_exists(const char *name)
{
	struct r5s_disk_walk w;
	struct gendisk *disk;

	r5s_disk_walk_begin(&w);
	while ((disk = r5s_disk_walk_next(&w)))
		if (!strcmp(disk->disk_name, name))
			break;
	r5s_disk_walk_end(&w);
	return disk;
}

/**
 * r5s_disk_lock() - lock an mddev, see if it runs a raid4/5/6 personality
 * @mddev: struct mddev, kept by a reference to its gendisk
 *
 * Return: its struct r5conf, live until r5s_disk_unlock(), or NULL; it is locked either way.
 */
void *r5s_disk_lock(void *mddev)
	__acquires(mddev)
{
	void *conf;
	int level;

	spin_lock((spinlock_t *)R5S_PTR(mddev, mddev, lock));
	conf = R5S_READ_POINTER(mddev, mddev, private);
	level = R5S_READ_INT(mddev, mddev, level);
	if (R5S_READ_POINTER(mddev, mddev, pers) && conf && level >= 4 && level <= 6 &&
	    R5S_READ_POINTER(conf, r5conf, mddev) == mddev)
		return conf;
	return NULL;
}

/**
 * r5s_disk_unlock() - undo r5s_disk_lock()
 * @mddev: struct mddev
 */
void r5s_disk_unlock(void *mddev)
	__releases(mddev)
{
	spin_unlock((spinlock_t *)R5S_PTR(mddev, mddev, lock));
}
