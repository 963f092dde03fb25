// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Send mutated messages to the family raid5stat and hold every answer against a model of what must come.
 * The kernel answers while it is sent to, so an answer is there or it never comes: nothing here waits.
 */
#include <errno.h>
#include <grp.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/raid5stat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum {
	SOCKETS = 8,
	NOBODY = 65534,
	CHECK_EVERY = 10000,
	FAILURES_MAX = 5,
	NO_FAMILY = 1023,	/* the greatest there can be; families get the least that are free */
	BUFFER = 1 << 17
};

struct sock {
	int fd;
	uint32_t portid;
	bool lossy;		/* its buffer is so small that answers get lost */
	bool stale;		/* answers to earlier datagrams may still come */
	bool told;		/* it gets texts with errors */
	struct fuzz_sender model;
};

static struct fuzz_world world;
static struct sock socks[SOCKETS], probe;
static bool root, as_root;	/* the latter: this process is root as yet */
static unsigned int event_group, failures;
static unsigned long sent, datagrams, batches, outcomes[FUZZ_OUTCOMES], refused_with[4096];
static uint64_t seed;
static _Alignas(8) unsigned char answer[BUFFER];

__attribute__((format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf(" (seed %llu, message %lu)\n", (unsigned long long)seed, sent);
	exit(1);
}

static void show(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n && i < 512; i++)
		printf("%02x%s", p[i], i % 4 == 3 ? " " : "");
	printf("%s\n", n > 512 ? "..." : "");
}

__attribute__((format(printf, 2, 3))) static void wrong(const struct fuzz_expect *e, const char *format, ...)
{
	va_list ap;

	printf("%s, seed %llu, message %lu: ", root ? "root" : "nobody", (unsigned long long)seed, sent);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	if (e) {
		printf("\n  command %u, number %u, wanted outcome %d errors %d %d or %d %d (%s)%s; "
		       "saw %u data, %u done, %u errors, error %d, text of %zu\n  ",
		       e->cmd, e->seq, e->outcome, e->error[0], e->error[1], e->or_error[0], e->or_error[1],
		       e->why, e->ack ? ", asked for an ack" : "", e->data, e->done, e->errors, e->got, e->text_len);
		show(e->bytes, e->len);
	} else {
		printf("\n");
	}
	if (++failures >= FAILURES_MAX)
		die("enough is wrong");
}

static bool set_number(int fd, int level, int option, int value)
{
	return !setsockopt(fd, level, option, &value, sizeof(value));
}

static void learn_portid(struct sock *s)
{
	struct sockaddr_nl a;
	socklen_t n = sizeof(a);

	if (!getsockname(s->fd, (struct sockaddr *)&a, &n))
		s->portid = a.nl_pid;
}

/* @plain: one on which nothing gets lost and every error has its text. */
static void open_sock(struct sock *s, bool plain)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK };
	bool as_nobody = as_root && !plain && fuzz_one_in(8);

	memset(s, 0, sizeof(*s));
	if (as_nobody && seteuid(NOBODY))
		die("cannot become nobody: %s", strerror(errno));
	s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (s->fd < 0)
		die("socket: %s", strerror(errno));
	if (as_nobody && seteuid(0))
		die("cannot become root again: %s", strerror(errno));
	s->model.opened_capable = as_root && !as_nobody;
	s->lossy = !plain && fuzz_one_in(16);
	if (s->lossy)
		set_number(s->fd, SOL_SOCKET, SO_RCVBUF, 1);
	else if (!set_number(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20))
		set_number(s->fd, SOL_SOCKET, SO_RCVBUF, 16 << 20);
	s->told = (plain || !fuzz_one_in(8)) && set_number(s->fd, SOL_NETLINK, NETLINK_EXT_ACK, 1);
	if (fuzz_one_in(4))
		set_number(s->fd, SOL_NETLINK, NETLINK_CAP_ACK, 1);
	if (as_root && !as_nobody && !plain && fuzz_one_in(4))
		set_number(s->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, event_group);
	/* Bound to an address of its own, to one that the kernel chooses, or not at all before it sends. */
	if (fuzz_one_in(2)) {
		a.nl_pid = fuzz_one_in(2) ? (uint32_t)fuzz_random() : 0;
		if (bind(s->fd, (struct sockaddr *)&a, sizeof(a))) {
			a.nl_pid = 0;
			if (bind(s->fd, (struct sockaddr *)&a, sizeof(a)))
				die("bind: %s", strerror(errno));
		}
	}
}

