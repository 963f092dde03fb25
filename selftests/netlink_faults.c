// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do one thing again and again and let each of its memory allocations fail once, by fail-nth: the first, the
 * second, until there is none left. Each time it must work all the same or end with a plain error, and at the
 * end it must work. With more allocations than time an even share of them is taken, from a random start.
 *
 * usage: netlink_faults SECONDS insmod FILE [PARAMETERS]
 *        netlink_faults SECONDS read FILE
 *        netlink_faults SECONDS info|arrays|nodes
 *        netlink_faults SECONDS array|hist|census|start NAME
 */
#include <errno.h>
#include <fcntl.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/raid5stat.h>

#define NEVER	1000000000	/* more allocations than anything makes */

static int nth_fd, family;
static const char *object, *parameters = "";
static struct nl_sock *sk;
static struct nl_msg *request;

static void inject(int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(nth_fd, text, n, 0) != n) {
		perror("fail-nth");
		exit(2);
	}
}

/* Allocations until the one that is to fail; 0 if it has failed. */
static int left(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0) {
		perror("fail-nth");
		exit(2);
	}
	return atoi(text);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* --- what is done: begin() without failures, then run() with one, then end() without ------------ */

struct operation {
	const char *name;
	void (*begin)(void);
	int (*run)(void);	/* 0 or a negative errno; -ETIMEDOUT: it was never answered */
	void (*end)(int result);
	uint8_t cmd;
	int flags, name_attr;
};

static const struct operation *op;

static void nothing(void)
{
}

static void nothing_more(int result)
{
	(void)result;
}

static int load(const char *with)
{
	int fd = open(object, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, with, 0) ? -errno : 0;
	close(fd);
	return err;
}

static int insmod(void)
{
	return load(parameters);
}

static void rmmod(int result)
{
	if (!result && syscall(SYS_delete_module, "raid5stat", O_NONBLOCK)) {
		perror("rmmod raid5stat");
		exit(1);
	}
}

