// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does the recorder of a run still live? A pid alone is reused: its start time, the boot and the pid
 * namespace belong to it.
 */
#include "store/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool read_line(const char *path, char *buf, size_t room)
{
	FILE *in = fopen(path, "re");
	bool good;

	if (!in)
		return false;
	good = fgets(buf, (int)room, in) != NULL;
	fclose(in);
	if (good)
		buf[strcspn(buf, "\n")] = '\0';
	return good;
}

/* Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets. */
static int64_t start_time(int64_t pid)
{
	char path[64], buf[1024];
	char *p, *save = NULL, *word;
	int field = 3;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
	if (!read_line(path, buf, sizeof(buf)))
		return 0;
	p = strrchr(buf, ')');
	if (!p)
		return 0;
	for (word = strtok_r(p + 1, " ", &save); word; word = strtok_r(NULL, " ", &save), field++) {
		if (field == 3 && (*word == 'Z' || *word == 'X'))
			return 0;	/* a zombie records nothing any more */
		if (field == 22)
			return strtoll(word, NULL, 10);
	}
	return 0;
}

void r5s_store_life_self(struct r5s_store_life *l)
{
	struct stat st;

	memset(l, 0, sizeof(*l));
	l->pid = getpid();
	l->pid_start = start_time(l->pid);
	if (!stat("/proc/self/ns/pid", &st))
		l->pid_ns = (int64_t)st.st_ino;
	if (!read_line("/proc/sys/kernel/random/boot_id", l->boot_id, sizeof(l->boot_id)))
		l->boot_id[0] = '\0';
}

bool r5s_store_life_gone(const struct r5s_store_life *l)
{
	struct r5s_store_life self;

	r5s_store_life_self(&self);
	if (strcmp(self.boot_id, l->boot_id))
		return true;
	/* From another container its pid cannot be looked up: believe what is written. */
	if (self.pid_ns != l->pid_ns)
		return false;
	if (!self.pid_start)
		return kill((pid_t)l->pid, 0) && errno == ESRCH;	/* no /proc */
	return start_time(l->pid) != l->pid_start;
}

int r5s_store_life_sweep(struct r5s_store *s)
{
	sqlite3_stmt *find = NULL, *mark = NULL;
	int rc, err;

	err = r5s_store_prepare(s, "SELECT id, pid, pid_start, pid_ns, boot_id FROM runs"
				   " WHERE status = 'running'", &find);
	if (!err)
		err = r5s_store_prepare(s,
			"UPDATE runs SET status = 'incomplete', note = ifnull(note || '; ', '') ||"
			" 'the recorder (pid ' || pid || ') died' WHERE id = ? AND status = 'running'",
			&mark);
	while (!err && (rc = sqlite3_step(find)) != SQLITE_DONE) {
		struct r5s_store_life l = { .pid = sqlite3_column_int64(find, 1) };
		const unsigned char *boot = sqlite3_column_text(find, 4);

		if (rc != SQLITE_ROW) {
			err = r5s_store_fail(s, rc, "looking for runs that died");
			break;
		}
		l.pid_start = sqlite3_column_int64(find, 2);
		l.pid_ns = sqlite3_column_int64(find, 3);
		snprintf(l.boot_id, sizeof(l.boot_id), "%s", boot ? (const char *)boot : "");
		if (!r5s_store_life_gone(&l))
			continue;
		sqlite3_bind_int64(mark, 1, sqlite3_column_int64(find, 0));
		rc = sqlite3_step(mark);
		sqlite3_reset(mark);
		if (rc != SQLITE_DONE)
			err = r5s_store_fail(s, rc, "marking a run that died");
	}
	sqlite3_finalize(find);
	sqlite3_finalize(mark);
	return err;
}

void r5s_store_uuid(char out[37])
{
	unsigned char b[16];

	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b)) {
		/* Before the pool is ready: unique is enough. */
		int64_t now = r5s_store_clock(CLOCK_REALTIME);
		int64_t pid = getpid();

		memcpy(b, &now, 8);
		memcpy(b + 8, &pid, 8);
	}
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	for (int i = 0, at = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out[at++] = '-';
		at += sprintf(out + at, "%02x", b[i]);
	}
}
