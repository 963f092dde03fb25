// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of kmod/layout-fields.h, filled from BTF. */
#include <bpf/btf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

struct layout_struct layout_structs[] = {
#define R5S_STRUCT(s)		{ .name = #s, .need = NEED_MUST },
#define R5S_STRUCT_OPT(s)	{ .name = #s, .need = NEED_OPT },
#include "layout-fields.h"
};

struct layout_field layout_fields[] = {
#define FIELD(s, m, k, z, n) { .in = #s, .member = #m, .kind = KIND_##k, .want = z, .need = n },
#define R5S_FIELD(s, m, k, z)		FIELD(s, m, k, z, NEED_MUST)
#define R5S_FIELD_OPT(s, m, k, z)	FIELD(s, m, k, z, NEED_OPT)
#define R5S_FIELD_VAR(s, m, k, z)	FIELD(s, m, k, z, NEED_VAR)
#include "layout-fields.h"
};

/* The C enum of a group is needed beside each name: an enumerator for each group, then a table. */
enum {
#define R5S_GROUP(g, e)	GROUP_##g,
#include "layout-fields.h"
	GROUP_COUNT
};

static const char * const group_type[] = {
#define R5S_GROUP(g, e)	[GROUP_##g] = e,
#include "layout-fields.h"
};

static const unsigned char enum_group[] = {
#define R5S_ENUM(g, n)		GROUP_##g,
#define R5S_ENUM_OPT(g, n)	GROUP_##g,
#include "layout-fields.h"
};

struct layout_enum layout_enums[] = {
#define R5S_ENUM(g, n)		{ .group = #g, .name = #n, .need = NEED_MUST },
#define R5S_ENUM_OPT(g, n)	{ .group = #g, .name = #n, .need = NEED_OPT },
#include "layout-fields.h"
};

const size_t layout_n_structs = sizeof(layout_structs) / sizeof(layout_structs[0]);
const size_t layout_n_fields = sizeof(layout_fields) / sizeof(layout_fields[0]);
const size_t layout_n_enums = sizeof(layout_enums) / sizeof(layout_enums[0]);

/**
 * layout_table_expect() - expect another size of one field, to see that a misfit is refused
 * @spec: STRUCT.MEMBER=BYTES
 *
 * Return: 0, or -1 when no such field is in the table.
 */
int layout_table_expect(const char *spec)
{
	for (size_t i = 0; i < layout_n_fields; i++) {
		struct layout_field *f = &layout_fields[i];
		char name[128], *end;
		int n = snprintf(name, sizeof(name), "%s.%s=", f->in, f->member);

		if (strncmp(spec, name, (size_t)n))
			continue;
		f->want = (unsigned int)strtoul(spec + n, &end, 10);
		return *end || end == spec + n ? -1 : 0;
	}
	return -1;
}

/* The module's own types first, because md was built with those; then those of the vmlinux. */
static const struct btf_type *nth(const struct layout_kernel *k, unsigned int i, unsigned int *id)
{
	unsigned int all = btf__type_cnt(k->split), base = btf__type_cnt(k->base);

	*id = i < all - base ? base + i : i - (all - base) + 1;
	return *id < all && i < all - 1 ? btf__type_by_id(k->split, *id) : NULL;
}

/* Two structs of one name and different sizes in one BTF: no telling which is meant. */
static int find_struct(const struct layout_kernel *k, struct layout_struct *s)
{
	unsigned int own = btf__type_cnt(k->split) - btf__type_cnt(k->base), id;
	const struct btf_type *t;

	for (unsigned int i = 0; (t = nth(k, i, &id)); i++) {
		if (i == own && s->id)
			return 0;
		if (!btf_is_struct(t) ||
		    strcmp(btf__name_by_offset(k->split, t->name_off), s->name))
			continue;
		if (s->id && s->size != t->size) {
			fprintf(stderr, "layout: struct %s: two of %u and %u bytes in %s\n",
				s->name, s->size, t->size, k->release);
			return -1;
		}
		if (!s->id) {
			s->id = id;
			s->size = t->size;
		}
	}
	if (s->id || s->need != NEED_MUST)
		return 0;
	fprintf(stderr, "layout: struct %s: not in %s\n", s->name, k->release);
	return -1;
}

struct member {
	unsigned int bit, type, bitfield;
};

/* Members of unnamed structs and unions count as members of the one around them, as in C. */
static bool find_member(const struct btf *btf, unsigned int id, const char *name, unsigned int bit,
			struct member *out)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	for (unsigned int i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		unsigned int at = bit + btf_member_bit_offset(t, i);
		const char *n = btf__name_by_offset(btf, m->name_off);

		if (!*n && find_member(btf, m->type, name, at, out))
			return true;
		if (strcmp(n, name))
			continue;
		*out = (struct member){ at, m->type, btf_member_bitfield_size(t, i) };
		return true;
	}
	return false;
}

