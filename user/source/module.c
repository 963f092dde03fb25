// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <libkmod.h>

#define MODULE "raid5stat"

enum { DEPTH = 4 };

bool r5s_module_loaded(const char *name)
{
	char path[128], state[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	f = fopen(path, "re");
	if (!f)		/* built in */
		return true;
	if (fscanf(f, "%15s", state) != 1)
		state[0] = '\0';
	fclose(f);
	return !strcmp(state, "live");
}

static bool is_module(const char *name)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.zst", ".ko.gz" };
	size_t len = strlen(MODULE);

	if (strncmp(name, MODULE, len))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(name + len, ends[i]))
			return true;
	return false;
}

static char *find_below(const char *dir, int depth)
{
	char path[PATH_MAX], *found = NULL;
	struct dirent *d;
	struct stat st;
	DIR *handle = opendir(dir);

	while (handle && !found && (d = readdir(handle))) {
		if (d->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", dir, d->d_name) >= (int)sizeof(path) ||
		    stat(path, &st))
			continue;
		if (S_ISREG(st.st_mode) && is_module(d->d_name))
			found = strdup(path);
		else if (S_ISDIR(st.st_mode) && depth < DEPTH)
			found = find_below(path, depth + 1);
	}
	if (handle)
		closedir(handle);
	return found;
}

char *r5s_module_file(const char *dirs, const char *release)
{
	static const char *const subs[] = { "updates", "extra" };
	char path[PATH_MAX], *found = NULL;

	for (size_t i = 0; !found && i < sizeof(subs) / sizeof(subs[0]); i++)
		if (snprintf(path, sizeof(path), "%s/%s/%s", dirs, release, subs[i]) <
		    (int)sizeof(path))
			found = find_below(path, 0);
	return found;
}

/* First word of the module's vermagic: the kernel that it was built for. */
static void built_for(struct kmod_module *mod, char *buf, size_t room)
{
	struct kmod_list *list = NULL, *l;

	buf[0] = '\0';
	if (kmod_module_get_info(mod, &list) < 0)
		return;
	kmod_list_foreach(l, list) {
		if (strcmp(kmod_module_info_get_key(l), "vermagic"))
			continue;
		snprintf(buf, room, "%s", kmod_module_info_get_value(l));
		buf[strcspn(buf, " ")] = '\0';
	}
	kmod_module_info_free_list(list);
}

void r5s_module_explain(int err, const char *file, const char *built, const char *release,
			struct r5s_module_why *why)
{
	char *t = why->text;
	size_t n = sizeof(why->text);

	if (built[0] && strcmp(built, release) && err != -EPERM) {
		snprintf(t, n, "%s was built for kernel %s, this is %s: rebuild it with "
			 "`make module KERNEL=%s` (needs the package linux-headers-%s)", file,
			 built, release, release, release);
		return;
	}
	switch (err) {
	case -EKEYREJECTED:
	case -ENOKEY:
		snprintf(t, n, "the kernel refuses %s since it is not signed by a key that it trusts "
			 "(Secure Boot): sign it with a key enrolled by `mokutil --import` "
			 "(package mokutil), or switch Secure Boot off", file);
		break;
	case -EPERM:
	case -EACCES:
		if (geteuid())
			snprintf(t, n, "loading a module needs root: run `sudo raid5stat load`");
		else
			snprintf(t, n, "the kernel does not let root load %s: kernel lockdown (Secure "
				 "Boot), a container, or kernel.modules_disabled=1, which only a "
				 "reboot undoes", file);
		break;
	case -ENOEXEC:
		snprintf(t, n, "%s is no module for this kernel (%s): rebuild it with "
			 "`make module KERNEL=%s`; dmesg has the details", file, release, release);
		break;
	case -ENOENT:
		snprintf(t, n, "%s: no such file, or a symbol that it needs is not in kernel %s; "
			 "dmesg has the details", file, release);
		break;
	case -EINVAL:
		snprintf(t, n, "the kernel refuses %s or a parameter (%s); dmesg has the details",
			 file, strerror(-err));
		break;
	default:
		snprintf(t, n, "loading %s: %s; dmesg has the details", file, strerror(-err));
	}
}

static int insert(struct kmod_ctx *ctx, const char *file, const char *level, const char *release,
		  struct r5s_module_why *why)
{
	char params[64] = "", built[128] = "";
	struct kmod_module *mod;
	int err;

	err = kmod_module_new_from_path(ctx, file, &mod);
	if (err < 0) {
		snprintf(why->text, sizeof(why->text),
			 "%s: %s: give the path of raid5stat.ko by --module", file,
			 strerror(-err));
		return err;
	}
	built_for(mod, built, sizeof(built));
	if (level)
		snprintf(params, sizeof(params), "level=%s", level);
	err = kmod_module_insert_module(mod, 0, params);
	if (err < 0 && err != -EEXIST)
		r5s_module_explain(err, file, built, release, why);
	kmod_module_unref(mod);
	return err == -EEXIST ? 1 : err;
}

int r5s_module_load(const char *file, const char *level, struct r5s_module_why *why)
{
	struct kmod_ctx *ctx;
	struct utsname u;
	char *found = NULL;
	int err;

	why->text[0] = '\0';
	uname(&u);
	if (r5s_module_loaded(MODULE))
		return 1;
	if (!file)
		file = getenv("RAID5STAT_MODULE");
	if (!file || !*file)
		file = found = r5s_module_file("/lib/modules", u.release);
	if (!file) {
		snprintf(why->text, sizeof(why->text),
			 "no raid5stat.ko for kernel %s below /lib/modules/%s/updates or extra: "
			 "`make module KERNEL=%s && make install` brings it there, or give its path by "
			 "--module", u.release, u.release, u.release);
		return -ENOENT;
	}
	if (access(file, R_OK)) {
		err = -errno;
		snprintf(why->text, sizeof(why->text), "%s: %s: build it with `make module KERNEL=%s`",
			 file, strerror(-err), u.release);
		free(found);
		return err;
	}
	ctx = kmod_new(NULL, NULL);
	err = ctx ? insert(ctx, file, level, u.release, why) : -ENOMEM;
	if (ctx)
		kmod_unref(ctx);
	free(found);
	return err;
}

int r5s_module_unload(struct r5s_module_why *why)
{
	struct kmod_module *mod;
	struct kmod_ctx *ctx;
	int err;

	why->text[0] = '\0';
	if (!r5s_module_loaded(MODULE))
		return 1;
	ctx = kmod_new(NULL, NULL);
	if (!ctx)
		return -ENOMEM;
	err = kmod_module_new_from_name(ctx, MODULE, &mod);
	if (!err) {
		err = kmod_module_remove_module(mod, KMOD_REMOVE_NOWAIT);
		kmod_module_unref(mod);
	}
	kmod_unref(ctx);
	if (err == -EPERM)
		snprintf(why->text, sizeof(why->text),
			 "unloading a module needs root: run `sudo raid5stat unload`");
	else if (err == -EAGAIN || err == -EWOULDBLOCK || err == -EBUSY)
		snprintf(why->text, sizeof(why->text),
			 "the module is in use: end the readers that hold a level (`raid5stat run`) "
			 "and try again");
	else if (err < 0)
		snprintf(why->text, sizeof(why->text), "unloading: %s", strerror(-err));
	return err;
}
