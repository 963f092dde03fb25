/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connection to the module's generic netlink family.
 */
#ifndef R5S_SOURCE_NETLINK_H
#define R5S_SOURCE_NETLINK_H

#include <stdint.h>

#include "source/snapshot.h"

struct r5s_netlink;

/*
 * Every int function returns 0 or a negative errno (-ENOENT no such family or array, -EPERM not
 * allowed, -EINTR a dump that kept changing, ...); r5s_netlink_error() then says it in words, the
 * kernel's own where it sent some. A handle belongs to one thread.
 */

/**
 * r5s_netlink_open - connect
 * @out: handle, also on failure so that r5s_netlink_error() can be asked; NULL without memory
 *
 * Return: 0; -ENOENT when the module is not loaded.
 */
int r5s_netlink_open(struct r5s_netlink **out);

/** r5s_netlink_close - a level held by this handle is given up; @nl may be NULL */
void r5s_netlink_close(struct r5s_netlink *nl);

/** r5s_netlink_error - the last failure in words, never NULL */
const char *r5s_netlink_error(const struct r5s_netlink *nl);

int r5s_netlink_info(struct r5s_netlink *nl, struct r5s_info *out);
int r5s_netlink_arrays(struct r5s_netlink *nl, struct r5s_snapshots *out);
int r5s_netlink_array(struct r5s_netlink *nl, const char *name, struct r5s_snapshot *out);
int r5s_netlink_array_id(struct r5s_netlink *nl, uint64_t id, struct r5s_snapshot *out);
int r5s_netlink_nodes(struct r5s_netlink *nl, struct r5s_nodes *out);
int r5s_netlink_hist(struct r5s_netlink *nl, uint64_t id, uint32_t waiter, struct r5s_hist *out);
int r5s_netlink_census(struct r5s_netlink *nl, uint64_t id, struct r5s_census *out);

/**
 * r5s_netlink_hold - ask for a level, held until released or closed
 * @nl: handle
 * @level: enum raid5stat_level
 */
int r5s_netlink_hold(struct r5s_netlink *nl, uint32_t level);
int r5s_netlink_release(struct r5s_netlink *nl);

void r5s_netlink_free_arrays(struct r5s_snapshots *s);
void r5s_netlink_free_nodes(struct r5s_nodes *n);

/**
 * r5s_netlink_join - receive events on this handle, which then serves for nothing else
 * @nl: handle
 *
 * Return: 0; -EPERM without CAP_NET_ADMIN.
 */
int r5s_netlink_join(struct r5s_netlink *nl);

/** r5s_netlink_fd - to be polled for reading after r5s_netlink_join() */
int r5s_netlink_fd(const struct r5s_netlink *nl);

/**
 * r5s_netlink_events - take what has arrived, without waiting
 * @nl: handle that has joined
 * @fn: called for each event
 * @arg: its argument
 *
 * Return: 0; -ENOBUFS when events were lost since they were not taken fast enough.
 */
int r5s_netlink_events(struct r5s_netlink *nl, void (*fn)(const struct r5s_event *e, void *arg),
		       void *arg);

#endif
