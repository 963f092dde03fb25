#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which arrays are seen, and that an id is never used again.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm dmsetup
plan 20

id() { awk '$1 == "id" { print $2 }' "$dbg/$1/about"; }
make_ramdisks 16 32768
create_array md0 5 /dev/ram0 /dev/ram1 /dev/ram2
load level=counters
check "an array older than the module" test -e "$dbg/md0/cache"

create_array md1 4 /dev/ram3 /dev/ram4 /dev/ram5
check "a RAID4 younger than the module" wait_for 100 test -e "$dbg/md1/cache"
create_array md2 6 /dev/ram6 /dev/ram7 /dev/ram8 /dev/ram9
check "a RAID6" wait_for 100 test -e "$dbg/md2/cache"
equal "its level" "$(metric md2 about level)" 6
chunk=none create_array md3 1 /dev/ram10 /dev/ram11
wait_for 100 test -e /sys/block/md3/md/array_state
check "a RAID1 is none of ours" test ! -e "$dbg/md3"

equal "a young cache has its floor's size" "$(metric md2 cache size)" \
	"$(sysfs md2 stripe_cache_size)"
equal "floor is sysfs' stripe_cache_size" "$(metric md0 cache floor)" "$(sysfs md0 stripe_cache_size)"
equal "disks" "$(metric md2 about disks)" "$(sysfs md2 raid_disks)"
equal "chunk" "$(metric md0 about chunk)" "$(sysfs md0 chunk_size)"

first=$(id md1)
check "stop" stop_array md1
check "a stopped array is gone" wait_for 100 test ! -e "$dbg/md1"
create_array md1 4 /dev/ram3 /dev/ram4 /dev/ram5
wait_for 100 test -e "$dbg/md1/cache"
holds "created again it has a new id" "$(id md1) > $first"

# A takeover changes the personality and with it md's structures: it is another array to us, counted anew.
first=$(id md1)
echo raid5 >/sys/block/md1/md/level
taken() { [ "$(metric md1 about level)" = 5 ]; }
check "taken over from RAID4 to RAID5" wait_for 100 taken
holds "with a new id" "$(id md1) > $first"
dd if=/dev/zero of=/dev/md1 bs=64k count=16 oflag=direct status=none
equal "its floor" "$(metric md1 cache floor)" "$(sysfs md1 stripe_cache_size)"

# A reshape works on the same structures, under readers.
: >"$scratch/read"
while [ -e "$scratch/read" ]; do cat "$dbg"/md0/* >/dev/null; done &
reader=$!
mdadm --quiet --add /dev/md0 /dev/ram15 && mdadm --quiet --grow /dev/md0 --raid-devices=4 >"$scratch/grow.log" 2>&1 ||
	diag "$(cat "$scratch/grow.log")"
reshaped() { [ "$(sysfs md0 sync_action)" = idle ] && [ "$(metric md0 about disks)" = 4 ]; }
check "reshaped from 3 disks to 4" wait_for 600 reshaped
rm -f "$scratch/read"
wait "$reader"
equal "size identity after it" "$(metric md0 cache size)" \
	$(($(metric md0 cache size_at_start) + $(metric md0 cache grow_ok) - $(metric md0 cache drop_ok)))
check "the reshaped array stops" stop_array md0

# Under dm-raid md has no disk of its own; hooks find it when it works.
modprobe dm-raid
size=$((30 * 1024 * 2))
dmsetup create r5 --table "0 $((size * 2)) raid raid5_ls 2 64 nosync 3 - /dev/ram12 - /dev/ram13 - /dev/ram14" \
	>"$scratch/dm.log" 2>&1
if [ -e /dev/mapper/r5 ]; then
	dd if=/dev/zero of=/dev/mapper/r5 bs=64k count=64 oflag=direct status=none
	dm_seen() { ls -d "$dbg"/dm* >/dev/null 2>&1; }
	check "an array under dm-raid" wait_for 100 dm_seen
	dmsetup remove r5
	dm_gone() { ! dm_seen; }
	check "and its end" wait_for 100 dm_gone
else
	diag "$(cat "$scratch/dm.log")"
	skip "an array under dm-raid" "this kernel cannot make one"
	skip "and its end" "this kernel cannot make one"
fi
modprobe -r dm-raid
finish
