// SPDX-License-Identifier: GPL-2.0
/*
 * Where md's private fields lie: offsets taken at build time, when the loaded raid456 and md_mod
 * are the very ones they were taken from; else read from the BTF of the running kernel; else none.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <generated/utsrelease.h>
#include <linux/btf.h>
#include <linux/elf.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "btf.h"
#include "layout.h"
#include "layout-build.h"

#define BUILD_ID_HEX	41	/* of a SHA-1, with its NUL */
#define NOTE_BUILD_ID	3	/* NT_GNU_BUILD_ID, which the kernel keeps to itself */

static char *layout_param = "auto";
module_param_named(layout, layout_param, charp, 0444);
MODULE_PARM_DESC(layout, "where md's field offsets may come from: auto, build, btf or none");

static char *build_id_param;
module_param_named(layout_build_id, build_id_param, charp, 0444);
MODULE_PARM_DESC(layout_build_id, "build-id of raid456 to expect, for tests");

enum kind { KIND_INT, KIND_PTR, KIND_AGG, KIND_LOCK, KIND_MTX, KIND_ANY };
enum need { NEED_MUST, NEED_OPT, NEED_VAR };

enum {
#define R5S_STRUCT(s)		STRUCT_##s,
#define R5S_STRUCT_OPT(s)	STRUCT_##s,
#include "layout-fields.h"
	STRUCT_COUNT
};

struct struct_desc {
	const char *name;
	u16 slot;		/* of a u32 in struct r5s_layout */
	u8 need;
};

struct field_desc {
	const char *name;
	u16 slot;		/* of a struct r5s_field in struct r5s_layout */
	u16 want;		/* bytes, 0 takes any */
	u8 in;
	u8 kind;
	u8 need;
};

struct enum_desc {
	const char *name;
	u16 slot;		/* of an s16 in struct r5s_layout */
	u8 group;
	u8 need;
};

static const struct struct_desc structs[] = {
#define STRUCT(s, n)		{ #s, offsetof(struct r5s_layout, sizeof_##s), n },
#define R5S_STRUCT(s)		STRUCT(s, NEED_MUST)
#define R5S_STRUCT_OPT(s)	STRUCT(s, NEED_OPT)
#include "layout-fields.h"
};

