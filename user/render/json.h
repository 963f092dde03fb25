/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-c with our rules: an absent value is null, never 0 or NaN; text is always valid UTF-8;
 * numbers read back exactly.
 */
#ifndef R5S_RENDER_JSON_H
#define R5S_RENDER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

/*
 * Each adds one key to an object. A NULL object, or one that could not be allocated, is passed over
 * silently, so that a chain of calls needs one check at its end.
 */
void r5s_json_text(struct json_object *o, const char *key, const char *value);	/* NULL: null */
void r5s_json_u64(struct json_object *o, const char *key, uint64_t value);
void r5s_json_i64(struct json_object *o, const char *key, int64_t value);
void r5s_json_double(struct json_object *o, const char *key, double value);	/* not finite: null */
void r5s_json_bool(struct json_object *o, const char *key, bool value);
void r5s_json_null(struct json_object *o, const char *key);

/* Adds a new object or array under @key (to the end of @o when @o is an array) and returns it. */
struct json_object *r5s_json_object(struct json_object *o, const char *key);
struct json_object *r5s_json_array(struct json_object *o, const char *key);

/* A free-standing value with the same rules, for json_object_array_add(). */
struct json_object *r5s_json_new_double(double value);
struct json_object *r5s_json_new_text(const char *value);

/**
 * r5s_json_print - print and end with a newline
 * @o: any value
 * @out: where to
 * @pretty: indented
 *
 * Return: 0, or -EIO.
 */
int r5s_json_print(struct json_object *o, FILE *out, bool pretty);

#endif
