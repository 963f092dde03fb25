#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What happens is told when it happens: the netlink group event and the trace events, and they agree.
. "$(dirname "$0")/_common.sh"
need_root
need_tools mdadm fs_mark fio mkfs.ext4
plan 11

listener=$programs/netlink_events
[ -x "$listener" ] || skip_all "netlink_events is not built"
modprobe null_blk nr_devices=0 2>/dev/null || skip_all "this kernel has no null_blk"
make_slow_disks 3 256 2000000 || skip_all "null_blk cannot be set up"
tracing=/sys/kernel/tracing

load level=latency
: >"$scratch/listen"
"$listener" "$scratch/listen" >"$scratch/events" 2>&1 &
listening=$!
wait_for 100 grep -q listening "$scratch/events"
check "trace events exist" test -e $tracing/events/raid5stat/wait_begin/enable
echo 20000 >$tracing/buffer_size_kb
echo 1 >$tracing/events/raid5stat/enable

create_array md0 5 $(slow_disks 3)
seen() { grep -q "^$1 md0 " "$scratch/events"; }
check "array-added" wait_for 100 seen array-added
wait_for 100 counting md0
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/md0
echo 17 >/sys/block/md0/md/stripe_cache_size
mkdir -p "$scratch/mnt"
mount /dev/md0 "$scratch/mnt"
fs_mark -d "$scratch/mnt" -n "${R5S_EVENT_FILES:-4}" -s 262144 -t 16 -S 0 >"$scratch/fs_mark.log" 2>&1
deep_queue "$scratch/mnt" 4
umount "$scratch/mnt"
settle md0
check "blocked" wait_for 100 seen blocked
check "unblocked" wait_for 100 seen unblocked
blocked_size=$(awk '$1 == "blocked" { print $6; exit }' "$scratch/events")
holds "blocked carries the size of that moment" "$blocked_size >= 17"

size=$(metric md0 cache size)
shrunk() { echo 2 >/proc/sys/vm/drop_caches; [ "$(metric md0 reclaim freed)" -gt 0 ]; }
if [ "$size" -ge 32 ] && wait_for 100 shrunk; then
	check "shrink-burst" wait_for 100 seen shrink-burst
	equal "and its count" "$(awk '$1 == "shrink-burst" { n += $10 } END { print n }' "$scratch/events")" \
		"$(metric md0 reclaim freed)"
else
	skip "shrink-burst" "the cache did not grow"
	skip "and its count" "the cache did not grow"
fi

traced() { grep -c " $1: " "$scratch/trace"; }
cat $tracing/trace >"$scratch/trace"
equal "a trace line for each wait begun" "$(traced wait_begin)" "$(metric md0 cache waits_begun)"
equal "a trace line for each wait ended" "$(traced wait_end)" "$(metric md0 cache waits_ended)"
equal "a trace line for each stripe added" "$(traced cache_grow)" "$(metric md0 cache grow_ok)"
echo 0 >$tracing/events/raid5stat/enable
stop_array md0
check "array-gone" wait_for 100 seen array-gone
rm -f "$scratch/listen"
wait "$listening"
finish
