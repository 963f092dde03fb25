// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dump all arrays again and again as long as a file exists, if asked so with a pause between; a
 * family that comes and goes is looked up again. The reader under which the lifetime test stops
 * arrays and unloads modules.
 */
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/raid5stat.h>

static int count_array(struct nl_msg *msg, void *arg)
{
	(void)msg;
	++*(unsigned long *)arg;
	return NL_OK;
}

int main(int argc, char **argv)
{
	unsigned long arrays = 0, dumps = 0, failed = 0;
	struct nl_sock *sk = nl_socket_alloc();

	if (argc < 2 || argc > 3 || !sk || genl_connect(sk)) {
		fprintf(stderr, "usage: netlink_reader FILE [MS]: reads while FILE exists, pausing MS ms\n");
		return 2;
	}
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, count_array, &arrays);
	while (!access(argv[1], F_OK)) {
		int family = genl_ctrl_resolve(sk, RAID5STAT_FAMILY_NAME);

		if (family >= 0 &&
		    genl_send_simple(sk, family, R5S_CMD_ARRAY_GET, RAID5STAT_FAMILY_VERSION,
				     NLM_F_DUMP) >= 0 &&
		    nl_recvmsgs_default(sk) >= 0)
			dumps++;
		else
			failed++;
		if (argc == 3)
			usleep(strtoul(argv[2], NULL, 10) * 1000);
	}
	printf("%lu dumps, %lu arrays, %lu times no answer\n", dumps, arrays, failed);
	nl_socket_free(sk);
	return 0;
}
