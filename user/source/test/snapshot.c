// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of the module: whole, cut short, with what this program does not know.
 */
#include <linux/raid5stat.h>
#include <netlink/msg.h>

#include "../../test/tap.h"
#include "metric.h"
#include "source/snapshot.h"

static struct r5s_attrs attrs(struct nl_msg *msg)
{
	return (struct r5s_attrs){ nlmsg_attrdata(nlmsg_hdr(msg), 0),
				   nlmsg_attrlen(nlmsg_hdr(msg), 0) };
}

static struct nl_msg *whole(void)
{
	struct nl_msg *msg = nlmsg_alloc_size(1 << 16);
	struct nlattr *nest;

	nlmsg_put(msg, 0, 0, 0, 0, 0);
	nla_put_u64(msg, R5S_A_ARRAY_ID, 7);
	nla_put_string(msg, R5S_A_ARRAY_NAME, "md_home");
	nla_put_u32(msg, R5S_A_ARRAY_MAJOR, 9);
	nla_put_u32(msg, R5S_A_ARRAY_MINOR, 0);
	nla_put_u64(msg, R5S_A_ARRAY_MONO_NS, 5000000000);
	nla_put_u64(msg, R5S_A_ARRAY_SINCE_NS, 1000000000);
	nest = nla_nest_start(msg, R5S_A_ARRAY_CACHE);
	nla_put_u64(msg, R5S_A_CACHE_SIZE, 512);
	nla_put_u64(msg, R5S_A_CACHE_LOOKUPS, UINT64_MAX);
	nla_put_u64(msg, 999, 1);			/* a newer module's */
	nla_put_u32(msg, R5S_A_CACHE_ACTIVE, 3);	/* too short for a metric */
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, R5S_A_ARRAY_WRITES);
	nla_put_u64(msg, R5S_A_WRITES_STRIPES_FULL, 0);
	nla_nest_end(msg, nest);
	nla_put_u64(msg, 1000, 1);
	return msg;
}

static void test_whole(void)
{
	struct nl_msg *msg = whole();
	struct r5s_snapshot s;
	int others = 0;

	r5s_snapshot_parse(attrs(msg), &s);
	ok(s.id == 7 && s.has_dev && s.major == 9 && s.minor == 0, "id and device number");
	ok_text(s.name, "md_home", "name");
	ok(s.has[R5S_METRIC_CACHE_SIZE] && s.value[R5S_METRIC_CACHE_SIZE] == 512, "a gauge");
	ok(s.has[R5S_METRIC_CACHE_LOOKUPS] && s.value[R5S_METRIC_CACHE_LOOKUPS] == UINT64_MAX,
	   "the largest counter");
	ok(s.has[R5S_METRIC_WRITES_STRIPES_FULL] && !s.value[R5S_METRIC_WRITES_STRIPES_FULL],
	   "a measured 0 is there");
	ok(!s.has[R5S_METRIC_CACHE_ACTIVE], "a short value is absent");
	for (int m = 0; m < R5S_METRICS; m++)
		others += s.has[m];
	ok(others == 3, "nothing else is there");
	ok(s.since_ns == 1000000000 && !s.latency_since_ns, "since when");
	nlmsg_free(msg);
}

/* Every length from nothing to whole, in memory of exactly that length, under ASan and valgrind. */
static void test_cut(void)
{
	struct nl_msg *msg = whole();
	struct r5s_attrs a = attrs(msg);
	struct r5s_snapshot s, full;
	struct r5s_info info;
	struct r5s_event event;
	struct r5s_hist hist;
	struct r5s_census census;
	struct r5s_node node;
	int wrong = 0;

	r5s_snapshot_parse(a, &full);
	for (int len = 0; len <= a.len; len++) {
		char *copy = malloc((size_t)len + !len);
		struct r5s_attrs cut = { (struct nlattr *)copy, len };

		memcpy(copy, a.head, (size_t)len);
		r5s_snapshot_parse(cut, &s);
		for (int m = 0; m < R5S_METRICS; m++)
			wrong += s.has[m] && (!full.has[m] || s.value[m] != full.value[m]);
		r5s_snapshot_parse_info(cut, &info);
		r5s_snapshot_free_info(&info);
		r5s_snapshot_parse_event(cut, &event);
		r5s_snapshot_parse_hist(cut, &hist);
		r5s_snapshot_free_hist(&hist);
		r5s_snapshot_parse_census(cut, &census);
		r5s_snapshot_free_census(&census);
		r5s_snapshot_parse_node(cut, &node);
		free(copy);
	}
	ok(!wrong, "a message cut anywhere gives no value that the whole one lacks (%d bytes)", a.len);
	nlmsg_free(msg);
}

static void test_random(void)
{
	unsigned char buf[400];
	struct r5s_snapshot s;
	struct r5s_info info;
	struct r5s_census census;
	struct r5s_hist hist;
	struct r5s_event e;
	size_t long_names = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		struct r5s_attrs a = { (struct nlattr *)buf, rand() % (int)sizeof(buf) };

		for (size_t k = 0; k < sizeof(buf); k++)
			buf[k] = (unsigned char)(rand() % 3 ? rand() % 24 : rand());
		r5s_snapshot_parse(a, &s);
		long_names += strlen(s.name) >= sizeof(s.name);
		r5s_snapshot_parse_info(a, &info);
		r5s_snapshot_free_info(&info);
		r5s_snapshot_parse_census(a, &census);
		r5s_snapshot_free_census(&census);
		r5s_snapshot_parse_hist(a, &hist);
		r5s_snapshot_free_hist(&hist);
		r5s_snapshot_parse_event(a, &e);
	}
	ok(!long_names, "20000 random messages do no harm");
}

