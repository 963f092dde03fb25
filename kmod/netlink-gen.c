// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/raid5stat.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink-gen.h"

#include <uapi/linux/raid5stat.h>

/* R5S_CMD_ARRAY_GET - do */
static const struct nla_policy raid5stat_array_get_nl_policy[R5S_A_ARRAY_NAME + 1] = {
	[R5S_A_ARRAY_ID] = { .type = NLA_U64, },
	[R5S_A_ARRAY_NAME] = { .type = NLA_NUL_STRING, },
};

/* R5S_CMD_HIST_GET - do */
static const struct nla_policy raid5stat_hist_get_nl_policy[R5S_A_HIST_WAITER + 1] = {
	[R5S_A_HIST_ID] = { .type = NLA_U64, },
	[R5S_A_HIST_NAME] = { .type = NLA_NUL_STRING, },
	[R5S_A_HIST_WAITER] = NLA_POLICY_MAX(NLA_U32, 2),
};

/* R5S_CMD_CENSUS_GET - do */
static const struct nla_policy raid5stat_census_get_nl_policy[R5S_A_CENSUS_NAME + 1] = {
	[R5S_A_CENSUS_ID] = { .type = NLA_U64, },
	[R5S_A_CENSUS_NAME] = { .type = NLA_NUL_STRING, },
};

/* R5S_CMD_SAMPLER_START - do */
static const struct nla_policy raid5stat_sampler_start_nl_policy[R5S_A_SAMPLER_NAME + 1] = {
	[R5S_A_SAMPLER_LEVEL] = NLA_POLICY_MAX(NLA_U32, 3),
	[R5S_A_SAMPLER_PERIOD_NS] = { .type = NLA_U64, },
	[R5S_A_SAMPLER_ID] = { .type = NLA_U64, },
	[R5S_A_SAMPLER_NAME] = { .type = NLA_STRING, },
};

/* Ops table for raid5stat */
static const struct genl_split_ops raid5stat_nl_ops[] = {
	{
		.cmd	= R5S_CMD_INFO,
		.doit	= raid5stat_nl_info_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= R5S_CMD_ARRAY_GET,
		.doit		= raid5stat_nl_array_get_doit,
		.policy		= raid5stat_array_get_nl_policy,
		.maxattr	= R5S_A_ARRAY_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= R5S_CMD_ARRAY_GET,
		.dumpit	= raid5stat_nl_array_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= R5S_CMD_NODE_GET,
		.dumpit	= raid5stat_nl_node_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= R5S_CMD_HIST_GET,
		.doit		= raid5stat_nl_hist_get_doit,
		.policy		= raid5stat_hist_get_nl_policy,
		.maxattr	= R5S_A_HIST_WAITER,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= R5S_CMD_CENSUS_GET,
		.doit		= raid5stat_nl_census_get_doit,
		.policy		= raid5stat_census_get_nl_policy,
		.maxattr	= R5S_A_CENSUS_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= R5S_CMD_SAMPLER_START,
		.doit		= raid5stat_nl_sampler_start_doit,
		.policy		= raid5stat_sampler_start_nl_policy,
		.maxattr	= R5S_A_SAMPLER_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= R5S_CMD_SAMPLER_STOP,
		.doit	= raid5stat_nl_sampler_stop_doit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group raid5stat_nl_mcgrps[] = {
	[RAID5STAT_NLGRP_EVENT] = { "event", },
};

struct genl_family raid5stat_nl_family __ro_after_init = {
	.name		= RAID5STAT_FAMILY_NAME,
	.version	= RAID5STAT_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= raid5stat_nl_ops,
	.n_split_ops	= ARRAY_SIZE(raid5stat_nl_ops),
	.mcgrps		= raid5stat_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(raid5stat_nl_mcgrps),
};
