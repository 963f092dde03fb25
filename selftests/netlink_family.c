// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the family promises to one reader and to two, on the kernel's own test harness. netlink_family.sh makes
 * the array md0 that is looked at.
 */
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <sys/utsname.h>

#include <linux/raid5stat.h>

#include "kselftest_harness.h"

/* An array, as far as these tests look at it. */
struct array {
	uint64_t id, sequence, mono_ns, since_ns, floor, size, size_at_start;
	bool counted, metrics;
	char name[64];
};

/* All of an answer. */
struct answer {
	bool ended;
	unsigned int count;
	struct array array[8];
	uint32_t info_level;
	unsigned int probes, armed;
	char kernel[128];
	uint64_t nodes;		/* a bit each */
	uint64_t hashed, in_use;
	uint64_t hist_count, hist_sum, hist_buckets;
};

struct reader {
	struct nl_sock *sk;
	int family;
};

static void string_of(char *to, size_t size, const struct nlattr *a)
{
	snprintf(to, size, "%s", a ? nla_get_string(a) : "");
}

static uint64_t u64_of(const struct nlattr *a)
{
	return a ? nla_get_u64(a) : 0;
}

static void take_array(struct answer *to, struct nlmsghdr *h)
{
	struct nlattr *a[R5S_A_ARRAY_MAX + 1], *c[R5S_A_CACHE_MAX + 1];
	struct array *one;

	if (to->count == 8 || genlmsg_parse(h, 0, a, R5S_A_ARRAY_MAX, NULL))
		return;
	one = &to->array[to->count++];
	one->id = u64_of(a[R5S_A_ARRAY_ID]);
	one->sequence = u64_of(a[R5S_A_ARRAY_SEQUENCE]);
	one->mono_ns = u64_of(a[R5S_A_ARRAY_MONO_NS]);
	one->since_ns = u64_of(a[R5S_A_ARRAY_SINCE_NS]);
	string_of(one->name, sizeof(one->name), a[R5S_A_ARRAY_NAME]);
	if (!a[R5S_A_ARRAY_CACHE] ||
	    nla_parse_nested(c, R5S_A_CACHE_MAX, a[R5S_A_ARRAY_CACHE], NULL))
		return;
	one->metrics = true;
	one->counted = c[R5S_A_CACHE_GROW_OK];
	one->floor = u64_of(c[R5S_A_CACHE_FLOOR]);
	one->size = u64_of(c[R5S_A_CACHE_SIZE]);
	one->size_at_start = u64_of(c[R5S_A_CACHE_SIZE_AT_START]);
}

static void take_info(struct answer *to, struct nlmsghdr *h)
{
	struct nlattr *a, *p[R5S_A_PROBE_MAX + 1];
	int left;

	to->count++;
	nla_for_each_attr(a, genlmsg_attrdata(genlmsg_hdr(h), 0),
			  genlmsg_attrlen(genlmsg_hdr(h), 0), left) {
		if (nla_type(a) == R5S_A_INFO_KERNEL)
			string_of(to->kernel, sizeof(to->kernel), a);
		if (nla_type(a) == R5S_A_INFO_LEVEL)
			to->info_level = nla_get_u32(a);
		if (nla_type(a) != R5S_A_INFO_PROBE)
			continue;
		to->probes++;
		if (!nla_parse_nested(p, R5S_A_PROBE_MAX, a, NULL) && p[R5S_A_PROBE_ARMED])
			to->armed++;
	}
}

static void take_hist(struct answer *to, struct nlmsghdr *h)
{
	struct nlattr *a, *b[R5S_A_BUCKET_MAX + 1];
	int left;

	to->count++;
	nla_for_each_attr(a, genlmsg_attrdata(genlmsg_hdr(h), 0),
			  genlmsg_attrlen(genlmsg_hdr(h), 0), left) {
		if (nla_type(a) == R5S_A_HIST_COUNT)
			to->hist_count = nla_get_u64(a);
		if (nla_type(a) != R5S_A_HIST_BUCKET ||
		    nla_parse_nested(b, R5S_A_BUCKET_MAX, a, NULL))
			continue;
		to->hist_buckets++;
		to->hist_sum += u64_of(b[R5S_A_BUCKET_COUNT]);
	}
}

static int take(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct nlattr *a[R5S_A_CENSUS_MAX + 1];
	struct answer *to = arg;

	switch (genlmsg_hdr(h)->cmd) {
	case R5S_CMD_ARRAY_GET:
		take_array(to, h);
		break;
	case R5S_CMD_INFO:
		take_info(to, h);
		break;
	case R5S_CMD_HIST_GET:
		take_hist(to, h);
		break;
	case R5S_CMD_NODE_GET:
		to->count++;
		if (!genlmsg_parse(h, 0, a, R5S_A_NODE_MAX, NULL) && a[R5S_A_NODE_ID])
			to->nodes |= 1ULL << (nla_get_u32(a[R5S_A_NODE_ID]) & 63);
		break;
	case R5S_CMD_CENSUS_GET:
		to->count++;
		if (!genlmsg_parse(h, 0, a, R5S_A_CENSUS_MAX, NULL)) {
			to->hashed = u64_of(a[R5S_A_CENSUS_HASHED]);
			to->in_use = u64_of(a[R5S_A_CENSUS_IN_USE]);
		}
		break;
	}
	return NL_OK;
}

