#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is under way, looked up, dirtied and reclaimed: our numbers are those of sysfs, /proc/vmstat,
# tracepoints and kprobe events.
. "$(dirname "$0")/_common.sh"
. "$(dirname "$0")/_trace.sh"
need_root
need_tools mdadm fio
need_kprobe_events
plan 19

# In flight: slow members, so that there is always something.
make_slow_disks 3 96 4000000
load level=latency
create --level=5 --raid-devices=3 --assume-clean --bitmap=none /dev/nullb0 /dev/nullb1 /dev/nullb2
equal "in flight: nothing at rest" "$(metric md0 writes array_writes_in_flight)$(metric md0 writes array_reads_in_flight)" 00
fio --name=f --filename=/dev/md0 --rw=randwrite --bs=64k --direct=1 --ioengine=libaio --iodepth=8 --time_based --runtime=600 \
	>"$scratch/fio.log" 2>&1 &
fio=$!
inflight() { [ "$(metric md0 writes array_writes_in_flight)" = "$(awk '{ print $2 }' /sys/block/md0/inflight)" ] &&
	[ "$(metric md0 writes array_writes_in_flight)" -gt 0 ]; }
check "in flight: at the array, as sysfs says" wait_for 60 inflight
members() { [ "$(metric md0 writes member_writes_in_flight)" -gt 0 ] || [ "$(metric md0 writes member_reads_in_flight)" -gt 0 ]; }
check "in flight: and at its members" wait_for 60 members
kill -INT $fio
wait $fio 2>/dev/null
settle md0

# Lookups in the cache: a stripe that is not written whole is never batched, so nobody else looks.
watch looked '' 'p:looked raid456:find_get_stripe'
watch found 'ret!=0' 'r:found raid456:find_get_stripe ret=$retval:u64'
watch taken 'ret!=0' 'r:taken raid456:get_free_stripe ret=$retval:u64'
watch ranout 'ret==0' 'r:ranout raid456:get_free_stripe ret=$retval:u64'
from_here cache.lookups=looked cache.hits=found cache.free_taken=taken cache.out_of_stripes=ranout
dropped=$(metric md0 cache drop_ok)
fio --name=r --filename=/dev/md0 --rw=randwrite --bs=4k --blockalign=128k --norandommap --direct=1 --ioengine=libaio \
	--iodepth=64 --size=40m --io_size=2m >"$scratch/fio.log" 2>&1 || diag "$(cat "$scratch/fio.log")"
settle md0
same "cache: lookups" cache.lookups looked
same "cache: hits" cache.hits found
holds "cache: 512 blocks were looked for" "$(since cache.lookups) >= 512"
dropped=$(($(metric md0 cache drop_ok) - dropped))
equal "cache: free stripes taken" $(($(since cache.free_taken) + dropped)) "$(hits taken)"
same "cache: out of stripes" cache.out_of_stripes ranout
unwatch looked found taken ranout

# Writeback: pages to the array, and writers that are made to wait for it.
bdi() { awk -v n="$1:" '$1 == n { print $2 }' "/sys/kernel/debug/bdi/9:0/stats"; }
pages=$(($(getconf PAGESIZE) / 1024)) slack=$((16 * $(nproc) * 2))
echo 'hist:keys=common_cpu if bdi=="9:0" && pause>0' >$tracing/events/writeback/balance_dirty_pages/trigger
pauses=$(metric md0 writeback pauses) dirtied=$(metric md0 writeback dirtied)
bytes=$(cat /proc/sys/vm/dirty_bytes) ratio=$(cat /proc/sys/vm/dirty_ratio)
echo 4194304 >/proc/sys/vm/dirty_bytes
dd if=/dev/zero of=/dev/md0 bs=64k count=400 conv=fsync status=none
[ "$bytes" != 0 ] && echo "$bytes" >/proc/sys/vm/dirty_bytes || echo "$ratio" >/proc/sys/vm/dirty_ratio
settle md0
seen=$(awk '/^ *Hits:/ { n = $2 } END { print n + 0 }' $tracing/events/writeback/balance_dirty_pages/hist)
untrigger $tracing/events/writeback/balance_dirty_pages
equal "writeback: pauses are those of the tracepoint" $(($(metric md0 writeback pauses) - pauses)) "$seen"
holds "writeback: the writer was paused" "$seen > 0 && $(metric md0 writeback pause_ns) > 0"
holds "writeback: 6400 pages were dirtied" "$(metric md0 writeback dirtied) - $dirtied >= 6400 &&
	$(metric md0 writeback dirtied) - $dirtied < 6500"
holds "writeback: dirtied is the bdi's" "$(metric md0 writeback dirtied) - $(bdi BdiDirtied) / $pages <= $slack &&
	$(bdi BdiDirtied) / $pages - $(metric md0 writeback dirtied) <= $slack"
holds "writeback: written is the bdi's" "$(metric md0 writeback written) - $(bdi BdiWritten) / $pages <= $slack &&
	$(bdi BdiWritten) / $pages - $(metric md0 writeback written) <= $slack"

# Memory: the system's own counters enclose ours, whatever happens between the reads.
vmstat() { awk -v p="$1" '$1 ~ p { n += $2 } END { printf "%d", n }' /proc/vmstat; }
enclosed()
{
	local low now
	low=$(vmstat "$3")
	now=$(metric md0 reclaim "$2")
	holds "$1" "$low <= $now && $now <= $(vmstat "$3") && $now >= ${4:-0}"
}
for d in $(slow_disks 3); do dd if="$d" of=/dev/null bs=1M status=none; done
free=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
head -c $(((free + 100000) * 1024)) /dev/zero | tail -c $(((free + 100000) * 1024)) >/dev/null
scanned='^pgscan_(kswapd|direct|khugepaged)$'
if [ "$(vmstat "$scanned")" != 0 ]; then
	enclosed "memory: pages scanned are /proc/vmstat's" pages_scanned "$scanned" 1
else
	skip "memory: pages scanned are /proc/vmstat's" "nothing was scanned in $free KiB of free memory"
fi
enclosed "memory: pages stolen are /proc/vmstat's" pages_stolen '^pgsteal_(kswapd|direct|khugepaged)$'
enclosed "memory: allocation stalls are /proc/vmstat's" alloc_stalls '^allocstall_'

# NUMA nodes are told by netlink only.
if [ -n "${R5S_YNL:-}" ] && [ -r "$R5S_YNL/tools/net/ynl/cli.py" ]; then
	node() { (cd "$R5S_YNL" && /usr/bin/python3 tools/net/ynl/cli.py --output-json --dump node-get \
		--spec "$R5S_YNL/Documentation/netlink/specs/raid5stat.yaml") | jq ".[0].\"$1\""; }
	for m in dirtied written; do
		low=$(awk -v n="nr_$m" '$1 == n { print $2 }' /sys/devices/system/node/node0/vmstat)
		now=$(node $m)
		high=$(awk -v n="nr_$m" '$1 == n { print $2 }' /sys/devices/system/node/node0/vmstat)
		holds "node 0: pages $m are those of its vmstat" "$low <= $now && $now <= $high && $low > 0"
	done
else
	skip "node 0: pages dirtied" "no ynl here (R5S_YNL)"
	skip "node 0: pages written" "no ynl here (R5S_YNL)"
fi
check "the slow array stops" stop_array md0
finish
