// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "source/exchange.h"

enum {
	DUMP_TRIES = 8,
	EVENT_BUFFER = 1 << 20
};

int r5s_netlink_errno(int rc)
{
	switch (-rc) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_INTR:
		return -EINTR;
	case NLE_OPNOTSUPP:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

int r5s_netlink_fail(struct r5s_netlink *nl, int err, const char *what)
{
	snprintf(nl->error, sizeof(nl->error), "%s: %s", what, strerror(-err));
	return err;
}

/* The attributes of an acknowledgement lie behind the request that it repeats, or its header only. */
static void take_extack(struct r5s_exchange *x, const struct nlmsghdr *h, const void *attrs)
{
	const char *end = (const char *)h + h->nlmsg_len;
	const struct nlattr *a;
	int rem, len = (int)(end - (const char *)attrs);

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || len <= 0)
		return;
	nla_for_each_attr(a, (const struct nlattr *)attrs, len, rem)
		if (nla_type(a) == NLMSGERR_ATTR_MSG)
			r5s_attr_text(a, x->nl->error, sizeof(x->nl->error));
}

static int on_error(struct sockaddr_nl *peer, struct nlmsgerr *e, void *arg)
{
	struct r5s_exchange *x = arg;
	const struct nlmsghdr *h = (const void *)((const char *)e - NLMSG_HDRLEN);
	size_t skip = sizeof(*e);

	(void)peer;
	if (!(h->nlmsg_flags & NLM_F_CAPPED) && e->msg.nlmsg_len > sizeof(e->msg))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len - sizeof(e->msg));
	x->err = e->error;
	x->done = true;
	if (NLMSG_HDRLEN + skip < h->nlmsg_len)
		take_extack(x, h, (const char *)e + skip);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct r5s_exchange *x = arg;

	(void)msg;
	x->done = true;
	return NL_STOP;
}

static int on_finish(struct nl_msg *msg, void *arg)
{
	struct r5s_exchange *x = arg;
	struct nlmsghdr *h = nlmsg_hdr(msg);
	int err;

	x->done = true;
	if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		x->interrupted = true;
	if (h->nlmsg_len >= NLMSG_HDRLEN + sizeof(err)) {
		memcpy(&err, nlmsg_data(h), sizeof(err));
		if (err < 0)
			x->err = err;
		take_extack(x, h, (const char *)nlmsg_data(h) + sizeof(err));
	}
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct r5s_exchange *x = arg;
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct genlmsghdr *g;
	int err;

	if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		x->interrupted = true;
	if (h->nlmsg_type != x->nl->family || !genlmsg_valid_hdr(h, 0))
		return NL_SKIP;
	g = genlmsg_hdr(h);
	if (x->take) {
		err = x->take((struct r5s_attrs){ genlmsg_attrdata(g, 0), genlmsg_attrlen(g, 0) },
			      x->out);
		if (err)
			x->err = err;
	}
	x->answered = true;
	return NL_OK;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct r5s_exchange *)arg)->interrupted = true;
	return NL_OK;
}

/* Events carry no sequence number. */
static int on_sequence(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

struct nl_cb *r5s_netlink_callbacks(struct r5s_exchange *x)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_CUSTOM);

	if (!cb)
		return NULL;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, x);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, x);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, x);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, x);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, x);
	return cb;
}

int r5s_netlink_exchange(struct r5s_exchange *x, struct nl_msg *msg, const char *what)
{
	struct r5s_netlink *nl = x->nl;
	struct nl_cb *cb = r5s_netlink_callbacks(x);
	int rc;

	nl->error[0] = '\0';
	if (!cb || !msg) {
		nlmsg_free(msg);
		nl_cb_put(cb);
		return r5s_netlink_fail(nl, -ENOMEM, what);
	}
	rc = nl_send_auto(nl->sock, msg);
	nlmsg_free(msg);
	while (rc >= 0 && !x->done) {
		rc = nl_recvmsgs(nl->sock, cb);
		if (rc == -NLE_INTR)
			rc = 0;
	}
	nl_cb_put(cb);
	if (rc < 0 && !x->done)
		return r5s_netlink_fail(nl, r5s_netlink_errno(rc), what);
	if (x->err && !nl->error[0])
		r5s_netlink_fail(nl, x->err, what);
	return x->err;
}

