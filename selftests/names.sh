#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Arrays by other numbers and names, in containers, with many members, and many arrays at once: each is seen under the
# name that the kernel gives it, once, with right numbers.
. "$(dirname "$0")/_common.sh"
# shellcheck source=selftests/_mdadm.sh
. "$(dirname "$0")/_mdadm.sh"
need_root
need_tools mdadm cmp
plan 43

arrays=${R5S_ARRAYS:-40}
md() { mdadm --quiet "$@"; }
disks() { local i; for ((i = $1; i < $1 + $2; i++)); do echo "/dev/ram$i"; done; }
gone() { [ ! -e "$dbg/$1" ]; }
# md's own arrays of these levels, by their kernel names
running()
{
	local d
	for d in /sys/block/md*/md/level; do
		case $(<"$d") in raid[456]) d=${d#/sys/block/}; echo "${d%%/*}" ;; esac
	done | sort
}
seen() { find "$dbg" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort; }
agree() { [ "$(running)" = "$(seen)" ]; }
end() { check "$1 stops" stop_array "$1"; check "$1 is gone" wait_for 200 gone "$1"; before=(); }

make_ramdisks $((arrays * 3)) 16384
pattern_mib=2
make_pattern
load level=latency
start_readers

# The same members under another number, and under a name, which mdadm gives a number from above.
make() { create_array md5 5 $(disks 0 3) && wait_for 200 test -e /dev/md5 && write_data md5; }
step "create md5" md5 new make
renumber() { stop_array md5 && md --assemble /dev/md6 --update=name $(disks 0 3); }
step "assemble it as md6" md6 new renumber
check "md5 is gone" wait_for 200 gone md5
# The kernel's name is known only afterwards.
named() { stop_array md6 && md --assemble /dev/md/name --update=name --name=name $(disks 0 3); }
check "assemble it as /dev/md/name" named
name=$(basename "$(readlink -f /dev/md/name)")
step "it is what /dev/md/name leads to" "$name" new true
end "$name"

# Names of their own in the kernel, with blanks and letters of more than one byte, or like those of partitionable
# arrays, and a partitionable one. mdadm makes few of these, so sysfs puts them together from members that it made.
members() { md --zero-superblock $(disks 0 3); create_array md0 5 $(disks 0 3) && write_data md0 && stop_array md0; }
raw()
{
	local dir="/sys/block/$1/md" d
	echo 1.2 >"$dir/metadata_version" || return
	for d in ram0 ram1 ram2; do cat "/sys/block/$d/dev" >"$dir/new_dev" || return; done
	echo active >"$dir/array_state" && wait_for 200 test -e "/dev/$1"
}
by_name() { printf %s "$1" >/sys/module/md_mod/parameters/new_array && raw "$1"; }
by_node()
{
	local major
	major=$(awk '$2 == "mdp" { print $1 }' /proc/devices)
	mknod "$scratch/node" b "$major" 64 && : <"$scratch/node"
	raw md_d1
}
break_one() { echo faulty >"/sys/block/$1/md/dev-ram1/state" && wait_for 200 broken "$1"; }
broken() { [ "$(<"/sys/block/$1/md/degraded")" = 1 ]; }
for label in "md_na me ü" md_d0 md_d1; do
	check "members for $label" members
	wait_for 200 gone md0
	how=by_name
	[ "$label" != md_d1 ] || how=by_node
	step "assemble $label" "$label" new $how "$label"
	step "fail a disk of $label" "$label" same break_one "$label"
	end "$label"
done

# Many members.
twenty() { create_array md1 6 $(disks 0 20) && wait_for 200 test -e /dev/md1 && write_data md1; }
step "create RAID6 of 20 disks" md1 new twenty
lose() { md /dev/md1 --fail "$1" && wait_for 200 md /dev/md1 --remove "$1"; }
two() { lose /dev/ram3 && lose /dev/ram17; }
step "fail two of them" md1 same two
one() { md --zero-superblock /dev/ram3; md /dev/md1 --add /dev/ram3 && wait_for 200 rebuilt; }
rebuilt() { [ "$(<"/sys/block/md1/md/degraded")" = 1 ] && at_rest md1; }
step "add one anew" md1 same one
end md1

# Many arrays.
many()
{
	local i
	for ((i = 0; i < arrays; i++)); do
		create_array "md$i" $((4 + i % 2)) $(disks $((i * 3)) 3) || return
	done
}
check "create $arrays arrays" many
check "all are seen" wait_for 200 agree
last=md$((arrays - 1))
write() { write_data md0 && write_data "$last"; }
write
step "the first is right" md0 new true
before=()
step "the last is right" "$last" new true
before=()
reload() { wait_for 200 rmmod raid5stat 2>/dev/null && load level=latency && wait_for 200 agree; }
check "all are seen by a module that came later" reload
step "the last is right again" "$last" new true
end_all() { local i; for ((i = 0; i < arrays; i++)); do stop_array "md$i" || return; done; }
check "all stop" end_all
none() { [ -z "$(seen)" ]; }
check "all are gone" wait_for 200 none
rmmod brd
before=()

# Containers: their metadata is written by mdmon in user space.
make_loops()
{
	local i
	for i in 0 1 2 3; do truncate -s 80M "$scratch/disk$i" && losetup -f --show "$scratch/disk$i" || return; done
}
modprobe loop 2>/dev/null
read -r -d '' -a loops < <(make_loops)
export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
for format in ddf imsm; do
	vol=''
	container()
	{
		yes | md --create /dev/md/box --metadata=$format --raid-devices=4 --run "${loops[@]}" &&
			yes | md --create /dev/md/vol --level=5 --raid-devices=4 --chunk=64 --assume-clean --run /dev/md/box &&
			vol=$(basename "$(readlink -f /dev/md/vol)") && wait_for 200 pidof mdmon
	}
	if container >"$scratch/step.log" 2>&1; then
		clean() { wait_for 200 at_rest "$vol" && write_data "$vol"; }
		step "create a volume in a container of $format" "$vol" new clean
		end "$vol"
		check "its container stops" stop_array md/box
	else
		why=$(tail -n 1 "$scratch/step.log")
		for t in "create a volume in a container of $format" "it stops" "it is gone" "its container stops"; do
			skip "$t" "mdadm cannot make one here: ${why:-mdmon does not run}"
		done
		stop_array md/vol; stop_array md/box
	fi
	before=()
	wipefs -q -a "${loops[@]}" 2>/dev/null || for l in "${loops[@]}"; do md --zero-superblock "$l"; done
done
losetup -d "${loops[@]}"
stop_readers
finish