static size_t text_of(const struct nlmsghdr *h, const struct nlmsgerr *r)
{
	size_t skip = NLMSG_HDRLEN + sizeof(*r), size;
	const char *text;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return 0;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += r->msg.nlmsg_len - sizeof(r->msg);
	skip = NLMSG_ALIGN(skip);
	if (skip >= h->nlmsg_len)
		return 0;
	text = fuzz_answer_find((const unsigned char *)h + skip, h->nlmsg_len - skip, NLMSGERR_ATTR_MSG, &size);
	return text && size ? strnlen(text, size) : 0;
}

static bool about_stable(const unsigned char *attrs, size_t len)
{
	size_t size;
	const uint64_t *id = fuzz_answer_find(attrs, len, R5S_A_ARRAY_ID, &size);
	uint64_t v = 0;

	if (id && size == sizeof(v))
		memcpy(&v, id, sizeof(v));
	return v == world.stable_id;
}

static void take_data(const struct nlmsghdr *h, struct fuzz_expect *e)
{
	const struct genlmsghdr *g = NLMSG_DATA(h);
	const unsigned char *attrs = (const unsigned char *)g + GENL_HDRLEN;
	size_t len = h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	const char *what;

	if (h->nlmsg_type != world.family || h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN) {
		wrong(e, "an answer of type %u and %u bytes", h->nlmsg_type, h->nlmsg_len);
		return;
	}
	what = fuzz_answer_check(g->cmd, attrs, len);
	if (what)
		wrong(e, "%s, in an answer to command %u", what, g->cmd);
	if (!e)
		return;
	e->data++;
	if (g->cmd != e->cmd)
		wrong(e, "an answer to command %u", g->cmd);
	if (g->cmd == R5S_CMD_ARRAY_GET && !what)
		e->stable_seen += about_stable(attrs, len);
}

static struct fuzz_expect *expected(struct fuzz_expect *e, unsigned int n, uint32_t seq)
{
	for (unsigned int i = 0; i < n; i++)
		if (e[i].seq == seq)
			return &e[i];
	return NULL;
}

static void take_one(struct sock *s, const struct nlmsghdr *h, struct fuzz_expect *all, unsigned int n)
{
	struct fuzz_expect *e = expected(all, n, h->nlmsg_seq);
	const struct genlmsghdr *g = NLMSG_DATA(h);
	const struct nlmsgerr *r = NLMSG_DATA(h);

	/* These answer no request. */
	if (h->nlmsg_type == world.family && h->nlmsg_len >= NLMSG_HDRLEN + GENL_HDRLEN &&
	    (g->cmd == R5S_CMD_EVENT || g->cmd == R5S_CMD_SAMPLE)) {
		if (g->cmd == R5S_CMD_SAMPLE && !s->model.samples)
			wrong(NULL, "samples that were not asked for");
		batches += g->cmd == R5S_CMD_SAMPLE;
		take_data(h, NULL);
		return;
	}
	if (!e && !s->stale)
		wrong(NULL, "an answer with the number %u, which was not sent; type %u", h->nlmsg_seq, h->nlmsg_type);
	if (h->nlmsg_pid != s->portid)
		wrong(e, "an answer to address %u at %u", h->nlmsg_pid, s->portid);
	switch (h->nlmsg_type) {
	case NLMSG_ERROR:
		if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*r))) {
			wrong(e, "an error of %u bytes", h->nlmsg_len);
		} else if (e) {
			e->errors++;
			e->got = r->error;
			e->text_len = text_of(h, r);
		}
		break;
	case NLMSG_DONE:
		s->model.dumping = false;
		if (h->nlmsg_len < NLMSG_LENGTH(sizeof(int)) || r->error)
			wrong(e, "a dump that ended with %d", r->error);
		if (e)
			e->done++;
		break;
	default:
		take_data(h, e);
	}
}

