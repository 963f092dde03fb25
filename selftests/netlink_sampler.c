// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Subscribe to samples and account for every tick of them.
 *
 *   netlink_sampler LEVEL PERIOD_NS SECONDS [NAME...]   one line of what came, see report()
 *   netlink_sampler many N                              N subscriptions at once; how many were taken
 *
 * The ticks that arrived before and those told to be lost must be the number of every tick. Ends when
 * the module says so, or with a request to stop after SECONDS.
 */
#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/raid5stat.h>

#define MANY_MAX 64
#define ARRAYS_MAX 64
#define LATE_MS 30000	/* nothing for so long: the subscription is dead */

static struct {
	bool any, ended, stopping;
	uint64_t start, period, first_tick, seen_tick, tick, arrived, lost, batches, samples, broken, disordered;
	uint64_t id[ARRAYS_MAX], sequence[ARRAYS_MAX], counted, metrics;
	unsigned int arrays;
	int64_t *late;
	size_t room;
	uint64_t seen_first, seen_last;	/* the reader's own clock, when batches came */
	int answer;
	bool answered;
	char text[256];
} got;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t u64_of(const struct nlattr *a)
{
	return a ? nla_get_u64(a) : 0;
}

static void note_late(int64_t ns)
{
	if (got.arrived == got.room) {
		got.room = got.room ? got.room * 2 : 1024;
		got.late = realloc(got.late, got.room * sizeof(*got.late));
		if (!got.late)
			exit(1);
	}
	got.late[got.arrived] = ns;
}

static void take_array(struct nlattr *nest)
{
	struct nlattr *a[R5S_A_ARRAY_MAX + 1], *m;
	uint64_t id;
	unsigned int i;
	int rem;

	if (nla_parse_nested(a, R5S_A_ARRAY_MAX, nest, NULL) || !a[R5S_A_ARRAY_ID])
		return;
	id = nla_get_u64(a[R5S_A_ARRAY_ID]);
	for (i = 0; i < got.arrays && got.id[i] != id; i++)
		;
	if (i == ARRAYS_MAX)
		return;
	if (i == got.arrays)
		got.id[got.arrays++] = id;
	else if (u64_of(a[R5S_A_ARRAY_SEQUENCE]) <= got.sequence[i])
		got.disordered++;
	got.sequence[i] = u64_of(a[R5S_A_ARRAY_SEQUENCE]);
	got.counted += !!a[R5S_A_ARRAY_SINCE_NS];
	got.samples++;
	if (a[R5S_A_ARRAY_CACHE])
		nla_for_each_nested(m, a[R5S_A_ARRAY_CACHE], rem)
			got.metrics++;
}

static void take_sample(struct nlattr *nest)
{
	struct nlattr *a[R5S_A_SAMPLE_MAX + 1];
	uint64_t tick;

	if (nla_parse_nested(a, R5S_A_SAMPLE_MAX, nest, NULL) || !a[R5S_A_SAMPLE_TICK]) {
		got.broken++;
		return;
	}
	tick = nla_get_u64(a[R5S_A_SAMPLE_TICK]);
	if (a[R5S_A_SAMPLE_LOST])
		got.lost = nla_get_u64(a[R5S_A_SAMPLE_LOST]);
	if (!got.any || tick != got.tick) {
		/* A tick goes on in the next batch when it is too big for one. */
		if (tick != got.arrived + got.lost || (got.any && tick < got.tick)) {
			got.broken++;
			if (got.broken < 4)
				fprintf(stderr, "tick %llu after %llu, %llu arrived, %llu lost\n",
					(unsigned long long)tick, (unsigned long long)got.tick,
					(unsigned long long)got.arrived, (unsigned long long)got.lost);
		}
		note_late((int64_t)(u64_of(a[R5S_A_SAMPLE_MONO_NS]) - got.start - tick * got.period));
		got.arrived++;
	}
	if (!got.any)
		got.first_tick = tick;
	if (!got.stopping)
		got.seen_tick = tick;
	got.any = true;
	got.tick = tick;
	if (a[R5S_A_SAMPLE_ARRAY])
		take_array(a[R5S_A_SAMPLE_ARRAY]);
}

