// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must become of a message, from Documentation/netlink/specs/raid5stat.yaml and the kernel's rules for
 * generic netlink. It reads bytes and shares no code with what made them.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/raid5stat.h>
#include <string.h>

#include "fuzz.h"

enum kind { NONE, U32, U64, NUL_STRING, STRING };

enum {
	PERIOD_MIN = 1000000,
	ARRAYS_MAX = 64,		/* named in one request */
	NAME_MAX_LEN = 31
};

#define PERIOD_MAX 60000000000

/* A request's attribute: its type, its greatest value, and whether it may come more than once. */
struct attr_rule {
	enum kind kind;
	uint64_t max;
	bool many;
};

struct rule {
	bool does, dumps, admin;
	struct attr_rule attr[8];	/* of a do; a dump takes none */
};

static const struct rule rules[R5S_CMD_MAX + 1] = {
	[R5S_CMD_INFO] = { .does = true },
	[R5S_CMD_ARRAY_GET] = { .does = true, .dumps = true, .attr = {
		[R5S_A_ARRAY_ID] = { U64, UINT64_MAX }, [R5S_A_ARRAY_NAME] = { NUL_STRING, 0 } } },
	[R5S_CMD_NODE_GET] = { .dumps = true },
	[R5S_CMD_HIST_GET] = { .does = true, .attr = {
		[R5S_A_HIST_ID] = { U64, UINT64_MAX }, [R5S_A_HIST_NAME] = { NUL_STRING, 0 },
		[R5S_A_HIST_WAITER] = { U32, RAID5STAT_WAITER_RESHAPE } } },
	[R5S_CMD_CENSUS_GET] = { .does = true, .attr = {
		[R5S_A_CENSUS_ID] = { U64, UINT64_MAX }, [R5S_A_CENSUS_NAME] = { NUL_STRING, 0 } } },
	[R5S_CMD_SAMPLER_START] = { .does = true, .admin = true, .attr = {
		[R5S_A_SAMPLER_LEVEL] = { U32, RAID5STAT_LEVEL_LATENCY },
		[R5S_A_SAMPLER_PERIOD_NS] = { U64, UINT64_MAX },
		[R5S_A_SAMPLER_ID] = { U64, UINT64_MAX, true },
		[R5S_A_SAMPLER_NAME] = { STRING, 0, true } } },
	[R5S_CMD_SAMPLER_STOP] = { .does = true, .admin = true },
};

enum found { NO_ARRAY, MAYBE, STABLE };

/* What a request's attributes say; the last of a type counts, and of those that may come often the worst array. */
struct request {
	unsigned int times[8];
	bool has[8];
	uint64_t number[8];
	const char *text[8];
	enum found worst;
};

static enum found find_name(const struct fuzz_world *w, const char *name)
{
	if (!strcmp(name, w->stable))
		return STABLE;
	return w->churn[0] && !strcmp(name, w->churn) ? MAYBE : NO_ARRAY;
}

static enum found find_id(const struct fuzz_world *w, uint64_t id)
{
	if (id == w->stable_id)
		return STABLE;
	/* The array that comes and goes gets another id each time. */
	return w->churn[0] && id > 0 && id < 1 << 20 ? MAYBE : NO_ARRAY;
}

static enum found find_text(const struct fuzz_world *w, const unsigned char *p, size_t n)
{
	char name[NAME_MAX_LEN + 1] = "";

	if (n && !p[n - 1])
		n--;
	if (n > NAME_MAX_LEN)
		return NO_ARRAY;
	memcpy(name, p, n);
	return find_name(w, name);
}

static bool string_is_whole(const unsigned char *p, size_t n)
{
	return memchr(p, 0, n);
}

static bool attr_allowed(const struct fuzz_world *w, const struct attr_rule *r, uint16_t type,
			 const unsigned char *p, size_t n, struct request *q)
{
	unsigned int t = type & NLA_TYPE_MASK;
	enum found found = STABLE;
	uint32_t small;

	if (type & NLA_F_NESTED)
		return false;
	switch (r->kind) {
	case U32:
		if (n != sizeof(small))
			return false;
		memcpy(&small, p, sizeof(small));
		q->number[t] = small;
		break;
	case U64:
		if (n != sizeof(q->number[t]))
			return false;
		memcpy(&q->number[t], p, sizeof(q->number[t]));
		break;
	case NUL_STRING:
		if (!string_is_whole(p, n))
			return false;
		q->text[t] = (const char *)p;
		break;
	case STRING:
		if (!n)
			return false;
		break;
	default:
		return false;
	}
	if (q->number[t] > r->max)
		return false;
	q->has[t] = true;
	q->times[t]++;
	if (r->many)
		found = r->kind == U64 ? find_id(w, q->number[t]) : find_text(w, p, n);
	if (found < q->worst)
		q->worst = found;
	return true;
}

