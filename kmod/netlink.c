// SPDX-License-Identifier: GPL-2.0
/* The commands of the netlink family. */
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "array.h"
#include "census.h"
#include "compat.h"
#include "disk.h"
#include "event.h"
#include "netlink-gen.h"
#include "netlink-put.h"
#include "netlink.h"
#include "node.h"
#include "probe.h"
#include "sampler.h"
#include "stream.h"

#define REPLY_MIN 4096
#define REPLY_MAX 65536

/* Joining the group needs CAP_NET_ADMIN, which the spec cannot say. */
static const struct genl_multicast_group groups[] = {
	[RAID5STAT_NLGRP_EVENT] = {
		.name = RAID5STAT_MCGRP_EVENT,
		.flags = GENL_MCAST_CAP_NET_ADMIN,
	},
};

/* What a reply is made of, and how. */
typedef int (*fill_fn)(struct sk_buff *skb, int waiter, const void *what);

/* A reply that is as long as it takes. */
static int reply(struct genl_info *info, u8 cmd, fill_fn fill, int waiter, const void *what)
{
	size_t size;
	int err = -EMSGSIZE;

	for (size = REPLY_MIN; err == -EMSGSIZE && size <= REPLY_MAX; size *= 2) {
		struct sk_buff *skb = genlmsg_new(size - NLMSG_HDRLEN - GENL_HDRLEN, GFP_KERNEL);
		void *hdr;

		if (!skb)
			return -ENOMEM;
		hdr = genlmsg_put_reply(skb, info, &raid5stat_nl_family, 0, cmd);
		err = hdr ? fill(skb, waiter, what) : -EMSGSIZE;
		if (!err) {
			genlmsg_end(skb, hdr);
			return genlmsg_reply(skb, info);
		}
		nlmsg_free(skb);
	}
	if (err == -EMSGSIZE)
		GENL_SET_ERR_MSG(info, "more than 64 KiB to tell: please report this as a bug");
	return err;
}

static int refuse_array(struct genl_info *info, const struct nlattr *name, const char *text)
{
	if (!r5s_probe_raid456_live())
		GENL_SET_ERR_MSG(info, "raid456 is not loaded: run mdadm --assemble");
	else if (r5s_layout_mode() == R5S_LAYOUT_NONE)
		GENL_SET_ERR_MSG(info, "this kernel's md is unknown: see layout-reason in info");
	else if (text && r5s_disk_exists(text))
		GENL_SET_ERR_MSG(info, "no running array of level 4, 5 or 6: see /proc/mdstat");
	else
		GENL_SET_ERR_MSG(info, "no raid4/5/6 array has this name or id: dump array-get");
	NL_SET_BAD_ATTR(info->extack, name);
	return -ENODEV;
}

static int refuse(struct genl_info *info, int name_attr)
{
	const struct nlattr *name = info->attrs[name_attr];

	return refuse_array(info, name, name ? nla_data(name) : NULL);
}

/* The array that a request is about, named by exactly one of its id and its name. */
static int which(struct genl_info *info, int id_attr, int name_attr, u64 *id)
{
	const struct nlattr *by_id = info->attrs[id_attr];
	const struct nlattr *by_name = info->attrs[name_attr];

	if (!by_id == !by_name) {
		GENL_SET_ERR_MSG(info, "name one array: give either its id or its name");
		return -EINVAL;
	}
	r5s_array_scan();
	*id = by_id ? nla_get_u64(by_id) : r5s_array_by_name(nla_data(by_name));
	return *id ? 0 : refuse(info, name_attr);
}

static int fill_info(struct sk_buff *skb, int waiter, const void *what)
{
	return r5s_put_info(skb);
}

/**
 * raid5stat_nl_info_doit() - what the module is and which probes work
 * @skb: request
 * @info: request
 *
 * Return: 0 or a negative error number.
 */
int raid5stat_nl_info_doit(struct sk_buff *skb, struct genl_info *info)
{
	return reply(info, R5S_CMD_INFO, fill_info, -1, NULL);
}

static int fill_array(struct sk_buff *skb, int waiter, const void *what)
{
	return r5s_put_array(skb, what);
}

/**
 * raid5stat_nl_array_get_doit() - a snapshot of one array
 * @skb: request
 * @info: request; id or name
 *
 * Return: 0, -EINVAL, -ENODEV, or -ENOMEM.
 */
