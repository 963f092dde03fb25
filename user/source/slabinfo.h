/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many objects a slab cache holds.
 */
#ifndef R5S_SOURCE_SLABINFO_H
#define R5S_SOURCE_SLABINFO_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct r5s_slabinfo - one cache
 * @active: objects in use; those in a CPU's own slabs all count as used
 * @total: objects that the slabs have room for
 * @size: bytes an object
 * @per_slab: objects a slab
 */
struct r5s_slabinfo {
	uint64_t active;
	uint64_t total;
	uint64_t size;
	uint64_t per_slab;
};

/**
 * r5s_slabinfo_find - one cache
 * @f: as /proc/slabinfo; its columns are found by the names in its header
 * @name: e.g. "raid5-md0"
 * @out: result
 *
 * Return: 0; -ENOENT when it is not there; -EPROTO when the header is of another kind.
 */
int r5s_slabinfo_find(FILE *f, const char *name, struct r5s_slabinfo *out);

#endif
