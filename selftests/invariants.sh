#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# After real load and at rest, our numbers are those of sysfs, slabinfo, diskstats and blktrace, exactly.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm fs_mark fio blktrace strings mkfs.ext4 mkfs.xfs

rows=${R5S_ROWS:-40}	# rows of 64 KiB chunks, of 16 stripes each
cases=${R5S_CASES:-"ext4:5:1 ext4:6:0 xfs:5:0 xfs:6:1"}	# file system : RAID level : fs_mark -S
count=$(wc -w <<<"$cases")
plan $((count * 13 + 16))

# Objects in use in the array's slab; SLUB reports whole slabs as in use while they are per-CPU.
slab() { awk -v n="raid$2-$1" '$1 == n { print $2, $5 }' /proc/slabinfo; }

check_slab()
{
	local inuse per size cpus
	read -r inuse per < <(slab "$1" "$2")
	size=$(metric "$1" cache size)
	cpus=$(nproc)
	holds "$3: size and the slab's objects" \
		"$size <= ${inuse:-} && ${inuse:-} <= $size + $per * ($cpus * 32 + 1)"
}

# Baseline of the array's own statistics, and what the module says; the array is idle.
before_stat() { read -r -a stat0 <"/sys/block/$1/stat"; for m in read_requests read_sectors write_requests write_sectors \
	discard_requests discard_sectors flushes; do base[$m]=$(metric "$1" writes $m); done; }
declare -A base
delta() { echo $(($(metric "$1" writes "$2") - base[$2])); }

check_load()
{
	local fs=$1 level=$2 method=$3 name="$1 RAID$2 -S$3" disks=4 s
	[ "$level" = 6 ] && disks=5
	create_array md0 "$level" $(ramdisks $disks) || return
	wait_for 100 counting md0
	if [ "$fs" = xfs ]; then
		mkfs.xfs -q -f /dev/md0
	else
		mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/md0
	fi
	settle md0
	before_stat md0
	mkdir -p "$scratch/mnt"
	mount "/dev/md0" "$scratch/mnt"
	fs_mark -d "$scratch/mnt" -n "${R5S_FILES:-40}" -s 65536 -t 4 -S "$method" >"$scratch/fs_mark.log" 2>&1 ||
		diag "$(cat "$scratch/fs_mark.log")"
	umount "$scratch/mnt"
	settle md0

	read -r -a s <"/sys/block/md0/stat"
	equal "$name: read requests are diskstats'" "$(delta md0 read_requests)" $((s[0] - stat0[0]))
	equal "$name: read sectors are diskstats'" "$(delta md0 read_sectors)" $((s[2] - stat0[2]))
	equal "$name: write requests are diskstats'" "$(delta md0 write_requests)" $((s[4] - stat0[4]))
	equal "$name: write sectors are diskstats'" "$(delta md0 write_sectors)" $((s[6] - stat0[6]))
	equal "$name: discard sectors are diskstats'" "$(delta md0 discard_sectors)" $((s[13] - stat0[13]))
	equal "$name: size identity" "$(metric md0 cache size)" \
		$(($(metric md0 cache size_at_start) + $(metric md0 cache grow_ok) - $(metric md0 cache drop_ok)))
	check_slab md0 "$level" "$name"
	equal "$name: active is sysfs'" "$(metric md0 cache active)" "$(sysfs md0 stripe_cache_active)"
	equal "$name: at rest as many waits ended as begun" "$(metric md0 cache waits_begun)" \
		"$(metric md0 cache waits_ended)"
	equal "$name: nobody waits at rest" "$(metric md0 cache waiters)" 0
	holds "$name: reclaim frees no more than it asks for" \
		"$(metric md0 reclaim asked) >= $(metric md0 reclaim freed)"
	holds "$name: stripes were written" \
		"$(metric md0 writes stripes_full) + $(metric md0 writes stripes_rcw) + $(metric md0 writes stripes_rmw) > 0"
	check "$name: the array stops" stop_array md0
}

