#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Journal, partial parity log, bitmap, threads and background sync: our numbers are those of sysfs,
# diskstats and of kprobe events that count the same calls on their own.
. "$(dirname "$0")/_common.sh"
. "$(dirname "$0")/_trace.sh"
need_root
need_tools mdadm fio
need_kprobe_events
plan 60

write_md() { dd if=/dev/urandom of=/dev/md0 oflag=direct status=none "$@"; }
now_ns() { awk '{ printf "%d", $1 * 1000000000 }' /proc/uptime; }

make_slow_disks 6 48 1000
load level=latency

# A journal that writes through. The events are there before the array, which begins to log when it starts.
modprobe raid456
wait_for 300 grep -q 'raid456:raid5d' "$dbg/probes"
watch logged '' 'p:logged raid456:r5l_log_stripe'
watch reclaimed '' 'p:reclaimed raid456:r5l_do_reclaim'
watch nospace 'space>0' 'p:nospace raid456:r5l_wake_reclaim space=$arg2:u64'
create --level=5 --raid-devices=3 --assume-clean --write-journal=/dev/nullb3 /dev/nullb0 /dev/nullb1 /dev/nullb2
from_here journal.stripes_logged=logged journal.reclaim_runs=reclaimed journal.no_space_stripes=nospace
equal "journal: mode is sysfs'" "$(metric md0 journal mode):$(sysfs md0 journal_mode)" "0:[write-through] write-back"
equal "journal: consistency policy" "$(metric md0 about consistency)" 4
equal "journal: room in the log is that of its device" "$(metric md0 journal log_size)" \
	$(($(sysfs md0 dev-nullb3/size) * 2 / 8 * 8))
sectors=$(stat_field nullb3 7)
fio --name=j --filename=/dev/md0 --rw=write --bs=256k --direct=1 --ioengine=libaio --iodepth=32 --size=88m \
	>"$scratch/fio.log" 2>&1 || diag "$(cat "$scratch/fio.log")"
settle md0
same "journal: stripes logged" journal.stripes_logged logged
holds "journal: they are on its device, two pages each at least" \
	"$(since journal.stripes_logged) > 100 && $(stat_field nullb3 7) - $sectors >= $(since journal.stripes_logged) * 16"
same "journal: reclaim runs" journal.reclaim_runs reclaimed
holds "journal: empty runs are some of them" "$(metric md0 journal reclaim_empty) > 0 &&
	$(metric md0 journal reclaim_empty) < $(metric md0 journal reclaim_runs)"
holds "journal: reclaim took time" "$(metric md0 journal reclaim_ns) > 0"
same "journal: stripes without log space" journal.no_space_stripes nospace
holds "journal: used is no more than there is, reclaimable no more than used" \
	"$(metric md0 journal log_used) <= $(metric md0 journal log_size) &&
	$(metric md0 journal log_reclaimable) <= $(metric md0 journal log_used)"
equal "journal: nothing is cached in write-through" "$(since journal.caching_accepted)$(since journal.caching_refused)" 00
holds "journal: a stripe is not handled over and over" \
	"$(since writes.stripes_completed) > 0 && $(since writes.handle_calls) >= $(since writes.stripes_completed) &&
	$(since writes.handle_calls) < $(since writes.stripes_completed) * 40"
check "journal: the array stops" stop_array md0
unwatch logged reclaimed nospace

# A journal that writes back.
watch cached 'ret==0' 'r:cached raid456:r5c_try_caching_write ret=$retval:s32'
watch declined 'ret!=0' 'r:declined raid456:r5c_try_caching_write ret=$retval:s32'
create --level=5 --raid-devices=3 --assume-clean --write-journal=/dev/nullb3 /dev/nullb0 /dev/nullb1 /dev/nullb2
echo write-back >/sys/block/md0/md/journal_mode
equal "write-back: mode is sysfs'" "$(metric md0 journal mode):$(sysfs md0 journal_mode)" "1:write-through [write-back]"
check "write-back: what could be reclaimed is not known" test -z "$(metric md0 journal log_reclaimable)"
write_md bs=4k count=64
same "write-back: writes that the journal took" journal.caching_accepted cached
holds "write-back: 64 blocks were written" "$(since journal.caching_accepted) >= 16"
holds "write-back: they are cached" "$(metric md0 journal cached_partial) + $(metric md0 journal cached_full) > 0"
equal "write-back: none was refused" "$(since journal.caching_refused)" 0
write_md bs=512 count=3 seek=150001
holds "write-back: parts of blocks are refused" "$(since journal.caching_refused) > 0 &&
	$(since journal.caching_refused) <= $(hits declined)"
write_md bs=64k count=64
same "write-back: and again" journal.caching_accepted cached
check "write-back: the array stops" stop_array md0
unwatch cached declined

# A partial parity log.
watch partial 'ret==0' 'r:partial raid456:ppl_write_stripe ret=$retval:s32'
create --level=5 --raid-devices=3 --assume-clean --consistency-policy=ppl /dev/nullb0 /dev/nullb1 /dev/nullb2
equal "ppl: consistency policy is sysfs'" "$(metric md0 about consistency):$(sysfs md0 consistency_policy)" 3:ppl
write_md bs=4k count=40 seek=100
settle md0
same "ppl: stripes logged" journal.stripes_logged partial
holds "ppl: 40 blocks were written" "$(since journal.stripes_logged) >= 10"
check "ppl: has no log to reclaim" test -z "$(metric md0 journal reclaim_runs)$(metric md0 journal log_size)"
check "ppl: the array stops" stop_array md0
unwatch partial

