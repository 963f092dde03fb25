#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Samples at a period: every tick arrives or is counted as lost, and a subscription ends with its reader.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm fio setpriv
[ -x "$programs/netlink_sampler" ] || skip_all "netlink_sampler is not built"
plan 37

seconds=${R5S_SECONDS:-60}
enabled=/sys/kernel/tracing/enabled_functions
sampler="$programs/netlink_sampler"
latency=3 counters=2 gauges=1

# field FILE KEY: a number that the reader reported
field() { tr ' ' '\n' <"$1" | sed -n "s/^$2=//p"; }
started() { grep -q started "$1.log"; }
# start NAME ARG...: a reader in the background, subscribed when this returns; its process is $reader
start()
{
	local out=$scratch/$1
	shift
	"$sampler" "$@" >"$out" 2>"$out.log" &
	reader=$!
	wait_for 300 started "$out" || diag "$(cat "$out.log" "$out")"
}
# whole NAME FILE: the ticks that arrived and those that were lost are all there were
whole()
{
	diag "$1: $(cat "$2" "$2.log" | tr '\n' ' ')"
	equal "$1: no tick is unaccounted for" "$(field "$2" broken)" 0
	equal "$1: arrived and lost are all ticks" "$(($(field "$2" arrived) + $(field "$2" lost)))" "$(field "$2" next)"
}
disarmed() { ! grep -q raid5stat "$enabled"; }

load_on()
{
	fio --name=load --filename=/dev/md0 --rw=randwrite --bs=64k --direct=1 --ioengine=libaio --iodepth=16 \
		--numjobs=2 --time_based --runtime=3600 >"$scratch/fio.log" 2>&1 &
	fio=$!
	wait_for 100 busy
}
busy() { [ "$(stat_field md0 5)" -gt 50 ]; }
load_off() { kill -INT $fio; wait $fio 2>/dev/null; }

make_ramdisks 7 65536
create_array md0 5 $(ramdisks 4)
load level=off
equal "before: no hook is armed" "$(grep -c raid5stat "$enabled")" 0

# 1 kHz beside a load that keeps all processors busy.
load_on
start khz $latency 1000000 "$seconds" md0
holds "the level of the reader is in force" "$(grep -c raid5stat "$enabled") >= 8"
wait $reader
load_off
whole "1 kHz" "$scratch/khz"
holds "1 kHz: as many ticks as the time has" "$(field "$scratch/khz" next) >= $seconds * 1000 &&
	$(field "$scratch/khz" next) <= $seconds * 1000 + 30000"
holds "1 kHz: ticks arrive, as many as an emulated machine can take" "$(field "$scratch/khz" arrived) > $seconds * 50"
equal "1 kHz: each tick has its array" "$(field "$scratch/khz" samples)" "$(field "$scratch/khz" arrived)"
equal "1 kHz: all are of one array, in order" "$(field "$scratch/khz" arrays)$(field "$scratch/khz" disordered)" 10
equal "1 kHz: counters count in every sample" "$(field "$scratch/khz" counted)" "$(field "$scratch/khz" samples)"
holds "1 kHz: the reader's clock sees the period too, within 2 %" \
	"$(field "$scratch/khz" reader_period) > 980000 && $(field "$scratch/khz" reader_period) < 1020000"
holds "1 kHz: samples come in batches" "$(field "$scratch/khz" batches) < $seconds * 50"
diag "1 kHz beside a load: late by $(field "$scratch/khz" late_median) us (median), $(field "$scratch/khz" late_p99)" \
	"us (p99), $(field "$scratch/khz" late_max) us (longest)"
check "after it the probes are disarmed" wait_for 300 disarmed

# Two readers, two periods, other arrays come and go.
short=$((seconds / 6 + 2))
start fast $counters 20000000 $short
fast=$reader
start slow $gauges 70000000 $short md0
slow=$reader
create_array md1 5 /dev/ram4 /dev/ram5 /dev/ram6
wait_for 100 test -e "$dbg/md1/cache"
stop_array md1
wait $fast $slow
whole "20 ms" "$scratch/fast"
whole "70 ms" "$scratch/slow"
equal "two readers, each has its period" "$(field "$scratch/fast" period) $(field "$scratch/slow" period)" \
	"20000000 70000000"
holds "two readers: both periods are kept" "$(field "$scratch/fast" next) >= $short * 50 &&
	$(field "$scratch/slow" next) >= $short * 14 && $(field "$scratch/slow" next) < $short * 15 + 200"
holds "an array that comes and goes is sampled" "$(field "$scratch/fast" arrays) == 2 &&
	$(field "$scratch/fast" samples) > $(field "$scratch/fast" arrived)"
equal "and not where another one was chosen" "$(field "$scratch/slow" arrays)" 1

# A reader that stops to read.
start stuck $counters 1000000 $((short + 6)) md0
kill -STOP $reader
sleep 4
kill -CONT $reader
wait $reader
whole "stopped for 4 s" "$scratch/stuck"
holds "stopped for 4 s: what was lost is told" "$(field "$scratch/stuck" lost) > 1000"
equal "stopped for 4 s: it ended in order" "$(field "$scratch/stuck" ended)" 1

# A reader that is killed.
start killed $latency 1000000 3600
holds "a reader has armed the probes" "$(grep -c raid5stat "$enabled") >= 8"
kill -KILL $reader
wait $reader 2>/dev/null
check "killed: the probes are disarmed" wait_for 300 disarmed

"$sampler" many 33 >"$scratch/many" 2>&1
diag "$(cat "$scratch/many")"
check "32 readers, the 33rd is told what to do" grep -q '^taken=32 error=87 text="32 readers.*stop one' "$scratch/many"
check "one goes, and one may come" grep -q 'after one went: error=0' "$scratch/many"

refused() { ${as:-} "$sampler" "${@:3}" >"$scratch/refused" 2>&1; grep -q "^error=$1 text=\".*$2" "$scratch/refused" ||
	{ cat "$scratch/refused"; return 1; }; }
check "a period too short is refused, with the range" refused 34 "1000000 (1 ms)" $gauges 999999 1
check "a period too long is refused" refused 34 "60 s" $gauges 60000000001 1
check "an array that is not there is refused" refused 19 "no raid4/5/6 array" $gauges 1000000 1 nonsense
as="setpriv --reuid 65534 --regid 65534 --clear-groups"
check "an unprivileged reader is refused" refused 1 "" $gauges 1000000 1

# The module goes under readers.
start last1 $latency 1000000 3600
last1=$reader
start last2 $gauges 500000000 3600 md0
check "rmmod works under two readers" rmmod raid5stat
wait $last1 $reader
whole "unloaded" "$scratch/last1"
equal "unloaded: both readers were told that it is over" "$(field "$scratch/last1" ended)$(field "$scratch/last2" ended)" 11
check "the array stops" stop_array md0
finish
