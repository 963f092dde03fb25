// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "array.h"
#include "debugfs.h"
#include "event.h"
#include "netlink.h"
#include "node.h"
#include "probe.h"
#include "sampler.h"
#include "version.h"

static int __init raid5stat_init(void)
{
	int err;

	err = r5s_array_init();
	if (err)
		goto err_array;
	err = r5s_node_init();
	if (err)
		goto err_node;
	err = r5s_probe_init();
	if (err)
		goto err_probe;
	err = r5s_sampler_init();
	if (err)
		goto err_sampler;
	err = r5s_netlink_init();
	if (err)
		goto err_netlink;
	r5s_debugfs_init();
	return 0;

err_netlink:
	r5s_sampler_exit();
err_sampler:
	r5s_probe_exit();
err_probe:
	r5s_node_exit();
err_node:
	r5s_array_exit();
err_array:
	r5s_event_exit();
	return err;
}

static void __exit raid5stat_exit(void)
{
	r5s_debugfs_exit();
	r5s_netlink_exit();
	r5s_sampler_exit();
	r5s_probe_exit();
	r5s_node_exit();
	r5s_array_exit();
	r5s_event_exit();
}

module_init(raid5stat_init);
module_exit(raid5stat_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(R5S_VERSION);
MODULE_DESCRIPTION("Stripe cache, writeback and reclaim of md RAID4/5/6 arrays");
