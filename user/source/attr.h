/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of a netlink message, with their lengths checked: what is missing or short is absent.
 */
#ifndef R5S_SOURCE_ATTR_H
#define R5S_SOURCE_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <netlink/attr.h>

/* A run of attributes. */
struct r5s_attrs {
	const struct nlattr *head;
	int len;
};

static inline bool r5s_attr_u64(const struct nlattr *a, uint64_t *out)
{
	if (!a || nla_len(a) < (int)sizeof(*out))
		return false;
	memcpy(out, nla_data(a), sizeof(*out));
	return true;
}

static inline bool r5s_attr_u32(const struct nlattr *a, uint32_t *out)
{
	if (!a || nla_len(a) < (int)sizeof(*out))
		return false;
	memcpy(out, nla_data(a), sizeof(*out));
	return true;
}

/* Copies up to room - 1 bytes; the attribute need not end in NUL. */
static inline bool r5s_attr_text(const struct nlattr *a, char *out, size_t room)
{
	size_t n;

	if (!a)
		return false;
	n = strnlen(nla_data(a), (size_t)nla_len(a));
	if (n >= room)
		n = room - 1;
	memcpy(out, nla_data(a), n);
	out[n] = '\0';
	return true;
}

static inline struct r5s_attrs r5s_attr_nest(const struct nlattr *a)
{
	return (struct r5s_attrs){ nla_data(a), nla_len(a) };
}

#define r5s_attr_each(pos, attrs, rem) nla_for_each_attr(pos, (attrs).head, (attrs).len, rem)

#endif
