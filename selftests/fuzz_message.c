// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages: some right, most of them right but for something, a few noise. */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/raid5stat.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

static uint64_t state;

void fuzz_seed(uint64_t seed)
{
	state = seed;
}

/* splitmix64, by its published description. */
uint64_t fuzz_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A message under construction. */
struct draft {
	unsigned char *p;
	size_t len;
	size_t room;
};

static void put(struct draft *d, unsigned int type, const void *value, size_t n)
{
	struct nlattr a = { .nla_len = NLA_HDRLEN + n, .nla_type = type };
	size_t total = NLA_ALIGN(NLA_HDRLEN + n);

	if (d->len + total > d->room)
		return;
	memset(d->p + d->len, 0, total);
	memcpy(d->p + d->len, &a, sizeof(a));
	if (n)
		memcpy(d->p + d->len + NLA_HDRLEN, value, n);
	d->len += total;
}

static void put_u32(struct draft *d, unsigned int type, uint32_t v) { put(d, type, &v, sizeof(v)); }
static void put_u64(struct draft *d, unsigned int type, uint64_t v) { put(d, type, &v, sizeof(v)); }

static uint64_t some_number(void)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 4, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff,
					  0x100000000, INT64_MAX, 1ULL << 63, UINT64_MAX, 999999, 1000000,
					  60000000000, 60000000001 };

	return fuzz_one_in(3) ? fuzz_random() : edges[fuzz_below(sizeof(edges) / sizeof(edges[0]))];
}

static void put_id(struct draft *d, const struct fuzz_world *w, unsigned int type, bool right)
{
	if (right)
		put_u64(d, type, w->stable_id);
	else
		put_u64(d, type, fuzz_one_in(2) ? w->stable_id + fuzz_below(4) : some_number());
}

static void put_name(struct draft *d, const struct fuzz_world *w, unsigned int type, bool right)
{
	static const char *const bad[] = { "", "md", "/dev/md0", "md0 ", "..", "%s%n", "\xff\xfe", "ram0", "lo" };
	char text[4096];
	size_t n;

	if (right) {
		const char *name = w->churn[0] && fuzz_one_in(4) ? w->churn : w->stable;

		put(d, type, name, strlen(name) + 1);
		return;
	}
	switch (fuzz_below(4)) {
	case 0:
		n = 1 + fuzz_below(fuzz_one_in(8) ? sizeof(text) - 1 : 80);
		memset(text, 'a' + fuzz_below(26), n);
		text[n - 1] = fuzz_one_in(2) ? 0 : 'z';
		put(d, type, text, n);
		break;
	case 1:
		/* The name without its end, or with something behind it. */
		n = strlen(w->stable);
		snprintf(text, sizeof(text), "%s", w->stable);
		memset(text + n + 1, 'x', 8);
		put(d, type, text, fuzz_one_in(2) ? n : n + 1 + fuzz_below(8));
		break;
	default:
		n = fuzz_below(sizeof(bad) / sizeof(bad[0]));
		put(d, type, bad[n], strlen(bad[n]) + 1);
	}
}

static void put_array(struct draft *d, const struct fuzz_world *w, unsigned int id, unsigned int name, bool right)
{
	unsigned int which = right ? 1 + fuzz_below(2) : fuzz_below(4);

	if (which & 1)
		put_id(d, w, id, right || fuzz_one_in(2));
	if (which & 2)
		put_name(d, w, name, right || fuzz_one_in(2));
}

static void nest(struct draft *d, unsigned int depth)
{
	size_t start = d->len;
	uint16_t n;

	put(d, (1 + fuzz_below(8)) | (fuzz_one_in(4) ? 0 : NLA_F_NESTED), NULL, 0);
	if (depth && d->len > start)
		nest(d, depth - 1);
	n = d->len - start;
	if (n)
		memcpy(d->p + start, &n, sizeof(n));
}

static uint64_t some_period(void)
{
	/* A short period is much work; it ends with the next start, stop or close of the socket. */
	static const uint64_t periods[] = { 20000000, 100000000, 1000000000, 60000000000 };

	return fuzz_one_in(20) ? 1000000 : periods[fuzz_below(4)];
}