static int read_file(void)
{
	static char buf[1 << 16];
	int fd = open(object, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do
		n = read(fd, buf, sizeof(buf));
	while (n > 0);
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

static void prepare(void)
{
	sk = nl_socket_alloc();
	if (!sk || genl_connect(sk)) {
		fprintf(stderr, "cannot connect to netlink\n");
		exit(2);
	}
	request = nlmsg_alloc();
	genlmsg_put(request, nl_socket_get_local_port(sk), 1, family, 0,
		    NLM_F_REQUEST | NLM_F_ACK | op->flags, op->cmd, RAID5STAT_FAMILY_VERSION);
	if (op->name_attr)
		nla_put_string(request, op->name_attr, object);
	if (op->cmd == R5S_CMD_SAMPLER_START)
		nla_put_u32(request, R5S_A_SAMPLER_LEVEL, RAID5STAT_LEVEL_LATENCY);
}

static int talk(void)
{
	static unsigned char buf[1 << 17];
	struct pollfd p = { .fd = nl_socket_get_fd(sk), .events = POLLIN };
	struct nlmsghdr *h = nlmsg_hdr(request);
	ssize_t n;

	if (send(p.fd, h, h->nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		if (poll(&p, 1, 60000) <= 0)
			return -ETIMEDOUT;
		n = recv(p.fd, buf, sizeof(buf), 0);
		if (n < 0)
			return -errno;
		for (h = (struct nlmsghdr *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (h->nlmsg_type == NLMSG_DONE)
				return *(int *)NLMSG_DATA(h);
		}
	}
}

static void hang_up(int result)
{
	(void)result;
	nlmsg_free(request);
	nl_socket_free(sk);
}

/* Closing would leave disarming to a work item, and the next start would meet it. */
static void stop(int result)
{
	(void)result;
	nlmsg_free(request);
	request = nlmsg_alloc();
	genlmsg_put(request, nl_socket_get_local_port(sk), 2, family, 0,
		    NLM_F_REQUEST | NLM_F_ACK, R5S_CMD_SAMPLER_STOP, RAID5STAT_FAMILY_VERSION);
	talk();
	hang_up(0);
}

static const struct operation operations[] = {
	{ "insmod", nothing, insmod, rmmod, 0, 0, 0 },
	{ "read", nothing, read_file, nothing_more, 0, 0, 0 },
	{ "info", prepare, talk, hang_up, R5S_CMD_INFO, 0, 0 },
	{ "arrays", prepare, talk, hang_up, R5S_CMD_ARRAY_GET, NLM_F_DUMP, 0 },
	{ "nodes", prepare, talk, hang_up, R5S_CMD_NODE_GET, NLM_F_DUMP, 0 },
	{ "array", prepare, talk, hang_up, R5S_CMD_ARRAY_GET, 0, R5S_A_ARRAY_NAME },
	{ "hist", prepare, talk, hang_up, R5S_CMD_HIST_GET, 0, R5S_A_HIST_NAME },
	{ "census", prepare, talk, hang_up, R5S_CMD_CENSUS_GET, 0, R5S_A_CENSUS_NAME },
	{ "start", prepare, talk, stop, R5S_CMD_SAMPLER_START, 0, 0 },
	{ 0 },
};

/* Once, with the allocation of that number failing; *rest is how many it was short of that. */
static int once(int nth, int *rest)
{
	int result;

	op->begin();
	inject(nth);
	result = op->run();
	*rest = left();
	inject(0);
	op->end(result);
	return result;
}

/* The kernel's own loading of modules comes before ours: allocations of a load that its parameters end. */
static int before_init(void)
{
	int n;

	inject(NEVER);
	load("level=none-of-these");
	n = NEVER - left();
	inject(0);
	return n;
}

static int walk(double seconds)
{
	int first = 1, total, stride, nth, rest, result, errors = 0, tolerated = 0, bad = 0;
	double start = now(), each;

	result = once(NEVER, &rest);
	total = NEVER - rest;
	each = now() - start;
	if (result) {
		printf("%s fails without injection: %s\n", op->name, strerror(-result));
		return 1;
	}
	if (op->run == insmod)
		first = before_init();
	stride = 1 + (int)((total - first) * each / seconds);
	srand(time(NULL) ^ getpid());
	nth = first + rand() % stride;
	printf("%s: %d allocations, from %d every %d., %.3f s each\n", op->name, total, nth, stride,
	       each);
	for (;; nth += stride) {
		result = once(nth, &rest);
		if (rest)
			break;
		if (!result) {
			tolerated++;
		} else if (result == -ENOMEM || result == -ENOBUFS) {
			errors++;
		} else {
			bad++;
			printf("allocation %d failed: %s\n", nth, strerror(-result));
		}
	}
	/* One that was not reached changes nothing. */
	if (!result)
		result = once(NEVER, &rest);
	if (result)
		printf("afterwards it fails: %s\n", strerror(-result));
	printf("%d ended with a plain error, %d worked all the same, %d went wrong\n", errors,
	       tolerated, bad);
	if (!errors && !tolerated)
		printf("nothing was injected\n");
	return bad || result || (!errors && !tolerated);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[1]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (op = operations; op->name; op++)
		if (seconds > 0 && !strcmp(op->name, argv[2]))
			break;
	if (!op->name || ((op->name_attr || op->cmd == 0) && argc < 4)) {
		fprintf(stderr, "usage: netlink_faults SECONDS OPERATION [FILE|NAME [PARAMETERS]]\n");
		return 2;
	}
	object = argc > 3 ? argv[3] : NULL;
	if (argc > 4)
		parameters = argv[4];
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0) {
		perror("/proc/self/fail-nth");
		return 2;
	}
	if (op->cmd) {
		prepare();
		family = genl_ctrl_resolve(sk, RAID5STAT_FAMILY_NAME);
		hang_up(0);
		if (family < 0) {
			fprintf(stderr, "no family raid5stat: load the module\n");
			return 2;
		}
	}
	return walk(seconds);
}