static const struct field_desc fields[] = {
#define FIELD(s, m, k, z, n) \
	{ #m, offsetof(struct r5s_layout, s##_##m), z, STRUCT_##s, KIND_##k, n },
#define R5S_FIELD(s, m, k, z)		FIELD(s, m, k, z, NEED_MUST)
#define R5S_FIELD_OPT(s, m, k, z)	FIELD(s, m, k, z, NEED_OPT)
#define R5S_FIELD_VAR(s, m, k, z)	FIELD(s, m, k, z, NEED_VAR)
#include "layout-fields.h"
};

static const struct enum_desc enums[] = {
#define ENUM(g, n, o)		{ #n, offsetof(struct r5s_layout, value_##n), R5S_GROUP_##g, o },
#define R5S_ENUM(g, n)		ENUM(g, n, NEED_MUST)
#define R5S_ENUM_OPT(g, n)	ENUM(g, n, NEED_OPT)
#include "layout-fields.h"
};

static const char * const group_type[] = {
#define R5S_GROUP(g, e)		e,
#include "layout-fields.h"
};

/* A header made from another list of fields must not compile. */
static_assert(ARRAY_SIZE(structs) + ARRAY_SIZE(fields) + ARRAY_SIZE(enums) == R5S_LAYOUT_GEN_COUNT);

struct r5s_layout r5s_layout __read_mostly = {
#define R5S_FIELD(s, m, k, z)		.s##_##m = { R5S_ABSENT, 0, 0 },
#define R5S_FIELD_OPT(s, m, k, z)	.s##_##m = { R5S_ABSENT, 0, 0 },
#define R5S_FIELD_VAR(s, m, k, z)	.s##_##m = { R5S_ABSENT, 0, 0 },
#define R5S_ENUM(g, n)			.value_##n = -1,
#define R5S_ENUM_OPT(g, n)		.value_##n = -1,
#include "layout-fields.h"
};

/* bind_lock protects mode, reason and every write to r5s_layout. */
static DEFINE_MUTEX(bind_lock);
static enum r5s_layout_mode mode = R5S_LAYOUT_NONE;
static char reason[320] = "raid456 is not loaded";

static u32 *struct_slot(struct r5s_layout *l, const struct struct_desc *d)
{
	return (void *)l + d->slot;
}

static struct r5s_field *field_slot(struct r5s_layout *l, const struct field_desc *d)
{
	return (void *)l + d->slot;
}

static s16 *enum_slot(struct r5s_layout *l, const struct enum_desc *d)
{
	return (void *)l + d->slot;
}

static void clear(struct r5s_layout *l)
{
	unsigned int i;

	l->valid = false;
	for (i = 0; i < ARRAY_SIZE(structs); i++)
		*struct_slot(l, &structs[i]) = 0;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		*field_slot(l, &fields[i]) = (struct r5s_field){ R5S_ABSENT, 0, 0 };
	for (i = 0; i < ARRAY_SIZE(enums); i++)
		*enum_slot(l, &enums[i]) = -1;
}

/* Appends to reason; bind_lock is held. */
static __printf(1, 2) void because(const char *fmt, ...)
{
	size_t len = strlen(reason);
	va_list args;

	if (len)
		len += scnprintf(reason + len, sizeof(reason) - len, "; ");
	va_start(args, fmt);
	vscnprintf(reason + len, sizeof(reason) - len, fmt, args);
	va_end(args);
}

static int read_build_id(const char *module, char *hex)
{
	const struct elf64_note *note;
	int ret = -EINVAL;
	void *buf = NULL;
	char path[80];
	size_t skip;
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	len = r5s_btf_read(path, PAGE_SIZE, &buf);
	if (len == -ENOENT) {
		because("%s is not loaded, or has no build-id", module);
		return len;
	}
	if (len < 0) {
		because("%s cannot be read (%zd)", path, len);
		return len;
	}
	note = buf;
	if (len >= sizeof(*note)) {
		skip = sizeof(*note) + ALIGN((u64)note->n_namesz, 4);
		if (note->n_type == NOTE_BUILD_ID && skip <= len &&
		    note->n_descsz <= len - skip && note->n_descsz < BUILD_ID_HEX / 2 + 1) {
			*bin2hex(hex, buf + skip, note->n_descsz) = 0;
			ret = 0;
		}
	}
	kvfree(buf);
	if (ret)
		because("%s holds no build-id", path);
	return ret;
}

static int check_build_id(const char *module, const char *want)
{
	char hex[BUILD_ID_HEX];
	int ret = read_build_id(module, hex);

	if (ret)
		return ret;
	if (!strcasecmp(hex, want))
		return 0;
	because("%s has build-id %.12s, this module was built for %.12s", module, hex, want);
	return -ESTALE;
}

/* Sizes that only the compiler of this module knows, and that no field leaves its struct. */
static int check(struct r5s_layout *l)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field_desc *d = &fields[i];
		const struct r5s_field *f = field_slot(l, d);
		u32 whole = *struct_slot(l, &structs[d->in]);

		if (f->offset == R5S_ABSENT)
			continue;
		if (f->offset + f->size > whole ||
		    (d->kind == KIND_LOCK && f->size != f->count * sizeof(spinlock_t)) ||
		    (d->kind == KIND_MTX && f->size != sizeof(struct mutex))) {
			because("struct %s.%s cannot be %u bytes at %u", structs[d->in].name,
				d->name, f->size, f->offset);
			return -EINVAL;
		}
	}
	return 0;
}

static int fill_from_build(struct r5s_layout *l)
{
	int ret;

	/* A header made for another kernel must not compile. */
	BUILD_BUG_ON(__builtin_strcmp(R5S_LAYOUT_GEN_RELEASE, UTS_RELEASE));

	if (!R5S_LAYOUT_GEN_VALID) {
		because("this module was built without offsets");
		return -ENODATA;
	}
	ret = check_build_id("raid456", build_id_param ?: R5S_LAYOUT_GEN_RAID456);
	if (!ret && *R5S_LAYOUT_GEN_MD_MOD)
		ret = check_build_id("md_mod", R5S_LAYOUT_GEN_MD_MOD);
	if (ret)
		return ret;
	*l = r5s_layout_gen;
	return check(l);
}