static void put_samples(struct draft *d, const struct fuzz_world *w, bool right)
{
	unsigned int n = fuzz_one_in(right ? 200 : 20) ? fuzz_below(130) : fuzz_below(3);

	put_u64(d, R5S_A_SAMPLER_PERIOD_NS, right ? some_period() : some_number());
	for (; n; n--) {
		if (fuzz_one_in(2))
			put_id(d, w, R5S_A_SAMPLER_ID, right || fuzz_one_in(2));
		else
			put_name(d, w, R5S_A_SAMPLER_NAME, right || fuzz_one_in(2));
	}
}

static void put_content(struct draft *d, const struct fuzz_world *w, uint8_t cmd, bool right)
{
	switch (cmd) {
	case R5S_CMD_ARRAY_GET:
		put_array(d, w, R5S_A_ARRAY_ID, R5S_A_ARRAY_NAME, right);
		break;
	case R5S_CMD_HIST_GET:
		put_array(d, w, R5S_A_HIST_ID, R5S_A_HIST_NAME, right);
		if (fuzz_one_in(2))
			put_u32(d, R5S_A_HIST_WAITER, right ? fuzz_below(3) : some_number());
		break;
	case R5S_CMD_CENSUS_GET:
		put_array(d, w, R5S_A_CENSUS_ID, R5S_A_CENSUS_NAME, right);
		break;
	case R5S_CMD_SAMPLER_START:
		if (right || !fuzz_one_in(4))
			put_u32(d, R5S_A_SAMPLER_LEVEL, right ? fuzz_below(4) : some_number());
		if (fuzz_one_in(2))
			put_samples(d, w, right);
		break;
	}
}

static uint8_t some_command(bool right, const struct fuzz_world *w)
{
	static const uint8_t often[] = { R5S_CMD_ARRAY_GET, R5S_CMD_ARRAY_GET, R5S_CMD_ARRAY_GET, R5S_CMD_HIST_GET,
					 R5S_CMD_HIST_GET, R5S_CMD_CENSUS_GET, R5S_CMD_INFO };

	if (!right)
		return fuzz_one_in(10) ? fuzz_random() : 1 + fuzz_below(R5S_CMD_MAX);
	/* Where nothing else keeps the probes armed, each start and stop arms and disarms them: that takes long. */
	if (fuzz_one_in(w->latency ? 8 : 600))
		return fuzz_one_in(2) ? R5S_CMD_SAMPLER_START : R5S_CMD_SAMPLER_STOP;
	return often[fuzz_below(sizeof(often))];
}

/* Spoil one thing in the attributes from @from on. */
static void spoil_attrs(struct draft *d, size_t from)
{
	unsigned char junk[64];
	struct nlattr a;
	size_t at = from, i;

	/* One of the attributes, found by their lengths. */
	while (at + NLA_HDRLEN <= d->len && fuzz_one_in(2)) {
		memcpy(&a, d->p + at, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || at + NLA_ALIGN(a.nla_len) + NLA_HDRLEN > d->len)
			break;
		at += NLA_ALIGN(a.nla_len);
	}
	for (i = 0; i < sizeof(junk); i++)
		junk[i] = fuzz_random();
	if (at + NLA_HDRLEN > d->len || fuzz_one_in(3)) {
		switch (fuzz_below(5)) {
		case 0:
			put(d, fuzz_below(fuzz_one_in(2) ? 12 : 65536), junk, fuzz_below(sizeof(junk)));
			break;
		case 1:
			nest(d, fuzz_below(40));
			break;
		case 2:
			/* Bytes that are no attribute. */
			i = 1 + fuzz_below(7);
			if (d->len + i <= d->room) {
				memcpy(d->p + d->len, junk, i);
				d->len += i;
			}
			break;
		case 3:
			/* A type's second attribute. */
			if (at + NLA_HDRLEN <= d->len) {
				memcpy(&a, d->p + at, sizeof(a));
				put(d, a.nla_type, junk, fuzz_one_in(2) ? 8 : 4);
			}
			break;
		default:
			for (i = fuzz_below(200); i; i--)
				put(d, 1 + fuzz_below(3), junk, 8);
		}
		return;
	}
	memcpy(&a, d->p + at, sizeof(a));
	switch (fuzz_below(5)) {
	case 0:
		a.nla_len = fuzz_one_in(2) ? fuzz_below(16) : fuzz_random();
		break;
	case 1:
		a.nla_len += fuzz_one_in(2) ? 1 : -1;
		break;
	case 2:
		a.nla_type = fuzz_one_in(2) ? fuzz_below(12) : fuzz_random();
		break;
	case 3:
		a.nla_type ^= fuzz_one_in(2) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
		break;
	default:
		if (at + NLA_HDRLEN < d->len)
			d->p[at + NLA_HDRLEN + fuzz_below(d->len - at - NLA_HDRLEN)] ^= 1 << fuzz_below(8);
	}
	memcpy(d->p + at, &a, sizeof(a));
}

