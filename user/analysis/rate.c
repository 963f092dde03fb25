// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/rate.h"

#include <math.h>
#include <stddef.h>

/*
 * Rounding may move (a) by half a step either way: more than this part of it is worth a word.
 * Threads that finish apart make (a) larger than (b): so is more than this, beyond rounding.
 */
#define QUANTISED_PART 0.01
#define APART_PART 0.05

static const char *const label[R5S_RATE_KINDS] = {
	[R5S_RATE_FSMARK] = "fs_mark's own sum",
	[R5S_RATE_WINDOW] = "writing window",
	[R5S_RATE_ELAPSED] = "elapsed, with unlinking"
};

double r5s_rate_step(unsigned int threads)
{
	return threads ? threads / 10.0 : NAN;
}

const char *r5s_rate_warn_text(enum r5s_rate_warn warn)
{
	switch (warn) {
	case R5S_RATE_WARN_QUANTISED:
		return "fs_mark's figure is coarse: rounding alone may move it by more than 1 %";
	case R5S_RATE_WARN_APART:
		return "fs_mark's figure is too high: its threads finished far apart";
	case R5S_RATE_WARN_COUNT:
		return "the writing window counted another number of files than fs_mark";
	}
	return NULL;
}

static void set(struct r5s_rates *r, enum r5s_rate_kind kind, double value, double step)
{
	struct r5s_rate *rate = &r->rate[kind];
	double half = isnan(step) ? 0 : step / 2;

	rate->kind = kind;
	rate->label = label[kind];
	rate->files_per_sec = value;
	rate->step = isnan(value) ? NAN : step;
	rate->low = value - half < 0 ? 0 : value - half;
	rate->high = value + half;
}

static double per_second(uint64_t files, uint64_t ns)
{
	return files && ns ? (double)files / ((double)ns / 1e9) : NAN;
}

void r5s_rate_compute(const struct r5s_rate_input *in, struct r5s_rates *out)
{
	const struct r5s_rate *own = &out->rate[R5S_RATE_FSMARK];
	const struct r5s_rate *window = &out->rate[R5S_RATE_WINDOW];
	static const enum r5s_rate_kind order[] = {
		R5S_RATE_WINDOW, R5S_RATE_ELAPSED, R5S_RATE_FSMARK
	};

	set(out, R5S_RATE_FSMARK, in->fsmark_files_per_sec, r5s_rate_step(in->threads));
	set(out, R5S_RATE_WINDOW, per_second(in->window_files, in->window_ns), NAN);
	set(out, R5S_RATE_ELAPSED, per_second(in->fsmark_files ? in->fsmark_files : in->window_files,
					      in->elapsed_ns), NAN);
	out->judged = -1;
	for (size_t i = 0; i < 3 && out->judged < 0; i++)
		if (!isnan(out->rate[order[i]].files_per_sec))
			out->judged = order[i];

	out->warn = 0;
	if (own->step / 2 > QUANTISED_PART * own->files_per_sec)
		out->warn |= R5S_RATE_WARN_QUANTISED;
	if (own->low > (1 + APART_PART) * window->files_per_sec)
		out->warn |= R5S_RATE_WARN_APART;
	if (in->window_files && in->fsmark_files && in->window_files != in->fsmark_files)
		out->warn |= R5S_RATE_WARN_COUNT;
}
