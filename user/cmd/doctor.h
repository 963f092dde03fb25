/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `raid5stat doctor` looks at.
 */
#ifndef R5S_CMD_DOCTOR_H
#define R5S_CMD_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "source/netlink.h"

enum r5s_doctor_state {
	R5S_DOCTOR_OK,
	R5S_DOCTOR_NOTE,	/* worth knowing, no fault */
	R5S_DOCTOR_UNKNOWN,	/* could not be looked at now */
	R5S_DOCTOR_FINDING,	/* something is wrong */
	R5S_DOCTOR_MISSING	/* something is not there */
};

struct r5s_doctor_check {
	enum r5s_doctor_state state;
	char *name;
	char *text;
	char *way_out;	/* NULL: nothing to do */
};

struct r5s_doctor {
	struct r5s_doctor_check *check;
	size_t n;
	bool no_memory;
};

/**
 * r5s_doctor_add - a check has been made
 * @d: list
 * @state: how it came out
 * @name: of the check, e.g. "md0 size"
 * @way_out: what to do, NULL for nothing
 * @format: what was seen
 */
__attribute__((format(printf, 5, 6)))
void r5s_doctor_add(struct r5s_doctor *d, enum r5s_doctor_state state, const char *name,
		    const char *way_out, const char *format, ...);

/** r5s_doctor_machine - kernel, privileges, tools */
void r5s_doctor_machine(struct r5s_doctor *d);

/** r5s_doctor_module - the module, its layout and its probes. @nl NULL: it is not loaded */
void r5s_doctor_module(struct r5s_doctor *d, struct r5s_netlink *nl);

/**
 * r5s_doctor_arrays - do the numbers agree with what the kernel says elsewhere
 * @d: list
 * @nl: connection
 * @read: read a little of each array, so that there is something to compare
 */
void r5s_doctor_arrays(struct r5s_doctor *d, struct r5s_netlink *nl, bool read);

#endif