static void spoil_header(struct nlmsghdr *h, struct genlmsghdr *g, const struct fuzz_world *w)
{
	switch (fuzz_below(7)) {
	case 0:
		h->nlmsg_flags = fuzz_random();
		break;
	case 1:
		h->nlmsg_flags ^= 1 << fuzz_below(16);
		break;
	case 2:
		h->nlmsg_type = fuzz_one_in(2) ? w->no_family : fuzz_below(NLMSG_MIN_TYPE);
		break;
	case 3:
		g->reserved = fuzz_random();
		break;
	case 4:
		h->nlmsg_len += fuzz_below(33) - 16;
		break;
	case 5:
		h->nlmsg_len = fuzz_one_in(2) ? fuzz_below(24) : fuzz_random();
		break;
	default:
		g->cmd = fuzz_random();
	}
}

static size_t message(unsigned char *p, size_t room, const struct fuzz_world *w, uint32_t seq)
{
	bool right = fuzz_one_in(8), dump = fuzz_one_in(right ? 24 : 12);
	struct draft d = { .p = p, .len = NLMSG_HDRLEN + GENL_HDRLEN, .room = room };
	struct genlmsghdr g = { .version = RAID5STAT_FAMILY_VERSION, .cmd = some_command(right, w) };
	struct nlmsghdr h = { .nlmsg_type = w->family, .nlmsg_seq = seq,
			      .nlmsg_flags = NLM_F_REQUEST | (fuzz_one_in(4) ? 0 : NLM_F_ACK) };
	unsigned int n;

	if (dump) {
		h.nlmsg_flags |= NLM_F_DUMP;
		if (right)
			g.cmd = fuzz_one_in(2) ? R5S_CMD_ARRAY_GET : R5S_CMD_NODE_GET;
	}
	if (!dump || !right)
		put_content(&d, w, g.cmd, right);
	if (fuzz_one_in(10))
		g.version = fuzz_random();
	if (fuzz_one_in(10))
		h.nlmsg_pid = fuzz_random();
	if (!right && !fuzz_one_in(4))
		for (n = 1 + fuzz_below(3); n; n--)
			spoil_attrs(&d, NLMSG_HDRLEN + GENL_HDRLEN);
	h.nlmsg_len = d.len;
	if (!right && fuzz_one_in(6))
		spoil_header(&h, &g, w);
	memcpy(p, &h, sizeof(h));
	memcpy(p + NLMSG_HDRLEN, &g, sizeof(g));
	return NLMSG_ALIGN(d.len);
}

size_t fuzz_message_datagram(unsigned char *buf, const struct fuzz_world *w, uint32_t *seq)
{
	unsigned int n = fuzz_one_in(8) ? 1 : 1 + fuzz_below(FUZZ_BATCH);
	size_t len = 0;

	for (; n && len < FUZZ_ROOM - 8192; n--)
		len += message(buf + len, 8192, w, ++*seq);
	if (fuzz_one_in(20)) {
		for (n = 1 + fuzz_below(16); n; n--)
			buf[fuzz_below(len)] ^= 1 << fuzz_below(8);
		if (fuzz_one_in(2))
			len = 1 + fuzz_below(len);
	}
	fuzz_model_confine(buf, len, w);
	return len;
}
