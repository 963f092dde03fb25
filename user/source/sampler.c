// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/sampler.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/netlink.h>

#include "source/exchange.h"
#include "source/netlink.h"

enum {
	RECEIVE_BUFFER = 4 << 20,
	FIRST_ROOM = 16
};

struct r5s_sampler {
	struct r5s_netlink *nl;
	struct r5s_samples early;	/* arrived while an answer was waited for */
};

static struct r5s_sample *add(struct r5s_samples *s)
{
	struct r5s_sample *more;
	size_t room = s->room ? s->room * 2 : FIRST_ROOM;

	if (s->n == s->room) {
		more = realloc(s->sample, room * sizeof(*more));
		if (!more)
			return NULL;
		s->sample = more;
		s->room = room;
	}
	return memset(&s->sample[s->n++], 0, sizeof(*s->sample));
}

static int parse_sample(struct r5s_attrs attrs, struct r5s_samples *out)
{
	struct r5s_sample *sample = add(out);
	const struct nlattr *a;
	int rem, err = 0;

	if (!sample)
		return -ENOMEM;
	r5s_attr_each(a, attrs, rem) {
		switch (nla_type(a)) {
		case R5S_A_SAMPLE_TICK:
			r5s_attr_u64(a, &sample->tick);
			break;
		case R5S_A_SAMPLE_MONO_NS:
			r5s_attr_u64(a, &sample->mono_ns);
			break;
		case R5S_A_SAMPLE_LOST:
			r5s_attr_u64(a, &out->lost);
			break;
		case R5S_A_SAMPLE_ARRAY:
			sample->has_array = true;
			err = r5s_snapshot_parse(r5s_attr_nest(a), &sample->array);
			break;
		}
	}
	return err;
}

static int take_batch(struct r5s_attrs attrs, void *samples)
{
	struct r5s_samples *out = samples;
	const struct nlattr *a;
	int rem, err = 0;

	r5s_attr_each(a, attrs, rem) {
		switch (nla_type(a)) {
		case R5S_A_BATCH_START_NS:
			r5s_attr_u64(a, &out->start_ns);
			break;
		case R5S_A_BATCH_PERIOD_NS:
			r5s_attr_u64(a, &out->period_ns);
			break;
		case R5S_A_BATCH_LOST:
			r5s_attr_u64(a, &out->lost);
			break;
		case R5S_A_BATCH_SAMPLE:
			if (!err)
				err = parse_sample(r5s_attr_nest(a), out);
			break;
		case R5S_A_BATCH_END:
			out->ended = true;
			break;
		}
	}
	return err;
}

/* The module keeps what the socket has no room for, so an overrun is no loss and no error. */
static void make_room(struct r5s_netlink *nl)
{
	int fd = nl_socket_get_fd(nl->sock), bytes = RECEIVE_BUFFER, on = 1;

	setsockopt(fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof(on));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int put_request(struct nl_msg *msg, uint32_t level, uint64_t period_ns,
		       const char *const *name, size_t n)
{
	int err = nla_put_u32(msg, R5S_A_SAMPLER_LEVEL, level);

	if (!err)
		err = nla_put_u64(msg, R5S_A_SAMPLER_PERIOD_NS, period_ns);
	for (size_t i = 0; i < n && !err; i++)
		err = nla_put_string(msg, R5S_A_SAMPLER_NAME, name[i]);
	return err;
}

int r5s_sampler_open(struct r5s_sampler **out, uint32_t level, uint64_t period_ns,
		     const char *const *name, size_t n)
{
	struct r5s_sampler *s = calloc(1, sizeof(*s));
	struct r5s_exchange x = { .take = take_batch };
	struct nl_msg *msg;
	int err;

	*out = s;
	if (!s)
		return -ENOMEM;
	err = r5s_netlink_open(&s->nl);
	if (err)
		return err;
	make_room(s->nl);
	x.nl = s->nl;
	x.out = &s->early;
	msg = r5s_netlink_request(s->nl, R5S_CMD_SAMPLER_START, NLM_F_ACK);
	if (msg && put_request(msg, level, period_ns, name, n)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return r5s_netlink_explain(s->nl, r5s_netlink_exchange(&x, msg, "sampling"), "sampling");
}

static void take_early(struct r5s_samples *early, struct r5s_samples *out)
{
	free(out->sample);
	*out = *early;
	memset(early, 0, sizeof(*early));
}

int r5s_sampler_next(struct r5s_sampler *s, struct r5s_samples *out, int timeout_ms)
{
	struct pollfd p = { .fd = r5s_sampler_fd(s), .events = POLLIN };
	struct r5s_exchange x = { .nl = s->nl, .take = take_batch, .out = out };
	struct nl_cb *cb;
	int rc = 0;

	out->n = 0;
	if (s->early.n || s->early.ended)
		take_early(&s->early, out);
	if (out->n || out->ended)
		timeout_ms = 0;
	cb = r5s_netlink_callbacks(&x);
	if (!cb)
		return r5s_netlink_fail(s->nl, -ENOMEM, "samples");
	/* What is readable does not block, and one call takes one message. */
	while (!x.err && rc >= 0 && poll(&p, 1, timeout_ms) > 0) {
		rc = nl_recvmsgs(s->nl->sock, cb);
		if (rc == -NLE_INTR)
			rc = 0;
		timeout_ms = 0;
	}
	nl_cb_put(cb);
	if (rc < 0)
		return r5s_netlink_fail(s->nl, r5s_netlink_errno(rc), "samples");
	return x.err ? r5s_netlink_fail(s->nl, x.err, "samples") : 0;
}

int r5s_sampler_stop(struct r5s_sampler *s)
{
	struct r5s_exchange x = { .nl = s->nl, .take = take_batch, .out = &s->early };
	struct nl_msg *msg = r5s_netlink_request(s->nl, R5S_CMD_SAMPLER_STOP, NLM_F_ACK);

	return r5s_netlink_explain(s->nl, r5s_netlink_exchange(&x, msg, "ending samples"),
				   "ending samples");
}

int r5s_sampler_fd(const struct r5s_sampler *s)
{
	return nl_socket_get_fd(s->nl->sock);
}

void r5s_sampler_close(struct r5s_sampler *s)
{
	if (!s)
		return;
	r5s_netlink_close(s->nl);
	r5s_sampler_free_samples(&s->early);
	free(s);
}

const char *r5s_sampler_error(const struct r5s_sampler *s)
{
	return s ? r5s_netlink_error(s->nl) : "no memory";
}

void r5s_sampler_free_samples(struct r5s_samples *s)
{
	free(s->sample);
	memset(s, 0, sizeof(*s));
}
