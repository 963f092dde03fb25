/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of a recorded run.
 */
#ifndef R5S_RENDER_REPORT_H
#define R5S_RENDER_REPORT_H

#include <stdio.h>

#include "record/summary.h"

/**
 * r5s_report_print - for a person
 * @s: the run
 * @file: of the store, named at the end
 * @out: where to
 *
 * Return: 0, or a negative errno.
 */
int r5s_report_print(const struct r5s_summary *s, const char *file, FILE *out);

/** r5s_report_json - for a program; keys are stable, what is absent is missing or null in a line */
int r5s_report_json(const struct r5s_summary *s, const char *file, FILE *out);

/**
 * r5s_report_status - how the command ended, in words
 * @s: the run
 * @buf: result
 * @room: its size
 */
void r5s_report_status(const struct r5s_summary *s, char *buf, size_t room);

#endif
