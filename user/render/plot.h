/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A metric over runs, drawn with letters.
 */
#ifndef R5S_RENDER_PLOT_H
#define R5S_RENDER_PLOT_H

#include <stddef.h>
#include <stdio.h>

/**
 * r5s_plot_print - base runs as joined '*', head runs as 'O'
 * @title: metric
 * @unit: NULL for none
 * @base: values in order of the runs, NaN where missing
 * @n_base: their number
 * @head: the other group
 * @n_head: their number
 * @out: where to
 *
 * 80 columns by 20 lines. Both groups start at the left: x is the number of the run.
 *
 * Return: 0, -EINVAL when there is nothing to draw, -EIO.
 */
int r5s_plot_print(const char *title, const char *unit, const double *base, size_t n_base,
		   const double *head, size_t n_head, FILE *out);

#endif