static bool kind_fits(const struct r5s_btf_member *m, u8 kind)
{
	switch (kind) {
	case KIND_INT:
		return !m->array && (m->kind == BTF_KIND_INT || m->kind == BTF_KIND_ENUM);
	case KIND_PTR:
		return !m->array && m->kind == BTF_KIND_PTR;
	case KIND_AGG:
		return m->array || m->kind == BTF_KIND_STRUCT || m->kind == BTF_KIND_UNION;
	case KIND_LOCK:
		return m->kind == BTF_KIND_STRUCT && !strcmp(m->type, "spinlock");
	case KIND_MTX:
		return !m->array && m->kind == BTF_KIND_STRUCT && !strcmp(m->type, "mutex");
	case KIND_ANY:
		return true;
	}
	return false;
}

static int fill_field(const struct r5s_btf *btf, const struct btf_type *in,
		      const struct field_desc *d, struct r5s_field *out)
{
	const char *name = structs[d->in].name;
	struct r5s_btf_member m;
	int ret = -ENOENT;

	if (in)
		ret = r5s_btf_member(btf, in, d->name, &m);
	if (ret == -ENOENT) {
		if (d->need != NEED_MUST)
			return 0;
		because("BTF has no struct %s.%s", name, d->name);
		return ret;
	}
	if (!ret && kind_fits(&m, d->kind) && (!d->want || m.size == d->want) && !(m.bit % 8) &&
	    m.bit / 8 < R5S_ABSENT && m.size <= U16_MAX && m.count <= U16_MAX) {
		*out = (struct r5s_field){ m.bit / 8, m.size, m.count };
		return 0;
	}
	if (d->need == NEED_VAR)
		return 0;
	because("in BTF struct %s.%s is another type or size", name, d->name);
	return -EINVAL;
}

static void fill_enum(void *ctx, const char *type, const char *name, s32 value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(enums); i++)
		if (!strcmp(name, enums[i].name) && !strcmp(type, group_type[enums[i].group]) &&
		    value >= 0 && value <= S16_MAX)
			*enum_slot(ctx, &enums[i]) = value;
}

static int fill_table(const struct r5s_btf *btf, struct r5s_layout *l)
{
	const struct btf_type *found[STRUCT_COUNT];
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(structs); i++) {
		found[i] = r5s_btf_struct(btf, structs[i].name, struct_slot(l, &structs[i]));
		if (IS_ERR(found[i]) || (!found[i] && structs[i].need == NEED_MUST)) {
			because("BTF has %s struct %s", found[i] ? "more than one" : "no",
				structs[i].name);
			return -ENOENT;
		}
	}
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		ret = fill_field(btf, found[fields[i].in], &fields[i], field_slot(l, &fields[i]));
		if (ret)
			return ret;
	}
	r5s_btf_enums(btf, fill_enum, l);
	for (i = 0; i < ARRAY_SIZE(enums); i++) {
		if (*enum_slot(l, &enums[i]) >= 0 || enums[i].need != NEED_MUST)
			continue;
		because("BTF has no enumerator %s", enums[i].name);
		return -ENOENT;
	}
	return 0;
}

static int fill_from_btf(struct r5s_layout *l)
{
	ktime_t start = ktime_get();
	struct r5s_btf btf = { };
	const char *failed;
	int ret;

	ret = r5s_btf_open(&btf, "raid456", &failed);
	if (ret == -ENOENT)
		because("there is no /sys/kernel/btf/%s", failed);
	else if (ret)
		because("/sys/kernel/btf/%s cannot be used (%d)", failed, ret);
	else
		ret = fill_table(&btf, l) ?: check(l);
	r5s_btf_close(&btf);
	if (!ret)
		because("offsets from the kernel's BTF in %lld ms",
			ktime_ms_delta(ktime_get(), start));
	return ret;
}

/* One line, which also says what to do when there is something to be done. */
static void tell(void)
{
	if (mode != R5S_LAYOUT_NONE)
		pr_info("layout: %s: %s\n", r5s_layout_mode_name(), reason);
	else if (!strcmp(layout_param, "auto"))
		pr_notice("layout: none: %s; load a raid456 with BTF to see its arrays\n",
			  reason);
	else
		pr_notice("layout: none: %s\n", reason);
}

