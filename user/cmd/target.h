/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which array a run watches, and which mount its workload writes to.
 */
#ifndef R5S_CMD_TARGET_H
#define R5S_CMD_TARGET_H

#include <stdbool.h>

#include "source/mount.h"
#include "source/netlink.h"

/**
 * struct r5s_target - what is watched
 * @name: of the array
 * @id: its id in the module, 0 when the module does not see it
 * @has_mount: @mount is known
 * @mount: that the workload's directory lies on
 */
struct r5s_target {
	char name[R5S_SNAPSHOT_NAME];
	uint64_t id;
	bool has_mount;
	struct r5s_mount mount;
};

/**
 * r5s_target_find - the array that was named, else the one below @dir, else the only one
 * @t: result, to be given to r5s_target_free() in every case
 * @nl: connection; NULL: sysfs has to do
 * @name: as the user gave it, or NULL
 * @dir: of the workload, or NULL
 *
 * Says why when there is none.
 *
 * Return: an exit status.
 */
int r5s_target_find(struct r5s_target *t, struct r5s_netlink *nl, const char *name,
		    const char *dir);

void r5s_target_free(struct r5s_target *t);

#endif
