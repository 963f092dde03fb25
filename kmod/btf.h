/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_BTF_H
#define R5S_BTF_H

#include <linux/types.h>

struct btf_type;

/* One blob. Ids count from first, because those of a module go on where the vmlinux ends. */
struct r5s_btf_blob {
	void *raw;
	const char *strs;
	const void *types;
	u32 *at;		/* offset of each type in types */
	u32 str_len;
	u32 type_len;
	u32 first;
	u32 count;
};

/* The BTF of a module and that of the vmlinux that it builds upon. */
struct r5s_btf {
	struct r5s_btf_blob base;
	struct r5s_btf_blob split;
};

/**
 * struct r5s_btf_member - a member of a struct
 * @bit: where it starts, in bits from the start of the struct
 * @size: in bytes, of the whole array where it is one
 * @count: elements of an array, 1 for anything else
 * @kind: BTF_KIND_* of the type, or of an array's elements, without typedefs and qualifiers
 * @array: it is an array
 * @type: the tag of that type, "" where it has none
 */
struct r5s_btf_member {
	u32 bit;
	u32 kind;
	u64 size;
	u64 count;
	const char *type;
	bool array;
};

typedef void (*r5s_btf_enum_fn)(void *ctx, const char *type, const char *name, s32 value);

ssize_t r5s_btf_read(const char *path, size_t max, void **buf);
int r5s_btf_open(struct r5s_btf *btf, const char *module, const char **failed);
void r5s_btf_close(struct r5s_btf *btf);
const struct btf_type *r5s_btf_struct(const struct r5s_btf *btf, const char *name, u32 *size);
int r5s_btf_member(const struct r5s_btf *btf, const struct btf_type *in, const char *name,
		   struct r5s_btf_member *out);
void r5s_btf_enums(const struct r5s_btf *btf, r5s_btf_enum_fn fn, void *ctx);

#endif /* R5S_BTF_H */
