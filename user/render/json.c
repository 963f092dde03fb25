// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/utf8.h"

/* UTF-8 in any case: U+FFFD for each byte that is none. To be freed. */
static char *clean(const char *text)
{
	size_t len = strlen(text), at = 0, to = 0;
	char *out = malloc(3 * len + 1);

	while (out && at < len) {
		uint32_t c;
		size_t n = r5s_utf8_next(text + at, len - at, &c);

		if (n)
			memcpy(out + to, text + at, n);
		else
			memcpy(out + to, "\xef\xbf\xbd", 3);
		to += n ? n : 3;
		at += n ? n : 1;
	}
	if (out)
		out[to] = '\0';
	return out;
}

/* Adds to an object by key or to the end of an array; takes over @value. */
static void put(struct json_object *o, const char *key, struct json_object *value)
{
	char *name;
	int err = -1;

	if (json_object_is_type(o, json_type_array)) {
		err = json_object_array_add(o, value);
	} else if (json_object_is_type(o, json_type_object)) {
		name = clean(key);
		err = name ? json_object_object_add(o, name, value) : -1;
		free(name);
	}
	if (err)
		json_object_put(value);
}

struct json_object *r5s_json_new_text(const char *value)
{
	char *text = value ? clean(value) : NULL;
	struct json_object *o = text ? json_object_new_string(text) : NULL;

	free(text);
	return o;
}

struct json_object *r5s_json_new_double(double value)
{
	char text[40];

	if (!isfinite(value))
		return NULL;
	/* The shortest form that reads back as the same number. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (char *p = text; *p; p++)
		if (*p == ',')
			*p = '.';
	return json_object_new_double_s(value, text);
}

void r5s_json_text(struct json_object *o, const char *key, const char *value)
{
	put(o, key, r5s_json_new_text(value));
}

void r5s_json_u64(struct json_object *o, const char *key, uint64_t value)
{
	put(o, key, json_object_new_uint64(value));
}

void r5s_json_i64(struct json_object *o, const char *key, int64_t value)
{
	put(o, key, json_object_new_int64(value));
}

void r5s_json_double(struct json_object *o, const char *key, double value)
{
	put(o, key, r5s_json_new_double(value));
}

void r5s_json_bool(struct json_object *o, const char *key, bool value)
{
	put(o, key, json_object_new_boolean(value));
}

void r5s_json_null(struct json_object *o, const char *key)
{
	put(o, key, NULL);
}

struct json_object *r5s_json_object(struct json_object *o, const char *key)
{
	struct json_object *child = json_object_new_object();

	if (!o || !child) {
		json_object_put(child);
		return NULL;
	}
	put(o, key, child);
	return child;
}

struct json_object *r5s_json_array(struct json_object *o, const char *key)
{
	struct json_object *child = json_object_new_array();

	if (!o || !child) {
		json_object_put(child);
		return NULL;
	}
	put(o, key, child);
	return child;
}

int r5s_json_print(struct json_object *o, FILE *out, bool pretty)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE |
		    (pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN);
	const char *text = json_object_to_json_string_ext(o, flags);

	if (!text || fputs(text, out) == EOF || putc('\n', out) == EOF || fflush(out))
		return -EIO;
	return 0;
}
