/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TAP for the C tests: count, print, and end with a plan.
 */
#ifndef R5S_TEST_TAP_H
#define R5S_TEST_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count;
static int tap_failed;

__attribute__((format(printf, 2, 3)))
static inline bool ok(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!good)
		tap_failed++;
	fflush(stdout);
	return good;
}

static inline bool ok_text(const char *got, const char *want, const char *what)
{
	bool good = got && want ? !strcmp(got, want) : got == want;

	ok(good, "%s", what);
	if (!good)
		printf("# got  \"%s\"\n# want \"%s\"\n", got ? got : "(null)", want ? want : "(null)");
	return good;
}

static inline bool ok_num(double got, double want, double tolerance, const char *what)
{
	bool good = isnan(want) ? isnan(got) : fabs(got - want) <= tolerance;

	ok(good, "%s", what);
	if (!good)
		printf("# got %.17g, want %.17g within %g\n", got, want, tolerance);
	return good;
}

static inline void skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, what, why);
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