struct nl_msg *r5s_netlink_request(struct r5s_netlink *nl, int cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0, flags, (uint8_t)cmd,
				RAID5STAT_FAMILY_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

int r5s_netlink_open(struct r5s_netlink **out)
{
	struct r5s_netlink *nl = calloc(1, sizeof(*nl));
	int rc, one = 1;

	*out = nl;
	if (!nl)
		return -ENOMEM;
	nl->sock = nl_socket_alloc();
	if (!nl->sock)
		return r5s_netlink_fail(nl, -ENOMEM, "netlink");
	rc = genl_connect(nl->sock);
	if (rc < 0)
		return r5s_netlink_fail(nl, r5s_netlink_errno(rc), "netlink");
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	nl->family = genl_ctrl_resolve(nl->sock, RAID5STAT_FAMILY_NAME);
	if (nl->family == -NLE_OBJ_NOTFOUND || nl->family == -NLE_OPNOTSUPP) {
		snprintf(nl->error, sizeof(nl->error),
			 "the raid5stat module is not loaded: run `raid5stat load` as root");
		return -ENOENT;
	}
	if (nl->family < 0)
		return r5s_netlink_fail(nl, r5s_netlink_errno(nl->family), "netlink family raid5stat");
	nl_socket_enable_msg_peek(nl->sock);
	return 0;
}

void r5s_netlink_close(struct r5s_netlink *nl)
{
	if (!nl)
		return;
	if (nl->sock)
		nl_socket_free(nl->sock);
	free(nl);
}

const char *r5s_netlink_error(const struct r5s_netlink *nl)
{
	return nl ? nl->error : "no memory";
}

static int take_info(struct r5s_attrs attrs, void *out)
{
	r5s_snapshot_free_info(out);
	return r5s_snapshot_parse_info(attrs, out);
}

int r5s_netlink_info(struct r5s_netlink *nl, struct r5s_info *out)
{
	struct r5s_exchange x = { .nl = nl, .take = take_info, .out = out };
	int err;

	memset(out, 0, sizeof(*out));
	err = r5s_netlink_exchange(&x, r5s_netlink_request(nl, R5S_CMD_INFO, NLM_F_ACK), "info");
	if (err)
		r5s_snapshot_free_info(out);
	return err;
}

static int take_array(struct r5s_attrs attrs, void *out)
{
	return r5s_snapshot_parse(attrs, out);
}

static int take_arrays(struct r5s_attrs attrs, void *out)
{
	struct r5s_snapshots *s = out;
	struct r5s_snapshot *more = realloc(s->array, (s->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->array = more;
	return r5s_snapshot_parse(attrs, &s->array[s->n++]);
}

static int take_nodes(struct r5s_attrs attrs, void *out)
{
	struct r5s_nodes *s = out;
	struct r5s_node *more = realloc(s->node, (s->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->node = more;
	return r5s_snapshot_parse_node(attrs, &s->node[s->n++]);
}

/* A dump that something changed under way is asked for again. */
static int dump(struct r5s_netlink *nl, int cmd, int (*take)(struct r5s_attrs, void *), void *out,
		void (*drop)(void *out), const char *what)
{
	for (int i = 0; i < DUMP_TRIES; i++) {
		struct r5s_exchange x = { .nl = nl, .take = take, .out = out };
		int err = r5s_netlink_exchange(&x, r5s_netlink_request(nl, cmd, NLM_F_DUMP), what);

		if (!err && !x.interrupted)
			return 0;
		drop(out);
		if (err)
			return err;
	}
	return r5s_netlink_fail(nl, -EINTR, what);
}

static void drop_arrays(void *out)
{
	r5s_netlink_free_arrays(out);
}

static void drop_nodes(void *out)
{
	r5s_netlink_free_nodes(out);
}

int r5s_netlink_arrays(struct r5s_netlink *nl, struct r5s_snapshots *out)
{
	memset(out, 0, sizeof(*out));
	return dump(nl, R5S_CMD_ARRAY_GET, take_arrays, out, drop_arrays, "list of arrays");
}

int r5s_netlink_nodes(struct r5s_netlink *nl, struct r5s_nodes *out)
{
	memset(out, 0, sizeof(*out));
	return dump(nl, R5S_CMD_NODE_GET, take_nodes, out, drop_nodes, "list of nodes");
}

static int get(struct r5s_exchange *x, struct nl_msg *msg, const char *what)
{
	int err = r5s_netlink_exchange(x, msg, what);

	if (!err && !x->answered)
		err = r5s_netlink_fail(x->nl, -ENODATA, what);
	return err;
}

int r5s_netlink_array(struct r5s_netlink *nl, const char *name, struct r5s_snapshot *out)
{
	struct r5s_exchange x = { .nl = nl, .take = take_array, .out = out };
	struct nl_msg *msg = r5s_netlink_request(nl, R5S_CMD_ARRAY_GET, NLM_F_ACK);

	if (msg && nla_put_string(msg, R5S_A_ARRAY_NAME, name) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return get(&x, msg, "array");
}

static struct nl_msg *request_id(struct r5s_netlink *nl, int cmd, int attr, uint64_t id)
{
	struct nl_msg *msg = r5s_netlink_request(nl, cmd, NLM_F_ACK);

	if (msg && nla_put_u64(msg, attr, id) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

int r5s_netlink_array_id(struct r5s_netlink *nl, uint64_t id, struct r5s_snapshot *out)
{
	struct r5s_exchange x = { .nl = nl, .take = take_array, .out = out };

	return get(&x, request_id(nl, R5S_CMD_ARRAY_GET, R5S_A_ARRAY_ID, id), "array");
}

static int take_hist(struct r5s_attrs attrs, void *out)
{
	r5s_snapshot_free_hist(out);
	return r5s_snapshot_parse_hist(attrs, out);
}

int r5s_netlink_hist(struct r5s_netlink *nl, uint64_t id, uint32_t waiter, struct r5s_hist *out)
{
	struct r5s_exchange x = { .nl = nl, .take = take_hist, .out = out };
	struct nl_msg *msg = request_id(nl, R5S_CMD_HIST_GET, R5S_A_HIST_ID, id);

	memset(out, 0, sizeof(*out));
	if (msg && nla_put_u32(msg, R5S_A_HIST_WAITER, waiter) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return get(&x, msg, "wait histogram");
}

static int take_census(struct r5s_attrs attrs, void *out)
{
	r5s_snapshot_free_census(out);
	return r5s_snapshot_parse_census(attrs, out);
}

int r5s_netlink_census(struct r5s_netlink *nl, uint64_t id, struct r5s_census *out)
{
	struct r5s_exchange x = { .nl = nl, .take = take_census, .out = out };

	memset(out, 0, sizeof(*out));
	return get(&x, request_id(nl, R5S_CMD_CENSUS_GET, R5S_A_CENSUS_ID, id), "stripe census");
}

int r5s_netlink_explain(struct r5s_netlink *nl, int err, const char *what)
{
	if (err == -EPERM)
		snprintf(nl->error, sizeof(nl->error),
			 "%s needs CAP_NET_ADMIN: run it as root", what);
	return err;
}

int r5s_netlink_hold(struct r5s_netlink *nl, uint32_t level)
{
	struct r5s_exchange x = { .nl = nl };
	struct nl_msg *msg = r5s_netlink_request(nl, R5S_CMD_SAMPLER_START, NLM_F_ACK);

	if (msg && nla_put_u32(msg, R5S_A_SAMPLER_LEVEL, level) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return r5s_netlink_explain(nl, r5s_netlink_exchange(&x, msg, "asking for a level"), "asking for a level");
}

int r5s_netlink_release(struct r5s_netlink *nl)
{
	struct r5s_exchange x = { .nl = nl };

	return r5s_netlink_explain(nl, r5s_netlink_exchange(&x, r5s_netlink_request(nl, R5S_CMD_SAMPLER_STOP, NLM_F_ACK),
					 "giving up a level"), "giving up a level");
}

void r5s_netlink_free_arrays(struct r5s_snapshots *s)
{
	free(s->array);
	s->array = NULL;
	s->n = 0;
}

void r5s_netlink_free_nodes(struct r5s_nodes *n)
{
	free(n->node);
	n->node = NULL;
	n->n = 0;
}

int r5s_netlink_join(struct r5s_netlink *nl)
{
	int rc = genl_ctrl_resolve_grp(nl->sock, RAID5STAT_FAMILY_NAME, RAID5STAT_MCGRP_EVENT);

	if (rc < 0)
		return r5s_netlink_fail(nl, r5s_netlink_errno(rc), "events");
	rc = nl_socket_add_membership(nl->sock, rc);
	if (rc < 0)
		return r5s_netlink_explain(nl, r5s_netlink_fail(nl, r5s_netlink_errno(rc), "events"), "listening to events");
	nl_socket_set_buffer_size(nl->sock, EVENT_BUFFER, 0);
	rc = nl_socket_set_nonblocking(nl->sock);
	return rc < 0 ? r5s_netlink_fail(nl, r5s_netlink_errno(rc), "events") : 0;
}

int r5s_netlink_fd(const struct r5s_netlink *nl)
{
	return nl_socket_get_fd(nl->sock);
}

struct listener {
	void (*fn)(const struct r5s_event *e, void *arg);
	void *arg;
};

static int take_event(struct r5s_attrs attrs, void *out)
{
	struct listener *l = out;
	struct r5s_event e;

	r5s_snapshot_parse_event(attrs, &e);
	l->fn(&e, l->arg);
	return 0;
}

int r5s_netlink_events(struct r5s_netlink *nl, void (*fn)(const struct r5s_event *e, void *arg),
		       void *arg)
{
	struct listener l = { fn, arg };
	struct r5s_exchange x = { .nl = nl, .take = take_event, .out = &l };
	struct nl_cb *cb = r5s_netlink_callbacks(&x);
	int rc, err = 0;

	if (!cb)
		return r5s_netlink_fail(nl, -ENOMEM, "events");
	do {
		errno = 0;
		rc = nl_recvmsgs(nl->sock, cb);
		if (rc < 0 && errno == ENOBUFS) {
			/* The kernel dropped some; what is queued behind them still comes. */
			err = -ENOBUFS;
			rc = 0;
		}
	} while (rc >= 0);
	nl_cb_put(cb);
	return rc == -NLE_AGAIN || rc == -NLE_INTR ? err : r5s_netlink_fail(nl, r5s_netlink_errno(rc), "events");
}
