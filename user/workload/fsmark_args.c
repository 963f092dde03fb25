// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser of fs_mark's command line: what it will do, and how many files that are.
 */
#include "workload/fsmark.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_THREADS = 64,
	MAX_FILES = 1000000,
	MAX_WRITE = 1048576,
	MAX_NAME = 128
};

int r5s_fsmark_find(int argc, char *const argv[])
{
	for (int i = 0; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');

		if (!strcmp(slash ? slash + 1 : argv[i], "fs_mark"))
			return i;
	}
	return -1;
}

static int add_dir(struct r5s_fsmark_args *a, const char *dir)
{
	char **p = reallocarray(a->dirs, a->n_dirs + 1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	a->dirs = p;
	p[a->n_dirs] = strdup(dir);
	if (!p[a->n_dirs])
		return -ENOMEM;
	a->n_dirs++;
	return 0;
}

/* What -S, -n, ... were given as, before fs_mark's own checks. */
struct raw {
	long threads;
	long loops;
	long files;
	long write_size;
	long name_len;
	long sync;
};

static int take(struct r5s_fsmark_args *a, struct raw *raw, char opt, const char *value)
{
	long number = value ? (int)strtol(value, NULL, 10) : 0;

	switch (opt) {
	case 'k': a->keep = true; break;
	case 'F': a->fill = true; break;
	case 'v': a->verbose = true; break;
	case 'd': return add_dir(a, value);
	case 'D': a->subdirs = number > 0 ? (uint64_t)number : 0; break;
	case 'N': a->per_subdir = number > 0 ? (uint64_t)number : 0; break;
	case 'L': raw->loops = number; break;
	case 'n': raw->files = number; break;
	case 'p': raw->name_len = number; break;
	case 's': a->size = (uint32_t)number; break;
	case 'S': raw->sync = number; break;
	case 't': raw->threads = number; break;
	case 'w': raw->write_size = number; break;
	default: break;	/* -l, -r: nothing that matters here */
	}
	return 0;
}

static const char *settle(struct r5s_fsmark_args *a, const struct raw *raw)
{
	long threads = raw->threads;

	if (!a->n_dirs)
		return "fs_mark needs a directory: add -d DIRECTORY";
	if (threads < (long)a->n_dirs)
		threads = (long)a->n_dirs;
	if (threads > MAX_THREADS)
		return "fs_mark runs at most 64 threads: lower -t or give fewer -d";
	if (threads % (long)a->n_dirs)
		return "fs_mark wants -t to be a multiple of the number of -d";
	if (raw->files < 1 || raw->files > MAX_FILES)
		return "fs_mark writes 1 to 1000000 files per thread and iteration: change -n";
	if (raw->sync < 0 || raw->sync >= R5S_FSMARK_SYNC_METHODS)
		return "fs_mark's sync methods are 0 to 6: change -S";
	if (raw->name_len > MAX_NAME)
		return "fs_mark's file names are at most 128 bytes long: lower -p";
	if (raw->write_size > MAX_WRITE)
		return "fs_mark writes at most 1048576 bytes per call: lower -w";
	a->threads = (unsigned int)threads;
	a->files = (uint64_t)raw->files;
	a->sync_method = (int)raw->sync;
	a->write_size = raw->write_size > 0 ? (uint64_t)raw->write_size : 0;
	/* It loops at least once, and without end when the number is negative. */
	a->loops = raw->loops < 1 ? 1 : (uint64_t)raw->loops;
	if (raw->loops < 0)
		a->fill = true;
	a->expected_files = a->fill ? 0 : a->files * a->loops * a->threads;
	return NULL;
}

int r5s_fsmark_args_parse(struct r5s_fsmark_args *a, int argc, char *const argv[], char *why,
			  size_t why_len)
{
	static const char with_value[] = "rSNDdlLnpstw", without[] = "vkF";
	struct raw raw = { .threads = 1, .loops = 1, .files = R5S_FSMARK_DEFAULT_FILES,
			   .sync = R5S_FSMARK_DEFAULT_SYNC };
	char text[96] = "";
	const char *refused = NULL;
	int err;

	memset(a, 0, sizeof(*a));
	a->size = R5S_FSMARK_DEFAULT_SIZE;
	/* Not getopt(): its state is global, and the caller's own options are parsed with it. */
	for (int i = 1; i < argc && !refused && strcmp(argv[i], "--"); i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			continue;	/* fs_mark passes over stray words */
		for (const char *c = argv[i] + 1; *c && !refused; c++) {
			const char *value = NULL;
			bool wants = strchr(with_value, *c);

			if (!wants && !strchr(without, *c)) {
				snprintf(text, sizeof(text), "fs_mark has no option -%c%s",
					 *c >= ' ' && *c < 127 ? *c : '?',
					 *c == 'h' ? " that runs a test" : "");
				refused = text;
				break;
			}
			if (wants) {
				value = c[1] ? c + 1 : ++i < argc ? argv[i] : NULL;
				if (!value) {
					snprintf(text, sizeof(text),
						 "fs_mark's option -%c needs a value", *c);
					refused = text;
					break;
				}
			}
			err = take(a, &raw, *c, value);
			if (err)
				return err;
			if (wants)
				break;
		}
	}
	if (!refused)
		refused = settle(a, &raw);
	if (!refused)
		return 0;
	if (why && why_len)
		snprintf(why, why_len, "%s", refused);
	return -EINVAL;
}

void r5s_fsmark_args_free(struct r5s_fsmark_args *a)
{
	for (size_t i = 0; i < a->n_dirs; i++)
		free(a->dirs[i]);
	free(a->dirs);
	a->dirs = NULL;
	a->n_dirs = 0;
}
