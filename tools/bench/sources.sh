#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions that one pass over all sources costs in user space, beside one pass of sysstat's sadc.
# A pass is the difference of 12 and 2 passes, by ten: starting and ending do not count.

set -u -o pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 3
for p in valgrind gcc; do
	command -v "$p" >/dev/null || { echo "sources: $p is missing: tools/packages check" >&2; exit 3; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Iuser -o "$work/sources" tools/bench/sources.c \
	user/source/{source,values,procstat,vmstat,pairs,meminfo,slabs,disks,mpstat,irqs,nodes}.c \
	user/source/{cpuidle,rapl,mdthreads,rusage,perfstat,sysfs}.c -lm || exit 1

count()		# instructions of a command; 0 when it failed
{
	valgrind --tool=callgrind --callgrind-out-file="$work/out" "$@" >"$work/said" 2>"$work/log"
	sed -n 's/^==[0-9]*== Collected : //p' "$work/log"
}

pass()		# pass [SOURCE]
{
	local a b
	a=$(count "$work/sources" 2 "$@") b=$(count "$work/sources" 12 "$@")
	[ -n "$a" ] && [ -n "$b" ] || { echo "sources: callgrind failed:" >&2; cat "$work/log" >&2; exit 1; }
	echo $(((b - a) / 10))
}

all=$(pass) || exit 1
read -r n values <"$work/said"
printf '%-34s %12d instructions  (%d sources, %d values)\n' "sources: one pass over all" "$all" "$n" "$values"
for s in vmstat proc-vmstat meminfo slabinfo diskstats iostat interrupts mdthreads; do
	printf '%-34s %12d instructions\n' "sources: one pass of $s" "$(pass "$s")"
done

sadc=/usr/lib/sysstat/sadc
if [ -x "$sadc" ]; then
	a=$(count "$sadc" -S XALL 1 2 "$work/sa2") b=$(count "$sadc" -S XALL 1 5 "$work/sa5")
	printf '%-34s %12d instructions\n' "sadc -S XALL: one pass" $(((b - a) / 3))
else
	echo "sadc: not here (apt-get install sysstat)"
fi
