// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int octal(const char *s)
{
	int v = 0;

	for (int i = 0; i < 3; i++) {
		if (s[i] < '0' || s[i] > '7')
			return -1;
		v = v * 8 + (s[i] - '0');
	}
	return v & 0xff;
}

/* The kernel writes blank, tab, newline and backslash as \ooo. */
static void unescape(char *s)
{
	char *to = s;
	int v;

	for (; *s; s++) {
		v = *s == '\\' ? octal(s + 1) : -1;
		if (v > 0) {
			*to++ = (char)v;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static char *field(char **rest)
{
	char *s = strsep(rest, " ");

	return s ? s : "";
}

static int parse_line(char *line, uint64_t id, struct r5s_mount *out)
{
	char *rest = line, *options, *super, *s, *end;

	out->id = strtoull(field(&rest), &end, 10);
	if (*end || out->id != id)
		return -ENOENT;
	field(&rest);
	if (sscanf(field(&rest), "%" SCNu32 ":%" SCNu32, &out->major, &out->minor) != 2)
		return -ENOENT;
	field(&rest);
	out->point = strdup(field(&rest));
	options = field(&rest);
	do
		s = rest ? field(&rest) : NULL;
	while (s && strcmp(s, "-"));
	if (!s || !rest)
		return -ENOENT;
	out->fstype = strdup(field(&rest));
	out->source = strdup(field(&rest));
	super = field(&rest);
	if (asprintf(&out->options, "%s,%s", options, super) < 0)
		out->options = NULL;
	if (!out->point || !out->fstype || !out->source || !out->options)
		return -ENOMEM;
	unescape(out->point);
	unescape(out->fstype);
	unescape(out->source);
	unescape(out->options);
	return 0;
}

int r5s_mount_parse(FILE *f, uint64_t id, struct r5s_mount *out)
{
	char *line = NULL;
	size_t room = 0;
	int err = -ENOENT;

	memset(out, 0, sizeof(*out));
	while (err == -ENOENT && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		err = parse_line(line, id, out);
		if (err)
			r5s_mount_free(out);
	}
	free(line);
	return err;
}

int r5s_mount_of(const char *path, struct r5s_mount *out)
{
	char *p = strdup(path), *slash;
	struct statx st;
	FILE *f;
	int err;

	memset(out, 0, sizeof(*out));
	if (!p)
		return -ENOMEM;
	while ((err = statx(AT_FDCWD, *p ? p : ".", 0, STATX_MNT_ID, &st) ? -errno : 0) == -ENOENT) {
		slash = strrchr(p, '/');
		if (slash == p && p[1])
			p[1] = '\0';
		else if (slash && slash != p)
			*slash = '\0';
		else if (*p && !slash)
			*p = '\0';
		else
			break;
	}
	free(p);
	if (err)
		return err;
	if (!(st.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return -errno;
	err = r5s_mount_parse(f, st.stx_mnt_id, out);
	fclose(f);
	return err;
}

int r5s_mount_device(const struct r5s_mount *m, uint32_t *major, uint32_t *minor)
{
	struct stat st;

	if (m->major) {
		*major = m->major;
		*minor = m->minor;
		return 0;
	}
	if (m->source[0] != '/' || stat(m->source, &st) || !S_ISBLK(st.st_mode))
		return -ENODEV;
	*major = major(st.st_rdev);
	*minor = minor(st.st_rdev);
	return 0;
}

void r5s_mount_free(struct r5s_mount *m)
{
	free(m->point);
	free(m->fstype);
	free(m->source);
	free(m->options);
	memset(m, 0, sizeof(*m));
}