static void take_batch(struct nlmsghdr *h)
{
	struct nlattr *a;
	int rem;

	/* The answer to stop takes as long as disarming, and batches wait behind it. */
	if (!got.stopping)
		got.seen_last = now();
	if (!got.batches++)
		got.seen_first = got.seen_last;
	nlmsg_for_each_attr(a, h, GENL_HDRLEN, rem) {
		switch (nla_type(a)) {
		case R5S_A_BATCH_START_NS:
			got.start = nla_get_u64(a);
			break;
		case R5S_A_BATCH_PERIOD_NS:
			got.period = nla_get_u64(a);
			break;
		case R5S_A_BATCH_LOST:
			got.lost = nla_get_u64(a);
			break;
		case R5S_A_BATCH_SAMPLE:
			take_sample(a);
			break;
		case R5S_A_BATCH_END:
			got.ended = true;
			break;
		}
	}
}

static void take_answer(struct nlmsghdr *h)
{
	struct nlmsgerr *e = nlmsg_data(h);
	int skip = sizeof(*e);
	struct nlattr *t;

	got.answered = true;
	got.answer = e->error;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - sizeof(e->msg);
	t = nla_find((struct nlattr *)((char *)e + NLMSG_ALIGN(skip)),
		     nlmsg_datalen(h) - NLMSG_ALIGN(skip), NLMSGERR_ATTR_MSG);
	if (t)
		snprintf(got.text, sizeof(got.text), "%.*s", nla_len(t), (char *)nla_data(t));
}

/* One datagram; false when the connection is of no use any more. */
static bool receive(struct nl_sock *sk, int family)
{
	static unsigned char buf[1 << 16];
	struct nlmsghdr *h = (struct nlmsghdr *)buf;
	ssize_t n = recv(nl_socket_get_fd(sk), buf, sizeof(buf), 0);
	int left = (int)n;

	/* The socket was full. The module tries again, so nothing is lost by that. */
	if (n < 0)
		return errno == ENOBUFS || errno == EINTR;
	for (; nlmsg_ok(h, left); h = nlmsg_next(h, &left)) {
		if (h->nlmsg_type == NLMSG_ERROR)
			take_answer(h);
		else if (h->nlmsg_type == family)
			take_batch(h);
	}
	return true;
}

static void send_msg(struct nl_sock *sk, int family, uint8_t cmd, char **arg, int n)
{
	struct nl_msg *m = nlmsg_alloc();
	struct nlmsghdr *h;

	genlmsg_put(m, 0, 1, family, 0, NLM_F_ACK | NLM_F_REQUEST, cmd, RAID5STAT_FAMILY_VERSION);
	if (cmd == R5S_CMD_SAMPLER_START) {
		nla_put_u32(m, R5S_A_SAMPLER_LEVEL, (uint32_t)strtoul(arg[0], NULL, 0));
		nla_put_u64(m, R5S_A_SAMPLER_PERIOD_NS, strtoull(arg[1], NULL, 0));
		for (int i = 3; i < n; i++)
			nla_put_string(m, R5S_A_SAMPLER_NAME, arg[i]);
	}
	h = nlmsg_hdr(m);
	h->nlmsg_pid = nl_socket_get_local_port(sk);
	if (send(nl_socket_get_fd(sk), h, h->nlmsg_len, 0) != (ssize_t)h->nlmsg_len)
		exit(1);
	nlmsg_free(m);
}

static struct nl_sock *connect_family(int *family)
{
	struct nl_sock *sk = nl_socket_alloc();
	int on = 1;

