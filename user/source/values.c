// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/values.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void r5s_values_reset(struct r5s_values *vs)
{
	vs->n = 0;
	vs->names_len = 0;
	vs->no_memory = false;
	vs->where[0] = '\0';
}

void r5s_values_free(struct r5s_values *vs)
{
	free(vs->v);
	free(vs->names);
	memset(vs, 0, sizeof(*vs));
}

const struct r5s_value *r5s_values_find(const struct r5s_values *vs, const char *name)
{
	for (size_t i = 0; i < vs->n; i++)
		if (!strcmp(r5s_values_name(vs, &vs->v[i]), name))
			return &vs->v[i];
	return NULL;
}

double r5s_values_number(const struct r5s_values *vs, const char *name)
{
	const struct r5s_value *v = r5s_values_find(vs, name);

	if (!v)
		return NAN;
	return v->whole ? (double)v->u64 : v->real;
}

/* Room for one more value and for @len bytes of its name. */
static bool make_room(struct r5s_values *vs, size_t len)
{
	if (vs->n == vs->room) {
		size_t room = vs->room ? 2 * vs->room : 256;
		struct r5s_value *more = reallocarray(vs->v, room, sizeof(*more));

		if (!more)
			return false;
		vs->v = more;
		vs->room = room;
	}
	if (len > vs->names_room - vs->names_len) {
		size_t room = 2 * vs->names_room + len + 8192;
		char *more = realloc(vs->names, room);

		if (!more)
			return false;
		vs->names = more;
		vs->names_room = room;
	}
	return true;
}

/* The name stands behind the others already. */
static struct r5s_value *take_name(struct r5s_values *vs, size_t len)
{
	struct r5s_value *v = &vs->v[vs->n++];

	memset(v, 0, sizeof(*v));
	v->name = vs->names_len;
	vs->names_len += len + 1;
	return v;
}

static struct r5s_value *append(struct r5s_values *vs, const char *format, va_list ap)
{
	va_list again;
	int len;

	if (!make_room(vs, 1))
		goto no_memory;
	va_copy(again, ap);
	len = vsnprintf(vs->names + vs->names_len, vs->names_room - vs->names_len, format, again);
	va_end(again);
	if (len < 0)
		goto no_memory;
	if ((size_t)len >= vs->names_room - vs->names_len) {
		if (!make_room(vs, (size_t)len + 1))
			goto no_memory;
		vsnprintf(vs->names + vs->names_len, (size_t)len + 1, format, ap);
	}
	return take_name(vs, (size_t)len);

no_memory:
	vs->no_memory = true;
	return NULL;
}

void r5s_values_add(struct r5s_values *vs, enum r5s_value_kind kind, const char *unit, uint64_t u64,
		    const char *name, ...)
{
	struct r5s_value *v;
	va_list ap;

	va_start(ap, name);
	v = append(vs, name, ap);
	va_end(ap);
	if (!v)
		return;
	v->kind = kind;
	v->unit = unit;
	v->whole = true;
	v->u64 = u64;
}

void r5s_values_join(struct r5s_values *vs, enum r5s_value_kind kind, const char *unit,
		     uint64_t u64, const char *a, const char *b, const char *c)
{
	size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
	struct r5s_value *v;
	char *to;

	if (!make_room(vs, la + lb + lc + 1)) {
		vs->no_memory = true;
		return;
	}
	to = vs->names + vs->names_len;
	memcpy(to, a, la);
	memcpy(to + la, b, lb);
	memcpy(to + la + lb, c, lc + 1);
	v = take_name(vs, la + lb + lc);
	v->kind = kind;
	v->unit = unit;
	v->whole = true;
	v->u64 = u64;
}

void r5s_values_real(struct r5s_values *vs, const char *unit, double real, const char *name, ...)
{
	struct r5s_value *v;
	va_list ap;

	if (isnan(real))
		return;
	va_start(ap, name);
	v = append(vs, name, ap);
	va_end(ap);
	if (!v)
		return;
	v->unit = unit;
	v->real = real;
}

int r5s_values_stop(struct r5s_values *vs, const char *file, unsigned int line, const char *text)
{
	int n = snprintf(vs->where, sizeof(vs->where), "%s, line %u: \"%.60s\" is not understood",
			 file, line, text);

	for (int i = 0; i < n && i < (int)sizeof(vs->where) - 1; i++)
		if (iscntrl((unsigned char)vs->where[i]))
			vs->where[i] = '?';
	return -EPROTO;
}

int r5s_text_read(struct r5s_text *t, const char *root, const char *path, ...)
{
	char full[PATH_MAX];
	size_t len = 0;
	va_list ap;
	int n, fd, err = 0;

	n = snprintf(full, sizeof(full), "%s/", root);
	if (n >= (int)sizeof(full))
		return -ENAMETOOLONG;
	va_start(ap, path);
	vsnprintf(full + n, sizeof(full) - (size_t)n, path, ap);
	va_end(ap);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t got;

		if (t->room - len < 4096) {
			size_t room = 2 * t->room + 16384;
			char *more = realloc(t->s, room);

			if (!more) {
				err = -ENOMEM;
				break;
			}
			t->s = more;
			t->room = room;
		}
		got = read(fd, t->s + len, t->room - len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			err = -errno;
		if (got <= 0)
			break;
		len += (size_t)got;
	}
	close(fd);
	if (!err)
		t->s[len] = '\0';
	return err;
}

void r5s_text_free(struct r5s_text *t)
{
	free(t->s);
	memset(t, 0, sizeof(*t));
}

char *r5s_text_line(char **rest)
{
	char *line = *rest, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end++ = '\0';
	*rest = end;
	return line;
}

bool r5s_text_u64(char **s, uint64_t *value)
{
	char *p = *s;
	uint64_t v = 0;

	while (*p == ' ' || *p == '\t')
		p++;
	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	*s = p;
	*value = v;
	return true;
}

bool r5s_values_delta(uint64_t before, uint64_t now, uint64_t *delta)
{
	if (now >= before) {
		*delta = now - before;
		return true;
	}
	/* Only one that stood in the upper half can have gone round between two samples. */
	if (before > UINT32_MAX || before - now < UINT64_C(1) << 31)
		return false;
	*delta = now + (UINT64_C(1) << 32) - before;
	return true;
}