static const struct btf_type *strip(const struct btf *btf, unsigned int id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static bool kind_fits(const struct btf *btf, const struct btf_type *t, bool array,
		      enum layout_kind kind)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	switch (kind) {
	case KIND_INT:
		return !array && (btf_is_int(t) || btf_is_enum(t));
	case KIND_PTR:
		return !array && btf_is_ptr(t);
	case KIND_AGG:
		return array || btf_is_composite(t);
	case KIND_LOCK:
		return btf_is_struct(t) && !strcmp(name, "spinlock");
	case KIND_MTX:
		return !array && btf_is_struct(t) && !strcmp(name, "mutex");
	case KIND_ANY:
		return true;
	}
	return false;
}

static const char * const kind_words[] = {
	[KIND_INT] = "an integer", [KIND_PTR] = "a pointer", [KIND_AGG] = "a struct or array",
	[KIND_LOCK] = "a spinlock_t", [KIND_MTX] = "a struct mutex", [KIND_ANY] = "anything",
};

static int find_field(const struct layout_kernel *k, struct layout_field *f, unsigned int struct_id)
{
	const struct btf_type *t;
	bool array = false;
	struct member m;
	long long size;

	if (!struct_id || !find_member(k->split, struct_id, f->member, 0, &m)) {
		if (f->need != NEED_MUST)
			return 0;
		fprintf(stderr, "layout: struct %s.%s: not in %s\n", f->in, f->member, k->release);
		return -1;
	}
	size = btf__resolve_size(k->split, m.type);
	f->count = 1;
	for (t = strip(k->split, m.type); t && btf_is_array(t); array = true) {
		f->count *= btf_array(t)->nelems;
		t = strip(k->split, btf_array(t)->type);
	}
	if (!t || size < 0 || m.bitfield || m.bit % 8 || !kind_fits(k->split, t, array, f->kind)) {
		if (f->need == NEED_VAR)
			return 0;
		fprintf(stderr, "layout: struct %s.%s: expected %s, found something else in %s\n",
			f->in, f->member, kind_words[f->kind], k->release);
		return -1;
	}
	if (f->want && size != f->want) {
		if (f->need == NEED_VAR)
			return 0;
		fprintf(stderr, "layout: struct %s.%s: expected %u bytes, found %lld in %s\n",
			f->in, f->member, f->want, size, k->release);
		return -1;
	}
	f->offset = m.bit / 8;
	f->size = (unsigned int)size;
	/* 0xffff means absent in the table of the module */
	if (f->offset >= UINT16_MAX || f->size >= UINT16_MAX || f->count >= UINT16_MAX) {
		fprintf(stderr, "layout: struct %s.%s: offset or size over 65534 in %s\n", f->in,
			f->member, k->release);
		return -1;
	}
	f->have = true;
	return 0;
}

static int found_enum(const struct layout_kernel *k, struct layout_enum *e, int value)
{
	if (e->have && e->value != value) {
		fprintf(stderr, "layout: enumerator %s: both %d and %d in %s\n", e->name,
			e->value, value, k->release);
		return -1;
	}
	if (value < 0 || value > INT16_MAX) {
		fprintf(stderr, "layout: enumerator %s: %d is out of range in %s\n", e->name,
			value, k->release);
		return -1;
	}
	e->have = true;
	e->value = value;
	return 0;
}

static int find_enum(const struct layout_kernel *k, struct layout_enum *e)
{
	unsigned int own = btf__type_cnt(k->split) - btf__type_cnt(k->base), id;
	const struct btf_type *t;

	for (unsigned int i = 0; (t = nth(k, i, &id)); i++) {
		if (i == own && e->have)
			return 0;
		if (!btf_is_enum(t) ||
		    strcmp(btf__name_by_offset(k->split, t->name_off), e->type))
			continue;
		for (unsigned int j = 0; j < btf_vlen(t); j++) {
			const struct btf_enum *v = btf_enum(t) + j;

			if (!strcmp(btf__name_by_offset(k->split, v->name_off), e->name) &&
			    found_enum(k, e, v->val))
				return -1;
		}
	}
	if (e->have || e->need != NEED_MUST)
		return 0;
	fprintf(stderr, "layout: enumerator %s: not in %s%s of %s\n", e->name,
		*e->type ? "enum " : "any unnamed enum", e->type, k->release);
	return -1;
}

/**
 * layout_table_fill() - look up every struct, field and enumerator
 * @k: an open kernel
 *
 * All misfits are reported, not only the first.
 *
 * Return: 0, or LAYOUT_MISFIT after the messages.
 */
int layout_table_fill(const struct layout_kernel *k)
{
	int bad = 0;

	for (size_t i = 0; i < layout_n_structs; i++)
		bad |= find_struct(k, &layout_structs[i]);
	for (size_t i = 0; i < layout_n_fields; i++)
		for (size_t j = 0; j < layout_n_structs; j++)
			if (!strcmp(layout_structs[j].name, layout_fields[i].in))
				bad |= find_field(k, &layout_fields[i], layout_structs[j].id);
	for (size_t i = 0; i < layout_n_enums; i++) {
		layout_enums[i].type = group_type[enum_group[i]];
		bad |= find_enum(k, &layout_enums[i]);
	}
	if (bad)
		fprintf(stderr,
			"layout: md of %s differs from what kmod/layout-fields.h describes: "
			"compare its drivers/md with the list before building\n",
			k->release);
	return bad ? LAYOUT_MISFIT : 0;
}
