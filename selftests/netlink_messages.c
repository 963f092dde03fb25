// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Send what a reader should not send and look at the answer: an error, and a text that says what to
 * do. As "nobody" also check that reading is allowed and nothing else is.
 */
#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/raid5stat.h>

static struct nl_sock *sk;
static int family, count, failed;

static void result(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++count, what);
	failed += !ok;
}

struct answer {
	int error;	/* negative errno, 0 for an acknowledgement, 1 for data */
	char text[256];
};

static struct nlattr *find_text(struct nlmsghdr *h, struct nlmsgerr *e)
{
	int skip = sizeof(*e);

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - sizeof(e->msg);
	return nla_find((struct nlattr *)((char *)nlmsg_data(h) + NLMSG_ALIGN(skip)),
			nlmsg_datalen(h) - NLMSG_ALIGN(skip), NLMSGERR_ATTR_MSG);
}

/* Send bytes as they are and take the first answer. */
static struct answer ask(void *bytes, size_t len)
{
	static unsigned char buf[1 << 16];
	struct answer a = { .error = -ETIMEDOUT };
	struct nlmsghdr *h = (struct nlmsghdr *)buf;
	struct nlmsgerr *e;
	struct nlattr *t;
	ssize_t n;

	if (send(nl_socket_get_fd(sk), bytes, len, 0) != (ssize_t)len)
		return a;
	n = recv(nl_socket_get_fd(sk), buf, sizeof(buf), 0);
	if (n < (ssize_t)sizeof(*h))
		return a;
	if (h->nlmsg_type != NLMSG_ERROR && h->nlmsg_type != NLMSG_DONE) {
		a.error = 1;
		/* A dump ends with DONE in a message of its own; an answer asked to be acknowledged with an ACK. */
		while (h->nlmsg_type != NLMSG_DONE && h->nlmsg_type != NLMSG_ERROR) {
			n = recv(nl_socket_get_fd(sk), buf, sizeof(buf), 0);
			if (n < (ssize_t)sizeof(*h))
				break;
		}
		return a;
	}
	e = nlmsg_data(h);
	a.error = e->error;
	t = h->nlmsg_type == NLMSG_ERROR ? find_text(h, e) : NULL;
	if (t)
		snprintf(a.text, sizeof(a.text), "%.*s", nla_len(t), (char *)nla_data(t));
	return a;
}

static struct answer ask_msg(struct nl_msg *m)
{
	struct nlmsghdr *h = nlmsg_hdr(m);
	struct answer a;

	h->nlmsg_pid = nl_socket_get_local_port(sk);
	h->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	a = ask(h, h->nlmsg_len);
	nlmsg_free(m);
	return a;
}

static struct nl_msg *message(uint8_t cmd, int flags)
{
	struct nl_msg *m = nlmsg_alloc();

	genlmsg_put(m, 0, 1, family, 0, flags, cmd, RAID5STAT_FAMILY_VERSION);
	return m;
}

static void refused(struct nl_msg *m, int error, const char *what)
{
	struct answer a = ask_msg(m);

	result(a.error == -error, what);
	if (a.error != -error)
		printf("# answer %d (%s), wanted %d\n", a.error, a.text, -error);
	result(strlen(a.text) > 10, "  and says what to do");
	printf("# %s\n", a.text);
}

