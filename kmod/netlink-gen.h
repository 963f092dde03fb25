/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/raid5stat.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_RAID5STAT_GEN_H
#define _LINUX_RAID5STAT_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/raid5stat.h>

int raid5stat_nl_info_doit(struct sk_buff *skb, struct genl_info *info);
int raid5stat_nl_array_get_doit(struct sk_buff *skb, struct genl_info *info);
int raid5stat_nl_array_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int raid5stat_nl_node_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int raid5stat_nl_hist_get_doit(struct sk_buff *skb, struct genl_info *info);
int raid5stat_nl_census_get_doit(struct sk_buff *skb, struct genl_info *info);
int raid5stat_nl_sampler_start_doit(struct sk_buff *skb,
				    struct genl_info *info);
int raid5stat_nl_sampler_stop_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	RAID5STAT_NLGRP_EVENT,
};

extern struct genl_family raid5stat_nl_family;

#endif /* _LINUX_RAID5STAT_GEN_H */
