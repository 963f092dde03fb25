#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The module reads private fields only where it knows that they lie there: build-id, BTF, or not at all.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm
plan 13

info() { awk -v n="$1" '$1 == n { print $2 }' "$dbg/info"; }
numbers() { cat "$dbg"/md0/{cache,about} | sort; }

make_ramdisks 4 65536
create_array md0 5 $(ramdisks 4)
echo 300 >/sys/block/md0/md/stripe_cache_size
settle md0

load level=gauges
equal "the raid456 that we were built for" "$(info layout)" build
numbers >"$scratch/build"
equal "size" "$(metric md0 cache size)" 300
rmmod raid5stat

if [ -e /sys/kernel/btf/raid456 ]; then
	load level=gauges layout_build_id=0123456789abcdef0123456789abcdef01234567
	equal "another build-id: the running kernel's BTF" "$(info layout)" btf
	numbers >"$scratch/btf"
	check "the same numbers" diff "$scratch/build" "$scratch/btf"
	rmmod raid5stat
else
	skip "another build-id: the running kernel's BTF" "no BTF of raid456 here"
	skip "the same numbers" "no BTF of raid456 here"
fi

load level=latency layout_build_id=0123456789abcdef0123456789abcdef01234567 layout=build
equal "another build-id and no BTF: no layout" "$(info layout)" none
absent() { [ -z "$(metric md0 cache size)" ]; }
check "then no private number" absent
equal "and no hook on private data" "$(grep -c raid5stat /sys/kernel/tracing/enabled_functions)" 0
check "the array still works" dd if=/dev/zero of=/dev/md0 bs=64k count=16 oflag=direct status=none
rmmod raid5stat
stop_array md0

# A raid456 that is not the distribution's: rebuilt, with a build-id of its own and without BTF.
if [ -n "${R5S_OTHER_RAID456:-}" ] && wait_for 100 rmmod raid456 && insmod "$R5S_OTHER_RAID456"; then
	create_array md0 5 $(ramdisks 4)
	load level=latency
	equal "a rebuilt raid456 without BTF: no layout" "$(info layout)" none
	check "no private number" absent
	check "it works" dd if=/dev/zero of=/dev/md0 bs=64k count=16 oflag=direct status=none
	check "it stops" stop_array md0
	rmmod raid5stat
	check "it can go" wait_for 100 rmmod raid456
else
	for t in "a rebuilt raid456 without BTF: no layout" "no private number" "it works" "it stops" "it can go"; do
		skip "$t" "no rebuilt raid456 for this kernel (R5S_OTHER_RAID456)"
	done
fi
finish
