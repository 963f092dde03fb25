// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/last.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/json.h"
#include "source/sysfs.h"

enum { KEPT = 64 };	/* arrays that are gone fall out of the file at last */

static const char *env(const char *name)
{
	const char *v = getenv(name);

	return v && v[0] == '/' ? v : NULL;
}

static int directory(char *buf, size_t room)
{
	const char *base = env("XDG_RUNTIME_DIR"), *tail = "raid5stat";

	if (!base)
		base = env("XDG_STATE_HOME");
	if (!base) {
		base = env("HOME");
		tail = ".local/state/raid5stat";
	}
	if (!base)
		return -ENOENT;
	return snprintf(buf, room, "%s/%s", base, tail) < (int)room ? 0 : -ENAMETOOLONG;
}

static int make_directories(char *path)
{
	for (char *s = path + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		if (mkdir(path, 0700) && errno != EEXIST && errno != EROFS && errno != EACCES)
			return -errno;
		*s = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static bool boot_id(char *buf, size_t room)
{
	return r5s_sysfs_text("/proc", buf, room, "sys/kernel/random/boot_id") > 0;
}

static uint64_t number(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_uint64(v) : 0;
}

static void read_array(struct json_object *o, struct r5s_snapshot *s)
{
	struct json_object *metrics, *v;

	memset(s, 0, sizeof(*s));
	s->id = number(o, "id");
	s->mono_ns = number(o, "mono_ns");
	s->since_ns = number(o, "since_ns");
	s->latency_since_ns = number(o, "latency_since_ns");
	if (json_object_object_get_ex(o, "name", &v) && json_object_is_type(v, json_type_string))
		snprintf(s->name, sizeof(s->name), "%s", json_object_get_string(v));
	if (!json_object_object_get_ex(o, "metrics", &metrics))
		return;
	for (int i = 0; i < R5S_METRICS; i++) {
		s->has[i] = json_object_object_get_ex(metrics, r5s_metric_table[i].name, &v) &&
			    json_object_is_type(v, json_type_int);
		if (s->has[i])
			s->value[i] = json_object_get_uint64(v);
	}
}

void r5s_last_load(struct r5s_snapshots *out)
{
	char path[PATH_MAX], boot[64];
	struct json_object *root = NULL, *v, *arrays;
	size_t n;

	memset(out, 0, sizeof(*out));
	if (directory(path, sizeof(path) - 16) || !boot_id(boot, sizeof(boot)))
		return;
	strcat(path, "/show.json");
	root = json_object_from_file(path);
	if (!root || !json_object_object_get_ex(root, "boot_id", &v) ||
	    !json_object_is_type(v, json_type_string) || strcmp(json_object_get_string(v), boot) ||
	    !json_object_object_get_ex(root, "arrays", &arrays) ||
	    !json_object_is_type(arrays, json_type_array))
		goto out;
	n = json_object_array_length(arrays);
	out->array = calloc(n + 1, sizeof(*out->array));
	for (size_t i = 0; out->array && i < n; i++)
		read_array(json_object_array_get_idx(arrays, i), &out->array[out->n++]);
out:
	json_object_put(root);
}

/* Another since_ns: the module was loaded anew, or counted not all the time. */
const struct r5s_snapshot *r5s_last_find(const struct r5s_snapshots *last,
					 const struct r5s_snapshot *now)
{
	for (size_t i = 0; i < last->n; i++) {
		const struct r5s_snapshot *s = &last->array[i];

		if (s->id == now->id && !strcmp(s->name, now->name) &&
		    s->since_ns == now->since_ns && s->mono_ns < now->mono_ns)
			return s;
	}
	return NULL;
}

static void write_array(struct json_object *arrays, const struct r5s_snapshot *s)
{
	struct json_object *o = r5s_json_object(arrays, NULL), *metrics;

	r5s_json_u64(o, "id", s->id);
	r5s_json_text(o, "name", s->name);
	r5s_json_u64(o, "mono_ns", s->mono_ns);
	r5s_json_u64(o, "since_ns", s->since_ns);
	r5s_json_u64(o, "latency_since_ns", s->latency_since_ns);
	metrics = r5s_json_object(o, "metrics");
	for (int i = 0; i < R5S_METRICS; i++)
		if (s->has[i] && r5s_metric_grows(&r5s_metric_table[i]))
			r5s_json_u64(metrics, r5s_metric_table[i].name, s->value[i]);
}

static int write_file(const char *path, struct json_object *root)
{
	char tmp[PATH_MAX];
	int fd, err = 0;
	FILE *f;

	if (snprintf(tmp, sizeof(tmp), "%s.XXXXXX", path) >= (int)sizeof(tmp))
		return -ENAMETOOLONG;
	fd = mkostemp(tmp, O_CLOEXEC);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!f)
		return -errno;
	err = r5s_json_print(root, f, false);
	if (fclose(f) && !err)
		err = -errno;
	if (!err && rename(tmp, path))
		err = -errno;
	if (err)
		unlink(tmp);
	return err;
}

int r5s_last_save(const struct r5s_snapshots *last, const struct r5s_snapshot *now, size_t n)
{
	char path[PATH_MAX], boot[64];
	struct json_object *root, *arrays;
	size_t kept = n;
	int err;

	err = directory(path, sizeof(path) - 16);
	if (err)
		return err;
	err = make_directories(path);
	if (err)
		return err;
	if (!boot_id(boot, sizeof(boot)))
		return -ENOENT;
	strcat(path, "/show.json");
	root = json_object_new_object();
	r5s_json_text(root, "boot_id", boot);
	arrays = r5s_json_array(root, "arrays");
	for (size_t i = 0; i < n; i++)
		write_array(arrays, &now[i]);
	for (size_t i = 0; i < last->n && kept < KEPT; i++) {
		bool again = false;

		for (size_t j = 0; j < n; j++)
			again |= now[j].id == last->array[i].id;
		if (!again) {
			write_array(arrays, &last->array[i]);
			kept++;
		}
	}
	err = write_file(path, root);
	json_object_put(root);
	return err;
}
