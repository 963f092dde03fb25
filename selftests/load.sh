#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Load and unload: nothing of ours stays behind; with level off no hook exists.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm genl
plan 9

enabled=/sys/kernel/tracing/enabled_functions
ours() { grep -c raid5stat "$enabled"; }
probes() { grep -c 'raid456\|md_mod' /sys/kernel/debug/kprobes/list; }

make_ramdisks 4 65536
check "an array is there before the module" create_array md0 5 $(ramdisks 4)

load level=off
equal "level off: no ftrace filter of ours" "$(ours)" 0
equal "level off: no kprobe of ours" "$(probes)" 0
rmmod raid5stat

load level=latency
holds "level latency: functions are hooked" "$(ours) >= 8"
holds "level latency: kretprobes are armed" "$(probes) >= 5"
rmmod raid5stat
equal "unloaded: no hook is left" "$(ours)$(probes)" 00

load level=nonsense 2>/dev/null && { fail "an unknown level is refused"; rmmod raid5stat; } ||
	pass "an unknown level is refused"

cycles=${R5S_LOAD_CYCLES:-50} done=0
for ((i = 0; i < cycles; i++)); do
	load level=latency && [ -e "$dbg/md0/cache" ] && genl ctrl get name raid5stat >/dev/null &&
		rmmod raid5stat && done=$((done + 1))
done
equal "loaded and unloaded under a live array" "$done" "$cycles"
check "the array stops" stop_array md0
finish
