// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is everything there?
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "source/module.h"
#include "source/source.h"
#include "source/sysfs.h"

#define SECURE_BOOT "firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static void check_user(struct r5s_doctor *d)
{
	if (geteuid())
		r5s_doctor_add(d, R5S_DOCTOR_UNKNOWN, "privileges", "sudo raid5stat doctor",
			       "not root: probes in debugfs, slabs and counting cannot be checked; "
			       "show works, run cannot hold a level or count files");
	else
		r5s_doctor_add(d, R5S_DOCTOR_OK, "privileges", NULL, "root");
}

static void check_kernel(struct r5s_doctor *d)
{
	struct utsname u;
	char text[128];
	uint64_t n;

	uname(&u);
	r5s_doctor_add(d, R5S_DOCTOR_OK, "kernel", NULL, "%s", u.release);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, "kernel BTF",
			       "use a kernel built with CONFIG_DEBUG_INFO_BTF, such as Debian's",
			       "/sys/kernel/btf/vmlinux is not there: only the raid456 that the module "
			       "was built for can be read");
	else
		r5s_doctor_add(d, R5S_DOCTOR_OK, "kernel BTF", NULL, "/sys/kernel/btf/vmlinux");
	if (!r5s_sysfs_number("/proc", &n, "sys/kernel/ftrace_enabled") && !n)
		r5s_doctor_add(d, R5S_DOCTOR_FINDING, "ftrace", "sysctl kernel.ftrace_enabled=1",
			       "switched off: no hook can be armed");
	if (!r5s_sysfs_number("/proc", &n, "sys/kernel/modules_disabled") && n &&
	    !r5s_module_loaded("raid5stat"))
		r5s_doctor_add(d, R5S_DOCTOR_MISSING, "module loading", "reboot",
			       "kernel.modules_disabled=1: nothing can be loaded");
	if (r5s_sysfs_text("/sys", text, sizeof(text), "kernel/security/lockdown") > 0 &&
	    !strstr(text, "[none]"))
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, "lockdown",
			       "sign the module with a key enrolled by `mokutil --import` (package "
			       "mokutil)", "%s: unsigned modules are refused", text);
	if (r5s_sysfs_text("/sys", text, sizeof(text), SECURE_BOOT) >= 5)
		r5s_doctor_add(d, text[4] == 1 ? R5S_DOCTOR_NOTE : R5S_DOCTOR_OK, "Secure Boot",
			       text[4] == 1 ? "sign the module with a key enrolled by `mokutil "
			       "--import` (package mokutil)" : NULL, "%s",
			       text[4] == 1 ? "on" : "off");
}

static void check_debugfs(struct r5s_doctor *d)
{
	uint64_t on;
	int err;

	if (geteuid())
		return;
	if (access("/sys/kernel/debug/tracing", F_OK) && access("/sys/kernel/debug/block", F_OK)) {
		r5s_doctor_add(d, R5S_DOCTOR_MISSING, "debugfs",
			       "mount -t debugfs debugfs /sys/kernel/debug", "not mounted");
		return;
	}
	r5s_doctor_add(d, R5S_DOCTOR_OK, "debugfs", NULL, "/sys/kernel/debug");
	err = r5s_sysfs_number("/sys", &on, "kernel/debug/kprobes/enabled");
	if (err)
		r5s_doctor_add(d, R5S_DOCTOR_UNKNOWN, "kprobes", NULL,
			       "/sys/kernel/debug/kprobes/enabled: %s", strerror(-err));
	else if (!on)
		r5s_doctor_add(d, R5S_DOCTOR_FINDING, "kprobes",
			       "echo 1 > /sys/kernel/debug/kprobes/enabled",
			       "switched off: births and deaths of arrays, growing and shrinking are "
			       "not seen");
	else
		r5s_doctor_add(d, R5S_DOCTOR_OK, "kprobes", NULL, "enabled");
}

static bool in_path(const char *name, char *found, size_t room)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : ""), *rest = copy, *dir;
	bool ok = false;

	while (!ok && (dir = strsep(&rest, ":")))
		ok = snprintf(found, room, "%s/%s", *dir ? dir : ".", name) < (int)room &&
		     !access(found, X_OK);
	free(copy);
	return ok;
}

static void package_version(const char *package, char *buf, size_t room)
{
	char command[128];
	FILE *f;

	buf[0] = '\0';
	snprintf(command, sizeof(command), "dpkg-query -W -f '${Version}' %s 2>/dev/null", package);
	f = popen(command, "re");
	if (!f)
		return;
	if (!fgets(buf, (int)room, f))
		buf[0] = '\0';
	pclose(f);
}

static void check_tool(struct r5s_doctor *d, const char *tool, const char *package,
		       const char *way_out, const char *what_for)
{
	char path[PATH_MAX], version[64];

	if (!in_path(tool, path, sizeof(path))) {
		r5s_doctor_add(d, R5S_DOCTOR_MISSING, tool, way_out, "not found: %s", what_for);
		return;
	}
	package_version(package, version, sizeof(version));
	r5s_doctor_add(d, R5S_DOCTOR_OK, tool, NULL, "%s, version %s", path,
		       version[0] ? version : "not known (no Debian package)");
}

