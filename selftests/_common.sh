# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Shared by the tests: KTAP lines, the module, arrays on ramdisks or slow disks, one metric by name.
# A test sources this, says plan N, and ends with finish.

dbg=/sys/kernel/debug/raid5stat
module=${R5S_MODULE:-}
ksft_skip=4
test_no=0 test_failed=0 test_skipped=0 test_plan=0
scratch=$(mktemp -d)
# Where the programs of the tests are; beside the scripts when kselftest installed them.
# shellcheck disable=SC2034 # for who sources this
programs=${R5S_PROGRAMS:-$(cd "$(dirname "$0")" && pwd)}

plan() { test_plan=$1; echo "TAP version 13"; echo "1..$1"; }
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }
pass() { test_no=$((test_no + 1)); echo "ok $test_no - $1"; }
fail() { test_no=$((test_no + 1)); test_failed=$((test_failed + 1)); echo "not ok $test_no - $1"; [ $# -lt 2 ] || diag "$2"; }
skip() { test_no=$((test_no + 1)); test_skipped=$((test_skipped + 1)); echo "ok $test_no - $1 # SKIP $2"; }

# check NAME COMMAND...: one result line for a command; what it prints becomes a diagnosis
check()
{
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
}

# equal NAME A B WHAT: two numbers that must be the same
equal()
{
	if [ -n "$2" ] && [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "$2 is not $3${4:+ ($4)}"
	fi
}

# holds NAME EXPRESSION: an arithmetic condition on numbers; where one is absent, two blanks meet and it fails
holds()
{
	local v
	case "$2" in
	" "*|*" "|*"  "*|*"( "*|*" )"*) v='' ;;
	*) v=$(printf %d "$(($2))" 2>/dev/null) ;;
	esac
	if [ -n "$v" ] && [ "$v" != 0 ]; then
		pass "$1"
	else
		fail "$1" "does not hold: $2"
	fi
}

skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $1"
	rm -rf "$scratch"
	exit $ksft_skip
}

finish()
{
	cleanup
	[ "$test_no" = "$test_plan" ] || { diag "planned $test_plan tests but ran $test_no"; test_failed=$((test_failed + 1)); }
	echo "# Totals: pass:$((test_no - test_failed - test_skipped)) fail:$test_failed skip:$test_skipped"
	trap - EXIT
	rm -rf "$scratch"
	[ "$test_failed" = 0 ] || exit 1
	[ "$test_no" != "$test_skipped" ] || exit $ksft_skip
	exit 0
}

# Arrays that are somebody else's: no test stops them.
others=$(awk '$2 == ":" { print $1 }' /proc/mdstat 2>/dev/null | tr '\n' ' ')

