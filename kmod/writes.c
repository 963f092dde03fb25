// SPDX-License-Identifier: GPL-2.0
/* Requests that reach the array, and what they wait for besides stripes: bitmap and superblocks. */
#include <linux/bio.h>
#include <linux/blk-mq.h>
#include <linux/part_stat.h>
#include <linux/timekeeping.h>

#include "gauge.h"
#include "handlers.h"
#include "probe.h"

#define MEMBERS_MAX	512	/* looked at; md allows fewer */
#define NO_SECTOR	(~(sector_t)0)	/* md's MaxSector */

/* Reads may bypass the cache, cut at the next chunk. */
static bool reads_aligned(const void *mddev)
{
	return !R5S_READ_INT(mddev, mddev, degraded) &&
	       R5S_READ(sector_t, mddev, mddev, reshape_position) == NO_SECTOR;
}

/*
 * Where md_account_bio() does not see all reads, md accounts such a one alone,
 * and the rest when it comes here again.
 */
static void count_aligned_read(struct r5s_array *a, const void *mddev, const struct bio *bio)
{
	unsigned int chunk = R5S_READ_INT(mddev, mddev, chunk_sectors);
	unsigned int left = chunk - (bio->bi_iter.bi_sector & (chunk - 1));

	r5s_array_count(a, R5S_M_WRITES_READ_REQUESTS, 1);
	r5s_array_count(a, R5S_M_WRITES_READ_SECTORS, min(left, bio_sectors(bio)));
}

/*
 * Where the block layer counts a discard at its end, it is whole again then; md_account_bio() sees
 * it cut to whole stripes. What has no whole stripe is not accounted.
 */
static void count_whole_discard(struct r5s_array *a, const void *conf, const void *mddev,
				const struct bio *bio)
{
	u64 stripe = (u64)R5S_READ_INT(conf, r5conf, chunk_sectors) *
		     (R5S_READ_INT(conf, r5conf, raid_disks) -
		      R5S_READ_INT(conf, r5conf, max_degraded));

	if (R5S_READ(sector_t, mddev, mddev, reshape_position) != NO_SECTOR || !stripe)
		return;
	if (DIV64_U64_ROUND_UP(bio->bi_iter.bi_sector, stripe) >=
	    div64_u64(bio_end_sector(bio), stripe))
		return;
	r5s_array_count(a, R5S_M_WRITES_DISCARD_SECTORS, bio_sectors(bio));
}

/* raid5_make_request(mddev, bio) */
R5S_HOOK(r5s_writes_on_request)
{
	void *mddev = (void *)r5s_fregs_arg(fregs, 0);
	struct bio *bio = (struct bio *)r5s_fregs_arg(fregs, 1);
	void *conf = R5S_READ_POINTER(mddev, mddev, private);
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (!a)
		goto out;
	if (bio->bi_opf & REQ_PREFLUSH)
		r5s_array_count(a, R5S_M_WRITES_FLUSHES, 1);
	if (R5S_COUNTS_AT_END && bio_op(bio) == REQ_OP_DISCARD)
		count_whole_discard(a, conf, mddev, bio);
	if (!R5S_ACCOUNTS_ALL_READS && bio_data_dir(bio) == READ && reads_aligned(mddev))
		count_aligned_read(a, mddev, bio);
out:
	r5s_hook_leave();
}

/* md_account_bio(mddev, &bio), called by all personalities */
R5S_HOOK(r5s_writes_on_account)
{
	void *mddev = (void *)r5s_fregs_arg(fregs, 0);
	const struct bio *bio;
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_of(mddev);
	if (!a)
		goto out;
	bio = *(struct bio **)r5s_fregs_arg(fregs, 1);
	if (bio_op(bio) == REQ_OP_DISCARD) {
		r5s_array_count(a, R5S_M_WRITES_DISCARD_REQUESTS, 1);
		if (!R5S_COUNTS_AT_END)
			r5s_array_count(a, R5S_M_WRITES_DISCARD_SECTORS, bio_sectors(bio));
	} else if (op_is_write(bio_op(bio))) {
		r5s_array_count(a, R5S_M_WRITES_WRITE_REQUESTS, 1);
		r5s_array_count(a, R5S_M_WRITES_WRITE_SECTORS, bio_sectors(bio));
	} else if (R5S_ACCOUNTS_ALL_READS || !reads_aligned(mddev)) {
		r5s_array_count(a, R5S_M_WRITES_READ_REQUESTS, 1);
		r5s_array_count(a, R5S_M_WRITES_READ_SECTORS, bio_sectors(bio));
	}
out:
	r5s_hook_leave();
}

/* The conf is only a key here: it is looked up again at the return. */
static int call_enter(struct kretprobe_instance *ri, void *conf)
{
	if (!r5s_array_find(conf))
		return 1;
	r5s_call(ri)->conf = conf;
	r5s_call(ri)->value = r5s_probe_level() >= RAID5STAT_LEVEL_LATENCY ?
			      ktime_get_mono_fast_ns() : 0;
	return 0;
}