/* All attributes, one by one, to the last byte. */
static bool attrs_allowed(const struct fuzz_world *w, const struct rule *r, bool dump, const unsigned char *p,
			  long left, struct request *q)
{
	while (left >= NLA_HDRLEN) {
		struct nlattr a;
		unsigned int t;

		memcpy(&a, p, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || a.nla_len > left)
			return false;
		t = a.nla_type & NLA_TYPE_MASK;
		if (dump || !t || t >= 8 || !r->attr[t].kind)
			return false;
		if (!attr_allowed(w, &r->attr[t], a.nla_type, p + NLA_HDRLEN, a.nla_len - NLA_HDRLEN, q))
			return false;
		p += NLA_ALIGN(a.nla_len);
		left -= NLA_ALIGN(a.nla_len);
	}
	return left <= 0;
}

static void refuse(struct fuzz_expect *e, int error, int or_error, bool text, const char *why)
{
	e->outcome = FUZZ_REFUSED;
	e->error[0] = error;
	e->error[1] = or_error;
	e->text = text;
	e->why = why;
}

/* An array by exactly one of id and name. */
static void about_array(struct fuzz_expect *e, const struct fuzz_world *w, const struct request *q,
			unsigned int id, unsigned int name)
{
	enum found found;

	if (q->has[id] == q->has[name]) {
		refuse(e, EINVAL, 0, true, "an array named by neither or both");
		return;
	}
	found = q->has[name] ? find_name(w, q->text[name]) : find_id(w, q->number[id]);
	if (found == NO_ARRAY) {
		refuse(e, ENODEV, 0, true, "no such array");
		return;
	}
	e->outcome = FUZZ_DATA;
	e->why = "an array";
	if (found == MAYBE)
		e->or_error[0] = ENODEV;
}

static void about_sampler(struct fuzz_expect *e, struct fuzz_sender *s, const struct request *q)
{
	if (e->cmd == R5S_CMD_SAMPLER_STOP) {
		if (!s->holds) {
			refuse(e, ENOENT, 0, true, "stop without a start");
			return;
		}
		e->outcome = FUZZ_DONE;
		if (s->may_hold)
			e->or_error[0] = ENOENT;
		s->holds = s->may_hold = false;
		return;
	}
	if (!q->has[R5S_A_SAMPLER_LEVEL]) {
		refuse(e, EINVAL, 0, true, "start without a level");
		return;
	}
	if (q->has[R5S_A_SAMPLER_PERIOD_NS]) {
		uint64_t period = q->number[R5S_A_SAMPLER_PERIOD_NS];

		if (period < PERIOD_MIN || period > PERIOD_MAX) {
			refuse(e, ERANGE, 0, true, "a period out of range");
			return;
		}
		if (q->times[R5S_A_SAMPLER_ID] > ARRAYS_MAX || q->times[R5S_A_SAMPLER_NAME] > ARRAYS_MAX) {
			refuse(e, E2BIG, q->worst == STABLE ? 0 : ENODEV, true, "too many arrays");
			return;
		}
		if (q->worst == NO_ARRAY) {
			refuse(e, ENODEV, 0, true, "an array that there is not");
			return;
		}
		if (q->worst == MAYBE)
			e->or_error[0] = ENODEV;
		/* As many as may be, with or without another attribute behind them. */
		if (q->times[R5S_A_SAMPLER_ID] == ARRAYS_MAX || q->times[R5S_A_SAMPLER_NAME] == ARRAYS_MAX)
			e->or_error[1] = E2BIG;
		s->samples = true;
	}
	e->outcome = FUZZ_DONE;
	e->why = "a start";
	/* Refused, what it held before stays. */
	if (e->or_error[0] || e->or_error[1])
		s->may_hold = s->may_hold || !s->holds;
	else
		s->may_hold = false;
	s->holds = true;
}

