#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The cache grows under load and shrinks by drop_caches, by real pressure and by hand; the books balance.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm fs_mark fio mkfs.ext4
plan 18

balanced()
{
	equal "$1: size = size at start + grown - dropped" "$(metric md0 cache size)" \
		$(($(metric md0 cache size_at_start) + $(metric md0 cache grow_ok) - $(metric md0 cache drop_ok)))
}

# SLUB counts partly used slabs of each CPU as in use: the slab brackets the size from above.
witnessed()
{
	local inuse per size
	read -r inuse per < <(awk '$1 == "raid5-md0" { print $2, $5 }' /proc/slabinfo)
	size=$(metric md0 cache size)
	holds "$1: the slab agrees" "$size <= $inuse && $inuse <= $size + $per * $(nproc) * 32"
}

grow()
{
	fs_mark -d "$scratch/mnt" -n "${R5S_FILES:-80}" -s 65536 -t 16 -S 0 >"$scratch/fs_mark.log" 2>&1 ||
		diag "$(cat "$scratch/fs_mark.log")"
	settle md0
}

make_ramdisks 4 98304
load level=latency
create_array md0 5 $(ramdisks 4)
wait_for 100 counting md0
echo 32 >/sys/block/md0/md/stripe_cache_size
equal "set by hand: floor" "$(metric md0 cache floor)" 32
equal "set by hand: size" "$(metric md0 cache size)" 32
equal "set by hand: one resize" "$(metric md0 cache resizes)" 1
balanced "set by hand"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/md0
mkdir -p "$scratch/mnt"
mount /dev/md0 "$scratch/mnt"
grow
size=$(metric md0 cache size)
holds "under load it grows" "$size > 32"
equal "while sysfs still shows the floor" "$(sysfs md0 stripe_cache_size)" 32
balanced "grown"
witnessed "grown"

scans=$(metric md0 reclaim scan_drop_caches)
shrunk() { echo 2 >/proc/sys/vm/drop_caches; [ "$(metric md0 cache size)" -lt "$size" ]; }
check "drop_caches shrinks it" wait_for 200 shrunk
holds "by scans of drop_caches" "$(metric md0 reclaim scan_drop_caches) > $scans"
balanced "dropped"

# Reclaim takes nothing from a cache that is less than eight stripes above its floor.
grown_again()
{
	deep_queue "$scratch/mnt" 16
	settle md0
	[ "$(metric md0 cache size)" -ge 48 ]
}
check "it grows again" wait_for 600 grown_again
size=$(metric md0 cache size) freed=$(metric md0 reclaim freed)
# Only reclaim in earnest comes to so small a cache: a program takes nearly all memory, and may be killed for it.
most=$(awk '$1 == "MemTotal:" { print int($2 * 0.97) "K" }' /proc/meminfo)
pressed()
{
	bash -c "echo 1000 >/proc/self/oom_score_adj; exec dd if=/dev/zero of=/dev/null bs=$most count=1" >/dev/null 2>&1
	[ "$(metric md0 reclaim freed)" -gt "$freed" ]
}
check "memory pressure shrinks it" wait_for 600 pressed
holds "by kswapd or direct reclaim" \
	"$(metric md0 reclaim scan_kswapd) + $(metric md0 reclaim scan_direct) > 0"
balanced "pressed"
equal "freed by reclaim, and by hand, is what was dropped" \
	$(($(metric md0 cache drop_ok) - $(metric md0 reclaim freed))) 224
echo 300 >/sys/block/md0/md/stripe_cache_size
equal "a higher floor is a larger size" "$(metric md0 cache size)" 300
balanced "raised"
umount "$scratch/mnt"
stop_array md0
finish
