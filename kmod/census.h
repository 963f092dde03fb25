/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_CENSUS_H
#define R5S_CENSUS_H

#include <linux/types.h>

enum r5s_census_lists {
	R5S_CENSUS_HANDLE,
	R5S_CENSUS_LOPRIO,
	R5S_CENSUS_HOLD,
	R5S_CENSUS_DELAYED,
	R5S_CENSUS_BITMAP,
	R5S_CENSUS_LISTS
};

/**
 * struct r5s_census_list - a list of stripes
 * @known: this kernel has it
 * @stripes: how long it is
 * @sector: of the stripe that has been on it longest, if there is one
 * @state: state bits of that stripe
 */
struct r5s_census_list {
	bool known;
	u64 stripes;
	u64 sector;
	u64 state;
};

/**
 * struct r5s_census - the stripes of an array, counted
 * @hashed: stripes seen in the hash table
 * @in_use: of these, stripes that somebody holds
 * @flag: by bit number in stripe_head.state
 */
struct r5s_census {
	u64 id;
	char name[32];
	u64 hashed;
	u64 in_use;
	u64 flag[BITS_PER_LONG];
	struct r5s_census_list list[R5S_CENSUS_LISTS];
};

int r5s_census_take(u64 id, struct r5s_census *c);
const char *r5s_census_flag_name(unsigned int i, unsigned int *bit);
const char *r5s_census_list_name(enum r5s_census_lists list);

#endif /* R5S_CENSUS_H */