static void test_names(void)
{
	char raw[300];
	struct nl_msg *msg = nlmsg_alloc_size(4096);
	struct r5s_snapshot s;

	memset(raw, 'x', sizeof(raw));
	nlmsg_put(msg, 0, 0, 0, 0, 0);
	nla_put(msg, R5S_A_ARRAY_NAME, sizeof(raw), raw);	/* no NUL at its end */
	r5s_snapshot_parse(attrs(msg), &s);
	ok(strlen(s.name) == sizeof(s.name) - 1, "a name without end is cut to fit");
	nlmsg_free(msg);
}

static void test_info(void)
{
	struct nl_msg *msg = nlmsg_alloc_size(4096);
	struct nlattr *nest;
	struct r5s_info i;

	nlmsg_put(msg, 0, 0, 0, 0, 0);
	nla_put_u32(msg, R5S_A_INFO_LEVEL, RAID5STAT_LEVEL_LATENCY);
	for (int k = 0; k < 2; k++) {
		nest = nla_nest_start(msg, R5S_A_INFO_PROBE);
		nla_put_string(msg, R5S_A_PROBE_SYMBOL, k ? "raid456:b" : "raid456:a");
		if (k)
			nla_put_u32(msg, R5S_A_PROBE_ERROR, (uint32_t)-2);
		else
			nla_put(msg, R5S_A_PROBE_ARMED, 0, NULL);
		nla_nest_end(msg, nest);
	}
	r5s_snapshot_parse_info(attrs(msg), &i);
	ok(i.n_probes == 2 && i.probe[0].armed && !i.probe[1].armed, "two probes, one armed");
	ok(i.probe[1].error == -2 && !i.probe[0].error, "the error of the other");
	ok_text(i.probe[1].symbol, "raid456:b", "its name");
	ok(!i.probe[0].has_missed && !i.has_layout && !i.raid456, "what is not told is absent");
	r5s_snapshot_free_info(&i);
	nlmsg_free(msg);
}

static void test_rate(void)
{
	struct r5s_snapshot a = { .mono_ns = 1000000000, .since_ns = 5 }, b = a;
	enum r5s_metric m = R5S_METRIC_CACHE_LOOKUPS;

	b.mono_ns = 3500000000;
	a.has[m] = b.has[m] = true;
	a.value[m] = 100;
	b.value[m] = 350;
	ok_num(r5s_snapshot_rate(&a, &b, m), 100, 1e-9, "250 lookups in 2.5 s");
	b.since_ns = 6;
	ok_num(r5s_snapshot_rate(&a, &b, m), NAN, 0, "counting was restarted: no rate");
	b.since_ns = 5;
	b.value[m] = 99;
	ok_num(r5s_snapshot_rate(&a, &b, m), NAN, 0, "it went down: no rate");
	b.value[m] = 350;
	b.has[m] = false;
	ok_num(r5s_snapshot_rate(&a, &b, m), NAN, 0, "absent: no rate");
	b.has[m] = true;
	b.mono_ns = a.mono_ns;
	ok_num(r5s_snapshot_rate(&a, &b, m), NAN, 0, "no time passed: no rate");
	a.has[R5S_METRIC_CACHE_SIZE] = b.has[R5S_METRIC_CACHE_SIZE] = true;
	b.mono_ns = 3500000000;
	ok_num(r5s_snapshot_rate(&a, &b, R5S_METRIC_CACHE_SIZE), NAN, 0, "a gauge has no rate");
}

static void test_table(void)
{
	int twice = 0, lost = 0;

	for (int m = 0; m < R5S_METRICS; m++) {
		const struct r5s_metric_info *i = &r5s_metric_table[m];
		char set[32];

		lost += r5s_metric_find(i->set, i->attr) != m;
		snprintf(set, sizeof(set), "%s.", r5s_metric_set_name(i->set));
		lost += strncmp(i->name, set, strlen(set)) != 0;
		for (int k = 0; k < m; k++)
			twice += !strcmp(i->name, r5s_metric_table[k].name);
	}
	ok(!lost && !twice, "%d metrics: each is found by its attribute, has its set's name, once",
	   R5S_METRICS);
	ok(r5s_metric_find(R5S_METRIC_SET_CACHE, R5S_A_CACHE_PAD) < 0, "padding is no metric");
	ok(r5s_metric_level_parse("latency") == RAID5STAT_LEVEL_LATENCY &&
	   r5s_metric_level_parse("3") == RAID5STAT_LEVEL_LATENCY &&
	   r5s_metric_level_parse("4") < 0 && r5s_metric_level_parse("") < 0, "levels by name");
	ok_text(r5s_metric_word(R5S_METRIC_ABOUT_SYNC_ACTION, 99), "unknown", "a new state");
}

int main(void)
{
	test_whole();
	test_cut();
	test_random();
	test_names();
	test_info();
	test_rate();
	test_table();
	return tap_done();
}
