/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of named values, and a small file in memory that it is read from.
 */
#ifndef R5S_SOURCE_VALUES_H
#define R5S_SOURCE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum r5s_value_kind {
	R5S_VALUE_GAUGE,	/* how it is now, or a rate since the sample before */
	R5S_VALUE_COUNTER	/* grows; the difference of two samples is what happened between */
};

/**
 * struct r5s_value - one value
 * @name: offset of the metric's name in the list's @names: use r5s_values_name()
 * @unit: lives forever; NULL when none
 * @whole: the value is @u64, else @real
 */
struct r5s_value {
	size_t name;
	const char *unit;
	enum r5s_value_kind kind;
	bool whole;
	uint64_t u64;
	double real;
};

/**
 * struct r5s_values - a list of values; zeroed it is empty
 * @where: the place that was not understood, after -EPROTO
 */
struct r5s_values {
	struct r5s_value *v;
	size_t n;
	size_t room;
	char *names;
	size_t names_len;
	size_t names_room;
	bool no_memory;
	char where[160];
};

/** r5s_values_reset - empty it, keep its memory */
void r5s_values_reset(struct r5s_values *vs);
void r5s_values_free(struct r5s_values *vs);

/** r5s_values_name - name of @v in @vs, until the list is changed */
static inline const char *r5s_values_name(const struct r5s_values *vs, const struct r5s_value *v)
{
	return vs->names + v->name;
}

/** r5s_values_find - a value by name, NULL when it is absent */
const struct r5s_value *r5s_values_find(const struct r5s_values *vs, const char *name);

/** r5s_values_number - a value as a number, NaN when it is absent */
double r5s_values_number(const struct r5s_values *vs, const char *name);

/** r5s_values_add - append a whole number; no memory is remembered in the list */
__attribute__((format(printf, 5, 6)))
void r5s_values_add(struct r5s_values *vs, enum r5s_value_kind kind, const char *unit, uint64_t u64,
		    const char *name, ...);

/**
 * r5s_values_join - the same for a name in up to three pieces
 *
 * Hundreds of values a sample come this way: printf would be most of what sampling costs.
 */
void r5s_values_join(struct r5s_values *vs, enum r5s_value_kind kind, const char *unit,
		     uint64_t u64, const char *a, const char *b, const char *c);

/** r5s_values_real - append a gauge that is not whole; NaN is left out */
__attribute__((format(printf, 4, 5)))
void r5s_values_real(struct r5s_values *vs, const char *unit, double real, const char *name, ...);

/** r5s_values_stop - remember the place that was not understood. Return: -EPROTO */
int r5s_values_stop(struct r5s_values *vs, const char *file, unsigned int line, const char *text);

/** struct r5s_text - a file's content, NUL-terminated; zeroed it is empty */
struct r5s_text {
	char *s;
	size_t room;
};

/** r5s_text_read - the whole file @path below @root. 0, or a negative errno */
__attribute__((format(printf, 3, 4)))
int r5s_text_read(struct r5s_text *t, const char *root, const char *path, ...);
void r5s_text_free(struct r5s_text *t);

/** r5s_text_line - cut the next line off; NULL at the end */
char *r5s_text_line(char **rest);

/** r5s_text_u64 - a decimal number after blanks; *s moves behind it. false: there is none */
bool r5s_text_u64(char **s, uint64_t *value);

/**
 * r5s_values_delta - by how much a counter grew
 * @before: earlier
 * @now: later
 * @delta: result
 *
 * A counter of 32 bits that went round is put right.
 *
 * Return: false when it was set back, so that nothing is known.
 */
bool r5s_values_delta(uint64_t before, uint64_t now, uint64_t *delta);

#endif
