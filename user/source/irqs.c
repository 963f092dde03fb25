// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/softirqs and /proc/interrupts: a column a CPU, titled CPUn; CPUs that are offline are left
 * out by the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/classes.h"

/* Runs of blanks become one @with, none is left at the ends. */
static void squeeze(char *s, char with)
{
	char *to = s;

	for (; *s; s++) {
		if (!isspace((unsigned char)*s))
			*to++ = *s;
		else if (s[1] && !isspace((unsigned char)s[1]))
			*to++ = with;
	}
	*to = '\0';
}

static int titles(char *line, unsigned int **cpus, size_t *n)
{
	size_t room = strlen(line) / 4 + 1;
	char *word;

	*n = 0;
	*cpus = calloc(room, sizeof(**cpus));
	if (!*cpus)
		return -ENOMEM;
	while ((word = strsep(&line, " \t"))) {
		uint64_t cpu;
		char *s = word + 3;

		if (!*word)
			continue;
		if (strncmp(word, "CPU", 3) || !r5s_text_u64(&s, &cpu) || *s || cpu > 1 << 20)
			return -EPROTO;
		(*cpus)[(*n)++] = (unsigned int)cpu;
	}
	return *n ? 0 : -EPROTO;
}

static bool row(char *line, const char *prefix, const unsigned int *cpus, size_t n,
		uint64_t *count, struct r5s_values *out)
{
	char *colon = strchr(line, ':'), *label = line, *s;
	uint64_t sum = 0;
	bool numbered;
	size_t got = 0;

	while (*label == ' ')
		label++;
	if (!colon || colon == label)
		return false;
	*colon = '\0';
	numbered = isdigit((unsigned char)*label);
	s = colon + 1;
	while (got < n && r5s_text_u64(&s, &count[got]))
		sum += count[got++];
	/* ERR and MIS are one number for the whole machine. */
	if (got != n && got != 1)
		return false;
	while (*s == ' ')
		s++;
	squeeze(s, numbered ? '.' : '_');
	r5s_values_add(out, R5S_VALUE_COUNTER, NULL, sum, "%s%s%s%s", prefix, label, *s ? ":" : "",
		       s);
	for (size_t i = 0; got == n && i < n; i++)
		r5s_values_add(out, R5S_VALUE_COUNTER, NULL, count[i], "%sCPU%u.%s%s%s", prefix,
			       cpus[i], label, *s ? ":" : "", s);
	return true;
}

int r5s_irqs_parse(char *text, const char *file, struct r5s_values *out)
{
	char *line = r5s_text_line(&text), prefix[32];
	unsigned int *cpus = NULL, at = 1;
	uint64_t *count = NULL;
	size_t n = 0;
	int err;

	if (!line)
		return r5s_values_stop(out, file, 1, "");
	snprintf(prefix, sizeof(prefix), "%s.", file);
	err = titles(line, &cpus, &n);
	if (err == -EPROTO)
		r5s_values_stop(out, file, 1, line);
	if (!err) {
		count = calloc(n, sizeof(*count));
		err = count ? 0 : -ENOMEM;
	}
	while (!err && (line = r5s_text_line(&text))) {
		at++;
		if (!row(line, prefix, cpus, n, count, out))
			err = r5s_values_stop(out, file, at, line);
	}
	free(count);
	free(cpus);
	return err;
}

static int probe_softirqs(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "softirqs", "kernels since 2.6.31 have it", why, room);
}

static int probe_interrupts(const struct r5s_source_root *root, char *why, size_t room)
{
	return r5s_source_file(root->proc, "interrupts", "mount -t proc proc /proc", why, room);
}

static int sample(struct r5s_source *s, struct r5s_values *out)
{
	int err = r5s_text_read(&s->text, s->root.proc, "%s", s->class->name);

	return err ? err : r5s_irqs_parse(s->text.s, s->class->name, out);
}

const struct r5s_source_class r5s_source_softirqs = {
	.name = "softirqs", .interval_ms = R5S_SOURCE_BEGIN_END, .probe = probe_softirqs,
	.sample = sample,
};

const struct r5s_source_class r5s_source_interrupts = {
	.name = "interrupts", .interval_ms = R5S_SOURCE_BEGIN_END, .probe = probe_interrupts,
	.sample = sample,
};