/* Everything in the socket, or @most datagrams of it; true if nothing is left. */
static bool drain(struct sock *s, struct fuzz_expect *e, unsigned int n, unsigned int most)
{
	while (most--) {
		ssize_t got = recv(s->fd, answer, sizeof(answer), MSG_DONTWAIT | MSG_TRUNC);
		size_t left = got, at = 0;

		if (got < 0 && errno == EAGAIN)
			return true;
		/* Samples pile up where nobody reads. */
		if (got < 0 && errno == ENOBUFS && (s->lossy || s->model.samples))
			continue;
		if (got < 0 || got > (ssize_t)sizeof(answer)) {
			wrong(NULL, "recv: %s, %zd bytes", strerror(errno), got);
			return true;
		}
		while (left - at >= NLMSG_HDRLEN) {
			const struct nlmsghdr *h = (const void *)(answer + at);

			if (h->nlmsg_len < NLMSG_HDRLEN || h->nlmsg_len > left - at) {
				wrong(NULL, "an answer with a length of %u in %zu bytes", h->nlmsg_len, left - at);
				break;
			}
			take_one(s, h, e, n);
			at += NLMSG_ALIGN(h->nlmsg_len);
			if (at > left)
				at = left;
		}
		if (at != left)
			wrong(NULL, "%zu bytes behind the last answer", left - at);
	}
	return false;
}

static bool among(int error, const int *allowed)
{
	return error && (error == allowed[0] || error == allowed[1]);
}

static bool as_expected(const struct sock *s, const struct fuzz_expect *e, bool whole)
{
	bool other = e->errors == 1 && !e->data && !e->done && among(-e->got, e->or_error);

	/* Where answers get lost, those that come must be right. */
	if (s->lossy)
		return e->outcome != FUZZ_REFUSED || (!e->data && !e->done && (!e->errors || e->got));
	switch (e->outcome) {
	case FUZZ_SILENT:
	case FUZZ_DONE:
		return (!e->data && !e->done && e->errors == e->ack && !e->got) || other;
	case FUZZ_DATA:
		return (e->data == 1 && !e->done && e->errors == e->ack && !e->got) || other;
	case FUZZ_DUMP:
		if (other)
			return true;
		if (!whole)
			return !e->errors;
		return e->data && e->done == 1 && !e->errors &&
		       (e->cmd != R5S_CMD_ARRAY_GET || e->stable_seen == 1);
	default:
		return !e->data && !e->done && e->errors == 1 && among(-e->got, e->error) &&
		       (!e->text || !s->told || e->text_len > 10);
	}
}

static void exchange(struct sock *s, unsigned char *buf, size_t len)
{
	static struct fuzz_expect e[2 * FUZZ_BATCH];
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	unsigned int n, i;
	bool whole = true, addressed = fuzz_one_in(2);

	/* Start while the last dump is still under way, or not. */
	if (s->model.samples || (s->stale && fuzz_one_in(2)))
		s->stale = !drain(s, NULL, 0, 1 << 20);
	/* Who sends counts; who opened the socket only if no address is given with what is sent. */
	s->model.capable = root && (addressed || s->model.opened_capable);
	n = fuzz_model(buf, len, &world, &s->model, e);
	if (sendto(s->fd, buf, len, 0, addressed ? (struct sockaddr *)&kernel : NULL,
		   addressed ? sizeof(kernel) : 0) != (ssize_t)len) {
		/* What is left over of a small buffer is told to the sender. */
		if (errno == ENOBUFS && s->lossy)
			return;
		die("send: %s", strerror(errno));
	}
	if (!s->portid)
		learn_portid(s);
	sent += n ? n : 1;
	datagrams++;
	for (i = 0; i < n; i++)
		if (e[i].outcome == FUZZ_DUMP && fuzz_one_in(4))
			whole = false;
	s->stale = !drain(s, e, n, whole ? 1 << 20 : fuzz_below(3)) || s->lossy;
	if (s->model.dumping && !s->stale)
		s->model.dumping = false;
	for (i = 0; i < n; i++) {
		outcomes[e[i].outcome]++;
		if (e[i].outcome == FUZZ_REFUSED && e[i].got > -4096 && e[i].got <= 0)
			refused_with[-e[i].got]++;
		/* Cut short: acknowledgements and answers behind the dump may be outstanding. */
		if (!e[i].ambiguous && (whole || e[i].outcome == FUZZ_DUMP || e[i].errors) &&
		    !as_expected(s, &e[i], whole))
			wrong(&e[i], "not what must come");
	}
}

