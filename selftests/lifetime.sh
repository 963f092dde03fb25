#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Arrays, raid456 and the module come and go under readers; nothing is pinned, no stop ever fails for us.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm genl
plan 9

cycles=${R5S_LIFE_CYCLES:-50}

# Readers of all three doors, until told to end; what they read does not matter, only that they do.
readers=()
start_readers()
{
	local helper=$programs/netlink_reader
	: >"$scratch/read"
	while [ -e "$scratch/read" ]; do cat "$dbg"/*/* >/dev/null 2>&1; done &
	readers+=($!)
	if [ -x "$helper" ]; then
		"$helper" "$scratch/read" >"$scratch/reader.log" 2>&1 &
		readers+=($!)
		"$helper" "$scratch/read" >"$scratch/reader2.log" 2>&1 &
		readers+=($!)
	fi
}
stop_readers() { rm -f "$scratch/read"; wait "${readers[@]}"; readers=(); }

# One life of an array; the number of a failed step is the exit status.
life()
{
	create_array md0 5 $(ramdisks 3) || return 1
	dd if=/dev/zero of=/dev/md0 bs=256k count=8 oflag=direct status=none || return 2
	stop_array md0 || return 3
}

make_ramdisks 3 32768
load level=latency
lives=0
start_readers
for ((i = 0; i < cycles; i++)); do
	life || { diag "life $i: step $? failed"; break; }
	lives=$((lives + 1))
done
equal "lives of an array under three readers" "$lives" "$cycles"
gone() { [ ! -e "$dbg/md0" ]; }
check "the last one is gone" wait_for 100 gone

# raid456 goes and comes back; its probes are taken off and armed again.
rounds=0
for ((i = 0; i < ${R5S_RMMOD_CYCLES:-10}; i++)); do
	wait_for 100 modprobe -r raid456 || { diag "raid456 cannot go: $(grep raid456 /proc/modules)"; break; }
	modprobe raid456 && life && rounds=$((rounds + 1))
done
equal "raid456 unloaded and loaded under readers" "$rounds" "${R5S_RMMOD_CYCLES:-10}"

create_array md0 5 $(ramdisks 3)
counted() { dd if=/dev/zero of=/dev/md0 bs=64k count=4 oflag=direct status=none; [ "$(metric md0 writes write_sectors)" -gt 0 ]; }
check "it counts again afterwards" wait_for 100 counted

# Our own module goes while the array works and readers read.
: >"$scratch/load"
while [ -e "$scratch/load" ]; do
	dd if=/dev/zero of=/dev/md0 bs=64k count=200 conv=fsync status=none
done &
writer=$!
unloads=0
for ((i = 0; i < ${R5S_UNLOAD_CYCLES:-10}; i++)); do
	wait_for 100 rmmod raid5stat 2>/dev/null || break
	[ ! -e "$dbg" ] && load level=latency && unloads=$((unloads + 1))
done
equal "unloaded and loaded again under load and readers" "$unloads" "${R5S_UNLOAD_CYCLES:-10}"
rm -f "$scratch/load"
wait "$writer"
stop_readers
settle md0
equal "at rest as many waits ended as begun" "$(metric md0 cache waits_begun)" "$(metric md0 cache waits_ended)"
equal "size identity" "$(metric md0 cache size)" \
	$(($(metric md0 cache size_at_start) + $(metric md0 cache grow_ok) - $(metric md0 cache drop_ok)))
check "the array stops" stop_array md0
rmmod raid5stat
check "raid456 can go" wait_for 100 modprobe -r raid456
finish