/* A message to our family whose header is right. */
static void command(struct fuzz_expect *e, const struct fuzz_world *w, struct fuzz_sender *s, bool dump)
{
	const struct rule *r = e->cmd <= R5S_CMD_MAX ? &rules[e->cmd] : &rules[0];
	struct request q = { .worst = STABLE };

	if (r->admin && !s->capable) {
		refuse(e, EPERM, dump ? EOPNOTSUPP : 0, false, "needs CAP_NET_ADMIN");
		return;
	}
	if (dump ? !r->dumps : !r->does) {
		refuse(e, EOPNOTSUPP, 0, false, "no such command");
		return;
	}
	if (!attrs_allowed(w, r, dump, e->bytes + NLMSG_HDRLEN + GENL_HDRLEN,
			   (long)e->len - NLMSG_HDRLEN - GENL_HDRLEN, &q)) {
		refuse(e, EINVAL, ERANGE, false, "attributes against the policy");
		if (dump && s->dumping)
			e->error[1] = EBUSY;
		return;
	}
	if (dump) {
		e->outcome = FUZZ_DUMP;
		e->why = "a dump";
		if (s->dumping)
			e->or_error[0] = EBUSY;
		s->dumping = true;
		return;
	}
	switch (e->cmd) {
	case R5S_CMD_INFO:
		e->outcome = FUZZ_DATA;
		break;
	case R5S_CMD_ARRAY_GET:
		about_array(e, w, &q, R5S_A_ARRAY_ID, R5S_A_ARRAY_NAME);
		break;
	case R5S_CMD_CENSUS_GET:
		about_array(e, w, &q, R5S_A_CENSUS_ID, R5S_A_CENSUS_NAME);
		break;
	case R5S_CMD_HIST_GET:
		about_array(e, w, &q, R5S_A_HIST_ID, R5S_A_HIST_NAME);
		/* An array that was just made is not timed yet. */
		if (e->outcome == FUZZ_DATA && (!w->latency || e->or_error[0]))
			e->or_error[1] = ENODATA;
		break;
	default:
		about_sampler(e, s, &q);
	}
}

static void judge(struct fuzz_expect *e, const struct nlmsghdr *h, const struct fuzz_world *w, struct fuzz_sender *s)
{
	unsigned int flags = h->nlmsg_flags;
	bool dump = (flags & NLM_F_DUMP) == NLM_F_DUMP;
	struct genlmsghdr g;

	e->seq = h->nlmsg_seq;
	e->ack = flags & NLM_F_ACK;
	e->why = "by its content";
	if (!(flags & NLM_F_REQUEST) || h->nlmsg_type < NLMSG_MIN_TYPE) {
		e->outcome = FUZZ_SILENT;
		return;
	}
	if (h->nlmsg_type != w->family) {
		refuse(e, ENOENT, 0, false, "no such family");
		return;
	}
	if (h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN) {
		refuse(e, EINVAL, 0, false, "no room for a command");
		return;
	}
	memcpy(&g, e->bytes + NLMSG_HDRLEN, sizeof(g));
	e->cmd = g.cmd;
	if (dump)
		flags &= ~NLM_F_DUMP;
	if (g.reserved || (flags & ~(NLM_F_REQUEST | NLM_F_ACK | NLM_F_ECHO))) {
		refuse(e, EINVAL, 0, false, "reserved bits");
		return;
	}
	command(e, w, s, dump);
}

/* The next message of a datagram as the kernel walks it: its place, or NULL at the end. */
static unsigned char *next(unsigned char *buf, size_t len, size_t *at, struct nlmsghdr *h)
{
	unsigned char *p = buf + *at;

	if (*at >= len || len - *at < NLMSG_HDRLEN)
		return NULL;
	memcpy(h, p, sizeof(*h));
	if (h->nlmsg_len < NLMSG_HDRLEN || h->nlmsg_len > len - *at)
		return NULL;
	*at += NLMSG_ALIGN((size_t)h->nlmsg_len);
	return p;
}

unsigned int fuzz_model(const unsigned char *buf, size_t len, const struct fuzz_world *w,
			struct fuzz_sender *s, struct fuzz_expect *e)
{
	struct nlmsghdr h;
	size_t at = 0;
	unsigned int n = 0, i;
	unsigned char *p;

	while ((p = next((unsigned char *)buf, len, &at, &h))) {
		if (n == 2 * FUZZ_BATCH)
			return 0;
		memset(&e[n], 0, sizeof(e[n]));
		e[n].bytes = p;
		e[n].len = h.nlmsg_len;
		judge(&e[n], &h, w, s);
		for (i = 0; i < n; i++)
			if (e[i].seq == e[n].seq)
				e[i].ambiguous = e[n].ambiguous = true;
		n++;
	}
	return n;
}

void fuzz_model_confine(unsigned char *buf, size_t len, const struct fuzz_world *w)
{
	struct nlmsghdr h;
	size_t at = 0;
	unsigned char *p;

	while ((p = next(buf, len, &at, &h))) {
		if (h.nlmsg_type < NLMSG_MIN_TYPE || h.nlmsg_type == w->no_family)
			continue;
		h.nlmsg_type = w->family;
		memcpy(p, &h, sizeof(h));
	}
}
