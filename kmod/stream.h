/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_STREAM_H
#define R5S_STREAM_H

#include <linux/time64.h>
#include <linux/types.h>

#define R5S_STREAM_MIN_NS	NSEC_PER_MSEC
#define R5S_STREAM_MAX_NS	(60 * NSEC_PER_SEC)
#define R5S_CHOICE_MAX		64

/**
 * struct r5s_choice - the arrays that a stream samples; all of them if neither is given
 * @ids: how many of @id
 * @names: how many of @name
 */
struct r5s_choice {
	unsigned int ids;
	unsigned int names;
	u64 id[R5S_CHOICE_MAX];
	char name[R5S_CHOICE_MAX][32];
};

struct r5s_stream;

struct r5s_stream *r5s_stream_create(u32 portid, u64 period_ns, const struct r5s_choice *choice);
void r5s_stream_run(struct r5s_stream *st);
void r5s_stream_end(struct r5s_stream *st);

#endif /* R5S_STREAM_H */