# Bitmap, superblocks, flushes, threads.
unplug=$(awk '$1 ~ /bitmap_unplug/ { print $1 }' "$dbg/probes")
super=$(awk '$1 ~ /md_update_sb/ { print $1 }' "$dbg/probes")
watch unplugged '' "p:unplugged $unplug"
watch updated '' "p:updated $super"
watch passes '' 'p:passes raid456:raid5d'
watch workers '' 'p:workers raid456:raid5_do_work'
create --level=5 --raid-devices=3 --assume-clean --bitmap=internal --bitmap-chunk=64K /dev/nullb0 /dev/nullb1 /dev/nullb2
equal "bitmap: consistency policy is sysfs'" "$(metric md0 about consistency):$(sysfs md0 consistency_policy)" 2:bitmap
echo 2 >/sys/block/md0/md/group_thread_cnt
from_here writes.bitmap_waits=unplugged writes.sb_updates=updated writes.raid5d_passes=passes writes.worker_runs=workers
before=$(since writes.bitmap_waits) wait_ns=$(metric md0 writes bitmap_wait_ns) start=$(now_ns)
write_md bs=4k count=100 conv=notrunc
fio --name=w --filename=/dev/md0 --rw=randwrite --bs=64k --direct=1 --ioengine=libaio --iodepth=32 --size=32m \
	>"$scratch/fio.log" 2>&1 || diag "$(cat "$scratch/fio.log")"
settle md0
same "bitmap: waits" writes.bitmap_waits unplugged
holds "bitmap: there were some" "$(since writes.bitmap_waits) > $before"
wait_ns=$(($(metric md0 writes bitmap_wait_ns) - wait_ns))
holds "bitmap: they took time, and no more than there was" "$wait_ns > 0 && $wait_ns < ($(now_ns) - $start) * 4"
same "threads: passes of raid5d" writes.raid5d_passes passes
same "threads: runs of workers" writes.worker_runs workers
holds "threads: workers ran" "$(since writes.worker_runs) > 0"
# Clean again after a write: both ways the superblocks are written.
echo 0.2 >/sys/block/md0/md/safe_mode_delay
before=$(since writes.sb_updates)
clean() { [ "$(sysfs md0 array_state)" = clean ]; }
wait_for 60 clean
write_md bs=4k count=1
wait_for 60 clean
same "superblocks: updates" writes.sb_updates updated
holds "superblocks: dirty and clean are two" "$(since writes.sb_updates) >= $before + 2"
holds "superblocks: they took time" "$(metric md0 writes sb_update_ns) > 0"
echo 'hist:keys=common_cpu if dev=='$((9 << 20))' && rwbs ~ "F*"' >$tracing/events/block/block_bio_queue/trigger
before=$(metric md0 writes flushes)
for ((i = 0; i < 10; i++)); do write_md bs=4k count=1 seek=$i conv=notrunc,fsync; done
settle md0
flushes=$(awk '/^ *Hits:/ { n = $2 } END { print n + 0 }' $tracing/events/block/block_bio_queue/hist)
untrigger $tracing/events/block/block_bio_queue
equal "flushes are those that blktrace's events see" $(($(metric md0 writes flushes) - before)) "$flushes"
holds "flushes: one each time" "$flushes >= 10"
unwatch unplugged updated passes workers

# In the background: check, then a member fails, is replaced, and the array grows.
sync_numbers() { read -r completed _ end <"/sys/block/md0/md/sync_completed"; [ "${end:-0}" -gt 0 ]; }
# seen ACTION NUMBER: while it runs, our numbers are sysfs'
seen()
{
	sync_is() { [ "$(sysfs md0 sync_action)" = "$1" ] && sync_numbers; }
	wait_for 60 sync_is "$1"
	equal "$1: it is seen" "$(metric md0 about sync_action)" "$2"
	sync_numbers
	equal "$1: its end is sysfs'" "$(metric md0 about sync_end)" "$end"
	holds "$1: its position is past what is completed" \
		"$(metric md0 about sync_position) >= $completed && $(metric md0 about sync_position) <= $end"
	under_way() { [ "$(metric md0 cache sync_stripes)" -gt 0 ] 2>/dev/null; }
	check "$1: it has stripes under way" wait_for 60 under_way
	holds "$1: they are no more than the cache has" "$(metric md0 cache sync_stripes) <= $(metric md0 cache size) * 2"
}
slow() { echo 500 >/sys/block/md0/md/sync_speed_min; echo 1000 >/sys/block/md0/md/sync_speed_max; }
fast() { echo 1000000 >/sys/block/md0/md/sync_speed_max
	echo 1000000 >/sys/block/md0/md/sync_speed_min; }
at_rest() { [ "$(sysfs md0 sync_action)" = idle ]; }
slow
echo check >/sys/block/md0/md/sync_action
seen check 2
echo idle >/sys/block/md0/md/sync_action
wait_for 60 at_rest
equal "idle: no stripe is under way" "$(metric md0 cache sync_stripes)" 0
check "idle: no position" test -z "$(metric md0 about sync_position)$(metric md0 about sync_end)"

mdadm --quiet --fail /dev/md0 /dev/nullb1
equal "degraded: as sysfs says" "$(metric md0 about degraded)" "$(sysfs md0 degraded)"
write_md bs=64k count=16
settle md0
mdadm --quiet --add /dev/md0 /dev/nullb4
seen recover 4
fast
check "recovered" wait_for 300 at_rest

mdadm --quiet --add /dev/md0 /dev/nullb5
slow
mdadm --quiet --grow /dev/md0 --raid-devices=4 >"$scratch/grow.log" 2>&1 || diag "$(cat "$scratch/grow.log")"
seen reshape 5
fast
check "reshaped" wait_for 300 at_rest
check "the array stops" stop_array md0
finish
