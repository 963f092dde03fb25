// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is left of root after giving up, what a workload gets, and what umask does to the files made.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "privilege.h"
#include "store/store.h"

enum { SOMEBODY = 12345 };

static uint64_t set_of(const char *name)
{
	char line[256];
	uint64_t v = UINT64_MAX;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			v = strtoull(line + strlen(name) + 1, NULL, 16);
	if (f)
		fclose(f);
	return v;
}

/* The results of @fn come back as bits of the exit status: 0 is all well. */
static int in_child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char path[64];
static uint64_t before;

static int nothing_left(void)
{
	bool could = access(path, R_OK) == 0;

	return (r5s_privilege_keep(R5S_PRIVILEGE_NONE) ? 1 : 0) | (set_of("CapEff:") ? 2 : 0) |
	       (set_of("CapPrm:") ? 4 : 0) | (could && open(path, O_RDONLY) < 0 ? 0 : 8) |
	       (r5s_privilege_keep(R5S_PRIVILEGE_FILES) ? 16 : 0) | (set_of("CapEff:") ? 32 : 0);
}

static int some_left(void)
{
	uint64_t want = UINT64_C(1) << CAP_NET_ADMIN | UINT64_C(1) << CAP_SYS_ADMIN;

	r5s_privilege_keep(R5S_PRIVILEGE_SUBSCRIBE | R5S_PRIVILEGE_FILES);
	return (set_of("CapEff:") == (want & before) ? 0 : 1) |
	       (set_of("CapPrm:") == (want & before) ? 0 : 2);
}

static int exec_says(uint64_t want)
{
	char test[96];

	snprintf(test, sizeof(test), "grep -qi '^CapEff:.*%016" PRIx64 "$' /proc/self/status", want);
	execl("/bin/sh", "sh", "-c", test, NULL);
	return 99;
}

static int workload(void)
{
	if (r5s_privilege_keep(R5S_PRIVILEGE_SIGNAL | R5S_PRIVILEGE_START))
		return 1;
	if (set_of("CapEff:") != (before & UINT64_C(1) << CAP_KILL))
		return 2;
	if (!fork()) {
		r5s_privilege_child();
		_exit(set_of("CapEff:") == before ? exec_says(before) : 3);
	}
	r5s_privilege_keep(R5S_PRIVILEGE_SIGNAL);
	if (set_of("CapPrm:") != (before & UINT64_C(1) << CAP_KILL))
		return 4;

	int status;

	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

/* Somebody who is not root and was given one capability keeps it for what he runs. */
static int ambient(void)
{
	const uint64_t one = UINT64_C(1) << CAP_NET_ADMIN;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct half[2] = { { one, one, one }, { 0 } };

	if (prctl(PR_SET_KEEPCAPS, 1) || setgid(SOMEBODY) || setuid(SOMEBODY) ||
	    syscall(SYS_capset, &head, half) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0))
		return 90;
	r5s_privilege_keep(R5S_PRIVILEGE_SIGNAL | R5S_PRIVILEGE_START);
	if (set_of("CapEff:"))
		return 1;
	r5s_privilege_child();
	return exec_says(one);
}

static int modes(void)
{
	char dir[] = "/tmp/r5s-mode.XXXXXX", file[128], name[160];
	static const char *const end[] = { "", "-wal", "-shm" };
	struct r5s_store *s;
	struct stat st;
	int bad = 0;

	if (!mkdtemp(dir))
		return 1;
	umask(0);
	snprintf(file, sizeof(file), "%s/a/b/runs.db", dir);
	if (r5s_store_open(&s, file, R5S_STORE_WRITE | R5S_STORE_CREATE))
		bad |= 2;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", file, end[i]);
		if (stat(name, &st) || (st.st_mode & 07777) != 0600)
			bad |= 4 << i;
	}
	r5s_store_close(s);
	for (int i = 0; i < 2; i++) {
		*strrchr(file, '/') = '\0';
		if (stat(file, &st) || (st.st_mode & 07777) != 0700)
			bad |= 32;
	}
	snprintf(name, sizeof(name), "rm -rf '%s'", dir);
	return system(name) ? 64 : bad;
}

int main(void)
{
	int fd;

	ok(in_child(modes) == 0, "umask 0: the store, its -wal and -shm are 0600, new directories 0700");
	before = set_of("CapEff:");
	if (geteuid() || !(before & UINT64_C(1) << CAP_SETPCAP)) {
		skip("what is left of root", "needs root");
		return tap_done();
	}
	snprintf(path, sizeof(path), "/tmp/r5s-priv.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || fchown(fd, SOMEBODY, SOMEBODY) || fchmod(fd, 0600))
		return 3;
	ok(in_child(nothing_left) == 0, "NONE leaves no capability, others' files are closed, nothing comes back");
	ok(in_child(some_left) == 0, "SUBSCRIBE and FILES leave exactly two");
	ok(in_child(workload) == 0, "a workload has what the user had, the recorder keeps only CAP_KILL");
	if (before & UINT64_C(1) << CAP_NET_ADMIN)
		ok(in_child(ambient) == 0, "an ambient capability reaches the workload");
	else
		skip("an ambient capability reaches the workload", "root without CAP_NET_ADMIN");
	unlink(path);
	close(fd);
	return tap_done();
}
