// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorder beside real commands, without a module: output, ends, signals, files on a tmpfs of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../test/tap.h"
#include "record/recorder.h"
#include "record/series.h"

static char dir[64], path[96];

struct done {
	struct r5s_recorder rec;
	struct r5s_fsmark fsmark;
	struct r5s_files files;
	struct r5s_process p;
	struct r5s_store *store;
	int err;
};

static void record(struct done *d, const char *const *argv, uint64_t per_window)
{
	struct r5s_store_begin b = { .argv = argv };
	int files = -EPERM;

	memset(d, 0, sizeof(*d));
	unlink(path);
	d->files.fd = -1;
	if (r5s_store_open(&d->store, path, R5S_STORE_WRITE | R5S_STORE_CREATE) ||
	    r5s_store_run_begin(d->store, &b, &d->rec.run)) {
		printf("Bail out! %s\n", r5s_store_error(d->store));
		exit(1);
	}
	r5s_fsmark_init(&d->fsmark);
	d->rec.store = d->store;
	d->rec.fsmark = &d->fsmark;
	d->rec.interval_ms = R5S_RECORDER_INTERVAL_MS;
	d->rec.pass[0] = d->rec.pass[1] = -1;
	if (per_window)
		files = r5s_files_open(&d->files, dir, per_window, false);
	if (!files)
		d->rec.files = &d->files;
	d->err = r5s_recorder_prepare(&d->rec);
	d->err = d->err ? d->err : r5s_process_start(&d->p, (char *const *)argv);
	d->err = d->err ? d->err : r5s_recorder_run(&d->rec, &d->p);
	r5s_store_flush(d->store);
}

static void end(struct done *d)
{
	r5s_process_close(&d->p);
	r5s_files_close(&d->files);
	r5s_fsmark_free(&d->fsmark);
	r5s_recorder_free(&d->rec);
	r5s_store_close(d->store);
}

static void test_output(void)
{
	const char *const argv[] = { "sh", "-c", "echo one; echo two >&2; sleep 0.35; printf three; exit 9",
				     NULL };
	struct done d;
	char *text;
	size_t len;

	record(&d, argv, 0);
	ok(!d.err && d.p.ended && WEXITSTATUS(d.p.status) == 9, "a command that ends with 9");
	ok(d.rec.elapsed_ns > 200000000 && d.rec.elapsed_ns < 30000000000, "its time: %.2f s",
	   (double)d.rec.elapsed_ns / 1e9);
	if (!r5s_store_output_get(d.store, d.rec.run, 1, &text, &len)) {
		ok_text(text, "one\nthree", "standard output is in the store");
		free(text);
	}
	if (!r5s_store_output_get(d.store, d.rec.run, 2, &text, &len)) {
		ok_text(text, "two\n", "standard error, too");
		free(text);
	}
	end(&d);
}

/* The command's own child keeps the pipe open after its end: we do not wait for that one. */
static void test_left_behind(void)
{
	const char *const argv[] = { "sh", "-c", "sleep 20 & echo $!", NULL };
	struct done d;
	char *text;
	size_t len;

	record(&d, argv, 0);
	ok(!d.err && d.rec.elapsed_ns < 15000000000, "a child left behind is not waited for");
	if (!r5s_store_output_get(d.store, d.rec.run, 1, &text, &len)) {
		if (atoi(text) > 1)
			kill(atoi(text), SIGKILL);
		free(text);
	}
	end(&d);
}

static void test_signal(int sig, const char *script, int want, const char *what)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	pid_t self = getpid(), killer;
	struct done d;

	killer = fork();
	if (!killer) {
		usleep(500000);
		for (int i = 0; i < 3; i++, usleep(300000))
			kill(self, sig);
		_exit(0);
	}
	record(&d, argv, 0);
	ok(!d.err && WIFSIGNALED(d.p.status) && WTERMSIG(d.p.status) == want, "%s: 0x%x", what,
	   (unsigned int)d.p.status);
	kill(killer, SIGKILL);
	waitpid(killer, NULL, 0);
	end(&d);
}

static void test_fsmark(void)
{
	const char *argv[] = { "fs_mark", "-d", NULL, "-n", "1000", "-L", "2", "-t", "4", "-s", "4096",
			       "-S", "0", "-l", "/dev/null", NULL };
	struct r5s_series all;
	int64_t first, last;
	struct done d;
	double grown;

	argv[2] = dir;
	record(&d, argv, 4000);
	if (d.err == -ENOENT) {
		skip("fs_mark", "not installed: apt install fsmark");
		end(&d);
		return;
	}
	ok(!d.err && !d.p.status && d.fsmark.n_rows == 2 && d.fsmark.rows[1].count == 8000,
	   "fs_mark wrote 8000 files in two iterations");
	if (!d.rec.files) {
		skip("files counted", "fanotify needs root");
		end(&d);
		return;
	}
	ok(d.files.closed == 8000 && d.files.windows == 2 && d.files.window_files == 8000 &&
	   !d.files.overflow, "8000 closed in 2 windows: %" PRIu64 " in %" PRIu64, d.files.closed,
	   d.files.windows);
	/* Closes are stamped when they are read; the last of them may be read after the command ended. */
	ok(d.files.window_ns > 0 && d.files.window_ns < d.rec.elapsed_ns + 1000000000, "windows %.3f s of %.3f s",
	   (double)d.files.window_ns / 1e9, (double)d.rec.elapsed_ns / 1e9);
	ok(!r5s_series_load(&all, d.store, d.rec.run) &&
	   r5s_series_growth(&all, R5S_RECORDER_FILES, &first, &last, &grown) && grown == 8000,
	   "8000 in the live series");
	r5s_series_free(&all);
	end(&d);
}

int main(void)
{
	int self = pidfd_open(getpid(), 0);

	if (self < 0) {
		skip("commands", "no pidfd_open here: an old kernel, or valgrind");
		return tap_done();
	}
	close(self);
	snprintf(dir, sizeof(dir), "/tmp/r5s-recorder.XXXXXX");
	if (!mkdtemp(dir))
		return 3;
	snprintf(path, sizeof(path), "%s.db", dir);
	test_output();
	test_left_behind();
	test_signal(SIGTERM, "sleep 20 & p=$!; trap 'kill $p; trap - TERM; kill -TERM $$' TERM; wait", SIGTERM,
		    "SIGTERM is passed on");
	test_signal(SIGINT, "trap '' INT TERM; exec sleep 20", SIGKILL, "the third request kills");
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", dir, "tmpfs", 0, NULL)) {
		skip("fs_mark", "needs root for a tmpfs of its own");
	} else {
		test_fsmark();
		umount2(dir, MNT_DETACH);
	}
	unlink(path);
	rmdir(dir);
	return tap_done();
}
