// SPDX-License-Identifier: GPL-2.0
/* What stripes do: how they are written, what they read and write at the members. */
#include <linux/list.h>

#include "handlers.h"
#include "probe.h"

#define BATCH_MAX	1024	/* stripes walked in one batch; md joins those of one chunk */

/* Stripes that go the way of this one: itself, and those behind the head of a batch. */
static unsigned int batch_length(const void *sh)
{
	struct list_head *head, *l;
	unsigned int n = 1;

	if (!R5S_READ_POINTER(sh, stripe_head, batch_head))
		return 1;
	head = R5S_PTR(sh, stripe_head, batch_list);
	for (l = READ_ONCE(head->next); l != head && n < BATCH_MAX; l = READ_ONCE(l->next))
		n++;
	return n;
}

/* schedule_reconstruction() does nothing when all new data has to wait for the journal. */
static bool false_alarm(const void *conf, const void *sh)
{
	unsigned int i;
	void *dev;

	if (!R5S_READ_POINTER(conf, r5conf, log))
		return false;
	for (i = 0; i < r5s_stripe_disks(sh); i++) {
		dev = r5s_stripe_dev(sh, i);
		if (R5S_READ_POINTER(dev, r5dev, towrite) ||
		    R5S_TEST(R5S_READ_ULONG(dev, r5dev, flags), R5_InJournal))
			return false;
	}
	return true;
}

/* schedule_reconstruction(sh, s, rcw, expand) */
R5S_HOOK(r5s_stripe_on_reconstruct)
{
	void *sh = (void *)r5s_fregs_arg(fregs, 0);
	int rcw = r5s_fregs_arg(fregs, 2);
	int expand = r5s_fregs_arg(fregs, 3);
	void *conf = R5S_READ_POINTER(sh, stripe_head, raid_conf);
	enum r5s_metric m = R5S_M_WRITES_STRIPES_RMW;
	struct r5s_array *a;

	if (expand || R5S_TEST(R5S_READ_ULONG(sh, stripe_head, state), STRIPE_DISCARD))
		return;
	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (a && !false_alarm(conf, sh)) {
		if (rcw)
			m = R5S_READ_INT(sh, stripe_head, overwrite_disks) ==
			    R5S_READ_INT(sh, stripe_head, disks) -
			    R5S_READ_INT(conf, r5conf, max_degraded) ?
			    R5S_M_WRITES_STRIPES_FULL : R5S_M_WRITES_STRIPES_RCW;
		r5s_array_count(a, m, batch_length(sh));
	}
	r5s_hook_leave();
}

/* ops_run_io() sends nothing when the journal or the partial parity log takes the stripe first. */
static bool log_takes(const void *conf, const void *sh, const void *s)
{
	unsigned long state = R5S_READ_ULONG(sh, stripe_head, state);
	int pd = R5S_READ_SHORT(sh, stripe_head, pd_idx);
	unsigned long parity = R5S_READ_ULONG(r5s_stripe_dev(sh, pd), r5dev, flags);
	void *mddev = R5S_READ_POINTER(conf, r5conf, mddev);

	if (R5S_READ_POINTER(conf, r5conf, log)) {
		if (R5S_TEST(state, STRIPE_R5C_CACHING))
			return R5S_TEST(state, STRIPE_LOG_TRAPPED);
		if (R5S_READ_INT(s, stripe_head_state, waiting_extra_page))
			return true;
	} else if (!R5S_TEST(R5S_READ_ULONG(mddev, mddev, flags), MD_HAS_PPL) ||
		   !R5S_READ_POINTER(sh, stripe_head, ppl_page) ||
		   !R5S_TEST(parity, R5_Insync)) {
		return false;
	}
	return !R5S_READ_POINTER(sh, stripe_head, log_io) && R5S_TEST(parity, R5_Wantwrite) &&
	       !R5S_TEST(state, STRIPE_SYNCING);
}

static bool works(const void *rdev)
{
	return rdev && !R5S_TEST(R5S_READ_ULONG(rdev, md_rdev, flags), Faulty);
}

