#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest on a debug kernel, after the tests: nothing that the module allocated was left behind.
echo "TAP version 13"
echo "1..1"
rmmod raid5stat 2>/dev/null
for _ in 1 2; do
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6	# kmemleak reports only what is older than five seconds
done
cat /sys/kernel/debug/kmemleak >/tmp/leaks
# An address without a name is code of a module that has gone: ours.
if grep -q 'raid5stat\|r5s_\|^    0xffffffffa0' /tmp/leaks; then
	echo "not ok 1 - kmemleak finds nothing of ours"
	grep -B 12 -A 12 'raid5stat\|r5s_\|^    0xffffffffa0' /tmp/leaks | head -n 60 | sed 's/^/# /'
else
	echo "ok 1 - kmemleak finds nothing of ours"
fi
