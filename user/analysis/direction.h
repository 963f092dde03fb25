/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is more of a metric better?
 */
#ifndef R5S_ANALYSIS_DIRECTION_H
#define R5S_ANALYSIS_DIRECTION_H

#include <stdbool.h>

/**
 * r5s_direction_of - which way a metric is better
 * @key: name, LKP's or ours
 *
 * Return: 1 more is better, -1 less is better, 0 neither by itself (a cache's size is not a merit).
 */
int r5s_direction_of(const char *key);

/**
 * r5s_direction_word - a change in a word
 * @key: name
 * @change: any number with the sign of the change
 *
 * Return: "better" or "worse" where the metric has a direction, else "more" or "less"; "same" for 0,
 * "-" for NaN.
 */
const char *r5s_direction_word(const char *key, double change);

/** r5s_direction_is_result - is it what a workload achieved (not what a monitor saw)? */
bool r5s_direction_is_result(const char *key);

/** r5s_direction_unit - the unit that a name implies, NULL when it implies none */
const char *r5s_direction_unit(const char *key);

#endif