/* One request as it should be; the first answer's attributes, or a negative error. */
static int ask(unsigned int type, uint8_t cmd, unsigned int attr, const void *value, size_t size, size_t *len)
{
	static uint32_t seq = 0x80000000;
	_Alignas(8) unsigned char buf[256] = { 0 };
	struct nlmsghdr *h = (void *)buf, *r = (void *)answer;
	struct genlmsghdr *g = NLMSG_DATA(h);
	struct nlattr *a = (void *)((unsigned char *)g + GENL_HDRLEN);
	struct nlmsgerr *err = NLMSG_DATA(r);
	ssize_t got;

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST;
	h->nlmsg_seq = ++seq;
	h->nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	g->cmd = cmd;
	g->version = 1;
	if (attr) {
		a->nla_len = NLA_HDRLEN + size;
		a->nla_type = attr;
		memcpy(a + 1, value, size);
		h->nlmsg_len += NLA_ALIGN(a->nla_len);
	}
	if (send(probe.fd, buf, h->nlmsg_len, 0) != h->nlmsg_len)
		die("send: %s", strerror(errno));
	got = recv(probe.fd, answer, sizeof(answer), MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN)
		return 0;
	if (got < (ssize_t)NLMSG_HDRLEN)
		die("no answer to a right request: %s", strerror(errno));
	if (r->nlmsg_type == NLMSG_ERROR)
		return err->error;
	*len = r->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return 1;
}

static const unsigned char *answered(void) { return answer + NLMSG_HDRLEN + GENL_HDRLEN; }

static uint64_t number(const unsigned char *p, size_t len, unsigned int type)
{
	size_t size;
	const void *v = fuzz_answer_find(p, len, type, &size);
	uint64_t n = 0;

	if (!v || size > sizeof(n))
		die("attribute %u is missing", type);
	memcpy(&n, v, size);
	return n;
}

static uint64_t number_in(const unsigned char *p, size_t len, unsigned int set, unsigned int type)
{
	size_t size;
	const void *v = fuzz_answer_find(p, len, set, &size);

	if (!v)
		die("set %u is missing", set);
	return number(v, size, type);
}

static uint64_t sysfs(const char *name)
{
	char path[128];
	unsigned long long v;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/block/%s/md/%s", world.stable, name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &v) != 1)
		die("cannot read %s", path);
	fclose(f);
	return v;
}

/* The family still answers what is right, rightly, and lets nobody do more than before. */
static void check_valid(void)
{
	size_t len = 0, size;
	struct utsname u;
	const char *kernel;
	uint32_t level = RAID5STAT_LEVEL_GAUGES;
	int rc;

	if (ask(world.family, R5S_CMD_INFO, 0, NULL, 0, &len) != 1)
		die("info was not answered");
	uname(&u);
	kernel = fuzz_answer_find(answered(), len, R5S_A_INFO_KERNEL, &size);
	if (!kernel || strcmp(kernel, u.release))
		die("info names another kernel");
	if (number(answered(), len, R5S_A_INFO_LAYOUT) == RAID5STAT_LAYOUT_MODE_NONE ||
	    number(answered(), len, R5S_A_INFO_LEVEL) > RAID5STAT_LEVEL_LATENCY)
		die("info has a wrong layout or level");
	if (ask(world.family, R5S_CMD_ARRAY_GET, R5S_A_ARRAY_NAME, world.stable, strlen(world.stable) + 1, &len) != 1)
		die("array-get was not answered");
	if (number(answered(), len, R5S_A_ARRAY_ID) != world.stable_id)
		die("the array has another id");
	if (number_in(answered(), len, R5S_A_ARRAY_CACHE, R5S_A_CACHE_FLOOR) != sysfs("stripe_cache_size") ||
	    number_in(answered(), len, R5S_A_ARRAY_ABOUT, R5S_A_ABOUT_DISKS) != sysfs("raid_disks") ||
	    number_in(answered(), len, R5S_A_ARRAY_ABOUT, R5S_A_ABOUT_CHUNK) != sysfs("chunk_size"))
		die("array-get is not what sysfs says");
	rc = ask(world.family, R5S_CMD_SAMPLER_STOP, 0, NULL, 0, &len);
	if (rc != (root ? -ENOENT : -EPERM))
		die("sampler-stop without a start: %d", rc);
	if (root)
		return;
	rc = ask(world.family, R5S_CMD_SAMPLER_START, R5S_A_SAMPLER_LEVEL, &level, sizeof(level), &len);
	if (rc != -EPERM)
		die("sampler-start by nobody: %d", rc);
	if (set_number(probe.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, event_group) || errno != EPERM)
		die("nobody could join the group event");
}

