/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must be known to understand a run later: the machine, the mount, the array, its members.
 */
#ifndef R5S_SOURCE_FACTS_H
#define R5S_SOURCE_FACTS_H

#include "source/mount.h"

/* Called for every fact that is there; @value is text without a newline. */
typedef void (*r5s_facts_put)(void *arg, const char *key, const char *value);

/**
 * r5s_facts_machine - kernel, processors, memory, NUMA, sysctls
 * @sys: where sysfs is mounted
 * @proc: where proc is mounted
 * @put: takes each
 * @arg: its argument
 */
void r5s_facts_machine(const char *sys, const char *proc, r5s_facts_put put, void *arg);

/** r5s_facts_mount - file system, source, options */
void r5s_facts_mount(const struct r5s_mount *m, r5s_facts_put put, void *arg);

/** r5s_facts_array - settings of an array and of its members' queues */
void r5s_facts_array(const char *sys, const char *name, r5s_facts_put put, void *arg);

#endif
