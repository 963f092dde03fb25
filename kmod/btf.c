// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of the BTF that the running kernel shows under /sys/kernel/btf: its own look-ups are not
 * exported. The data is the kernel's, yet nothing is followed out of bounds.
 */
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "btf.h"

#define BLOB_MAX	(64UL << 20)	/* bytes; a kernel's own is about 6 MiB */
#define DEPTH_MAX	32		/* of typedefs and qualifiers; of nested unnamed structs */

static const struct btf_type *type_by_id(const struct r5s_btf *btf, u32 id)
{
	const struct r5s_btf_blob *b = id < btf->split.first ? &btf->base : &btf->split;

	id -= b->first;
	return id < b->count ? b->types + b->at[id] : NULL;
}

static const char *name_by_offset(const struct r5s_btf *btf, u32 off)
{
	if (off < btf->base.str_len)
		return btf->base.strs + off;
	off -= btf->base.str_len;
	return off < btf->split.str_len ? btf->split.strs + off : "";
}

/* Bytes that follow a type's head; negative for a kind that did not exist when this was written. */
static long tail(const struct btf_type *t)
{
	u32 vlen = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return vlen * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -EINVAL;
	}
}

static int index_types(struct r5s_btf_blob *b)
{
	u32 off = 0;

	b->at = kvmalloc_array(b->type_len / sizeof(struct btf_type) + 1, sizeof(*b->at),
			       GFP_KERNEL);
	if (!b->at)
		return -ENOMEM;
	while (off < b->type_len) {
		const struct btf_type *t = b->types + off;
		long more;

		if (b->type_len - off < sizeof(*t))
			return -EINVAL;
		more = tail(t);
		if (more < 0 || more > b->type_len - off - sizeof(*t))
			return -EINVAL;
		b->at[b->count++] = off;
		off += sizeof(*t) + more;
	}
	return 0;
}

/**
 * r5s_btf_read() - read a whole file of sysfs
 * @path: its path in the mount namespace of init, whoever calls
 * @max: bytes that are still sane
 * @buf: gets the bytes, for kvfree()
 *
 * Process context, sleeps. kernel_read_file() is not for this: it is for files whose kind the
 * security modules know, and IPE warns about any other.
 *
 * Return: the length in bytes, or a negative errno; -ENOENT when there is no such file.
 */
ssize_t r5s_btf_read(const char *path, size_t max, void **buf)
{
	struct file *file;
	struct path root;
	size_t done = 0;
	loff_t pos = 0;
	ssize_t ret;
	loff_t size;
	char *p;

	task_lock(&init_task);
	get_fs_root(init_task.fs, &root);
	task_unlock(&init_task);
	file = file_open_root(&root, path, O_RDONLY, 0);
	path_put(&root);
	if (IS_ERR(file))
		return PTR_ERR(file);

	size = i_size_read(file_inode(file));
	ret = -EFBIG;
	if (size <= 0 || size > max)
		goto out;
	ret = -ENOMEM;
	p = kvmalloc(size, GFP_KERNEL);
	if (!p)
		goto out;
	do {
		ret = kernel_read(file, p + done, size - done, &pos);
		if (ret > 0)
			done += ret;
	} while (ret > 0 && done < size);
	if (ret < 0) {
		kvfree(p);
		goto out;
	}
	*buf = p;
	ret = done;
out:
	fput(file);
	return ret;
}

static int open_blob(struct r5s_btf_blob *b, const char *name)
{
	const struct btf_header *h;
	char path[80];
	ssize_t len;
	u64 room;

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	len = r5s_btf_read(path, BLOB_MAX, &b->raw);
	if (len < 0)
		return len;
	h = b->raw;
	if (len < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h) ||
	    h->hdr_len > len)
		return -EINVAL;
	room = len - h->hdr_len;
	if ((u64)h->type_off + h->type_len > room || (u64)h->str_off + h->str_len > room ||
	    !h->str_len || h->type_off % 4 || h->hdr_len % 4)
		return -EINVAL;
	b->types = b->raw + h->hdr_len + h->type_off;
	b->type_len = h->type_len;
	b->strs = b->raw + h->hdr_len + h->str_off;
	b->str_len = h->str_len;
	/* So that whatever starts inside also ends inside. */
	if (b->strs[b->str_len - 1])
		return -EINVAL;
	return index_types(b);
}

/**
 * r5s_btf_open() - read the BTF of a loaded module and of the vmlinux
 * @btf: to be filled, all zero; r5s_btf_close() frees it, also after a failure
 * @module: its name, with underscores
 * @failed: gets the name of the file under /sys/kernel/btf that was at fault
 *
 * Process context, sleeps; takes some 8 MiB until it is closed.
 *
 * Return: 0; -ENOENT when there is none; -EINVAL when it is of a format not known here; -ENOMEM.
 */
int r5s_btf_open(struct r5s_btf *btf, const char *module, const char **failed)
{
	int ret;

	*failed = module;
	ret = open_blob(&btf->split, module);
	if (ret)
		return ret;
	*failed = "vmlinux";
	ret = open_blob(&btf->base, "vmlinux");
	btf->base.first = 1;		/* 0 is void */
	btf->split.first = btf->base.first + btf->base.count;
	return ret;
}

/**
 * r5s_btf_close() - free what r5s_btf_open() read
 * @btf: the pair; nothing that was found in it may be used any more
 */
