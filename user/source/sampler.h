/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that the module takes at a period and sends by itself: a connection of its own, which
 * serves for nothing else.
 */
#ifndef R5S_SOURCE_SAMPLER_H
#define R5S_SOURCE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/snapshot.h"

#define R5S_SAMPLER_MIN_NS	UINT64_C(1000000)
#define R5S_SAMPLER_MAX_NS	UINT64_C(60000000000)

struct r5s_sampler;

/**
 * struct r5s_sample - one array at one tick
 * @tick: from 0, grows by one a period; due at r5s_samples.start_ns + tick * period_ns
 * @mono_ns: CLOCK_MONOTONIC at which the tick was taken
 * @has_array: whether there is an array; a tick at which none ran has one sample without
 * @array: its snapshot, with stamps of its own
 *
 * The samples of a tick follow each other, one an array.
 */
struct r5s_sample {
	uint64_t tick;
	uint64_t mono_ns;
	bool has_array;
	struct r5s_snapshot array;
};

/**
 * struct r5s_samples - what has arrived; all zero before its first use
 * @start_ns: CLOCK_MONOTONIC at which tick 0 was due; 0 until the first batch has come
 * @period_ns: the period in force
 * @lost: ticks lost since the start, as far as told; they are the gaps between ticks
 * @ended: the module has ended the subscription (it is being unloaded) and nothing follows
 */
struct r5s_samples {
	struct r5s_sample *sample;
	size_t n;
	size_t room;
	uint64_t start_ns;
	uint64_t period_ns;
	uint64_t lost;
	bool ended;
};

/*
 * Every int function returns 0 or a negative errno, which r5s_sampler_error() says in words. A
 * handle belongs to one thread.
 */

/**
 * r5s_sampler_open - connect and start; returns when the level is armed
 * @out: handle, also on failure so that r5s_sampler_error() can be asked; NULL without memory
 * @level: enum raid5stat_level, held until the handle is closed
 * @period_ns: R5S_SAMPLER_MIN_NS to R5S_SAMPLER_MAX_NS
 * @name: names of the arrays, each running now; one that is stopped and assembled again is sampled
 *	again, under another id
 * @n: how many; 0 for all arrays, also those to come
 *
 * Return: 0; -ENOENT when the module is not loaded, -EPERM without CAP_NET_ADMIN, -ERANGE for a
 * period out of range, -ENODEV when no array has one of the names, -EUSERS when too many have
 * subscribed already, -EINVAL from a module that cannot sample.
 */
int r5s_sampler_open(struct r5s_sampler **out, uint32_t level, uint64_t period_ns,
		     const char *const *name, size_t n);

/**
 * r5s_sampler_next - take the samples that have arrived, wait for some if there are none
 * @s: handle
 * @out: replaced, @lost apart; freed by r5s_sampler_free_samples()
 * @timeout_ms: to wait at most, -1 for ever, 0 not at all
 *
 * The module sends after 100 ms, after each tick when the period is longer. A signal ends the wait.
 *
 * Return: 0, with @out->n = 0 when nothing came in time.
 */
int r5s_sampler_next(struct r5s_sampler *s, struct r5s_samples *out, int timeout_ms);

/**
 * r5s_sampler_stop - end sampling and give up the level; what was sampled before can still be taken
 * @s: handle
 */
int r5s_sampler_stop(struct r5s_sampler *s);

/** r5s_sampler_fd - to be polled for reading; r5s_sampler_next() with a timeout of 0 then takes all */
int r5s_sampler_fd(const struct r5s_sampler *s);

/** r5s_sampler_close - stop and disconnect; @s may be NULL */
void r5s_sampler_close(struct r5s_sampler *s);

/** r5s_sampler_error - the last failure in words, never NULL */
const char *r5s_sampler_error(const struct r5s_sampler *s);

void r5s_sampler_free_samples(struct r5s_samples *s);

#endif