static bool reader_open(struct reader *r)
{
	r->sk = nl_socket_alloc();
	if (!r->sk || genl_connect(r->sk))
		return false;
	r->family = genl_ctrl_resolve(r->sk, RAID5STAT_FAMILY_NAME);
	return r->family >= 0;
}

static struct nl_msg *message(const struct reader *r, uint8_t cmd, int flags)
{
	struct nl_msg *m = nlmsg_alloc();

	genlmsg_put(m, NL_AUTO_PORT, NL_AUTO_SEQ, r->family, 0, flags, cmd,
		    RAID5STAT_FAMILY_VERSION);
	return m;
}

static int end(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct answer *)arg)->ended = true;
	return NL_STOP;
}

/*
 * Send it and take all that is answered: a dump ends itself, everything else with an acknowledgement that was
 * asked for. Returns 0 or libnl's negative error.
 */
static int ask(struct reader *r, struct nl_msg *m, struct answer *to)
{
	int err;

	memset(to, 0, sizeof(*to));
	nl_socket_modify_cb(r->sk, NL_CB_VALID, NL_CB_CUSTOM, take, to);
	nl_socket_modify_cb(r->sk, NL_CB_ACK, NL_CB_CUSTOM, end, to);
	nl_socket_modify_cb(r->sk, NL_CB_FINISH, NL_CB_CUSTOM, end, to);
	err = nl_send_auto(r->sk, m);
	nlmsg_free(m);
	while (err >= 0 && !to->ended)
		err = nl_recvmsgs_default(r->sk);
	return err < 0 ? err : 0;
}

static int ask_simple(struct reader *r, uint8_t cmd, int flags, struct answer *to)
{
	return ask(r, message(r, cmd, flags), to);
}

static int ask_named(struct reader *r, uint8_t cmd, int attr, const char *name, struct answer *to)
{
	struct nl_msg *m = message(r, cmd, 0);

	nla_put_string(m, attr, name);
	return ask(r, m, to);
}

static int subscribe(struct reader *r, uint32_t level)
{
	struct nl_msg *m = message(r, R5S_CMD_SAMPLER_START, 0);
	struct answer nothing;

	nla_put_u32(m, R5S_A_SAMPLER_LEVEL, level);
	return ask(r, m, &nothing);
}

/* One number of sysfs, or -1. */
static long sysfs(const char *path)
{
	FILE *f = fopen(path, "r");
	long v = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &v) != 1)
		v = -1;
	fclose(f);
	return v;
}

FIXTURE(family)
{
	struct reader r;
	struct answer got;
};

FIXTURE_SETUP(family)
{
	ASSERT_TRUE(reader_open(&self->r));
}

FIXTURE_TEARDOWN(family)
{
	nl_socket_free(self->r.sk);
}

TEST_F(family, info_names_this_kernel)
{
	struct utsname u;

	ASSERT_EQ(0, uname(&u));
	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_INFO, 0, &self->got));
	EXPECT_EQ(1, self->got.count);
	EXPECT_STREQ(u.release, self->got.kernel);
	EXPECT_LT(10, self->got.probes);
}

TEST_F(family, dump_shows_the_array_as_sysfs_does)
{
	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_ARRAY_GET, NLM_F_DUMP, &self->got));
	ASSERT_EQ(1, self->got.count);
	EXPECT_STREQ("md0", self->got.array[0].name);
	ASSERT_TRUE(self->got.array[0].metrics);
	EXPECT_EQ(sysfs("/sys/block/md0/md/stripe_cache_size"), (long)self->got.array[0].floor);
	EXPECT_LE(self->got.array[0].floor, self->got.array[0].size);
}

TEST_F(family, id_and_name_lead_to_the_same_array)
{
	struct nl_msg *m;
	struct array by_name;

	ASSERT_EQ(0, ask_named(&self->r, R5S_CMD_ARRAY_GET, R5S_A_ARRAY_NAME, "md0", &self->got));
	ASSERT_EQ(1, self->got.count);
	by_name = self->got.array[0];
	ASSERT_NE(0, by_name.id);
	m = message(&self->r, R5S_CMD_ARRAY_GET, 0);
	nla_put_u64(m, R5S_A_ARRAY_ID, by_name.id);
	ASSERT_EQ(0, ask(&self->r, m, &self->got));
	ASSERT_EQ(1, self->got.count);
	EXPECT_EQ(by_name.id, self->got.array[0].id);
	EXPECT_STREQ("md0", self->got.array[0].name);
	EXPECT_LT(by_name.sequence, self->got.array[0].sequence);
	EXPECT_LT(by_name.mono_ns, self->got.array[0].mono_ns);
}