static void bad_messages(void)
{
	struct nl_msg *m;
	struct answer a;

	refused(message(R5S_CMD_ARRAY_GET, 0), EINVAL, "array-get of nothing");

	m = message(R5S_CMD_ARRAY_GET, 0);
	nla_put_string(m, R5S_A_ARRAY_NAME, "no-such-array");
	refused(m, ENODEV, "array-get of a name that is no array");

	m = message(R5S_CMD_ARRAY_GET, 0);
	nla_put_u64(m, R5S_A_ARRAY_ID, UINT64_MAX);
	refused(m, ENODEV, "array-get of an id that is no array");

	m = message(R5S_CMD_ARRAY_GET, 0);
	nla_put_u64(m, R5S_A_ARRAY_ID, 1);
	nla_put_string(m, R5S_A_ARRAY_NAME, "md0");
	refused(m, EINVAL, "array-get by id and name at once");

	refused(message(R5S_CMD_HIST_GET, 0), EINVAL, "hist-get of nothing");
	m = message(R5S_CMD_HIST_GET, 0);
	nla_put_string(m, R5S_A_HIST_NAME, "md0");
	nla_put_u32(m, R5S_A_HIST_WAITER, 99);
	refused(m, ERANGE, "hist-get of an unknown waiter");
	refused(message(R5S_CMD_CENSUS_GET, 0), EINVAL, "census-get of nothing");

	/* A name that does not end, an id that is too short, an attribute longer than the message. */
	m = message(R5S_CMD_ARRAY_GET, 0);
	nla_put(m, R5S_A_ARRAY_NAME, 3, "md0");
	a = ask_msg(m);
	result(a.error == -EINVAL, "a name without its end");
	m = message(R5S_CMD_ARRAY_GET, 0);
	nla_put_u8(m, R5S_A_ARRAY_ID, 1);
	a = ask_msg(m);
	result(a.error == -ERANGE || a.error == -EINVAL, "an id of one byte");
	m = message(R5S_CMD_ARRAY_GET, 0);
	nla_put_string(m, R5S_A_ARRAY_NAME, "md0");
	((struct nlattr *)nlmsg_attrdata(nlmsg_hdr(m), GENL_HDRLEN))->nla_len = 0x7fff;
	a = ask_msg(m);
	result(a.error == -EINVAL, "an attribute longer than its message");
	m = message(R5S_CMD_ARRAY_GET, 0);
	nla_put_u32(m, 999, 1);
	a = ask_msg(m);
	result(a.error == -EINVAL, "an unknown attribute");
	a = ask_msg(message(200, 0));
	result(a.error == -EOPNOTSUPP, "an unknown command");
	a = ask_msg(message(R5S_CMD_EVENT, 0));
	result(a.error == -EOPNOTSUPP, "the event is no command");
	a = ask_msg(message(R5S_CMD_INFO, 0));
	result(a.error == 1, "and after all that info is still answered");
}

static void as_root(void)
{
	struct nl_msg *m;

	bad_messages();
	m = message(R5S_CMD_SAMPLER_START, 0);
	refused(m, EINVAL, "sampler-start without a level");
	m = message(R5S_CMD_SAMPLER_START, 0);
	nla_put_u32(m, R5S_A_SAMPLER_LEVEL, 77);
	refused(m, ERANGE, "sampler-start of an unknown level");
	refused(message(R5S_CMD_SAMPLER_STOP, 0), ENOENT, "sampler-stop without a start");
	m = message(R5S_CMD_SAMPLER_START, 0);
	nla_put_u32(m, R5S_A_SAMPLER_LEVEL, RAID5STAT_LEVEL_LATENCY);
	result(ask_msg(m).error == 0, "sampler-start");
	result(ask_msg(message(R5S_CMD_SAMPLER_STOP, 0)).error == 0, "sampler-stop");
}

static void as_nobody(void)
{
	int group = genl_ctrl_resolve_grp(sk, RAID5STAT_FAMILY_NAME, RAID5STAT_MCGRP_EVENT);
	struct nl_msg *m;

	result(ask_msg(message(R5S_CMD_INFO, 0)).error == 1, "info may be read");
	result(ask_msg(message(R5S_CMD_ARRAY_GET, NLM_F_DUMP)).error == 1, "arrays may be read");
	result(ask_msg(message(R5S_CMD_NODE_GET, NLM_F_DUMP)).error == 1, "nodes may be read");
	m = message(R5S_CMD_SAMPLER_START, 0);
	nla_put_u32(m, R5S_A_SAMPLER_LEVEL, RAID5STAT_LEVEL_LATENCY);
	result(ask_msg(m).error == -EPERM, "sampler-start is refused");
	result(ask_msg(message(R5S_CMD_SAMPLER_STOP, 0)).error == -EPERM, "sampler-stop is refused");
	result(group >= 0, "the group event is there");
	errno = 0;
	result(setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group,
			  sizeof(group)) < 0 && errno == EPERM, "and joining it is refused");
}

int main(int argc, char **argv)
{
	struct timeval limit = { .tv_sec = 60 };
	int on = 1;

	sk = nl_socket_alloc();
	if (argc != 2 || !sk || genl_connect(sk)) {
		fprintf(stderr, "usage: netlink_messages root|nobody\n");
		return 2;
	}
	nl_socket_disable_auto_ack(sk);
	family = genl_ctrl_resolve(sk, RAID5STAT_FAMILY_NAME);
	if (family < 0) {
		fprintf(stderr, "no family raid5stat: load the module\n");
		return 2;
	}
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (!strcmp(argv[1], "nobody"))
		as_nobody();
	else
		as_root();
	printf("1..%d\n", count);
	nl_socket_free(sk);
	return failed ? 1 : 0;
}
