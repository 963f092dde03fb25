// SPDX-License-Identifier: GPL-2.0-or-later
/* Join the group event and print one line an event, as long as a file exists. */
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include <linux/raid5stat.h>

static unsigned long long u64_of(struct nlattr *a)
{
	return a ? nla_get_u64(a) : 0;
}

static int print_event(struct nl_msg *msg, void *arg)
{
	static const char *const kinds[] = { "array-added", "array-gone", "blocked", "unblocked",
					     "shrink-burst", "grow-failed", "probe-lost" };
	struct nlattr *a[R5S_A_EVENT_MAX + 1];
	unsigned int kind;

	(void)arg;
	if (genlmsg_parse(nlmsg_hdr(msg), 0, a, R5S_A_EVENT_MAX, NULL) || !a[R5S_A_EVENT_KIND])
		return NL_OK;
	kind = nla_get_u32(a[R5S_A_EVENT_KIND]);
	printf("%s %s id %llu size %llu active %llu count %llu\n",
	       kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : "?",
	       a[R5S_A_EVENT_NAME] ? nla_get_string(a[R5S_A_EVENT_NAME]) : "-",
	       u64_of(a[R5S_A_EVENT_ID]), u64_of(a[R5S_A_EVENT_SIZE]),
	       u64_of(a[R5S_A_EVENT_ACTIVE]), u64_of(a[R5S_A_EVENT_COUNT]));
	return NL_OK;
}

int main(int argc, char **argv)
{
	struct nl_sock *sk = nl_socket_alloc();
	struct pollfd p = { .events = POLLIN };
	int group;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2 || !sk || genl_connect(sk)) {
		fprintf(stderr, "usage: netlink_events FILE: listens as long as FILE exists\n");
		return 2;
	}
	group = genl_ctrl_resolve_grp(sk, RAID5STAT_FAMILY_NAME, RAID5STAT_MCGRP_EVENT);
	if (group < 0 || nl_socket_add_membership(sk, group)) {
		fprintf(stderr, "cannot join the group event\n");
		return 1;
	}
	puts("listening");
	nl_socket_disable_seq_check(sk);
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, print_event, NULL);
	p.fd = nl_socket_get_fd(sk);
	while (!access(argv[1], F_OK))
		if (poll(&p, 1, 100) > 0)
			nl_recvmsgs_default(sk);
	nl_socket_free(sk);
	return 0;
}