static void check_sources(struct r5s_doctor *d)
{
	const struct r5s_source_class *c;
	char name[48], why[R5S_SOURCE_WHY];
	size_t all, there = 0;

	for (all = 0; (c = r5s_source_at(all)); all++) {
		if (!c->probe(&r5s_source_live, why, sizeof(why))) {
			there++;
			continue;
		}
		snprintf(name, sizeof(name), "source %s", c->name);
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, name, NULL, "absent: %s", why);
	}
	r5s_doctor_add(d, R5S_DOCTOR_OK, "sources", NULL, "%zu of %zu are there", there, all);
}

void r5s_doctor_machine(struct r5s_doctor *d)
{
	check_kernel(d);
	check_user(d);
	if (r5s_module_loaded("raid456"))
		r5s_doctor_add(d, R5S_DOCTOR_OK, "raid456", NULL, "loaded");
	else
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, "raid456",
			       "md loads it with the first array; `modprobe raid456` does now",
			       "not loaded: no RAID4/5/6 array has been started");
	check_debugfs(d);
	check_sources(d);
	check_tool(d, "fs_mark", "fsmark", "apt install fsmark", "the usual workload of run");
	check_tool(d, "mdadm", "mdadm", "apt install mdadm", "makes and starts arrays");
}

static void check_missing_module(struct r5s_doctor *d)
{
	struct utsname u;
	char way_out[256], *file;

	uname(&u);
	file = r5s_module_file("/lib/modules", u.release);
	if (file)
		snprintf(way_out, sizeof(way_out), "raid5stat load (as root)");
	else
		snprintf(way_out, sizeof(way_out), "make module KERNEL=%s && make install, then "
			 "raid5stat load (as root)", u.release);
	r5s_doctor_add(d, R5S_DOCTOR_MISSING, "module", way_out, "not loaded; its file %s%s",
		       file ? "is " : "is not below /lib/modules/", file ? file : u.release);
	free(file);
}

static void check_layout(struct r5s_doctor *d, const struct r5s_info *i)
{
	if (!i->has_layout)
		r5s_doctor_add(d, R5S_DOCTOR_UNKNOWN, "layout", NULL, "the module does not say");
	else if (i->layout == RAID5STAT_LAYOUT_MODE_NONE && i->raid456)
		r5s_doctor_add(d, R5S_DOCTOR_FINDING, "layout",
			       "build the module for this kernel: make module KERNEL=$(uname -r)",
			       "md's private fields are not read: %s", i->layout_reason);
	else if (i->layout == RAID5STAT_LAYOUT_MODE_NONE)
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, "layout", NULL, "%s", i->layout_reason[0] ?
			       i->layout_reason : "decided when raid456 is loaded");
	else
		r5s_doctor_add(d, R5S_DOCTOR_OK, "layout", NULL, "%s: %s",
			       r5s_snapshot_layout_name(i->layout), i->layout_reason);
}

static void check_probes(struct r5s_doctor *d, const struct r5s_info *i)
{
	size_t armed = 0, due = 0;
	char name[160];

	for (size_t k = 0; k < i->n_probes; k++) {
		const struct r5s_probe *p = &i->probe[k];

		armed += p->armed;
		due += p->level <= i->level;
		snprintf(name, sizeof(name), "probe %s", p->symbol);
		if (p->error)
			r5s_doctor_add(d, R5S_DOCTOR_FINDING, name, NULL,
				       "cannot be armed (%s, %s), so these are absent: %s",
				       p->mechanism, strerror(-p->error), p->feeds);
		else if (i->raid456 && p->level <= i->level && !p->armed)
			r5s_doctor_add(d, R5S_DOCTOR_FINDING, name, "dmesg | grep raid5stat",
				       "not armed (%s), so these are absent: %s", p->mechanism,
				       p->feeds);
		if (p->has_missed && p->missed)
			r5s_doctor_add(d, R5S_DOCTOR_FINDING, name, NULL,
				       "missed %" PRIu64 " calls: these are too low: %s", p->missed,
				       p->feeds);
	}
	r5s_doctor_add(d, R5S_DOCTOR_OK, "probes", NULL,
		       "%zu known, %zu wanted at level %s, %zu armed%s", i->n_probes, due,
		       r5s_metric_level_name(i->level), armed,
		       i->raid456 ? "" : " (raid456 is not loaded)");
}

void r5s_doctor_module(struct r5s_doctor *d, struct r5s_netlink *nl)
{
	struct r5s_info i;

	if (!nl) {
		check_missing_module(d);
		return;
	}
	if (r5s_netlink_info(nl, &i)) {
		r5s_doctor_add(d, R5S_DOCTOR_FINDING, "module", "dmesg | grep raid5stat",
			       "loaded, but it does not answer: %s", r5s_netlink_error(nl));
		return;
	}
	r5s_doctor_add(d, R5S_DOCTOR_OK, "module", NULL, "version %s, level %s (never below %s)",
		       i.version, r5s_metric_level_name(i.level),
		       r5s_metric_level_name(i.level_floor));
	if (!geteuid() && access("/sys/kernel/debug/raid5stat", F_OK))
		r5s_doctor_add(d, R5S_DOCTOR_FINDING, "module debugfs", "dmesg | grep raid5stat",
			       "/sys/kernel/debug/raid5stat is not there");
	check_layout(d, &i);
	check_probes(d, &i);
	if (i.events_lost)
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, "events", NULL, "%" PRIu64 " could not be "
			       "delivered since the module was loaded", i.events_lost);
	if (i.waits_untracked)
		r5s_doctor_add(d, R5S_DOCTOR_NOTE, "waits", NULL, "%" PRIu64 " were not timed since "
			       "too many tasks waited at once", i.waits_untracked);
	r5s_snapshot_free_info(&i);
}
