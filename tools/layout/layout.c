// SPDX-License-Identifier: GPL-2.0-or-later
/* Where md's private fields lie in an installed kernel, as a header for the module or as text. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout.h"

static void usage(FILE *f)
{
	fputs("usage: layout --kernel RELEASE [--root DIR] -o HEADER\n"
	      "       layout --kernel RELEASE [--root DIR] --list\n"
	      "\n"
	      "  -k, --kernel RELEASE  the kernel to build for, as in /lib/modules/RELEASE\n"
	      "  -r, --root DIR        look below DIR instead of /\n"
	      "  -o, --output HEADER   write the header that kmod/layout.c includes\n"
	      "  -l, --list            print offsets, sizes and values as text\n"
	      "  -n, --none            write a header without offsets, for a kernel without BTF\n"
	      "      --expect S.M=N    expect N bytes for a field, for tests\n"
	      "  -h, --help            this text\n"
	      "\n"
	      "exit: 0 done, 1 the kernel's structs are not the expected ones, 2 usage,\n"
	      "      3 files of that kernel are missing\n", f);
}

static bool same(const char *a, const char *b)
{
	struct layout_blob x = { NULL, 0 }, y = { NULL, 0 };
	bool ret = !layout_blob_read(a, &x) && !layout_blob_read(b, &y) && x.size == y.size &&
		   !memcmp(x.data, y.data, x.size);

	free(x.data);
	free(y.data);
	return ret;
}

/* By way of a second file: a half-written header would look up to date to make. */
static int write_header(const struct layout_kernel *k, const char *path)
{
	char tmp[4096];
	FILE *f;
	int bad;

	if (snprintf(tmp, sizeof(tmp), "%s.tmp", path) >= (int)sizeof(tmp)) {
		fprintf(stderr, "layout: %s: name too long\n", path);
		return LAYOUT_USAGE;
	}
	f = fopen(tmp, "w");
	if (!f) {
		fprintf(stderr, "layout: %s: %s: name a folder that can be written\n", tmp,
			strerror(errno));
		return LAYOUT_MISSING;
	}
	bad = layout_emit_header(k, f);
	bad |= fclose(f);
	/* An unchanged one keeps its time, so that nothing is compiled again. */
	if (!bad && same(path, tmp))
		bad = unlink(tmp);
	else if (!bad)
		bad = rename(tmp, path);
	if (!bad)
		return 0;
	fprintf(stderr, "layout: %s: %s: is the disk full?\n", path, strerror(errno));
	unlink(tmp);
	return LAYOUT_MISSING;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "kernel", required_argument, NULL, 'k' },
		{ "root", required_argument, NULL, 'r' },
		{ "output", required_argument, NULL, 'o' },
		{ "list", no_argument, NULL, 'l' },
		{ "none", no_argument, NULL, 'n' },
		{ "expect", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct layout_kernel k = { .root = "" };
	const char *output = NULL;
	bool list = false, none = false;
	int c, ret = 0;

	while ((c = getopt_long(argc, argv, "k:r:o:lnh", options, NULL)) != -1) {
		switch (c) {
		case 'k':
			k.release = optarg;
			break;
		case 'r':
			k.root = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 'l':
			list = true;
			break;
		case 'n':
			none = true;
			break;
		case 'e':
			if (layout_table_expect(optarg)) {
				fprintf(stderr, "layout: --expect %s: want STRUCT.MEMBER=BYTES\n",
					optarg);
				return LAYOUT_USAGE;
			}
			break;
		case 'h':
			usage(stdout);
			return LAYOUT_DONE;
		default:
			usage(stderr);
			return LAYOUT_USAGE;
		}
	}
	if (!k.release || !*k.release || strchr(k.release, '/') || optind < argc ||
	    (!output && !list)) {
		usage(stderr);
		return LAYOUT_USAGE;
	}
	if (!none) {
		ret = layout_kernel_open(&k);
		if (!ret)
			ret = layout_table_fill(&k);
	}
	if (!ret && list && (layout_emit_list(&k, stdout) || fflush(stdout)))
		ret = LAYOUT_MISSING;
	if (!ret && output)
		ret = write_header(&k, output);
	layout_kernel_close(&k);
	return ret;
}
