/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_LAYOUT_H
#define R5S_LAYOUT_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define R5S_ABSENT	0xffff	/* offset of a field that this kernel does not have */

/**
 * struct r5s_field - where a private field of md lies
 * @offset: bytes from the start of its struct, or R5S_ABSENT
 * @size: bytes, of the whole array where it is one; 0 for a flexible array
 * @count: elements of an array (0 for a flexible one), 1 for anything else
 */
struct r5s_field {
	u16 offset;
	u16 size;
	u16 count;
};

/* A member for each line of layout-fields.h: sizeof_STRUCT, STRUCT_MEMBER, value_ENUMERATOR. */
struct r5s_layout {
	bool valid;
#define R5S_STRUCT(s)			u32 sizeof_##s;
#define R5S_STRUCT_OPT(s)		u32 sizeof_##s;
#define R5S_FIELD(s, m, k, z)		struct r5s_field s##_##m;
#define R5S_FIELD_OPT(s, m, k, z)	struct r5s_field s##_##m;
#define R5S_FIELD_VAR(s, m, k, z)	struct r5s_field s##_##m;
#define R5S_ENUM(g, n)			s16 value_##n;
#define R5S_ENUM_OPT(g, n)		s16 value_##n;
#include "layout-fields.h"
};

/* Written by bind and unbind only; readers are armed after that and disarmed before this. */
extern struct r5s_layout r5s_layout;

/* Offsets come from r5s_layout; the caller has asked R5S_HAS() for what is optional. */
#define R5S_HAS(s, m)		(r5s_layout.s##_##m.offset != R5S_ABSENT)
#define R5S_OFFSET(s, m)	(r5s_layout.s##_##m.offset)
#define R5S_SIZE(s, m)		(r5s_layout.s##_##m.size)
#define R5S_COUNT(s, m)		(r5s_layout.s##_##m.count)
#define R5S_SIZEOF(s)		(r5s_layout.sizeof_##s)
#define R5S_PTR(obj, s, m)	((void *)((char *)(obj) + R5S_OFFSET(s, m)))
#define R5S_CONTAINER(ptr, s, m) ((void *)((char *)(ptr) - R5S_OFFSET(s, m)))
#define R5S_READ(type, obj, s, m) READ_ONCE(*(type *)R5S_PTR(obj, s, m))
#define R5S_READ_INT(obj, s, m)	R5S_READ(int, obj, s, m)
#define R5S_READ_SHORT(obj, s, m) R5S_READ(short, obj, s, m)
#define R5S_READ_BOOL(obj, s, m) R5S_READ(bool, obj, s, m)
#define R5S_READ_ULONG(obj, s, m) R5S_READ(unsigned long, obj, s, m)
#define R5S_READ_U64(obj, s, m)	R5S_READ(u64, obj, s, m)
#define R5S_READ_POINTER(obj, s, m) R5S_READ(void *, obj, s, m)
#define R5S_READ_ATOMIC(obj, s, m) atomic_read((atomic_t *)R5S_PTR(obj, s, m))
#define R5S_READ_ATOMIC64(obj, s, m) atomic64_read((atomic64_t *)R5S_PTR(obj, s, m))

/* Enumerators: the value, -1 where this kernel has none; a missing bit is never set. */
#define R5S_VALUE(name)		(r5s_layout.value_##name)
#define R5S_HAS_VALUE(name)	(r5s_layout.value_##name >= 0)
#define R5S_TEST(word, name) \
	(R5S_HAS_VALUE(name) && (((unsigned long)(word) >> R5S_VALUE(name)) & 1))

enum r5s_layout_group {
#define R5S_GROUP(g, e)	R5S_GROUP_##g,
#include "layout-fields.h"
	R5S_GROUP_COUNT
};

enum r5s_layout_mode {
	R5S_LAYOUT_NONE,
	R5S_LAYOUT_BUILD,
	R5S_LAYOUT_BTF,
};

int r5s_layout_bind(void);
void r5s_layout_unbind(void);
enum r5s_layout_mode r5s_layout_mode(void);
const char *r5s_layout_mode_name(void);
size_t r5s_layout_reason(char *buf, size_t len);
const char *r5s_layout_enum(enum r5s_layout_group group, unsigned int i, int *value);

#endif /* R5S_LAYOUT_H */