/**
 * r5s_layout_bind() - find out where the fields of the loaded raid456 lie
 *
 * To be called when raid456 is live (its notes do not exist before), from process context: reads
 * files and may take a tenth of a second. No hook that uses the table may be armed meanwhile. Fills
 * r5s_layout and says in one line of the log how, or why not.
 *
 * Return: 0 when r5s_layout.valid, -ENODATA when nothing is known and every field is absent.
 */
int r5s_layout_bind(void)
{
	bool any = !strcmp(layout_param, "auto");
	int ret = -ENODATA;

	mutex_lock(&bind_lock);
	clear(&r5s_layout);
	WRITE_ONCE(mode, R5S_LAYOUT_NONE);
	reason[0] = 0;
	if (any || !strcmp(layout_param, "build")) {
		ret = fill_from_build(&r5s_layout);
		if (!ret) {
			because("built for this raid456");
			WRITE_ONCE(mode, R5S_LAYOUT_BUILD);
		}
	}
	if (ret && (any || !strcmp(layout_param, "btf"))) {
		clear(&r5s_layout);
		ret = fill_from_btf(&r5s_layout);
		if (!ret)
			WRITE_ONCE(mode, R5S_LAYOUT_BTF);
	}
	if (!ret) {
		r5s_layout.valid = true;
	} else {
		clear(&r5s_layout);
		if (!reason[0])
			because(strcmp(layout_param, "none") ?
				"layout=%s is not known: use auto, build, btf or none" :
				"switched off by layout=%s", layout_param);
	}
	tell();
	mutex_unlock(&bind_lock);
	return ret ? -ENODATA : 0;
}

/**
 * r5s_layout_unbind() - forget the layout, because raid456 goes away
 *
 * Process context. Every hook that uses the table has been disarmed.
 */
void r5s_layout_unbind(void)
{
	mutex_lock(&bind_lock);
	clear(&r5s_layout);
	WRITE_ONCE(mode, R5S_LAYOUT_NONE);
	strscpy(reason, "raid456 is not loaded", sizeof(reason));
	mutex_unlock(&bind_lock);
}

/**
 * r5s_layout_mode() - where the offsets in use come from
 *
 * Return: the mode, R5S_LAYOUT_NONE while raid456 is not bound. Any context.
 */
enum r5s_layout_mode r5s_layout_mode(void)
{
	return READ_ONCE(mode);
}

/**
 * r5s_layout_mode_name() - the mode as a word
 *
 * Return: "none", "build" or "btf". Any context.
 */
const char *r5s_layout_mode_name(void)
{
	static const char * const names[] = {
		[R5S_LAYOUT_NONE] = "none",
		[R5S_LAYOUT_BUILD] = "build",
		[R5S_LAYOUT_BTF] = "btf",
	};

	return names[r5s_layout_mode()];
}

/**
 * r5s_layout_reason() - why the mode is what it is, in words
 * @buf: gets the text, always ended by NUL
 * @len: room in @buf, in bytes
 *
 * Process context: waits for a bind under way.
 *
 * Return: the length of the text in @buf.
 */
size_t r5s_layout_reason(char *buf, size_t len)
{
	size_t ret;

	mutex_lock(&bind_lock);
	ret = scnprintf(buf, len, "%s", reason);
	mutex_unlock(&bind_lock);
	return ret;
}

/**
 * r5s_layout_enum() - walk the enumerators of a group
 * @group: which one
 * @i: counts from 0
 * @value: gets the value, -1 where this kernel does not have the enumerator
 *
 * Return: the name, NULL when @i is past the end. Any context in which a hook may run.
 */
const char *r5s_layout_enum(enum r5s_layout_group group, unsigned int i, int *value)
{
	unsigned int j;

	for (j = 0; j < ARRAY_SIZE(enums); j++) {
		if (enums[j].group != group || i--)
			continue;
		*value = *enum_slot(&r5s_layout, &enums[j]);
		return enums[j].name;
	}
	return NULL;
}