TEST_F(family, dump_has_every_node)
{
	char path[64];
	int nid;

	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_NODE_GET, NLM_F_DUMP, &self->got));
	for (nid = 0; nid < 64; nid++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", nid);
		EXPECT_EQ(!access(path, F_OK), (int)(self->got.nodes >> nid & 1))
			TH_LOG("node %d", nid);
	}
}

TEST_F(family, counters_are_absent_until_somebody_asks)
{
	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_ARRAY_GET, NLM_F_DUMP, &self->got));
	ASSERT_EQ(1, self->got.count);
	EXPECT_FALSE(self->got.array[0].counted);
	EXPECT_EQ(0, self->got.array[0].since_ns);

	ASSERT_EQ(0, subscribe(&self->r, RAID5STAT_LEVEL_COUNTERS));
	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_ARRAY_GET, NLM_F_DUMP, &self->got));
	ASSERT_EQ(1, self->got.count);
	EXPECT_TRUE(self->got.array[0].counted);
	EXPECT_NE(0, self->got.array[0].since_ns);
	EXPECT_EQ(self->got.array[0].size, self->got.array[0].size_at_start);

	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_SAMPLER_STOP, 0, &self->got));
	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_ARRAY_GET, NLM_F_DUMP, &self->got));
	EXPECT_FALSE(self->got.array[0].counted);
}

TEST_F(family, the_highest_level_rules_and_dies_with_its_socket)
{
	struct reader other;
	unsigned int armed;
	int tries;

	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_INFO, 0, &self->got));
	EXPECT_EQ(RAID5STAT_LEVEL_GAUGES, self->got.info_level);
	armed = self->got.armed;
	EXPECT_LT(0, armed);

	ASSERT_TRUE(reader_open(&other));
	ASSERT_EQ(0, subscribe(&other, RAID5STAT_LEVEL_LATENCY));
	ASSERT_EQ(0, subscribe(&self->r, RAID5STAT_LEVEL_COUNTERS));
	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_INFO, 0, &self->got));
	EXPECT_EQ(RAID5STAT_LEVEL_LATENCY, self->got.info_level);
	EXPECT_LT(armed, self->got.armed);

	/* Disarming after a close is left to a work item. */
	nl_socket_free(other.sk);
	for (tries = 0; tries < 200; tries++) {
		ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_INFO, 0, &self->got));
		if (self->got.info_level == RAID5STAT_LEVEL_COUNTERS)
			break;
		usleep(50000);
	}
	EXPECT_EQ(RAID5STAT_LEVEL_COUNTERS, self->got.info_level);
}

TEST_F(family, histogram_adds_up)
{
	/* Nobody times waits now. */
	ASSERT_GT(0, ask_named(&self->r, R5S_CMD_HIST_GET, R5S_A_HIST_NAME, "md0", &self->got));
	ASSERT_EQ(0, subscribe(&self->r, RAID5STAT_LEVEL_LATENCY));
	ASSERT_EQ(0, ask_named(&self->r, R5S_CMD_HIST_GET, R5S_A_HIST_NAME, "md0", &self->got));
	EXPECT_EQ(1, self->got.count);
	EXPECT_LT(30, self->got.hist_buckets);
	EXPECT_EQ(self->got.hist_count, self->got.hist_sum);
}

TEST_F(family, census_counts_no_more_than_there_are)
{
	struct answer all;

	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_ARRAY_GET, NLM_F_DUMP, &all));
	ASSERT_EQ(1, all.count);
	ASSERT_EQ(0, ask_named(&self->r, R5S_CMD_CENSUS_GET, R5S_A_CENSUS_NAME, "md0", &self->got));
	EXPECT_EQ(1, self->got.count);
	EXPECT_LE(self->got.hashed, all.array[0].size);
	EXPECT_LE(self->got.in_use, all.array[0].size);
}

TEST_F(family, a_dump_that_nobody_reads_to_its_end_harms_nobody)
{
	struct reader other;
	struct nl_msg *m;

	ASSERT_TRUE(reader_open(&other));
	m = message(&other, R5S_CMD_ARRAY_GET, NLM_F_DUMP);
	ASSERT_LT(0, nl_send_auto(other.sk, m));
	nlmsg_free(m);
	nl_socket_free(other.sk);
	ASSERT_EQ(0, ask_simple(&self->r, R5S_CMD_ARRAY_GET, NLM_F_DUMP, &self->got));
	EXPECT_EQ(1, self->got.count);
}

TEST_HARNESS_MAIN