/* What one pass sends to the members. */
struct traffic {
	unsigned int reads, writes;
	unsigned int user;	/* of reads, those that a user waits for */
	bool parity, overwritten, untouched;	/* what the other ones read */
};

static void add_read(struct traffic *t, const void *dev, bool is_parity, unsigned long flags)
{
	t->reads++;
	if (R5S_READ_POINTER(dev, r5dev, toread))
		t->user++;
	else if (is_parity)
		t->parity = true;
	else if (!R5S_READ_POINTER(dev, r5dev, towrite))
		t->untouched = true;
	else if (R5S_TEST(flags, R5_OVERWRITE))
		t->overwritten = true;
}

static void look(struct traffic *t, const void *conf, const void *sh)
{
	int pd = R5S_READ_SHORT(sh, stripe_head, pd_idx);
	int qd = R5S_READ_SHORT(sh, stripe_head, qd_idx);
	void *disks = R5S_READ_POINTER(conf, r5conf, disks);
	unsigned int i, n = r5s_stripe_disks(sh);
	void *dev, *disk, *rdev, *spare;
	unsigned long flags;

	for (i = 0; i < n; i++) {
		dev = r5s_stripe_dev(sh, i);
		flags = R5S_READ_ULONG(dev, r5dev, flags);
		disk = disks + i * R5S_SIZEOF(disk_info);
		rdev = R5S_READ_POINTER(disk, disk_info, rdev);
		spare = R5S_HAS(disk_info, replacement) ?
			R5S_READ_POINTER(disk, disk_info, replacement) : NULL;
		if (R5S_TEST(flags, R5_Wantwrite)) {
			if (!R5S_TEST(flags, R5_Discard))
				t->writes += works(rdev) + (spare != rdev && works(spare));
		} else if (R5S_TEST(flags, R5_Wantread)) {
			if (works(R5S_TEST(flags, R5_ReadRepl) && spare ? spare : rdev))
				add_read(t, dev, (int)i == pd || (int)i == qd, flags);
		} else if (R5S_TEST(flags, R5_WantReplace)) {
			t->writes += works(spare);
		}
	}
}

/*
 * Why old data is read before a write: read-modify-write reads parity and the blocks that will be
 * overwritten, reconstruct-write those that will not. A block overwritten in part is read by both:
 * then the parity tells, which read-modify-write has got already.
 */
static bool is_rmw(const struct traffic *t, const void *sh)
{
	int pd = R5S_READ_SHORT(sh, stripe_head, pd_idx);

	if (t->parity || t->overwritten)
		return true;
	if (t->untouched)
		return false;
	return R5S_TEST(R5S_READ_ULONG(r5s_stripe_dev(sh, pd), r5dev, flags), R5_UPTODATE);
}

static void count_reads(struct r5s_array *a, const struct traffic *t, const void *sh,
			const void *s, unsigned int sectors)
{
	unsigned int user = t->user;

	r5s_array_count(a, R5S_M_WRITES_MEMBER_READS, t->reads);
	if (R5S_READ_INT(s, stripe_head_state, syncing) ||
	    R5S_READ_INT(s, stripe_head_state, replacing) ||
	    R5S_READ_INT(s, stripe_head_state, expanding)) {
		r5s_array_count(a, R5S_M_WRITES_SYNC_READ_SECTORS, (u64)t->reads * sectors);
		return;
	}
	/* A degraded read asks for all other blocks too; what no write needs is for a reader. */
	if (!R5S_READ_INT(s, stripe_head_state, to_write) ||
	    (R5S_READ_INT(s, stripe_head_state, to_read) &&
	     R5S_READ_INT(s, stripe_head_state, failed)))
		user = t->reads;
	r5s_array_count(a, R5S_M_WRITES_CACHE_READ_SECTORS, (u64)user * sectors);
	r5s_array_count(a, is_rmw(t, sh) ? R5S_M_WRITES_PREREAD_RMW_SECTORS :
			R5S_M_WRITES_PREREAD_RCW_SECTORS, (u64)(t->reads - user) * sectors);
}

