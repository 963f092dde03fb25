#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The reader in a guest: messages and exit statuses, show against sysfs, run against fs_mark, and recordings
# that survive. Needs root and a machine to spoil: it makes arrays of ramdisks.
#
# usage: R5S_MODULE=raid5stat.ko R5S_BIN=DIRECTORY user/cmd/test/reader.sh

set -u -o pipefail
bin=${R5S_BIN:?directory of the program raid5stat}/raid5stat
export RAID5STAT_MODULE=${R5S_MODULE:?file of the module}
work=$(mktemp -d /dev/shm/r5s.XXXXXX)
export RAID5STAT_DB=$work/runs.db XDG_RUNTIME_DIR=$work HOME=$work
mnt=$work/mnt
n=0 failed=0

cleanup()
{
	cd /
	mountpoint -q "$mnt" && umount "$mnt"
	mdadm --quiet --stop /dev/md0 /dev/md1 2>/dev/null
	rmmod raid5stat brd 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

result()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
		sed 's/^/# /' "$work/out" "$work/err" | tail -n "${3:-20}"
	fi
}

# says STATUS PATTERN NAME COMMAND...: exit status, and a line of standard error that tells what to do
says()
{
	local want=$1 pattern=$2 name=$3 rc
	shift 3
	"$@" >"$work/out" 2>"$work/err"
	rc=$?
	[ $rc = "$want" ] && { [ -z "$pattern" ] || grep -qE -- "$pattern" "$work/err"; }
	result $? "$name: status $rc, $(head -n 1 "$work/err" | cut -c 1-80)"
}

# field PATH: a value of the JSON in $work/out
field()
{
	jq -r "$1" "$work/out" 2>>"$work/err"
}

command -v jq >/dev/null && command -v fs_mark >/dev/null && command -v mdadm >/dev/null || {
	echo "1..0 # SKIP needs jq fsmark mdadm: apt install jq fsmark mdadm"
	exit 4
}

modprobe brd rd_nr=6 rd_size=98304 && modprobe raid456 || exit 3
cp "$bin" "$work/raid5stat" && bin=$work/raid5stat && chmod 755 "$work" "$bin"

# Nothing is there yet.
says 3 'raid5stat load' "show without the module" "$bin" show
says 3 'no such file|No such file' "load of a file that is not there" "$bin" load --module "$work/none.ko"
head -c 5000 /dev/urandom >"$work/bad.ko"
says 3 'rebuild|no module' "load of what is no module" "$bin" load --module "$work/bad.ko"
says 3 'needs root' "load as somebody else" setpriv --reuid 1000 --regid 1000 --clear-groups "$bin" load \
	--module "$work/bad.ko"
says 2 'counters' "load with a wrong level" "$bin" load --level often
"$bin" load >"$work/out" 2>"$work/err"
result $? "load"
"$bin" load >"$work/out" 2>"$work/err"
result $? "load again"
says 3 'mdadm' "show without an array" "$bin" show
says 3 'mdadm' "run without an array" "$bin" run -- true

mdadm --quiet --create /dev/md0 --run --level=5 --raid-devices=4 --assume-clean --chunk=64 --bitmap=none \
	/dev/ram0 /dev/ram1 /dev/ram2 /dev/ram3 &&
	mdadm --quiet --create /dev/md1 --run --level=1 --raid-devices=2 --assume-clean /dev/ram4 /dev/ram5 || exit 3
echo 40 >/sys/block/md0/md/stripe_cache_size
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/md0 && mkdir "$mnt" && mount /dev/md0 "$mnt" || exit 3

# Names.
says 2 'md1 is a raid1' "show of a RAID1" "$bin" show md1
says 2 'arrays here: md0' "and which arrays there are" "$bin" show md1
says 2 'md1 is a raid1|/dev/md1 is a raid1' "show of a RAID1 by its device" "$bin" show /dev/md1
says 2 'no such array' "show of no array" "$bin" show 'md9"; $(id)'
esc=$'a\033[31mb'
"$bin" show "$esc" >"$work/out" 2>"$work/err"
! grep -q $'\033' "$work/err"
result $? "a name never reaches the terminal raw"

