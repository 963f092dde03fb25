#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An array's life as mdadm leads it, at level latency and under readers: members fail and come back, it is reshaped,
# changes its level, its bitmap, its journal. After each step its data and all of our numbers are right.
. "$(dirname "$0")/_common.sh"
# shellcheck source=selftests/_mdadm.sh
. "$(dirname "$0")/_mdadm.sh"
need_root
need_tools mdadm cmp
plan 49

disk() { echo "/dev/ram$1"; }
md() { mdadm --quiet "$@"; }

fail_disk() { md /dev/md0 --fail "$1" && wait_for 200 md /dev/md0 --remove "$1"; }
add_disk() { md --zero-superblock "$1" && md /dev/md0 --add "$1" && wait_for 200 whole md0 "$2"; }
re_add() { write_data md0; md /dev/md0 --re-add "$1" && wait_for 200 whole md0 "$2"; }
replace_disk()
{
	md --zero-superblock "$2"
	md /dev/md0 --add "$2" && md /dev/md0 --replace "$1" --with "$2" || return
	replaced() { ! grep -q "replacement\|want_replacement" /sys/block/md0/md/dev-*/state && whole md0 4; }
	wait_for 200 replaced && wait_for 200 md /dev/md0 --remove "$1"
}
# reshape DISKS WORDS...: goes on in the background, and writers with it
reshape()
{
	local disks=$1
	shift
	rm -f /dev/shm/backup
	md --grow /dev/md0 "$@" --backup-file=/dev/shm/backup || return
	write_data md0
	read_data md0
	wait_for 200 whole md0 "$disks"
}
grow_to() { md --zero-superblock "$1"; md /dev/md0 --add "$1" && reshape "$2" --raid-devices="$2"; }
shrink_to()
{
	local kib
	kib=$(($(<"/sys/block/md0/md/component_size") / 2 * 2 * ($1 - 1)))
	md --grow /dev/md0 --array-size="$kib" && reshape "$1" --raid-devices="$1"
}
level_is() { [ "$(<"/sys/block/md0/md/level")" = "$1" ]; }
scrub()
{
	echo check >/sys/block/md0/md/sync_action && wait_for 200 at_rest md0 || return
	[ "$(<"/sys/block/md0/md/mismatch_cnt")" = 0 ]
}
again() { stop_array md0 && md --assemble /dev/md0 "$@"; }
policy() { md --grow /dev/md0 --consistency-policy="$1"; }
resize() { local n; for n; do echo "$n" >/sys/block/md0/md/stripe_cache_size || return; done; }
threads() { local n; for n; do echo "$n" >/sys/block/md0/md/group_thread_cnt || return; write_data md0; done; }
gone() { [ ! -e "$dbg/md0" ]; }
end() { check "$1 stops" stop_array md0; check "$1 is gone" wait_for 200 gone; before=(); }

make_ramdisks 8 16384
make_pattern
load level=latency
start_readers

# What a conf lives through keeps its id.
make() { create_array md0 5 $(ramdisks 4) && wait_for 200 test -e /dev/md0 && write_data md0; }
step "create" md0 new make
step "fail a disk" md0 same fail_disk "$(disk 1)"
step "add it anew" md0 same add_disk "$(disk 1)" 4
step "add a bitmap" md0 same md --grow /dev/md0 --bitmap=internal
step "fail a disk with a bitmap" md0 same fail_disk "$(disk 2)"
step "re-add it" md0 same re_add "$(disk 2)" 4
step "replace a disk" md0 same replace_disk "$(disk 0)" "$(disk 4)"
step "remove the bitmap" md0 same md --grow /dev/md0 --bitmap=none
step "set the cache's size up and down" md0 same resize 512 64 300
step "set the number of threads" md0 same threads 2 0
step "grow from 4 disks to 5" md0 same grow_to "$(disk 0)" 5
step "another chunk size" md0 same reshape 5 --chunk=32
step "another layout" md0 same reshape 5 --layout=right-asymmetric
step "use less of the disks" md0 same md --grow /dev/md0 --size=10240
step "use all of the disks" md0 same md --grow /dev/md0 --size=max
scrubbed() { wait_for 200 at_rest md0 && scrub; }
step "check finds no mismatch" md0 same scrubbed
step "shrink from 5 disks to 4" md0 same shrink_to 4

# Another personality is another conf, so another id.
to_raid6() { reshape 5 --level=6 --raid-devices=5 && level_is raid6; }
step "from RAID5 to RAID6" md0 new to_raid6
step "check finds no mismatch in RAID6" md0 same scrubbed
to_raid5() { reshape 4 --level=5 --raid-devices=4 && wait_for 200 level_is raid5; }
step "from RAID6 to RAID5" md0 new to_raid5
step "stop and assemble" md0 new again $(ramdisks 5)
end "the array"

take() { echo "$1" >/sys/block/md0/md/level && level_is "$1"; }
# other LEVEL DISKS WORDS: an array that is not created as the others are, of the first DISKS ramdisks
other()
{
	local level=$1 disks=$2
	shift 2
	md --zero-superblock $(ramdisks 6)
	yes | md --create /dev/md0 --level="$level" --raid-devices="$disks" --run --force "$@" $(ramdisks "$disks") &&
		wait_for 200 test -e /dev/md0 && write_data md0
}
check "create RAID0" other 0 3
step "take RAID0 over as RAID5" md0 new take raid5
step "give it its parity" md0 same add_disk "$(disk 3)" 4
step "take RAID5 over as RAID4" md0 new take raid4
step "take RAID4 over as RAID5" md0 new take raid5
lose_parity() { fail_disk "$(disk 3)" && take raid0; }
check "take RAID5 over as RAID0" lose_parity
check "then it is none of ours" wait_for 200 gone
check "the RAID0 has the data" read_data md0
end "the RAID0"
check "create RAID1" other 1 2 --assume-clean
step "take RAID1 over as RAID5" md0 new take raid5
end "the array that was RAID1"

# A partial parity log, for which there is room when it is asked for at the start.
step "create with PPL" md0 new other 5 4 --assume-clean --consistency-policy=ppl
step "no PPL" md0 same policy resync
step "PPL again" md0 same policy ppl
step "fail a disk under PPL" md0 same fail_disk "$(disk 1)"
step "add it anew under PPL" md0 same add_disk "$(disk 1)" 4
end "the array with PPL"

# A journal in its two modes. In write-back its stripes stay active, so it is compared when it has none.
mode() { echo "$1" >/sys/block/md0/md/journal_mode; }
step "create with a journal" md0 new other 5 4 --assume-clean --chunk=64 --write-journal "$(disk 4)"
written_back()
{
	mode write-back && write_data md0 && read_data md0 && stop_array md0 &&
		md --assemble /dev/md0 $(ramdisks 5)
}
step "write back, stop and assemble" md0 new written_back
other_journal()
{
	md /dev/md0 --fail "$(disk 4)" && wait_for 200 md /dev/md0 --remove "$(disk 4)" && md --readonly /dev/md0 &&
		md --zero-superblock "$(disk 5)" && md /dev/md0 --add-journal "$(disk 5)"
}
step "the journal fails, another takes its place" md0 same other_journal
end "the array with a journal"
stop_readers
finish
