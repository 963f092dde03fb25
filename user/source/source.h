/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where numbers about the machine come from: one table, one entry a source.
 *
 * A new source is one file with a struct r5s_source_class and one line in the table of source.c;
 * whoever records, exports or checks walks the table.
 */
#ifndef R5S_SOURCE_SOURCE_H
#define R5S_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/values.h"

enum {
	R5S_SOURCE_BEGIN_END = 0,	/* interval_ms: once before the run and once after it */
	R5S_SOURCE_WHY = 160
};

/** struct r5s_source_root - where to look: "/proc" and "/sys" but in tests */
struct r5s_source_root {
	const char *proc;
	const char *sys;
};

struct r5s_source;

/**
 * struct r5s_source_class - a kind of source
 * @name: the robot's name of the monitor; metrics are called NAME.something
 * @interval_ms: how often it is sampled by default
 * @state_size: bytes of memory that it keeps between samples, zeroed at first
 * @probe: is it there? 0; a negative errno and the reason, and what to do about it, in @why
 * @open: make what @state holds; may be NULL
 * @sample: append what is known now. Rates need two samples: the first gives none. 0, or a negative
 *	errno; -EPROTO with the place in values.where
 * @close: free what @state holds; may be NULL
 */
struct r5s_source_class {
	const char *name;
	int interval_ms;
	size_t state_size;
	int (*probe)(const struct r5s_source_root *root, char *why, size_t room);
	int (*open)(struct r5s_source *s);
	int (*sample)(struct r5s_source *s, struct r5s_values *out);
	void (*close)(struct r5s_source *s);
};

/**
 * struct r5s_source - a source in use
 * @t_ns: CLOCK_MONOTONIC of the sample that is being taken
 * @before_ns: of the sample before, 0 when it is the first
 */
struct r5s_source {
	const struct r5s_source_class *class;
	struct r5s_source_root root;
	int64_t t_ns;
	int64_t before_ns;
	struct r5s_text text;
	void *state;
};

/** r5s_source_live - /proc and /sys */
extern const struct r5s_source_root r5s_source_live;

/** r5s_source_at - the @i-th class, NULL behind the last one */
const struct r5s_source_class *r5s_source_at(size_t i);

/** r5s_source_named - a class by name, NULL when there is none */
const struct r5s_source_class *r5s_source_named(const char *name);

/**
 * r5s_source_open - begin to use a source
 * @s: result
 * @class: its kind
 * @root: where to look; the strings must live as long as @s
 * @why: reason when it is absent
 * @room: size of @why
 *
 * Return: 0; a negative errno when this machine lacks it, then @s needs no closing.
 */
int r5s_source_open(struct r5s_source *s, const struct r5s_source_class *class,
		    const struct r5s_source_root *root, char *why, size_t room);

/**
 * r5s_source_sample - what it says now
 * @s: source
 * @t_ns: CLOCK_MONOTONIC now, above that of the sample before
 * @out: emptied first
 *
 * Return: 0, or a negative errno, then @out is empty and out->where may tell the place.
 */
int r5s_source_sample(struct r5s_source *s, int64_t t_ns, struct r5s_values *out);

void r5s_source_close(struct r5s_source *s);

/** r5s_source_file - probe of a source that is one file; @hint: what brings the file */
int r5s_source_file(const char *root, const char *path, const char *hint, char *why, size_t room);

#endif