# show against sysfs.
sync
"$bin" show md0 --json >"$work/out" 2>"$work/err"
[ "$(field '.arrays[0].metrics."cache.floor".value')" = 40 ] && [ "$(field .arrays[0].sysfs_stripe_cache_size)" = 40 ]
result $? "floor and sysfs say 40"
[ "$(field '.arrays[0].metrics."about.level".value')" = 5 ] &&
	[ "$(field '.arrays[0].metrics."about.disks".value')" = 4 ] &&
	[ "$(field '.arrays[0].metrics."about.chunk".value')" = 65536 ]
result $? "level, disks, chunk"
[ "$(field '.arrays[0].metrics | has("cache.lookups")')" = false ]
result $? "a counter that does not run is missing, not 0"
"$bin" show md0 >"$work/out" 2>"$work/err"
grep -qE '^cache\.lookups +- +-' "$work/out" && grep -q 'stripe_cache_size says 40, the floor' "$work/out"
result $? "and \"-\" in text; size beside floor in words"
says 0 '' "show as somebody else" setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/nonexistent \
	XDG_RUNTIME_DIR=/nonexistent "$bin" show md0

# run and its three figures.
(cd "$work" && "$bin" run --json -- fs_mark -d "$mnt/f" -n 100 -L 2 -t 4 -s 16384 -S 0) >"$work/out" 2>"$work/err"
result $? "run fs_mark"
cp "$work/out" "$work/run.json"
[ "$(field .file_rate.fsmark_files)" = 800 ] && [ "$(field .file_rate.window_files)" = 800 ]
result $? "files closed = fs_mark's count = 800"
holds=$(jq '(.file_rate.window.files_per_s * .file_rate.window_ns / 1e9 - 800 | fabs) < 0.001 and
	.file_rate.window_ns < .file_rate.elapsed_ns and .file_rate.judged == "window" and
	(.file_rate.fsmark.step - 0.4 | fabs) < 1e-9' "$work/out")
[ "$holds" = true ]
result $? "window inside the elapsed time, its rate, the step 0.1 x 4"
rows=$(sed -n 's/^ *[0-9.]* *\([0-9]*\) *16384 *\([0-9.]*\) .*/\2/p' "$work/err" | awk '{ s += $1 } END { print s / NR }')
[ "$(jq "(.file_rate.fsmark.files_per_s - ${rows:-0} | fabs) < 0.01" "$work/out")" = true ]
result $? "fs_mark's own figure as it printed it: $rows"
[ "$(jq '.sysfs_stripe_cache_size.max == 40 and .cache_size.max >= 40' "$work/out")" = true ]
result $? "sysfs stays at 40, the size is $(jq -c .cache_size "$work/out")"
db=$(sqlite3 "$RAID5STAT_DB" "SELECT max(value) FROM series WHERE run_id = 1 AND metric = 'files.closed'" 2>>"$work/err")
[ "${db%.*}" = 800 ]
result $? "the store holds 800 files closed"
[ "$(jq '[.lines[].files_per_s // 0] | add > 0' "$work/out")" = true ]
result $? "a live file rate in the lines"
[ "$(jq '.settings["array.stripe_cache_size"] == "40" and .settings["mount.fstype"] == "ext4" and
	(.settings["sysctl.vm.dirty_ratio"] | length) > 0 and (.settings["array.member.3.name"] == "ram3")' "$work/out")" = true ]
result $? "facts: array, mount, sysctl, members"
"$bin" show md0 --json >"$work/out" 2>"$work/err"
[ "$(field '.arrays[0].metrics | has("cache.lookups")')" = false ]
result $? "after the run nothing counts any more"

# Ends of every kind.
"$bin" run --set commit=4400755e --set tag='a b=c' -- sh -c 'echo strange text; exit 7' >"$work/out" 2>"$work/err"
rc=$?
[ $rc = 7 ] && grep -q '^strange text' "$work/out" && grep -q 'FAILED with exit status 7' "$work/out"
result $? "a command that fails: status $rc, its output, a word"
[ "$(sqlite3 "$RAID5STAT_DB" "SELECT group_concat(key || ':' || value, '|') FROM settings WHERE key IN ('commit', 'tag')
	AND run_id = (SELECT max(id) FROM runs)")" = 'commit:4400755e|tag:a b=c' ]
result $? "what was set stands with the run"
says 2 'KEY=VALUE' "a word without a key" "$bin" run --set =x -- true
"$bin" run -- sh -c 'kill -9 $$' >"$work/out" 2>"$work/err"
rc=$?
[ $rc = 137 ] && grep -q 'KILLED by signal 9' "$work/out"
result $? "a command that is killed: status $rc"
"$bin" run -- sh -c 'grep -h CapEff /proc/self/status; grep -h -e CapEff -e CapPrm /proc/$PPID/status' >"$work/out" 2>"$work/err"
sed -n 's/^Cap[EP][fr][fm]:\t//p' "$work/out" >"$work/caps"
printf '%s\n' "$(sed -n 's/^CapEff:\t//p' /proc/self/status)" 0000000000000020 0000000000000020 | cmp -s - "$work/caps"
result $? "the command has what we have, its recorder only CAP_KILL: $(tr '\n' ' ' <"$work/caps")"
says 3 'apt install fsmark' "no fs_mark" env PATH="$work/empty" "$bin" run --array md0 -- fs_mark -d "$mnt"
says 3 'cannot be started' "no such command" "$bin" run -- "$work/none"
"$bin" run --no-load -- sh -c 'sleep 30' >"$work/out" 2>"$work/err" &
pid=$!
end=$((SECONDS + 60))
until [ -n "$(pgrep -P $pid sleep; pgrep -P $pid sh)" ] || [ $SECONDS -ge $end ]; do sleep 0.1; done
kill -TERM $pid
wait $pid
rc=$?
[ $rc = 143 ] && grep -q 'KILLED by signal 15' "$work/out"
result $? "SIGTERM is passed on, the report comes: status $rc"

(cd "$work" && exec "$bin" run -- fs_mark -d "$mnt/k" -n 3000 -t 4 -s 16384 -S 0) >"$work/out" 2>"$work/err" &
pid=$!
end=$((SECONDS + 120))
until [ "$(sqlite3 -readonly "$RAID5STAT_DB" "SELECT ifnull(max(value), 0) > 100 FROM series WHERE metric = 'files.closed'
	AND run_id = (SELECT max(id) FROM runs)" 2>/dev/null)" = 1 ] || [ $SECONDS -ge $end ]; do sleep 0.5; done
kill -KILL $pid
wait $pid 2>/dev/null
pkill -x fs_mark
"$bin" report --json >"$work/out" 2>"$work/err"
[ "$(jq '.run.status == "incomplete" and .file_rate.window_estimated == true and .file_rate.window_files > 100' \
	"$work/out")" = true ]
result $? "SIGKILL of the recorder: $(jq -c '[.run.status, .file_rate.window_files]' "$work/out")"
says 2 '' "report of no run" "$bin" report 999

# doctor.
rm -rf "${mnt:?}"/*
sync
umount "$mnt"
"$bin" doctor --read --json >"$work/out" 2>"$work/err"
[ "$(jq '[.checks[] | select(.name | startswith("md0 ")) | .state] | length >= 7 and all(. == "ok")' "$work/out")" = true ]
result $? "doctor: on the idle array all numbers agree" 60
[ "$(jq -r '.checks[] | select(.name == "md0 sectors") | .text | test("read 2048, diskstats 2048")' "$work/out")" = true ]
result $? "doctor --read: 2048 sectors on both sides"
echo 0 >/sys/kernel/debug/kprobes/enabled
"$bin" doctor --exit-code >"$work/out" 2>"$work/err"
rc=$?
[ $rc = 1 ] && grep -q '^finding  kprobes' "$work/out"
result $? "doctor notices that kprobes are switched off: status $rc"
echo 1 >/sys/kernel/debug/kprobes/enabled
"$bin" unload >"$work/out" 2>"$work/err" && ! grep -q ^raid5stat /proc/modules
result $? "unload"
says 3 '' "doctor without the module" "$bin" doctor
grep -q '^missing  module' "$work/out"
result $? "says what is missing"

echo "1..$n"
exit $((failed != 0))