# One block in every stripe, once: what must be read before is known, and blktrace tells it independently.
check_prereads()
{
	local disks=$1 kind=$2 other=$3 name="$2 on $1 disks" i reads=0 r0=0 want
	create_array md0 5 $(slow_disks "$disks") || return
	blockdev --getsize64 /dev/md0 >/dev/null	# the first open reads a partition table
	wait_for 100 counting md0
	settle md0
	before_stat md0
	for ((i = 0; i < disks; i++)); do r0=$((r0 + $(stat_field "nullb$i" 3))); done
	base[pre]=$(metric md0 writes "preread_${kind}_sectors") base[st]=$(metric md0 writes "stripes_$kind")
	base[preo]=$(metric md0 writes "preread_${other}_sectors")
	blktrace -d /dev/md0 -o - >"$scratch/trace" 2>"$scratch/blktrace.log" &
	local tracer=$!
	wait_for 100 test -e /sys/kernel/debug/block/md0/trace0
	# 64 KiB chunks: the first chunk of each row of chunks, block by block, touches each stripe once.
	fio --name=w --filename=/dev/md0 --rw=write --bs=4k --direct=1 --ioengine=psync --zonemode=strided \
		--zonesize=64k --zonerange=$(((disks - 1) * 64))k --size=$(((disks - 1) * 64 * rows))k \
		--io_size=$((rows * 64))k >"$scratch/fio.log" 2>&1 || diag "$(cat "$scratch/fio.log")"
	settle md0
	kill -INT "$tracer"
	wait "$tracer"
	# The messages are notes in the stream, which blkparse 1.2 drops when they carry a cgroup.
	strings -n 6 "$scratch/trace" | grep -o "raid5 r[cm]w [0-9 ]*" >"$scratch/messages"

	for ((i = 0; i < disks; i++)); do reads=$((reads + $(stat_field "nullb$i" 3))); done
	equal "$name: members' own read sectors" \
		$(($(metric md0 writes "preread_${kind}_sectors") - base[pre])) $((reads - r0))
	equal "$name: none of the other kind" "$(metric md0 writes "preread_${other}_sectors")" "${base[preo]}"
	if [ "$kind" = rcw ]; then
		# "raid5 rcw SECTOR RCW QREAD DELAYED": QREAD blocks are read by this very pass.
		want=$(awk '$2 == "rcw" { n += $5 } END { print n * 8 }' "$scratch/messages")
	else
		# "raid5 rmw SECTOR N": passes repeat until the N blocks may be read; each stripe is written once.
		want=$(awk '$2 == "rmw" { n[$3] = $4 } END { for (s in n) t += n[s]; print t * 8 }' "$scratch/messages")
	fi
	equal "$name: blktrace's messages" $(($(metric md0 writes "preread_${kind}_sectors") - base[pre])) "$want"
	equal "$name: stripes" $(($(metric md0 writes "stripes_$kind") - base[st])) \
		"$(awk -v k="$kind" '$2 == k { print $3 }' "$scratch/messages" | sort -u | wc -l)"
	equal "$name: stripes are 16 a row" $(($(metric md0 writes "stripes_$kind") - base[st])) $((rows * 16))
	equal "$name: write sectors" "$(delta md0 write_sectors)" $((rows * 16 * 8))
	stop_array md0
}

make_ramdisks 6 131072
load level=latency
for c in $cases; do
	IFS=: read -r fs level method <<<"$c"
	check_load "$fs" "$level" "$method"
done
# Ramdisks do not account what is read from them; these do.
modprobe null_blk nr_devices=0
make_slow_disks 5 128 1000
check_prereads 4 rcw rmw
check_prereads 5 rmw rcw

# Whole stripes: nothing is read, and each is counted once.
create_array md0 5 $(slow_disks 4)
blockdev --getsize64 /dev/md0 >/dev/null
wait_for 100 counting md0
settle md0
full0=$(metric md0 writes stripes_full) r0=0
for i in 0 1 2 3; do r0=$((r0 + $(stat_field nullb$i 3))); done
fio --name=w --filename=/dev/md0 --rw=write --bs=192k --direct=1 --ioengine=psync --size=$((rows * 192))k >"$scratch/fio.log" 2>&1
settle md0
r1=0
for i in 0 1 2 3; do r1=$((r1 + $(stat_field nullb$i 3))); done
equal "full stripes: each row of 16 stripes" $(($(metric md0 writes stripes_full) - full0)) $((rows * 16))
equal "full stripes: members read nothing" $r1 "$r0"
base[rs]=$(metric md0 writes read_sectors) base[rr]=$(metric md0 writes read_requests)
read -r -a stat0 <"/sys/block/md0/stat"
fio --name=r --filename=/dev/md0 --rw=randread --bs=4k-128k --direct=1 --ioengine=psync --size=$((rows * 192))k --io_size=4m \
	--randseed=7 >"$scratch/fio.log" 2>&1
settle md0
read -r -a stat1 <"/sys/block/md0/stat"
equal "random reads: sectors are diskstats'" $(($(metric md0 writes read_sectors) - base[rs])) $((stat1[2] - stat0[2]))
equal "random reads: requests are diskstats'" $(($(metric md0 writes read_requests) - base[rr])) $((stat1[0] - stat0[0]))
finish
