/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The raid5stat module as a file and in the kernel.
 */
#ifndef R5S_SOURCE_MODULE_H
#define R5S_SOURCE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct r5s_module_why - what went wrong, in words
 * @text: says what to do, too; empty when nothing went wrong
 */
struct r5s_module_why {
	char text[512];
};

/** r5s_module_loaded - is a module of this name live? Dashes are underscores here */
bool r5s_module_loaded(const char *name);

/**
 * r5s_module_file - where the module's file lies
 * @dirs: "/lib/modules" but in tests
 * @release: of the kernel
 *
 * Looks in updates and extra of that kernel, whether depmod knows of it or not.
 *
 * Return: a path to free(), or NULL.
 */
char *r5s_module_file(const char *dirs, const char *release);

/**
 * r5s_module_load - insert raid5stat; one that is loaded already is fine
 * @file: the module's file, NULL: $RAID5STAT_MODULE, else looked for
 * @level: of the module parameter, NULL: the module's own default
 * @why: set on failure
 *
 * Return: 0; 1 when it was loaded before; -ENOENT no file, -EPERM not root, -EKEYREJECTED, -ENOEXEC
 * for another kernel, or what the kernel said.
 */
int r5s_module_load(const char *file, const char *level, struct r5s_module_why *why);

/** r5s_module_unload - remove raid5stat. 0; 1 when it was not loaded; or a negative errno */
int r5s_module_unload(struct r5s_module_why *why);

/** r5s_module_explain - words for what the kernel said to an insertion of @file */
void r5s_module_explain(int err, const char *file, const char *built_for, const char *release,
			struct r5s_module_why *why);

#endif
