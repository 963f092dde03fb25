// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What GNU time says of a command that has ended. Not in the table: whoever waits for the command
 * has the numbers.
 */
#include <math.h>

#include "source/classes.h"

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

void r5s_rusage_values(const struct rusage *u, int64_t elapsed_ns, struct r5s_values *out)
{
	const struct { const char *name, *unit; long v; } counts[] = {
		{ "maximum_resident_set_size", "kB", u->ru_maxrss },
		{ "major_page_faults", NULL, u->ru_majflt },
		{ "minor_page_faults", NULL, u->ru_minflt },
		{ "voluntary_context_switches", NULL, u->ru_nvcsw },
		{ "involuntary_context_switches", NULL, u->ru_nivcsw },
		{ "file_system_inputs", "sectors", u->ru_inblock },
		{ "file_system_outputs", "sectors", u->ru_oublock },
	};
	double user = seconds(&u->ru_utime), sys = seconds(&u->ru_stime);
	double elapsed = (double)elapsed_ns / 1e9;

	r5s_values_real(out, "s", user, "time.user_time");
	r5s_values_real(out, "s", sys, "time.system_time");
	r5s_values_real(out, "s", elapsed, "time.elapsed_time");
	if (elapsed > 0)
		r5s_values_real(out, "%", trunc(100 * (user + sys) / elapsed),
				"time.percent_of_cpu_this_job_got");
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		r5s_values_add(out, R5S_VALUE_GAUGE, counts[i].unit, (uint64_t)counts[i].v,
			       "time.%s", counts[i].name);
}
