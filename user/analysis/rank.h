/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranks and what follows from them alone.
 */
#ifndef R5S_ANALYSIS_RANK_H
#define R5S_ANALYSIS_RANK_H

#include <stddef.h>

/**
 * r5s_rank_average - ranks 1..n, ties get the mean of their places
 * @x: values, no NaN
 * @n: their number
 * @rank: n results
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_rank_average(const double *x, size_t n, double *rank);

/**
 * r5s_rank_pearson - product-moment correlation
 * @x: values, no NaN
 * @y: values, no NaN
 * @n: pairs
 *
 * Return: -1..1; NaN for fewer than 2 pairs or when one side does not vary.
 */
double r5s_rank_pearson(const double *x, const double *y, size_t n);

/**
 * r5s_rank_spearman - Spearman's rank correlation, ties averaged
 * @x: values, no NaN
 * @y: values, no NaN
 * @n: pairs
 * @rho: result; NaN for fewer than 2 pairs or when one side does not vary
 *
 * Return: 0, or -ENOMEM.
 */
int r5s_rank_spearman(const double *x, const double *y, size_t n, double *rho);

/**
 * r5s_rank_p - two-sided p of a rank correlation
 * @rho: -1..1
 * @n: independent pairs, need not be whole
 *
 * t = rho sqrt((n - 2) / (1 - rho^2)) against Student's t with n - 2 degrees of freedom.
 *
 * Return: 0..1; NaN for n <= 2 or a NaN rho.
 */
double r5s_rank_p(double rho, double n);

/**
 * r5s_rank_interval - Fisher's z interval of a rank correlation
 * @rho: -1..1
 * @n: independent pairs, need not be whole
 * @level: e.g. 0.95
 * @low: lower end, NaN when n <= 3
 * @high: upper end
 *
 * tanh(atanh(rho) -+ z sqrt((1 + rho^2 / 2) / (n - 3))): the numerator is Bonett and Wright's
 * correction for ranks.
 */
void r5s_rank_interval(double rho, double n, double level, double *low, double *high);

#endif
