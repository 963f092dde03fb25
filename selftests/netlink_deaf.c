// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Join the group event with the smallest buffer there is and do not read, as long as a file exists; then read
 * what is there. Prints how often events were lost on the way (ENOBUFS), and how many came through.
 */
#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/raid5stat.h>

int main(int argc, char **argv)
{
	struct nl_sock *sk = nl_socket_alloc();
	unsigned long lost = 0, events = 0;
	int group, fd, one = 1;
	char buf[8192];
	ssize_t n;

	if (argc != 2 || !sk || genl_connect(sk)) {
		fprintf(stderr, "usage: netlink_deaf FILE: is deaf as long as FILE exists\n");
		return 2;
	}
	group = genl_ctrl_resolve_grp(sk, RAID5STAT_FAMILY_NAME, RAID5STAT_MCGRP_EVENT);
	fd = nl_socket_get_fd(sk);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &one, sizeof(one));
	if (group < 0 || nl_socket_add_membership(sk, group)) {
		fprintf(stderr, "cannot join the group event\n");
		return 1;
	}
	while (!access(argv[1], F_OK))
		usleep(100000);
	for (;;) {
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && errno != ENOBUFS)
			break;
		if (n < 0)
			lost++;
		else
			events++;
	}
	printf("lost %lu events %lu\n", lost, events);
	nl_socket_free(sk);
	return 0;
}
