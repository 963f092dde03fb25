/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to the module's family and their answers, for the files that speak to it.
 */
#ifndef R5S_SOURCE_EXCHANGE_H
#define R5S_SOURCE_EXCHANGE_H

#include <stdbool.h>

#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "source/attr.h"

struct r5s_netlink {
	struct nl_sock *sock;
	int family;
	char error[512];
};

/**
 * struct r5s_exchange - one request and what becomes of it
 * @take: called for each message of the family; a negative errno becomes @err
 * @out: its second argument
 * @err: what the answer said
 */
struct r5s_exchange {
	struct r5s_netlink *nl;
	int (*take)(struct r5s_attrs attrs, void *out);
	void *out;
	int err;
	bool done;
	bool interrupted;
	bool answered;
};

/** r5s_netlink_request - a message to the family; NULL without memory */
struct nl_msg *r5s_netlink_request(struct r5s_netlink *nl, int cmd, int flags);

/**
 * r5s_netlink_exchange - send a request and wait for its acknowledgement or the dump's end
 * @x: the exchange
 * @msg: taken over; NULL fails for memory
 * @what: begins the text of an error
 */
int r5s_netlink_exchange(struct r5s_exchange *x, struct nl_msg *msg, const char *what);

/** r5s_netlink_callbacks - for receiving without a request; NULL without memory */
struct nl_cb *r5s_netlink_callbacks(struct r5s_exchange *x);

/** r5s_netlink_fail - note an error in words; gives @err back */
int r5s_netlink_fail(struct r5s_netlink *nl, int err, const char *what);

/** r5s_netlink_errno - the negative errno of an error of libnl */
int r5s_netlink_errno(int rc);

/** r5s_netlink_explain - say what is needed where @err is -EPERM; gives @err back */
int r5s_netlink_explain(struct r5s_netlink *nl, int err, const char *what);

#endif
