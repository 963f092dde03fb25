/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_SAMPLER_H
#define R5S_SAMPLER_H

#include <linux/types.h>
#include <uapi/linux/raid5stat.h>

struct net;
struct r5s_choice;

/* Each socket may ask for a level; the highest one, but at least the floor, is in force. */
int r5s_sampler_init(void);
void r5s_sampler_exit(void);
int r5s_sampler_start(struct net *net, u32 portid, enum raid5stat_level level, u64 period_ns,
		      const struct r5s_choice *choice);
int r5s_sampler_stop(struct net *net, u32 portid);
enum raid5stat_level r5s_sampler_floor(void);
const char *r5s_sampler_level_name(enum raid5stat_level level);

#endif /* R5S_SAMPLER_H */
