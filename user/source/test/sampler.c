// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Batches of samples as the module sends them, whole, odd and cut short.
 */
#include "../sampler.c"

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "../../test/tap.h"

static void put_sample(struct nl_msg *m, uint64_t tick, uint64_t lost, uint64_t id)
{
	struct nlattr *sample = nla_nest_start(m, R5S_A_BATCH_SAMPLE), *array, *cache;

	nla_put_u64(m, R5S_A_SAMPLE_TICK, tick);
	nla_put_u64(m, R5S_A_SAMPLE_MONO_NS, 5000 + tick);
	if (lost)
		nla_put_u64(m, R5S_A_SAMPLE_LOST, lost);
	if (id) {
		array = nla_nest_start(m, R5S_A_SAMPLE_ARRAY);
		nla_put_u64(m, R5S_A_ARRAY_ID, id);
		nla_put_string(m, R5S_A_ARRAY_NAME, "md0");
		cache = nla_nest_start(m, R5S_A_ARRAY_CACHE);
		nla_put_u64(m, R5S_A_CACHE_SIZE, 256 + tick);
		nla_nest_end(m, cache);
		nla_nest_end(m, array);
	}
	nla_nest_end(m, sample);
}

static struct r5s_attrs attrs_of(struct nl_msg *m)
{
	struct nlmsghdr *h = nlmsg_hdr(m);

	return (struct r5s_attrs){ nlmsg_attrdata(h, 0), nlmsg_attrlen(h, 0) };
}

static struct nl_msg *batch(uint64_t lost)
{
	struct nl_msg *m = nlmsg_alloc_simple(100, 0);

	nla_put_u64(m, R5S_A_BATCH_START_NS, 1000);
	nla_put_u64(m, R5S_A_BATCH_PERIOD_NS, 1);
	nla_put_u64(m, R5S_A_BATCH_LOST, lost);
	return m;
}

static void whole(struct r5s_samples *s)
{
	struct nl_msg *m = batch(2);
	size_t n = 0;

	put_sample(m, 2, 0, 7);
	put_sample(m, 2, 0, 9);
	put_sample(m, 9, 8, 0);
	ok(!take_batch(attrs_of(m), s), "a batch of three samples");
	ok(s->n == 3 && s->start_ns == 1000 && s->period_ns == 1 && !s->ended, "its head");
	ok(s->lost == 8, "what was lost since the batch was begun counts");
	ok(s->sample[0].tick == 2 && s->sample[1].tick == 2 && s->sample[2].tick == 9, "ticks");
	ok(s->sample[0].mono_ns == 5002, "the moment of a tick");
	ok(s->sample[0].has_array && s->sample[0].array.id == 7 && s->sample[1].array.id == 9,
	   "two arrays at one tick");
	ok(!s->sample[2].has_array, "a tick without an array");
	for (int i = 0; i < R5S_METRICS; i++)
		n += s->sample[0].array.has[i];
	ok(n == 1, "what was not told is absent");
	nlmsg_free(m);
}

static void more(struct r5s_samples *s)
{
	struct nl_msg *m = batch(8);

	for (uint64_t t = 10; t < 60; t++)
		put_sample(m, t, 0, 7);
	nla_put_flag(m, R5S_A_BATCH_END);
	ok(!take_batch(attrs_of(m), s) && s->n == 53, "the next batch is added");
	ok(s->sample[0].tick == 2 && s->sample[52].tick == 59, "in order");
	ok(s->ended, "and it is the last one");
	nlmsg_free(m);
}

/* An attribute that ends early, at every byte: never a sample that was not there, no crash. */
static void cut(void)
{
	struct nl_msg *m = batch(0);
	struct r5s_attrs a;
	bool good = true;

	put_sample(m, 1, 0, 7);
	a = attrs_of(m);
	for (int len = 0; len < a.len; len++) {
		struct r5s_samples s = { 0 };

		if (take_batch((struct r5s_attrs){ a.head, len }, &s) || s.n > 1)
			good = false;
		r5s_sampler_free_samples(&s);
	}
	ok(good, "a batch cut short at any byte");
	nlmsg_free(m);
}

int main(void)
{
	struct r5s_samples s = { 0 };

	whole(&s);
	more(&s);
	r5s_sampler_free_samples(&s);
	ok(!s.sample && !s.n, "freed");
	cut();
	ok_text(r5s_sampler_error(NULL), "no memory", "a handle that is not there");
	return tap_done();
}