cleanup()
{
	local m
	for m in "$scratch"/mnt*; do
		mountpoint -q "$m" && umount "$m"
	done
	for m in /sys/block/md*/md/array_state; do
		[ -e "$m" ] || continue
		m=${m#/sys/block/} m=${m%%/*}
		[[ " $others " = *" $m "* ]] || mdadm --quiet --stop "/dev/$m" 2>/dev/null
	done
	remove_slow_disks
	rmmod brd 2>/dev/null
	rmmod raid5stat 2>/dev/null
	return 0
}
trap 'cleanup; rm -rf "$scratch"' EXIT

# wait_for SECONDS COMMAND...: until it succeeds; the limit is ten times what was ever seen
wait_for()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

need_tools()
{
	local t
	for t; do
		command -v "$t" >/dev/null || skip_all "$t is not installed"
	done
}

# need_root: and what is for root only: md's raid456, and the module
need_root()
{
	[ "$(id -u)" = 0 ] || skip_all "needs root"
	[[ " $others" != *" md0 "* ]] || skip_all "there is an array md0, as the tests would make: run them in a guest"
	modprobe -q -n raid456 || skip_all "this kernel has no raid456"
	if [ -n "$module" ]; then
		[ -r "$module" ] || skip_all "no $module: build the module, R5S_MODULE names it"
	else
		modinfo raid5stat >/dev/null 2>&1 || skip_all "no module raid5stat: install it, or set R5S_MODULE"
	fi
}

need_ramdisks()
{
	modprobe -q -n brd || skip_all "this kernel has no brd"
	[ ! -d /sys/module/brd ] || rmmod brd 2>/dev/null || skip_all "somebody uses the ramdisks of brd"
}

load()
{
	if [ -n "$module" ]; then
		insmod "$module" "$@"
	else
		modprobe raid5stat "$@"
	fi
}

# make_ramdisks N KIB
make_ramdisks() { rmmod brd 2>/dev/null; modprobe brd rd_nr="$1" rd_size="$2"; }

# create_array NAME LEVEL DISK...: as the robot creates it; more mdadm words in $mdadm_words
create_array()
{
	local name=$1 level=$2
	shift 2
	local words="--chunk=${chunk:-64} ${mdadm_words:-}"
	[ "${chunk:-}" != none ] || words=${mdadm_words:-}
	# shellcheck disable=SC2086 # words
	yes | mdadm --quiet --create "/dev/$name" --level="$level" --raid-devices=$# --assume-clean --run \
		--force --bitmap=none $words "$@" >"$scratch/mdadm.log" 2>&1 ||
		{ diag "$(cat "$scratch/mdadm.log")"; return 1; }
}

ramdisks() { local i; for ((i = 0; i < $1; i++)); do echo "/dev/ram$i"; done; }

stop_array() { mdadm --quiet --stop "/dev/$1" 2>"$scratch/stop.log" || { cat "$scratch/stop.log"; return 1; }; }

# make_slow_disks N MIB NS: disks that answer each request after NS, one at a time
make_slow_disks()
{
	local i d
	modprobe null_blk nr_devices=0
	for ((i = 0; i < $1; i++)); do
		d=/sys/kernel/config/nullb/nullb$i
		mkdir "$d" || return
		echo "$2" >"$d/size"
		echo 1 >"$d/memory_backed"
		echo 2 >"$d/queue_mode"
		echo 2 >"$d/irqmode"
		echo "$3" >"$d/completion_nsec"
		echo 1 >"$d/hw_queue_depth"
		echo 1 >"$d/power" || return
	done
}

remove_slow_disks()
{
	local d
	for d in /sys/kernel/config/nullb/nullb*; do
		[ -d "$d" ] || continue
		echo 0 >"$d/power"
		rmdir "$d"
	done
}

slow_disks() { local i; for ((i = 0; i < $1; i++)); do echo "/dev/nullb$i"; done; }

# metric ARRAY SET NAME: its value, nothing when it is absent
metric() { awk -v n="$3" '$1 == n { print $2 }' "$dbg/$1/$2" 2>/dev/null; }

# counting ARRAY: it is known and its counters count; arming takes a while after raid456 was loaded
counting() { [ -n "$(metric "$1" cache size_at_start)" ]; }

# idle ARRAY: all that was written has reached the members and no stripe is in use
idle()
{
	[ "$(cat "/sys/block/$1/md/stripe_cache_active")" = 0 ] &&
		awk '{ exit $9 != 0 }' "/sys/block/$1/stat"
}
settle() { sync; wait_for 300 idle "$1"; }

# deep_queue DIR MIB: more stripes are wanted at once than there are, so every pass of raid5d adds one
deep_queue()
{
	fio --name=deep --directory="$1" --rw=write --bs=1m --direct=1 --ioengine=libaio --iodepth=16 \
		--numjobs=2 --size="${2}m" --unlink=1 >"$scratch/fio.log" 2>&1 || diag "$(cat "$scratch/fio.log")"
}

# stat_field DISK N: field N of its block statistics, by the kernel's Documentation/block/stat.rst
stat_field() { awk -v n="$2" '{ print $n }' "/sys/block/$1/stat"; }

sysfs() { cat "/sys/block/$1/md/$2"; }
