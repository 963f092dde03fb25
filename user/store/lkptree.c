// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/lkptree.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lkpjson.h"

enum { RUNS_MAX = 10000, GAP_MAX = 100, PARTS = 8 };

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_json(const char *path)
{
	size_t n = strlen(path);

	return (n > 5 && !strcmp(path + n - 5, ".json")) ||
	       (n > 8 && !strcmp(path + n - 8, ".json.gz"));
}

bool r5s_lkptree_is(const char *path)
{
	return is_dir(path) || is_json(path);
}

static int read_file(struct r5s_matrix *m, const char *path, char **failed)
{
	char *text;
	size_t len;
	int err = r5s_lkpjson_load(path, &text, &len);

	if (!err) {
		err = r5s_lkpjson_read(m, text, len, path);
		free(text);
	}
	if (err && !*failed)
		*failed = strdup(path);
	return err;
}

/* The first that is there of name.json and name.json.gz. Return: 1, or 0. */
static int pick(char *out, const char *dir, const char *name)
{
	static const char *const ends[] = { "", ".gz" };

	for (int i = 0; i < 2; i++)
		if (snprintf(out, PATH_MAX, "%s/%s%s", dir, name, ends[i]) < PATH_MAX &&
		    !access(out, F_OK))
			return 1;
	return 0;
}

static int read_dir(struct r5s_matrix *m, const char *dir, char **failed)
{
	char path[PATH_MAX], run_dir[PATH_MAX];
	size_t runs = 0;
	int err = 0;

	for (int run = 0, gap = 0; !err && run < RUNS_MAX && gap < GAP_MAX; run++) {
		if (snprintf(run_dir, sizeof(run_dir), "%s/%d", dir, run) >= PATH_MAX)
			break;
		if (!pick(path, run_dir, "stats.json") && !pick(path, run_dir, "matrix.json")) {
			gap++;
			continue;
		}
		gap = 0;
		err = read_file(m, path, failed);
		runs++;
	}
	if (err || runs)
		return err;
	if (pick(path, dir, "matrix.json") || pick(path, dir, "stats.json"))
		return read_file(m, path, failed);
	*failed = strdup(dir);
	return -ENOENT;
}

/* .../<testcase>/<params>/<box>/<rootfs>/<kconfig>/<compiler>/<commit>; 2015 had no compiler and
 * began with the box.
 */
static int testcase_set(struct r5s_matrix *m, const char *path)
{
	char copy[PATH_MAX], name[PATH_MAX], *part[PARTS] = { NULL };
	size_t n = 0;

	if (snprintf(copy, sizeof(copy), "%s", path) >= PATH_MAX)
		return 0;
	while (n < PARTS) {
		char *slash = strrchr(copy, '/');

		part[n++] = slash ? slash + 1 : copy;
		if (!slash)
			break;
		*slash = '\0';
	}
	/* part[0] is the commit. */
	if (n >= 7 && (!strncmp(part[1], "gcc", 3) || !strncmp(part[1], "clang", 5)))
		snprintf(name, sizeof(name), "%s/%s/%s", part[4], part[6], part[5]);
	else if (n >= 6)
		snprintf(name, sizeof(name), "%s/%s/%s", part[5], part[4], part[3]);
	else
		return 0;
	m->testcase = strdup(name);
	return m->testcase ? 0 : -ENOMEM;
}

int r5s_lkptree_read(struct r5s_matrix *m, const char *path, char **failed)
{
	char *copy = strdup(path), *save = NULL;
	const char *base;
	size_t len;
	int err;

	*failed = NULL;
	*m = (struct r5s_matrix){ 0 };
	if (!copy)
		return -ENOMEM;
	len = strlen(copy);
	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	base = strrchr(copy, '/');
	err = r5s_matrix_init(m, base && base[1] && !strchr(copy, ',') ? base + 1 : copy);
	if (!err)
		err = testcase_set(m, copy);
	for (char *one = strtok_r(copy, ",", &save); !err && one; one = strtok_r(NULL, ",", &save))
		err = is_dir(one) ? read_dir(m, one, failed) : read_file(m, one, failed);
	if (!err && !m->runs) {
		*failed = strdup(path);
		err = -EBADMSG;
	}
	free(copy);
	return err;
}

static double mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static double spread(const double *x, size_t n)
{
	double m = mean(x, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - m) * (x[i] - m);
	return sqrt(sum / (double)n);
}

int r5s_lkptree_write(const struct r5s_matrix *m, const char *dir)
{
	char path[PATH_MAX];
	int err = 0;

	if (strlen(dir) > PATH_MAX - 64)
		return -ENAMETOOLONG;
	if (mkdir(dir, 0777) && errno != EEXIST)
		return -errno;
	for (size_t run = 0; !err && run < m->runs; run++) {
		snprintf(path, sizeof(path), "%s/%zu", dir, run);
		if (mkdir(path, 0777) && errno != EEXIST)
			return -errno;
		snprintf(path, sizeof(path), "%s/%zu/stats.json", dir, run);
		err = r5s_lkpjson_run_write(m, run, path);
	}
	snprintf(path, sizeof(path), "%s/matrix.json", dir);
	if (!err)
		err = r5s_lkpjson_write(m, path);
	snprintf(path, sizeof(path), "%s/avg.json", dir);
	if (!err)
		err = r5s_lkpjson_flat_write(m, mean, path);
	snprintf(path, sizeof(path), "%s/stddev.json", dir);
	if (!err)
		err = r5s_lkpjson_flat_write(m, spread, path);
	return err;
}