int raid5stat_nl_array_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct r5s_snapshot *s;
	u64 id;
	int err = which(info, R5S_A_ARRAY_ID, R5S_A_ARRAY_NAME, &id);

	if (err)
		return err;
	s = kmalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	err = r5s_array_snapshot(id, s);
	if (err)
		err = refuse(info, R5S_A_ARRAY_NAME);
	else
		err = reply(info, R5S_CMD_ARRAY_GET, fill_array, -1, s);
	kfree(s);
	return err;
}

/**
 * raid5stat_nl_array_get_dumpit() - snapshots of all arrays
 * @skb: message
 * @cb: args[0] is the last id that was put, args[1] tells that the dump has begun
 *
 * Return: bytes put, 0 at the end, or a negative error number.
 */
int raid5stat_nl_array_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct r5s_snapshot *s = kmalloc(sizeof(*s), GFP_KERNEL);
	void *hdr;
	u64 id;

	if (!s)
		return -ENOMEM;
	if (!cb->args[1])
		r5s_array_scan();
	cb->args[1] = 1;
	while ((id = r5s_array_next(cb->args[0]))) {
		if (!r5s_array_snapshot(id, s)) {
			hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
					  &raid5stat_nl_family, NLM_F_MULTI, R5S_CMD_ARRAY_GET);
			if (!hdr)
				break;
			if (r5s_put_array(skb, s)) {
				genlmsg_cancel(skb, hdr);
				break;
			}
			genlmsg_end(skb, hdr);
		}
		cb->args[0] = id;
	}
	kfree(s);
	return skb->len;
}

/**
 * raid5stat_nl_node_get_dumpit() - writeback and reclaim of every NUMA node
 * @skb: message
 * @cb: args[0] is the next node
 *
 * Return: bytes put, 0 at the end, or a negative error number.
 */
int raid5stat_nl_node_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct r5s_node_snapshot s;
	void *hdr;
	int nid;

	for (nid = cb->args[0]; nid < MAX_NUMNODES; nid++) {
		if (!node_online(nid))
			continue;
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				  &raid5stat_nl_family, NLM_F_MULTI, R5S_CMD_NODE_GET);
		if (!hdr)
			break;
		r5s_node_snapshot(nid, &s);
		if (r5s_put_node(skb, nid, &s)) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	cb->args[0] = nid;
	return skb->len;
}

static int fill_hist(struct sk_buff *skb, int waiter, const void *what)
{
	return r5s_put_hist(skb, waiter, what);
}

/**
 * raid5stat_nl_hist_get_doit() - histogram of the waits for a stripe
 * @skb: request
 * @info: request; id or name, and waiter, without which all waits are in it
 *
 * Return: 0, -EINVAL, -ENODEV, -ENOMEM, or -ENODATA while waits are not timed.
 */
int raid5stat_nl_hist_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[R5S_A_HIST_WAITER];
	int waiter = attr ? nla_get_u32(attr) : -1;
	struct r5s_hist *h;
	u64 id;
	int err = which(info, R5S_A_HIST_ID, R5S_A_HIST_NAME, &id);

	if (err)
		return err;
	h = kmalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	err = r5s_array_hist(id, waiter, h);
	if (err == -ENODEV)
		err = refuse(info, R5S_A_HIST_NAME);
	else if (err)
		GENL_SET_ERR_MSG(info, "waits are not timed: sampler-start with level latency");
	else
		err = reply(info, R5S_CMD_HIST_GET, fill_hist, waiter, h);
	kfree(h);
	return err;
}

static int fill_census(struct sk_buff *skb, int waiter, const void *what)
{
	return r5s_put_census(skb, what);
}

/**
 * raid5stat_nl_census_get_doit() - count the stripes of an array
 * @skb: request
 * @info: request; id or name
 *
 * Return: 0, -EINVAL, -ENODEV, -ENOMEM, or -EOPNOTSUPP under dm-raid.
 */
int raid5stat_nl_census_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct r5s_census *c;
	u64 id;
	int err = which(info, R5S_A_CENSUS_ID, R5S_A_CENSUS_NAME, &id);

	if (err)
		return err;
	c = kmalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	err = r5s_census_take(id, c);
	if (err == -ENODEV)
		err = refuse(info, R5S_A_CENSUS_NAME);
	else if (err)
		GENL_SET_ERR_MSG(info, "no census of a dm-raid array: array-get can show it");
	else
		err = reply(info, R5S_CMD_CENSUS_GET, fill_census, -1, c);
	kfree(c);
	return err;
}