void r5s_btf_close(struct r5s_btf *btf)
{
	kvfree(btf->base.at);
	kvfree(btf->base.raw);
	kvfree(btf->split.at);
	kvfree(btf->split.raw);
}

static const struct btf_type *find_struct(const struct r5s_btf *btf, const struct r5s_btf_blob *b,
					  const char *name)
{
	const struct btf_type *t, *found = NULL;
	u32 i;

	for (i = 0; i < b->count; i++) {
		t = b->types + b->at[i];
		if (BTF_INFO_KIND(t->info) != BTF_KIND_STRUCT ||
		    strcmp(name_by_offset(btf, t->name_off), name))
			continue;
		if (found && found->size != t->size)
			return ERR_PTR(-EEXIST);
		if (!found)
			found = t;
	}
	return found;
}

/**
 * r5s_btf_struct() - find a struct by its tag
 * @btf: an open pair
 * @name: the tag
 * @size: gets its size in bytes
 *
 * The module's own types come first: those are what it was built with.
 *
 * Return: the type, NULL when there is none, -EEXIST when there are two of different sizes.
 */
const struct btf_type *r5s_btf_struct(const struct r5s_btf *btf, const char *name, u32 *size)
{
	const struct btf_type *t = find_struct(btf, &btf->split, name);

	if (!t)
		t = find_struct(btf, &btf->base, name);
	if (!IS_ERR_OR_NULL(t))
		*size = t->size;
	return t;
}

static bool is_composite(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT ||
	       BTF_INFO_KIND(t->info) == BTF_KIND_UNION;
}

/* Members of unnamed structs and unions count as members of the one around them, as in C. */
static const struct btf_member *find_member(const struct r5s_btf *btf, const struct btf_type *t,
					    const char *name, int depth, u32 *bit)
{
	bool bitfields = BTF_INFO_KFLAG(t->info);
	const struct btf_member *m, *inner;
	const struct btf_type *sub;
	u32 from = *bit, i;
	const char *n;

	for (i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		m = (const struct btf_member *)(t + 1) + i;
		n = name_by_offset(btf, m->name_off);
		*bit = from + (bitfields ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset);
		if (!strcmp(n, name))
			return bitfields && BTF_MEMBER_BITFIELD_SIZE(m->offset) ? NULL : m;
		if (*n || depth >= DEPTH_MAX)
			continue;
		sub = type_by_id(btf, m->type);
		if (!sub || !is_composite(sub))
			continue;
		inner = find_member(btf, sub, name, depth + 1, bit);
		if (inner)
			return inner;
	}
	return NULL;
}

static const struct btf_type *strip(const struct r5s_btf *btf, u32 id)
{
	const struct btf_type *t = type_by_id(btf, id);
	int depth;

	for (depth = 0; t && depth < DEPTH_MAX; depth++) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			t = type_by_id(btf, t->type);
			continue;
		}
		return t;
	}
	return NULL;
}

/**
 * r5s_btf_member() - find a member of a struct
 * @btf: an open pair
 * @in: the struct
 * @name: the member, which may be one of an unnamed struct or union inside
 * @out: gets what it is and where
 *
 * Return: 0; -ENOENT when there is none (a bitfield counts as none); -EINVAL when its type makes no
 * sense.
 */
int r5s_btf_member(const struct r5s_btf *btf, const struct btf_type *in, const char *name,
		   struct r5s_btf_member *out)
{
	const struct btf_member *m;
	const struct btf_array *a;
	const struct btf_type *t;
	int depth;

	*out = (struct r5s_btf_member){ .count = 1 };
	m = find_member(btf, in, name, 0, &out->bit);
	if (!m)
		return -ENOENT;
	t = strip(btf, m->type);
	for (depth = 0; t && BTF_INFO_KIND(t->info) == BTF_KIND_ARRAY; depth++) {
		a = (const struct btf_array *)(t + 1);
		out->array = true;
		out->count *= a->nelems;
		if (depth >= DEPTH_MAX || out->count > U32_MAX)
			return -EINVAL;
		t = strip(btf, a->type);
	}
	if (!t)
		return -EINVAL;
	out->kind = BTF_INFO_KIND(t->info);
	out->type = name_by_offset(btf, t->name_off);
	out->size = out->count * (out->kind == BTF_KIND_PTR ? sizeof(void *) : t->size);
	return 0;
}

/**
 * r5s_btf_enums() - call a function for every enumerator of the module's own BTF
 * @btf: an open pair
 * @fn: is given the tag of the enum ("" for an unnamed one), the name and the value
 * @ctx: passed through
 */
void r5s_btf_enums(const struct r5s_btf *btf, r5s_btf_enum_fn fn, void *ctx)
{
	const struct r5s_btf_blob *b = &btf->split;
	const struct btf_enum *v;
	const struct btf_type *t;
	u32 i, j;

	for (i = 0; i < b->count; i++) {
		t = b->types + b->at[i];
		if (BTF_INFO_KIND(t->info) != BTF_KIND_ENUM)
			continue;
		v = (const struct btf_enum *)(t + 1);
		for (j = 0; j < BTF_INFO_VLEN(t->info); j++)
			fn(ctx, name_by_offset(btf, t->name_off),
			   name_by_offset(btf, v[j].name_off), v[j].val);
	}
}
