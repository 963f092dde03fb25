/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_DISK_H
#define R5S_DISK_H

#include <linux/device/class.h>
#include <linux/types.h>

struct gendisk;

/* A walk over the gendisks of md; md_mod stays loaded from begin to end. */
struct r5s_disk_walk {
	struct class_dev_iter iter;
	bool pinned;
};

int r5s_disk_init(void);
void r5s_disk_walk_begin(struct r5s_disk_walk *w);
struct gendisk *r5s_disk_walk_next(struct r5s_disk_walk *w);
void r5s_disk_walk_end(struct r5s_disk_walk *w);
bool r5s_disk_exists(const char *name);
void *r5s_disk_lock(void *mddev);
void r5s_disk_unlock(void *mddev);

#endif /* R5S_DISK_H */