/* One of the arrays to be sampled. */
static int choose(struct genl_info *info, const struct nlattr *attr, struct r5s_choice *c)
{
	char *name = c->name[c->names];

	if (nla_type(attr) == R5S_A_SAMPLER_ID) {
		c->id[c->ids] = nla_get_u64(attr);
		if (r5s_array_name(c->id[c->ids++], name, sizeof(c->name[0])))
			return refuse_array(info, attr, NULL);
	} else if (nla_type(attr) == R5S_A_SAMPLER_NAME) {
		if (nla_strscpy(name, attr, sizeof(c->name[0])) < 0 || !r5s_array_by_name(name))
			return refuse_array(info, attr, name);
		c->names++;
	}
	return 0;
}

static int choose_all(struct genl_info *info, struct r5s_choice *c)
{
	const struct nlattr *attr;
	int rem, err;

	r5s_array_scan();
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (c->ids == R5S_CHOICE_MAX || c->names == R5S_CHOICE_MAX) {
			GENL_SET_ERR_MSG(info, "that many arrays at once: name none to get all");
			return -E2BIG;
		}
		err = choose(info, attr, c);
		if (err)
			return err;
	}
	return 0;
}

static int start(struct genl_info *info, u32 level, u64 period_ns, const struct r5s_choice *c)
{
	int err = r5s_sampler_start(genl_info_net(info), info->snd_portid, level, period_ns, c);

	if (err == -EUSERS)
		GENL_SET_ERR_MSG(info, "32 readers have subscribed already: stop one of them");
	return err;
}

/**
 * raid5stat_nl_sampler_start_doit() - ask for a level, and for samples, on behalf of a socket
 * @skb: request
 * @info: request; level, and for samples period-ns and perhaps ids and names
 *
 * Return: 0, -EINVAL, -ERANGE, -ENODEV, -E2BIG, -EUSERS, -EINTR, or -ENOMEM.
 */
int raid5stat_nl_sampler_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *level = info->attrs[R5S_A_SAMPLER_LEVEL];
	const struct nlattr *period = info->attrs[R5S_A_SAMPLER_PERIOD_NS];
	struct r5s_choice *c;
	int err;

	if (!level) {
		GENL_SET_ERR_MSG(info, "give level, from 0 (off) to 3 (latency)");
		return -EINVAL;
	}
	if (!period)
		return start(info, nla_get_u32(level), 0, NULL);
	if (nla_get_u64(period) < R5S_STREAM_MIN_NS || nla_get_u64(period) > R5S_STREAM_MAX_NS) {
		GENL_SET_ERR_MSG(info, "period-ns is from 1000000 (1 ms) to 60000000000 (60 s)");
		NL_SET_BAD_ATTR(info->extack, period);
		return -ERANGE;
	}
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	err = choose_all(info, c);
	if (!err)
		err = start(info, nla_get_u32(level), nla_get_u64(period), c);
	kfree(c);
	return err;
}

/**
 * raid5stat_nl_sampler_stop_doit() - give up the level that a socket asked for
 * @skb: request
 * @info: request
 *
 * Return: 0, or -ENOENT if it asked for none.
 */
int raid5stat_nl_sampler_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err = r5s_sampler_stop(genl_info_net(info), info->snd_portid);

	if (err)
		GENL_SET_ERR_MSG(info, "this socket has asked for nothing: close the one that has");
	return err;
}

/**
 * r5s_netlink_init() - register the family, in the initial network namespace only
 *
 * Return: 0 or a negative error number.
 */
int r5s_netlink_init(void)
{
	int err;

	raid5stat_nl_family.netnsok = false;
	raid5stat_nl_family.mcgrps = groups;
	raid5stat_nl_family.n_mcgrps = ARRAY_SIZE(groups);
	err = r5s_genl_register(&raid5stat_nl_family);
	if (!err)
		r5s_event_open();
	return err;
}

/**
 * r5s_netlink_exit() - unregister it; waits for handlers and dumps
 */
void r5s_netlink_exit(void)
{
	r5s_event_close();
	genl_unregister_family(&raid5stat_nl_family);
}

MODULE_ALIAS_GENL_FAMILY(RAID5STAT_FAMILY_NAME);
