#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Random operations on arrays under load, on the module and on its readers; at rest all books balance, and at
# the end memory is back. R5S_SOAK_SECONDS: how long; R5S_SEED: repeats the sequence that a run has printed.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm fs_mark fio mkfs.ext4 pgrep setsid
[ -x "$programs/netlink_deaf" ] || skip_all "the programs of the tests are not built"
# Where the host sees it, should the guest die.
ops=${R5S_OUT:-$scratch}/soak.ops
# shellcheck source=_soak.sh
. "$(dirname "$0")/_soak.sh"
plan 17

seconds=${R5S_SOAK_SECONDS:-150}
seed=${R5S_SEED:-$((RANDOM << 15 | RANDOM))}
echo "seed $seed, $seconds s" >"$ops"
diag "seed $seed, $seconds s; again with: make soak SECONDS=$seconds SEED=$seed"

# How often each is drawn.
table="resize:8 tune:8 sync:5 member:5 recreate:4 takeover:3 reshape:1 bitmap:1 reader:10 kill:6 pause:5 flood:3
	level:5 module:4 raid456:1 cpu:6 drop:4 hog:2"
# Those that do not begin the counting anew.
gentle="resize:8 tune:8 sync:3 member:2 reader:10 kill:6 pause:5 flood:3 cpu:6 drop:4 hog:1"

