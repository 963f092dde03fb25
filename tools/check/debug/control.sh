#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest on a debug kernel: plant each bug and see that it is reported. Lockdep first: the first KASAN
# report switches it off.

control=$R5S_CONTROL
echo "TAP version 13"
echo "1..5"
n=0

# planted BUG PATTERN: the kernel log grows by a report of that kind
planted()
{
	n=$((n + 1))
	dmesg --clear
	insmod "$control" bug="$1"
	rmmod control
	for _ in $(seq 100); do
		dmesg | grep -q "$2" && { echo "ok $n - $1 is reported"; return; }
		sleep 0.1
	done
	echo "not ok $n - $1 is reported"
	dmesg | tail -n 20 | sed 's/^/# /'
}

planted lock-inversion 'possible circular locking dependency\|possible recursive locking'
planted sleep-in-atomic 'scheduling while atomic\|sleeping function called from invalid context'
planted shift 'UBSAN: shift-out-of-bounds'

n=$((n + 1))
insmod "$control" bug=leak
rmmod control
found=0
for _ in 1 2 3 4 5; do
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6	# kmemleak reports only what is older than five seconds
	grep -q 'size 4000\|size 4096' /sys/kernel/debug/kmemleak && { found=1; break; }
done
if [ $found = 1 ]; then
	echo "ok $n - leak is reported"
else
	echo "not ok $n - leak is reported"
fi

planted use-after-free 'KASAN: \(slab-\)\?use-after-free'