	if (!sk || genl_connect(sk) || (*family = genl_ctrl_resolve(sk, RAID5STAT_FAMILY_NAME)) < 0) {
		fprintf(stderr, "no family raid5stat: load the module\n");
		exit(2);
	}
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	return sk;
}

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static long long quantile(double q)
{
	return got.arrived ? got.late[(size_t)(q * (double)(got.arrived - 1))] / 1000 : -1;
}

/* late: how long after it was due a tick was taken, us; reader_period: by the reader's own clock, ns */
static void report(void)
{
	uint64_t ticks = got.seen_tick - got.first_tick, span = got.seen_last - got.seen_first;

	qsort(got.late, got.arrived, sizeof(*got.late), compare);
	printf("period=%llu batches=%llu arrived=%llu lost=%llu next=%llu broken=%llu disordered=%llu "
	       "arrays=%u samples=%llu counted=%llu metrics=%llu ended=%d late_median=%lld late_p99=%lld "
	       "late_max=%lld reader_period=%llu\n",
	       (unsigned long long)got.period, (unsigned long long)got.batches,
	       (unsigned long long)got.arrived, (unsigned long long)got.lost,
	       (unsigned long long)(got.any ? got.tick + 1 : 0), (unsigned long long)got.broken,
	       (unsigned long long)got.disordered, got.arrays, (unsigned long long)got.samples,
	       (unsigned long long)got.counted, (unsigned long long)got.metrics, got.ended,
	       quantile(0.5), quantile(0.99), quantile(1),
	       (unsigned long long)(ticks ? span / ticks : 0));
}

static int run(char **arg, int n)
{
	int family;
	struct nl_sock *sk = connect_family(&family);
	struct pollfd p = { .fd = nl_socket_get_fd(sk), .events = POLLIN };
	uint64_t end;

	send_msg(sk, family, R5S_CMD_SAMPLER_START, arg, n);
	while (!got.answered && receive(sk, family))
		;
	if (got.answer) {
		printf("error=%d text=\"%s\"\n", -got.answer, got.text);
		return 1;
	}
	fprintf(stderr, "started\n");
	end = now() + strtoull(arg[2], NULL, 0) * 1000000000;
	while (!got.ended) {
		if (!got.stopping && now() >= end) {
			got.stopping = true;
			send_msg(sk, family, R5S_CMD_SAMPLER_STOP, NULL, 0);
		}
		if (poll(&p, 1, got.stopping ? LATE_MS : 100) > 0) {
			if (!receive(sk, family))
				break;
		} else if (got.stopping || now() > end + LATE_MS * 1000000ull) {
			break;
		}
	}
	report();
	return 0;
}

static int many(unsigned int n)
{
	static char *arg[] = { "1", "1000000000", "0" };
	struct nl_sock *sk[MANY_MAX];
	unsigned int taken = 0, i;
	int family;

	if (!n || n > MANY_MAX)
		return 2;
	for (i = 0; i < n; i++) {
		sk[i] = connect_family(&family);
		got.answered = false;
		send_msg(sk[i], family, R5S_CMD_SAMPLER_START, arg, 3);
		while (!got.answered && receive(sk[i], family))
			;
		if (got.answer)
			break;
		taken++;
	}
	printf("taken=%u error=%d text=\"%s\"\n", taken, -got.answer, got.text);
	if (got.answer && i) {
		/* One goes, so there is room for one. */
		nl_socket_free(sk[0]);
		got.answered = false;
		send_msg(sk[i], family, R5S_CMD_SAMPLER_START, arg, 3);
		while (!got.answered && receive(sk[i], family))
			;
		printf("after one went: error=%d\n", -got.answer);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "many"))
		return many((unsigned int)atoi(argv[2]));
	if (argc < 4) {
		fprintf(stderr, "usage: netlink_sampler LEVEL PERIOD_NS SECONDS [NAME...] | many N\n");
		return 2;
	}
	return run(argv + 1, argc - 1);
}