static int call_return(struct kretprobe_instance *ri, enum r5s_metric calls, enum r5s_metric ns)
{
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(r5s_call(ri)->conf);
	if (a) {
		r5s_array_count(a, calls, 1);
		if (r5s_call(ri)->value)
			r5s_array_count(a, ns, ktime_get_mono_fast_ns() - r5s_call(ri)->value);
	}
	r5s_hook_leave();
	return 0;
}

/* md_bitmap_unplug(bitmap), which may be NULL, or bitmap_unplug(mddev, sync) */
R5S_ENTRY(r5s_writes_bitmap_enter)
{
	void *arg = (void *)regs_get_kernel_argument(regs, 0);

	if (!arg || (R5S_UNPLUG_TAKES_MDDEV && !R5S_READ_POINTER(arg, mddev, bitmap)))
		return 1;
	if (!R5S_UNPLUG_TAKES_MDDEV)
		arg = R5S_READ_POINTER(arg, bitmap, mddev);
	return call_enter(ri, R5S_READ_POINTER(arg, mddev, private));
}

R5S_ENTRY(r5s_writes_bitmap_return)
{
	return call_return(ri, R5S_M_WRITES_BITMAP_WAITS, R5S_M_WRITES_BITMAP_WAIT_NS);
}

/* md_update_sb(mddev, force) */
R5S_ENTRY(r5s_writes_superblock_enter)
{
	void *mddev = (void *)regs_get_kernel_argument(regs, 0);

	return call_enter(ri, R5S_READ_POINTER(mddev, mddev, private));
}

R5S_ENTRY(r5s_writes_superblock_return)
{
	return call_return(ri, R5S_M_WRITES_SB_UPDATES, R5S_M_WRITES_SB_UPDATE_NS);
}

struct in_flight {
	struct block_device *bdev;
	unsigned int n[2];
};

static bool count_started(struct request *rq, void *arg)
{
	struct in_flight *f = arg;

	if (rq->part && (rq->part == f->bdev || (!bdev_is_partition(f->bdev) &&
						 rq->part->bd_disk == f->bdev->bd_disk)) &&
	    rq->rq_flags & RQF_IO_STAT && blk_mq_rq_state(rq) == MQ_RQ_IN_FLIGHT)
		f->n[rq_data_dir(rq)]++;
	return true;
}

/* Devices with queues of requests do not keep these counts per CPU. */
static void count_in_flight(struct in_flight *f)
{
	struct request_queue *q = bdev_get_queue(f->bdev);
	int cpu, n[2] = { 0, 0 };

	if (queue_is_mq(q)) {
		blk_mq_tagset_busy_iter(q->tag_set, count_started, f);
		return;
	}
	for_each_possible_cpu(cpu) {
		n[READ] += part_stat_local_read_cpu(f->bdev, in_flight[READ], cpu);
		n[WRITE] += part_stat_local_read_cpu(f->bdev, in_flight[WRITE], cpu);
	}
	f->n[READ] += max(n[READ], 0);
	f->n[WRITE] += max(n[WRITE], 0);
}

/**
 * r5s_writes_gauges() - what is under way at the array and at its members
 * @s: gets it
 * @conf: struct r5conf
 *
 * Context: under mddev->lock.
 */
void r5s_writes_gauges(struct r5s_snapshot *s, const void *conf)
{
	struct in_flight f = { }, own = { };
	struct list_head *disks, *l;
	struct gendisk *disk;
	unsigned int left = MEMBERS_MAX;
	void *rdev;

	disk = R5S_READ_POINTER(R5S_READ_POINTER(conf, r5conf, mddev), mddev, gendisk);
	if (disk) {
		own.bdev = disk->part0;
		count_in_flight(&own);
		r5s_snapshot_set(s, R5S_M_WRITES_ARRAY_READS_IN_FLIGHT, own.n[READ]);
		r5s_snapshot_set(s, R5S_M_WRITES_ARRAY_WRITES_IN_FLIGHT, own.n[WRITE]);
	}
	if (!R5S_HAS(mddev, disks) || !R5S_HAS(md_rdev, same_set))
		return;
	disks = R5S_PTR(R5S_READ_POINTER(conf, r5conf, mddev), mddev, disks);
	rcu_read_lock();
	for (l = READ_ONCE(disks->next); l != disks && left; l = READ_ONCE(l->next), left--) {
		rdev = R5S_CONTAINER(l, md_rdev, same_set);
		f.bdev = R5S_READ_POINTER(rdev, md_rdev, bdev);
		if (f.bdev)
			count_in_flight(&f);
	}
	rcu_read_unlock();
	r5s_snapshot_set(s, R5S_M_WRITES_MEMBER_READS_IN_FLIGHT, f.n[READ]);
	r5s_snapshot_set(s, R5S_M_WRITES_MEMBER_WRITES_IN_FLIGHT, f.n[WRITE]);
}
