/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of netlink_fuzz share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FUZZ_BATCH = 64,	/* messages in one datagram */
	FUZZ_ROOM = 60000	/* bytes in one datagram */
};

/* What is true around the messages: who sends, which arrays there are, what is measured. */
struct fuzz_world {
	unsigned int family;
	unsigned int no_family;		/* a type that belongs to no family */
	char stable[32];		/* an array that stays */
	uint64_t stable_id;
	char churn[32];			/* one that comes and goes; empty without one */
	bool latency;			/* the floor is level latency: waits are timed whoever asks */
};

/* A socket as the model sees it. */
struct fuzz_sender {
	bool opened_capable;		/* CAP_NET_ADMIN when it was opened */
	bool capable;			/* as the kernel sees what is sent next */
	bool holds;			/* a level, by sampler-start */
	bool may_hold;			/* it is not sure that it does: the array may have been gone */
	bool samples;			/* asked for samples at some time */
	bool dumping;			/* a dump may be under way */
};

enum fuzz_outcome {
	FUZZ_SILENT,			/* nothing happens; acknowledged if it asked for that */
	FUZZ_DONE,			/* done without data; the same */
	FUZZ_DATA,			/* one message of data; the same */
	FUZZ_DUMP,			/* data and a last message */
	FUZZ_REFUSED,			/* an error */
	FUZZ_OUTCOMES
};

/* What must become of a message, and what did. */
struct fuzz_expect {
	const unsigned char *bytes;
	uint32_t len;
	uint32_t seq;
	uint8_t cmd;
	bool ack;
	enum fuzz_outcome outcome;
	int error[2];			/* allowed when refused */
	int or_error[2];		/* also right when not refused */
	bool text;			/* a refusal by the module: it says what to do */
	bool ambiguous;			/* another message of the datagram has its number */
	const char *why;

	unsigned int data, done, errors, stable_seen;
	int got;
	size_t text_len;
};

/* A random number; the same from the same seed. */
uint64_t fuzz_random(void);
void fuzz_seed(uint64_t seed);
static inline unsigned int fuzz_below(unsigned int n) { return fuzz_random() % n; }
static inline bool fuzz_one_in(unsigned int n) { return !fuzz_below(n); }

/* Fill @buf with messages numbered from *@seq on; returns its length. */
size_t fuzz_message_datagram(unsigned char *buf, const struct fuzz_world *w, uint32_t *seq);

/* What the kernel must do with a datagram; returns how many messages it finds in it. */
unsigned int fuzz_model(const unsigned char *buf, size_t len, const struct fuzz_world *w,
			struct fuzz_sender *s, struct fuzz_expect *e);

/* The type of each message in @buf that the kernel would find: only ours, nobody's, or a control message. */
void fuzz_model_confine(unsigned char *buf, size_t len, const struct fuzz_world *w);

/* Is this, from the attributes on, an answer to @cmd as the specification has it? NULL, or what is wrong. */
const char *fuzz_answer_check(uint8_t cmd, const unsigned char *attrs, size_t len);

/* The payload of attribute @type and its length; NULL without it. */
const void *fuzz_answer_find(const unsigned char *attrs, size_t len, unsigned int type, size_t *size);

#endif
