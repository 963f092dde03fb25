#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A starved cache on slow disks shows waits, an idle one none; the histogram and the counters agree.
. "$(dirname "$0")/_common.sh"
need_root
need_tools mdadm fs_mark mkfs.ext4
plan 14

modprobe null_blk nr_devices=0 2>/dev/null || skip_all "this kernel has no null_blk"
make_slow_disks 3 256 4000000 || skip_all "null_blk cannot be set up"
load level=latency
create_array md0 5 $(slow_disks 3)
wait_for 100 counting md0
equal "an idle array: no waits" "$(metric md0 cache waits_begun)" 0
equal "an idle array: nothing timed" "$(metric md0 cache waits_timed)" 0

mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/md0
echo 17 >/sys/block/md0/md/stripe_cache_size
mkdir -p "$scratch/mnt"
mount /dev/md0 "$scratch/mnt"
start=$(awk '{ printf "%d", $1 * 1e9 }' /proc/uptime)
fs_mark -d "$scratch/mnt" -n 6 -s 262144 -t 16 -S 0 >"$scratch/fs_mark.log" 2>&1
umount "$scratch/mnt"
settle md0
end=$(awk '{ printf "%d", $1 * 1e9 + 1e7 }' /proc/uptime)

begun=$(metric md0 cache waits_begun) timed=$(metric md0 cache waits_timed)
user=$(metric md0 cache wait_user_ns) longest=$(metric md0 cache wait_longest_ns)
holds "starved: tasks waited" "$begun > 0"
equal "starved: at rest as many waits ended as begun" "$(metric md0 cache waits_ended)" "$begun"
equal "starved: the split adds up" \
	$(($(metric md0 cache waits_user) + $(metric md0 cache waits_sync) + $(metric md0 cache waits_reshape))) "$begun"
equal "starved: every wait was timed" "$timed" "$begun"
# Lines "user_from_NS_ns COUNT waits": a bucket holds waits of NS up to twice that.
read -r count low high < <(awk '
	match($1, /_from_[0-9]+_ns$/) {
		from = substr($1, RSTART + 6, RLENGTH - 9)
		n += $2; lo += $2 * from; hi += $2 * (from ? 2 * from : 1)
	}
	END { printf "%d %d %d\n", n, lo, hi }' "$dbg/md0/wait_hist")
equal "starved: the histogram counts every wait" "$count" "$timed"
total=$((user + $(metric md0 cache wait_sync_ns) + $(metric md0 cache wait_reshape_ns)))
holds "starved: the histogram's bounds bracket the total time" "$low <= $total && $total < $high"
holds "starved: the longest wait is no longer than the load" "0 < $longest && $longest <= $end - $start"
holds "starved: the longest is between the mean and the sum" "$longest <= $total && $total <= $longest * $timed"
equal "starved: waits by user I/O only" "$(metric md0 cache waits_user)" "$begun"

# A check on a starved cache waits too, and on its own account.
fs_mark -d /tmp -n 1 -s 4096 -t 1 >/dev/null 2>&1
mount /dev/md0 "$scratch/mnt"
echo check >/sys/block/md0/md/sync_action
action=$(metric md0 about sync_action)
holds "a check is seen" "$action == 2"
fs_mark -d "$scratch/mnt" -n 3 -s 262144 -t 16 -S 0 >"$scratch/fs_mark.log" 2>&1
sync
holds "waits of the check are its own" "$(metric md0 cache waits_sync) > 0"
echo idle >/sys/block/md0/md/sync_action
umount "$scratch/mnt"
settle md0
equal "after the check: at rest as many waits ended as begun" "$(metric md0 cache waits_ended)" \
	"$(metric md0 cache waits_begun)"
finish