/* ops_run_io(sh, s): a write goes to every stripe of a batch; reads are never batched. */
R5S_HOOK(r5s_stripe_on_io)
{
	void *sh = (void *)r5s_fregs_arg(fregs, 0);
	void *s = (void *)r5s_fregs_arg(fregs, 1);
	void *conf = R5S_READ_POINTER(sh, stripe_head, raid_conf);
	unsigned int sectors = PAGE_SIZE >> SECTOR_SHIFT;
	struct traffic t = { };
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (!a || log_takes(conf, sh, s))
		goto out;
	look(&t, conf, sh);
	if (t.writes)
		r5s_array_count(a, R5S_M_WRITES_MEMBER_WRITES,
				(u64)t.writes * batch_length(sh));
	if (t.reads) {
		if (R5S_HAS(r5conf, stripe_size))
			sectors = R5S_READ_ULONG(conf, r5conf, stripe_size) >> SECTOR_SHIFT;
		count_reads(a, &t, sh, s, sectors);
	}
out:
	r5s_hook_leave();
}

static void count(const void *conf, enum r5s_metric m, unsigned int n)
{
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (a)
		r5s_array_count(a, m, n);
	r5s_hook_leave();
}

/* handle_stripe(sh) */
R5S_HOOK(r5s_stripe_on_handle)
{
	void *sh = (void *)r5s_fregs_arg(fregs, 0);

	count(R5S_READ_POINTER(sh, stripe_head, raid_conf), R5S_M_WRITES_HANDLE_CALLS, 1);
}

/*
 * handle_stripe_clean_event(conf, sh, disks) is called when parity is written, and again until the
 * last member has its data: that call completes the stripe.
 */
static bool all_written(const void *sh)
{
	unsigned int i, n = r5s_stripe_disks(sh);
	unsigned long flags;
	void *dev;

	for (i = 0; i < n; i++) {
		dev = r5s_stripe_dev(sh, i);
		if (!R5S_READ_POINTER(dev, r5dev, written))
			continue;
		flags = R5S_READ_ULONG(dev, r5dev, flags);
		if (R5S_TEST(flags, R5_LOCKED) ||
		    !(R5S_TEST(flags, R5_UPTODATE) || R5S_TEST(flags, R5_SkipCopy)))
			return false;
	}
	return true;
}

/* The journal takes the data and lets the writer go; the members get it later. */
static bool writes_back(const void *conf)
{
	void *log = R5S_READ_POINTER(conf, r5conf, log);

	return log && R5S_READ_INT(log, r5l_log, r5c_journal_mode) ==
		      R5S_VALUE(R5C_JOURNAL_MODE_WRITE_BACK);
}

R5S_HOOK(r5s_stripe_on_complete)
{
	void *conf = (void *)r5s_fregs_arg(fregs, 0);
	void *sh = (void *)r5s_fregs_arg(fregs, 1);

	if (writes_back(conf))
		return;
	if (!R5S_TEST(R5S_READ_ULONG(sh, stripe_head, state), STRIPE_DISCARD) && all_written(sh))
		count(conf, R5S_M_WRITES_STRIPES_COMPLETED, batch_length(sh));
}

/*
 * r5c_finish_stripe_write_out(conf, sh, s), called whenever a stripe is handled: what the journal
 * held is at the members now if it held the parity too. Such stripes are never in a batch.
 */
R5S_HOOK(r5s_stripe_on_write_out)
{
	void *conf = (void *)r5s_fregs_arg(fregs, 0);
	void *sh = (void *)r5s_fregs_arg(fregs, 1);
	int pd = R5S_READ_SHORT(sh, stripe_head, pd_idx);

	if (writes_back(conf) &&
	    R5S_TEST(R5S_READ_ULONG(r5s_stripe_dev(sh, pd), r5dev, flags), R5_InJournal))
		count(conf, R5S_M_WRITES_STRIPES_COMPLETED, 1);
}

/* raid5_do_work(work) */
R5S_HOOK(r5s_stripe_on_worker)
{
	void *worker = R5S_CONTAINER(r5s_fregs_arg(fregs, 0), r5worker, work);
	void *group = R5S_READ_POINTER(worker, r5worker, group);

	count(R5S_READ_POINTER(group, r5worker_group, conf), R5S_M_WRITES_WORKER_RUNS, 1);
}
