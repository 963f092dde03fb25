// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mountinfo, diskstats, slabinfo, fanotify events; sysfs and the module's file in made-up trees.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../test/tap.h"
#include "source/diskstats.h"
#include "source/facts.h"
#include "source/files.h"
#include "source/module.h"
#include "source/mount.h"
#include "source/slabinfo.h"
#include "source/sysfs.h"

static char tree[PATH_MAX];

static FILE *text(const char *s)
{
	return fmemopen((void *)s, strlen(s), "r");
}

static void put(const char *path, const char *content)
{
	char full[PATH_MAX * 2];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", tree, path);
	for (char *s = full + strlen(tree) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	f = fopen(full, "w");
	if (!f)
		exit(3);
	fputs(content, f);
	fclose(f);
}

static void put_link(const char *to, const char *path)
{
	char full[PATH_MAX * 2];

	snprintf(full, sizeof(full), "%s/%s", tree, path);
	for (char *s = full + strlen(tree) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	if (symlink(to, full))
		exit(3);
}

static void test_mount(void)
{
	static const char info[] =
		"21 1 0:20 / /proc rw - proc proc rw\n"
		"30 1 9:127 / /mnt/a\\040b\\011c\\134d rw,noatime shared:5 master:1 - ext4 /dev/md/x rw,stripe=48\n"
		"31 1 0:40 /sub /mnt/btr rw - btrfs /dev/md0 rw\n"
		"32 1 garbage\n"
		"33 1 8:1 / /x rw shared:1\n";
	struct r5s_mount m;
	FILE *f = text(info);

	ok(!r5s_mount_parse(f, 30, &m) && m.major == 9 && m.minor == 127, "mount: its device");
	ok_text(m.point, "/mnt/a b\tc\\d", "mount: an escaped mount point");
	ok_text(m.options, "rw,noatime,rw,stripe=48", "mount: options of both kinds");
	ok_text(m.fstype, "ext4", "mount: type behind two optional fields");
	r5s_mount_free(&m);
	fclose(f);
	for (int id = 32; id < 35; id++) {
		f = text(info);
		ok(r5s_mount_parse(f, (uint64_t)id, &m) == -ENOENT, "mount: line %d is none", id);
		fclose(f);
	}
	ok(!r5s_mount_of("/proc/self/no/such/file", &m) && !strcmp(m.fstype, "proc"),
	   "mount: of a path that is not there yet");
	r5s_mount_free(&m);
}

static void test_diskstats(void)
{
	static const char stats[] =
		"   1       0 ram0 1 2 3 4 5 6 7 8 0 0 0\n"
		"   9     127 md_a 5 6 10 0 2000 7 20 8 3000 9 40 5 1 2 3 4 5 6 7 8 9 10\n"
		"   9       0 md0 100 1 200 3 400 5 600 7 8 9 10 0 0 0 0 0 0\n";
	struct r5s_diskstats d;
	FILE *f = text(stats);

	ok(!r5s_diskstats_find(f, 9, 0, &d) && d.reads == 100 && d.read_sectors == 200 &&
	   d.writes == 400 && d.write_sectors == 600 && d.in_flight == 8, "diskstats: md0");
	fclose(f);
	f = text(stats);
	ok(r5s_diskstats_find(f, 9, 1, &d) == -ENOENT, "diskstats: a device that is not there");
	fclose(f);
}

static void test_slabinfo(void)
{
	static const char v21[] =
		"slabinfo - version: 2.1\n"
		"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables\n"
		"raid5-md00          9     9   1000   9    8 : tunables    0    0    0\n"
		"raid5-md0         520    528   1744   18    8 : tunables    0    0    0\n";
	static const char other[] =
		"slabinfo - version: 3\n"
		"# name <num_objs> <objperslab> <objsize> <active_objs>\n"
		"raid5-md0 528 18 1744 520\n";
	struct r5s_slabinfo s;
	FILE *f = text(v21);

	ok(!r5s_slabinfo_find(f, "raid5-md0", &s) && s.active == 520 && s.total == 528 &&
	   s.size == 1744 && s.per_slab == 18, "slabinfo: md0 and not md00");
	fclose(f);
	memset(&s, 0, sizeof(s));
	f = text(other);
	ok(!r5s_slabinfo_find(f, "raid5-md0", &s) && s.active == 520 && s.total == 528 &&
	   s.per_slab == 18, "slabinfo: columns by name, in another order");
	fclose(f);
	f = text(v21);
	ok(r5s_slabinfo_find(f, "raid6-md0", &s) == -ENOENT, "slabinfo: a merged cache");
	fclose(f);
	f = text("raid5-md0 1 2 3\n");
	ok(r5s_slabinfo_find(f, "raid5-md0", &s) == -EPROTO, "slabinfo: no header");
	fclose(f);
}

#define HOSTILE "md_$(id)\";\033[31m%s"

static void make_sysfs(void)
{
	put("block/md0/md/level", "raid5\n");
	put("block/md0/md/raid_disks", "3\n");
	put("block/md0/md/stripe_cache_size", "256\n");
	put("block/md0/dev", "9:0\n");
	put("block/md1/md/level", "raid1\n");
	put("block/md1/dev", "9:1\n");
	put("block/" HOSTILE "/md/level", "raid6\n");
	put("block/" HOSTILE "/dev", "9:2\n");
	put("block/md3/md/array_state", "clear\n");
	put("block/sda/dev", "8:0\n");
	put("block/sda/queue/scheduler", "[mq-deadline] none\n");
	put("block/sda/sda1/partition", "1\n");
	put("block/sda/sda1/dev", "8:1\n");
	put("block/md0/md0p1/partition", "1\n");
	put("block/md0/md0p1/dev", "259:0\n");
	put("block/dm-0/dev", "253:0\n");
	put("block/dm-1/dev", "253:1\n");
	put("block/dm-2/dev", "253:2\n");
	put_link("../../dm-1", "block/dm-0/slaves/dm-1");
	put_link("../../md0/md0p1", "block/dm-1/slaves/md0p1");
	put_link("../../md0", "block/dm-2/slaves/md0");
	put_link("../../" HOSTILE, "block/dm-2/slaves/other");
	/* A stripe over two RAID arrays, one of them twice. */
	put("block/md9/md/level", "raid0\n");
	put("block/md9/dev", "9:9\n");
	put_link("../../md0", "block/md9/slaves/md0");
	put_link("../../md9", "block/md9/slaves/itself");
	put_link("../../block/md0", "dev/block/9:0");
	put_link("../../block/md1", "dev/block/9:1");
	put_link("../../block/md9", "dev/block/9:9");
	put_link("../../block/dm-0", "dev/block/253:0");
	put_link("../../block/dm-2", "dev/block/253:2");
	put_link("../../block/sda/sda1", "dev/block/8:1");
	put_link("../../block/sda", "dev/block/8:0");
	put_link("../../../sda/sda1", "block/md0/md/rd0/block");
	put_link("../../../sda", "block/md0/md/rd2/block");
}

static void facts(void *arg, const char *key, const char *value)
{
	char *all = arg;
	size_t len = strlen(all);

	snprintf(all + len, 4096 - len, "%s=%s;", key, value);
}

static void test_sysfs(void)
{
	struct r5s_sysfs_arrays a;
	char buf[64], all[4096] = "";
	uint64_t n;

	make_sysfs();
	ok(!r5s_sysfs_arrays(tree, &a) && a.n == 5, "sysfs: five md devices");
	ok(a.n == 5 && !strcmp(a.array[0].name, "md0") && !strcmp(a.array[0].level, "raid5") &&
	   a.array[0].has_dev && a.array[0].major == 9 && !a.array[0].minor, "sysfs: the first");
	ok(a.n == 5 && !strcmp(a.array[2].name, "md3") && !a.array[2].level[0] &&
	   !a.array[2].has_dev, "sysfs: one that is being made has no level");
	ok(a.n == 5 && !strcmp(a.array[4].name, HOSTILE) && r5s_sysfs_is456(a.array[4].level),
	   "sysfs: a hostile name comes through as it is");
	r5s_sysfs_free(&a);
	ok(!r5s_sysfs_under(tree, 253, 0, &a) && a.n == 1 && !strcmp(a.array[0].name, "md0"),
	   "sysfs: below dm on dm on a partition of md0");
	r5s_sysfs_free(&a);
	ok(!r5s_sysfs_under(tree, 253, 2, &a) && a.n == 2, "sysfs: dm over two arrays");
	r5s_sysfs_free(&a);
	ok(!r5s_sysfs_under(tree, 9, 9, &a) && a.n == 1 && !strcmp(a.array[0].name, "md0"),
	   "sysfs: RAID0 over RAID5, and a loop of links ends");
	r5s_sysfs_free(&a);
	ok(!r5s_sysfs_under(tree, 9, 1, &a) && !a.n, "sysfs: RAID1 is not ours");
	r5s_sysfs_free(&a);
	ok(r5s_sysfs_under(tree, 77, 7, &a) == -ENOENT, "sysfs: no such device");
	ok(!r5s_sysfs_number(tree, &n, "block/%s/md/stripe_cache_size", "md0") && n == 256,
	   "sysfs: a number");
	ok(r5s_sysfs_number(tree, &n, "block/md0/md/level") == -EINVAL, "sysfs: a word is none");
	ok(r5s_sysfs_text(tree, buf, sizeof(buf), "no/such") == -ENOENT, "sysfs: no file");
	ok(r5s_sysfs_text(tree, buf, 4, "block/md0/md/level") == 3 && !strcmp(buf, "rai"),
	   "sysfs: cut to fit");
	r5s_facts_array(tree, "md0", facts, all);
	ok(strstr(all, "level=raid5;") && strstr(all, "stripe_cache_size=256;") &&
	   strstr(all, "member.0.name=sda1;") && strstr(all, "member.0.scheduler=[mq-deadline] none;"),
	   "facts: of the array, and of the disk that a member is a part of");
	ok(strstr(all, "member.1.name=sda;") && !strstr(all, "member.2."),
	   "facts: a missing member leaves no line");
}

static void test_module(void)
{
	struct r5s_module_why why = { "" };
	char *file;

	put("lib/6.1.0-1/updates/dkms/raid5stat.ko.xz", "");
	put("lib/6.1.0-2/extra/raid5stat-old.ko", "");
	put("lib/6.1.0-3/extra/a/raid5stat.ko", "");
	char dir[PATH_MAX + 8];

	snprintf(dir, sizeof(dir), "%s/lib", tree);
	file = r5s_module_file(dir, "6.1.0-1");
	ok(file && strstr(file, "/updates/dkms/raid5stat.ko.xz"), "module: by dkms");
	free(file);
	file = r5s_module_file(dir, "6.1.0-2");
	ok(!file, "module: another name is none");
	free(file);
	file = r5s_module_file(dir, "6.1.0-3");
	ok(file && strstr(file, "/extra/a/raid5stat.ko"), "module: below extra");
	free(file);

	r5s_module_explain(-EKEYREJECTED, "x.ko", "6.1", "6.1", &why);
	ok(strstr(why.text, "Secure Boot") && strstr(why.text, "mokutil"), "module: not signed");
	r5s_module_explain(-ENOEXEC, "x.ko", "6.1.0-57-amd64", "6.12.1", &why);
	ok(strstr(why.text, "built for kernel 6.1.0-57-amd64, this is 6.12.1") &&
	   strstr(why.text, "make module KERNEL=6.12.1"), "module: for another kernel");
	r5s_module_explain(-ENOEXEC, "x.ko", "6.1", "6.1", &why);
	ok(strstr(why.text, "rebuild it"), "module: not in this kernel's format");
}

static size_t event(char *buf, uint64_t mask)
{
	struct fanotify_event_metadata e = { .event_len = sizeof(e), .vers = FANOTIFY_METADATA_VERSION,
					     .metadata_len = sizeof(e), .mask = mask, .fd = FAN_NOFD };

	memcpy(buf, &e, sizeof(e));
	return sizeof(e);
}

static void take(struct r5s_files *f, const char *what, int64_t at)
{
	char buf[4096];
	size_t len = 0;

	for (; *what; what++)
		len += event(buf + len, *what == 'c' ? FAN_CREATE : *what == 'w' ? FAN_CLOSE_WRITE :
			     *what == 'd' ? FAN_DELETE : FAN_Q_OVERFLOW);
	r5s_files_take(f, buf, (long)len, at);
}

static void test_files(void)
{
	struct r5s_files f = { .fd = -1, .per_window = 4 };

	take(&f, "cw", 1000);
	take(&f, "cwcw", 2000);
	ok(f.closed == 3 && !f.windows, "files: a window that is not full");
	take(&f, "cw", 3000);
	ok(f.windows == 1 && f.window_files == 4 && f.window_ns == 2000, "files: full, 1000 to 3000");
	take(&f, "dddd", 9000);
	take(&f, "cwcwcwcw", 10000);
	take(&f, "c", 20000);
	take(&f, "w", 30000);
	r5s_files_finish(&f);
	ok(f.windows == 3 && f.window_files == 9 && f.window_ns == 2000 + 0 + 10000,
	   "files: unlinking between iterations is in no window");
	ok(!f.overflow, "files: nothing lost");
	take(&f, "o", 40000);
	ok(f.overflow, "files: an overflow is told");

	f = (struct r5s_files){ .fd = -1, .per_window = 2, .sync_after = true };
	take(&f, "cw", 1000);
	take(&f, "cw", 2000);
	ok(!f.windows, "files: with a sync after the last close the window is open");
	take(&f, "d", 5000);
	take(&f, "d", 5500);
	ok(f.windows == 1 && f.window_ns == 4000, "files: unlinking tells that the sync has ended");
	take(&f, "cwcw", 7000);
	take(&f, "cw", 9000);
	ok(f.windows == 2 && f.window_ns == 4000, "files: kept files, the next iteration begins");

	f = (struct r5s_files){ .fd = -1 };
	take(&f, "cwcw", 1000);
	take(&f, "cw", 5000);
	take(&f, "dd", 7000);
	take(&f, "cw", 8000);
	r5s_files_finish(&f);
	ok(f.windows == 2 && f.window_files == 4 && f.window_ns == 4000,
	   "files: unlinking ends a window when its size is not known");
}

static int gone(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int main(void)
{
	snprintf(tree, sizeof(tree), "%s/r5s-parse.XXXXXX", getenv("TMPDIR") ?: "/tmp");
	if (!mkdtemp(tree))
		return 3;
	test_mount();
	test_diskstats();
	test_slabinfo();
	test_sysfs();
	test_module();
	test_files();
	nftw(tree, gone, 16, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