static void find_family(void)
{
	const unsigned char *groups, *one;
	size_t len = 0, size;

	if (ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, RAID5STAT_FAMILY_NAME,
		sizeof(RAID5STAT_FAMILY_NAME), &len) != 1)
		die("no family raid5stat: load the module");
	world.family = number(answered(), len, CTRL_ATTR_FAMILY_ID);
	groups = fuzz_answer_find(answered(), len, CTRL_ATTR_MCAST_GROUPS, &len);
	one = groups ? fuzz_answer_find(groups, len, 1, &size) : NULL;
	if (!one)
		die("the family has no group");
	event_group = number(one, size, CTRL_ATTR_MCAST_GRP_ID);
	world.no_family = NO_FAMILY;
	if (ask(NO_FAMILY, 1, 0, NULL, 0, &len) != -ENOENT)
		die("there is a family %u", NO_FAMILY);
	if (ask(world.family, R5S_CMD_ARRAY_GET, R5S_A_ARRAY_NAME, world.stable, strlen(world.stable) + 1, &len) != 1)
		die("no array %s", world.stable);
	world.stable_id = number(answered(), len, R5S_A_ARRAY_ID);
	if (ask(world.family, R5S_CMD_INFO, 0, NULL, 0, &len) != 1)
		die("info was not answered");
	world.latency = number(answered(), len, R5S_A_INFO_LEVEL_FLOOR) == RAID5STAT_LEVEL_LATENCY;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void fuzz(unsigned long count)
{
	static _Alignas(8) unsigned char buf[FUZZ_ROOM];
	unsigned long next_check = CHECK_EVERY;
	uint32_t seq = 0;
	size_t len;

	while (sent < count) {
		struct sock *s = &socks[fuzz_below(SOCKETS)];

		/* Closed with whatever it still has to get. */
		if (fuzz_one_in(40)) {
			close(s->fd);
			open_sock(s, false);
		}
		len = fuzz_message_datagram(buf, &world, &seq);
		exchange(s, buf, len);
		if (sent >= next_check) {
			check_valid();
			next_check += CHECK_EVERY;
		}
	}
	check_valid();
}

int main(int argc, char **argv)
{
	double start = seconds();
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 5 || argc > 6 || (strcmp(argv[1], "root") && strcmp(argv[1], "nobody"))) {
		fprintf(stderr, "usage: netlink_fuzz root|nobody MESSAGES SEED ARRAY [ARRAY THAT COMES AND GOES]\n");
		return 2;
	}
	root = !strcmp(argv[1], "root");
	seed = strtoull(argv[3], NULL, 0);
	fuzz_seed(seed ^ (root ? 0 : 0x6e6f626f6479));
	snprintf(world.stable, sizeof(world.stable), "%s", argv[4]);
	snprintf(world.churn, sizeof(world.churn), "%s", argc > 5 ? argv[5] : "");
	as_root = true;
	open_sock(&probe, true);
	find_family();
	/* Nobody begins with sockets that root opened. */
	for (i = 0; i < SOCKETS; i++)
		open_sock(&socks[i], false);
	as_root = root;
	if (!root && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		die("cannot become nobody: %s", strerror(errno));
	fuzz(strtoul(argv[2], NULL, 0));
	printf("%s: %lu messages in %lu datagrams, %.0f/s: %lu answered with data, %lu dumps, %lu done, "
	       "%lu silent, %lu batches of samples, %lu refused:",
	       argv[1], sent, datagrams, sent / (seconds() - start), outcomes[FUZZ_DATA], outcomes[FUZZ_DUMP],
	       outcomes[FUZZ_DONE], outcomes[FUZZ_SILENT], batches, outcomes[FUZZ_REFUSED]);
	for (i = 1; i < 4096; i++)
		if (refused_with[i])
			printf(" %s %lu", strerrorname_np(i), refused_with[i]);
	printf("\n");
	return failures ? 1 : 0;
}
