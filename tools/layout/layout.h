/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct btf;

enum {
	LAYOUT_DONE = 0,
	LAYOUT_MISFIT = 1,	/* the kernel is not what layout-fields.h expects */
	LAYOUT_USAGE = 2,
	LAYOUT_MISSING = 3,	/* files of that kernel are not here, or are of no use */
};

/* A whole file or section in memory; free() data. */
struct layout_blob {
	unsigned char *data;
	size_t size;
};

struct layout_kernel {
	const char *root;
	const char *release;
	struct btf *base;
	struct btf *split;		/* raid456 */
	char base_path[512];		/* for people */
	char raid456_id[41];		/* hex, "" where there is none */
	char md_mod_id[41];
};

enum layout_kind { KIND_INT, KIND_PTR, KIND_AGG, KIND_LOCK, KIND_MTX, KIND_ANY };
enum layout_need { NEED_MUST, NEED_OPT, NEED_VAR };

struct layout_struct {
	const char *name;
	enum layout_need need;
	unsigned int id;		/* BTF type, 0 when absent */
	unsigned int size;
};

struct layout_field {
	const char *in;			/* the struct */
	const char *member;
	enum layout_kind kind;
	enum layout_need need;
	unsigned int want;		/* bytes, 0 takes any */
	bool have;
	unsigned int offset, size, count;
};

struct layout_enum {
	const char *group;
	const char *type;		/* name of the C enum, "" for an unnamed one */
	const char *name;
	enum layout_need need;
	bool have;
	int value;
};

extern struct layout_struct layout_structs[];
extern struct layout_field layout_fields[];
extern struct layout_enum layout_enums[];
extern const size_t layout_n_structs, layout_n_fields, layout_n_enums;

int layout_kernel_open(struct layout_kernel *k);
void layout_kernel_close(struct layout_kernel *k);

int layout_blob_read(const char *path, struct layout_blob *out);
int layout_blob_unpack(const char *path, struct layout_blob *blob);

int layout_table_expect(const char *spec);
int layout_table_fill(const struct layout_kernel *k);

int layout_emit_header(const struct layout_kernel *k, FILE *f);
int layout_emit_list(const struct layout_kernel *k, FILE *f);

#endif /* LAYOUT_H */
