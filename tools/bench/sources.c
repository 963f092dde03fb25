// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sample every source of this machine so many times: how many is the argument.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/source.h"

enum { SOURCES_MAX = 64 };

int main(int argc, char **argv)
{
	long passes = argc > 1 ? atol(argv[1]) : 1;
	const char *only = argc > 2 ? argv[2] : NULL;
	struct r5s_source s[SOURCES_MAX];
	const struct r5s_source_class *c;
	struct r5s_values vs = { 0 };
	char why[R5S_SOURCE_WHY];
	size_t n = 0, values = 0;

	for (size_t i = 0; n < SOURCES_MAX && (c = r5s_source_at(i)); i++)
		if (!only || !strcmp(only, c->name))
			n += !r5s_source_open(&s[n], c, &r5s_source_live, why, sizeof(why));
	for (long p = 0; p < passes; p++) {
		values = 0;
		for (size_t i = 0; i < n; i++) {
			if (r5s_source_sample(&s[i], 1 + p * INT64_C(1000000000), &vs))
				fprintf(stderr, "%s: %s\n", s[i].class->name, vs.where);
			values += vs.n;
		}
	}
	for (size_t i = 0; i < n; i++)
		r5s_source_close(&s[i]);
	r5s_values_free(&vs);
	printf("%zu %zu\n", n, values);
	return 0;
}