weigh()
{
	local w i
	drawn=()
	for w in $1; do
		for ((i = 0; i < ${w#*:}; i++)); do drawn+=("${w%:*}"); done
	done
}

number=0
# Always four draws, whatever comes of them.
step()
{
	local op a b c
	op=${drawn[RANDOM % ${#drawn[@]}]} a=$RANDOM b=$RANDOM c=$RANDOM
	number=$((number + 1))
	echo "$number op_$op $a $b $c at $((SECONDS - start)) s" >>"$ops"
	"op_$op" "$a" "$b" "$c"
}

# --- what must hold at rest -----------------------------------------------------------------------

quiet()
{
	local a
	all_cpus
	for a in md0 md1; do
		stop_load $a
		# What is under way may take its time; only a check is not worth waiting for.
		case $(sysfs $a sync_action) in
		check|repair|frozen) echo idle >"$(md $a)/sync_action" ;;
		esac
		wait_for 600 at_rest $a || { diag "$a: $(sysfs $a sync_action) does not end"; return 1; }
		settle $a || { diag "$a does not come to rest"; return 1; }
	done
}

# nothing COMMAND...: it has nothing to say
nothing() { [ -z "$("$@" 2>&1 | tee /dev/stderr)" ]; }

# agree ARRAY WHAT A B: complain unless they are equal
agree() { [ -n "$3" ] && [ "$3" = "$4" ] || echo "$1: $2: $3 is not $4"; }

floor_counts() { grep -q 'counters\|latency' "$params/level"; }
counting_both() { counting md0 && counting md1; }

# books ARRAY: what does not hold, nothing if all does; counters only where they count
books()
{
	local m=$1 size inuse per
	size=$(metric "$m" cache size)
	agree "$m" "floor" "$(metric "$m" cache floor)" "$(sysfs "$m" stripe_cache_size)"
	agree "$m" "active" "$(metric "$m" cache active)" "$(sysfs "$m" stripe_cache_active)"
	agree "$m" "disks" "$(metric "$m" about disks)" "$(sysfs "$m" raid_disks | cut -d ' ' -f 1)"
	agree "$m" "level" "raid$(metric "$m" about level)" "$(sysfs "$m" level)"
	agree "$m" "degraded" "$(metric "$m" about degraded)" "$(sysfs "$m" degraded)"
	read -r inuse per < <(awk -v n="^raid[456]-$m(-alt)?$" '$1 ~ n { print $2, $5 }' /proc/slabinfo)
	[ "$size" -le "${inuse:-0}" ] && [ "$inuse" -le $((size + per * ($(nproc) * 32 + 1))) ] ||
		echo "$m: size $size, but $inuse in its slab"
	# A reader may hold the counters for a moment; only the floor keeps them.
	floor_counts || return 0
	agree "$m" "size and what was grown and dropped" "$size" \
		$(($(metric "$m" cache size_at_start) + $(metric "$m" cache grow_ok) - $(metric "$m" cache drop_ok)))
	agree "$m" "waits begun and ended" "$(metric "$m" cache waits_begun)" "$(metric "$m" cache waits_ended)"
	agree "$m" "waiters" "$(metric "$m" cache waiters)" 0
	agree "$m" "member reads in flight" "$(metric "$m" writes member_reads_in_flight)" 0
	agree "$m" "member writes in flight" "$(metric "$m" writes member_writes_in_flight)" 0
	[ "$(metric "$m" reclaim asked)" -ge "$(metric "$m" reclaim freed)" ] || echo "$m: reclaim freed more than it asked for"
}

declare -A base
words=(read_requests:1 read_sectors:3 write_requests:5 write_sectors:7 discard_sectors:14)
remember()
{
	local a w
	for a in md0 md1; do
		for w in "${words[@]}"; do
			base[$a.$w]=$(metric $a writes "${w%:*}") base[$a.$w.stat]=$(stat_field $a "${w#*:}")
		done
	done
	counted=yes
}

# since ARRAY: the sectors and requests since then, against the array's own statistics
since()
{
	local w
	for w in "${words[@]}"; do
		agree "$1" "${w%:*} and diskstats" $(($(metric "$1" writes "${w%:*}") - base[$1.$w])) \
			$(($(stat_field "$1" "${w#*:}") - base[$1.$w.stat]))
	done
}

# --- the walk -------------------------------------------------------------------------------------

meminfo() { awk -v n="$1:" '$1 == n { print $2 }' /proc/meminfo; }
left() { grep -c '^raid[456]-md' /proc/slabinfo; }

# All that was made is gone; what stays is the kernel's own.
bare()
{
	local a
	for a in md0 md1; do
		[ ! -e "/sys/block/$a/md/array_state" ] || wait_for 300 stop_array $a || return
	done
	[ ! -d "$dbg" ] || wait_for 300 rmmod raid5stat || return
	wait_for 300 modprobe -r raid456
	sync
	for a in 1 2 3 4 5 6 7 8 9 10; do echo 3 >/proc/sys/vm/drop_caches; done
}

dmesg >"$scratch/dmesg.before"
complaints()
{
	dmesg | tail -n +$(($(wc -l <"$scratch/dmesg.before") + 1)) |
		grep -E 'BUG:|WARNING:|KASAN|UBSAN|ODEBUG|Oops|possible (circular|recursive) locking|suspicious RCU|blocked for more' &&
		return 1
	return 0
}

make_ramdisks 10 "${R5S_SOAK_KIB:-32768}"
# All their pages are there before memory is measured: they stay.
for d in /dev/ram[0-9]; do dd if=/dev/zero of="$d" bs=1M oflag=direct status=none 2>/dev/null; done
mkdir -p "$scratch/mnt"
: >"$scratch/read"
: >"$scratch/deaf"

# One life of everything, so that what the kernel keeps for ever is there.
counted=no
load level=latency
make md0 5 64
make md1 5 64
start_load md0
start_load md1
wait_for 100 counting md0
quiet
bare
available=$(meminfo MemAvailable) percpu=$(meminfo Percpu) slab=$(meminfo SUnreclaim)

load level=latency
make md0 5 64
make md1 5 64
start_load md0
start_load md1
RANDOM=$seed
start=$SECONDS
stops=0 unbalanced=0
weigh "$table"
while [ $((SECONDS - start)) -lt $((seconds * 3 / 4)) ] && [ $problems = 0 ] && [ $unbalanced = 0 ]; do
	step
	[ $((number % 40)) = 0 ] || continue
	# Now and then all comes to rest, and the books are looked into.
	echo "rest" >>"$ops"
	quiet || { unbalanced=1; break; }
	stops=$((stops + 1))
	! floor_counts || wait_for 100 counting_both
	{ books md0; books md1; [ $counted = no ] || { since md0; since md1; }; } >"$scratch/books" 2>&1
	[ ! -s "$scratch/books" ] || { unbalanced=1; diag "$(cat "$scratch/books")"; }
	counted=no
	! floor_counts || remember
	start_load md0
	start_load md1
done
check "$number random operations: each did what it must" test $problems = 0
equal "at $stops stops on the way all books balanced" "$unbalanced" 0
[ "$problems$unbalanced" = 00 ] || diag "seed $seed; the last operations:" "$(trail)"

# The last part counts without a break, under all that does not begin it anew.
# Not by check(), which has a shell of its own: what runs is known here.
quiet; rested=$?
equal "all comes to rest" $rested 0
put "$params/level" latency
wait_for 100 counting_both
settle md0
settle md1
remember
problems=0 RANDOM=$((seed + 1))
weigh "$gentle"
stop_deaf
op_flood 0 0 0
start_load md0
start_load md1
end=$((SECONDS + seconds / 4))
until [ $SECONDS -ge $end ] || [ $problems != 0 ]; do step; done
check "$number operations in all: each of the last ones did what it must" test $problems = 0
stop_readers
stop_deaf
quiet; rested=$?
equal "all readers ended, and all comes to rest" $rested 0
holds "something was written" "$(metric md0 writes write_sectors) + $(metric md1 writes write_sectors) > \
	${base[md0.write_sectors:7]} + ${base[md1.write_sectors:7]}"
for a in md0 md1; do
	check "$a: it counted to the end" counting $a
	check "$a: all books balance" nothing books $a
	check "$a: requests and sectors are diskstats'" nothing since $a
done
[ "$test_failed" = 0 ] || diag "seed $seed; the last operations:" "$(trail)"
diag "deaf listeners: $(awk '{ l += $2; e += $4 } END { print l + 0 " times out of buffer, " e + 0 " events" }' "$scratch/deaf.log" 2>/dev/null)"
holds "listeners ran out of buffer" "$(awk '{ n += $2 } END { print n + 0 }' "$scratch/deaf.log" 2>/dev/null) > 0"
diag "refused by the state of an array: $(grep -c '  refused' "$ops")"

check "both arrays stop, the module and raid456 can go" bare
equal "no stripe cache is left" "$(left)" 0
if [ -e /sys/kernel/debug/kmemleak ]; then
	# KASAN keeps what was freed for a while.
	skip "memory is back" "kmemleak looks for leaks on this kernel"
else
	diag "KiB more than before: per CPU $(($(meminfo Percpu) - percpu)), slabs $(($(meminfo SUnreclaim) - slab)), available $(($(meminfo MemAvailable) - available))"
	holds "memory is back" "$(meminfo Percpu) - $percpu < 1024 && $(meminfo SUnreclaim) - $slab < 16384 && \
		$available - $(meminfo MemAvailable) < 65536"
fi
check "the kernel did not complain" complaints
finish
