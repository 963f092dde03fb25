// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes what the tests compare: runs in a store, or a big matrix.json.
 *
 *	make store FILE KERNEL THREADS MEAN RUNS SEED [KEY=VALUE...]
 *	make tree DIR RUNS METRICS SHIFT SEED
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "compare/matrix.h"
#include "store/lkptree.h"
#include "store/store.h"

enum { FILES = 1000, TEXT = 64, SAMPLES = 11 };

static void must(int err, const char *what)
{
	if (err) {
		fprintf(stderr, "make: %s: %s\n", what, strerror(-err));
		exit(1);
	}
}

static void setting(struct r5s_store *s, int64_t run, const char *key, double value)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%.0f", value);
	must(r5s_store_setting_put(s, run, key, text), key);
}

static int make_store(int argc, char **argv)
{
	const char *command[] = { "fs_mark", "-d", "/mnt", "-t", argv[4], "-n", "10", NULL };
	struct r5s_store_begin begin = { .argv = command, .array = "md0", .tool_version = "test" };
	struct r5s_store_end end = { .status = R5S_STORE_COMPLETE };
	double mean = atof(argv[5]);
	int runs = atoi(argv[6]);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
	struct r5s_store *s;

	gsl_rng_set(rng, strtoul(argv[7], NULL, 10));
	must(r5s_store_open(&s, argv[2], R5S_STORE_WRITE | R5S_STORE_CREATE), "open");
	for (int i = 0; i < runs; i++) {
		double rate = mean * (1 + gsl_ran_gaussian(rng, 0.01));
		int64_t run, array, size, grown, now;
		/* The column as fs_mark would print it: in steps of 0.1 per thread. */
		struct r5s_fsmark_row row = { .line = 1, .has = 0x1f, .count = FILES, .size = 4096,
			.files_per_sec = floor(rate / (0.1 * atoi(argv[4])) + 0.5) *
					 0.1 * atoi(argv[4]), .app_overhead_us = 1000 };

		snprintf(row.files_per_sec_text, sizeof(row.files_per_sec_text), "%.1f",
			 row.files_per_sec);
		must(r5s_store_run_begin(s, &begin, &run), "begin");
		must(r5s_store_setting_put(s, run, "test.kernel", argv[3]), "setting");
		setting(s, run, "files.window_files", FILES);
		setting(s, run, "files.window_ns", FILES / rate * 1e9);
		setting(s, run, "command.elapsed_ns", FILES / rate * 1.1e9);
		for (int k = 8; k < argc; k++) {
			char *equals = strchr(argv[k], '=');

			if (!equals)
				continue;
			*equals = '\0';
			must(r5s_store_setting_put(s, run, argv[k], equals + 1), argv[k]);
			*equals = '=';
		}
		must(r5s_store_array_add(s, run, "md0", 1, &array), "array");
		must(r5s_store_metric_id(s, "cache.size", "stripes", R5S_STORE_GAUGE, NULL, &size), "m");
		must(r5s_store_metric_id(s, "cache.grown", "stripes", R5S_STORE_COUNTER, NULL, &grown),
		     "m");
		now = r5s_store_run_now(s);
		/* 256 for half of the time and 512 for the other half: 384 over time. */
		for (int k = 0; k < SAMPLES; k++) {
			must(r5s_store_sample_u64(s, run, array, size, now + k * 1000,
						  k < SAMPLES / 2 ? 256 : 512), "sample");
			must(r5s_store_sample_u64(s, run, array, grown, now + k * 1000,
						  (uint64_t)(100 + k)), "sample");
		}
		must(r5s_store_fsmark_add(s, run, 1, -1, &row), "fsmark");
		/* The last run of a store that asks for it did not end well. */
		end.status = i == runs - 1 && argc > 8 && !strcmp(argv[argc - 1], "killed") ?
			     R5S_STORE_KILLED : R5S_STORE_COMPLETE;
		end.signal = end.status == R5S_STORE_KILLED ? 9 : 0;
		must(r5s_store_run_end(s, run, &end), "end");
	}
	gsl_rng_free(rng);
	must(r5s_store_close(s), "close");
	return 0;
}

static int make_tree(char **argv)
{
	int runs = atoi(argv[3]), metrics = atoi(argv[4]);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
	struct r5s_matrix m;

	gsl_rng_set(rng, strtoul(argv[6], NULL, 10));
	must(r5s_matrix_init(&m, argv[2]), "matrix");
	for (int i = 0; i < runs; i++)
		must(r5s_matrix_run_add(&m, "run") < 0, "run");
	for (int k = 0; k < metrics; k++) {
		char key[TEXT];

		snprintf(key, sizeof(key), "monitor%d.some_metric_%d", k % 40, k);
		for (int i = 0; i < runs; i++)
			must(r5s_matrix_put(&m, key, (size_t)i, 1000 * (1 + (k % 3 ? 0 : atof(argv[5]))) +
					    gsl_ran_gaussian(rng, 10), false), "put");
	}
	must(r5s_lkptree_write(&m, argv[2]), "write");
	r5s_matrix_free(&m);
	gsl_rng_free(rng);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 8 && !strcmp(argv[1], "store"))
		return make_store(argc, argv);
	if (argc == 7 && !strcmp(argv[1], "tree"))
		return make_tree(argv);
	return 2;
}
