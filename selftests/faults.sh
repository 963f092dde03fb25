#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every allocation of the module may fail: loading, arming, each command, each file. It ends with a plain error
# or works all the same, nothing is complained about, and afterwards all is as it was.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm
inject=/sys/kernel/debug
[ -d $inject/failslab ] && [ -d $inject/fail_page_alloc ] && [ -e /proc/self/fail-nth ] ||
	skip_all "this kernel injects no faults: it needs FAILSLAB, FAIL_PAGE_ALLOC and FAULT_INJECTION_DEBUG_FS"
walk=$programs/netlink_faults
[ -x "$walk" ] || skip_all "netlink_faults is not built"
plan 19

# Seconds that all of it takes; each part has its share, and takes as many allocations as fit.
seconds=${R5S_FAULT_SECONDS:-80}
share() { awk -v s="$seconds" -v p="$1" 'BEGIN { print s * p / 100 }'; }

for f in failslab fail_page_alloc; do
	echo 0 >$inject/$f/verbose
	echo 0 >$inject/$f/probability
	echo N >$inject/$f/ignore-gfp-wait
	echo -1 >$inject/$f/times
done
echo N >$inject/fail_page_alloc/ignore-gfp-highmem
echo 0 >$inject/fail_page_alloc/min-order

# The kernel itself warns where an allocation of its own fails under us (kprobes and ftrace do): that is told
# from the rest below, not by a panic.
panic=$(cat /proc/sys/kernel/panic_on_warn) level=$(awk '{ print $1 }' /proc/sys/kernel/printk)
echo 0 >/proc/sys/kernel/panic_on_warn
dmesg --console-level 1
dmesg --clear

# complaints: what the kernel said that is not such a warning
complaints()
{
	dmesg | grep -E 'BUG:|WARNING:|KASAN|UBSAN|ODEBUG|Oops|possible .* locking|lock inversion|inconsistent lock|suspicious RCU' |
		grep -v 'WARNING: .* at kernel/\(kprobes\|trace/ftrace\)\.c:'
}

# walked NAME SHARE OPERATION...: one result for a walk over the allocations of an operation
walked()
{
	local name=$1 part=$2
	shift 2
	"$walk" "$(share "$part")" "$@" >"$scratch/walk" 2>&1
	local rc=$? said
	said=$(complaints | head -n 3)
	diag "$(cat "$scratch/walk")"
	if [ "$rc" = 0 ] && [ -z "$said" ]; then
		pass "$name"
	else
		fail "$name" "${said:-exit status $rc}"
		dmesg | grep -v 'FAULT_INJECTION' | tail -n 40 | sed 's/^/# /'
	fi
	dmesg --clear
}

# Without what only a debugger reads, so that most allocations of a load are the module's own.
ko=$scratch/raid5stat.ko
cp "${module:-$(modinfo -n raid5stat)}" "$ko"
strip -g "$ko" 2>/dev/null || diag "no strip here: loading takes longer"

make_ramdisks 3 16384
create_array md0 5 $(ramdisks 3)
walked "loaded without hooks" 15 insmod "$ko" level=off
walked "loaded with all hooks" 20 insmod "$ko" level=latency

module=$ko
load level=off
walked "sampler-start" 25 start
armed() { awk '$2 == 1 && $3 == "armed" { n++ } END { print n + 0 }' "$dbg/probes"; }
echo latency >/sys/module/raid5stat/parameters/level
wait_for 100 counting md0
reference=$(armed)

walked "info" 4 info
walked "dump of arrays" 4 arrays
walked "dump of nodes" 2 nodes
walked "one array" 3 array md0
walked "histogram" 3 hist md0
walked "census" 3 census md0
for f in info probes md0/cache md0/wait_hist md0/census; do
	walked "debugfs: $f" 1 read "$dbg/$f"
done

# Arrays are taken in, and hooks armed when a parameter or raid456 asks for it, by work items: there the
# allocations of all kernel workers fail now and then, so that mdadm may fail, too.
fallible()
{
	local p
	for p in /proc/[0-9]*; do
		[[ $(cat "$p/comm" 2>/dev/null) != kworker* ]] || echo 1 >"$p/make-it-fail"
	done
	echo 10 >$inject/failslab/probability
}
reliable() { echo 0 >$inject/failslab/probability; }
works() { [ -b /dev/md0 ] && timeout 60 dd if=/dev/zero of=/dev/md0 bs=64k count=4 oflag=direct status=none; }
hooked() { [ "$(armed)" -gt 0 ]; }

echo Y >$inject/failslab/task-filter
echo 100000 >$inject/failslab/times
for i in 1 2; do
	stop_array md0
	fallible
	echo off >/sys/module/raid5stat/parameters/level
	echo latency >/sys/module/raid5stat/parameters/level
	timeout 60 mdadm --quiet --create /dev/md0 --level=5 --raid-devices=3 --assume-clean --run --force \
		--bitmap=none $(ramdisks 3) >/dev/null 2>&1 && works
	reliable
	[ -e /sys/block/md0/md/array_state ] || create_array md0 5 $(ramdisks 3)
done
stop_array md0
wait_for 60 modprobe -r raid456
fallible
modprobe raid456
wait_for 20 hooked
reliable
create_array md0 5 $(ramdisks 3)
works
times=$(cat $inject/failslab/times)
echo -1 >$inject/failslab/times
echo N >$inject/failslab/task-filter
diag "$((100000 - times)) allocations of work items failed"
holds "work items met failures" "$times < 100000"
wait_for 60 rmmod raid5stat
load level=latency
check "loaded again it counts" wait_for 100 counting md0
equal "with every hook" "$(armed)" "$reference"
said=$(complaints | head -n 3)
if [ -z "$said" ]; then
	pass "no complaint of the kernel"
else
	fail "no complaint of the kernel" "$said"
	dmesg | tail -n 60 | sed 's/^/# /'
fi
check "the array stops" stop_array md0
dmesg --clear
dmesg --console-level "$level"
echo "$panic" >/proc/sys/kernel/panic_on_warn
finish
