// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/describe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

int r5s_describe_series(const double *x, size_t n, struct r5s_describe *out)
{
	double *v = malloc((n + 1) * sizeof(*v));
	size_t k = 0;

	if (!v)
		return -ENOMEM;
	*out = (struct r5s_describe){ .min = NAN, .p5 = NAN, .median = NAN, .p95 = NAN, .max = NAN,
				      .mean = NAN, .sd = NAN };
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			v[k++] = x[i];
	out->n = k;
	out->missing = n - k;
	if (k) {
		gsl_sort(v, 1, k);
		out->min = v[0];
		out->max = v[k - 1];
		out->p5 = gsl_stats_quantile_from_sorted_data(v, 1, k, 0.05);
		out->median = gsl_stats_quantile_from_sorted_data(v, 1, k, 0.5);
		out->p95 = gsl_stats_quantile_from_sorted_data(v, 1, k, 0.95);
		out->mean = gsl_stats_mean(v, 1, k);
		if (k > 1)
			out->sd = gsl_stats_sd(v, 1, k);
	}
	free(v);
	return 0;
}
