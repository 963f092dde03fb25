#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mutated messages to the family, as root and as nobody at once, while an array comes and goes: nothing is
# accepted that must not be, what is right is still answered rightly, and the kernel has nothing to say.
# R5S_FUZZ: how many in all; R5S_SEED: repeats what a run has printed.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm

fuzz=$programs/netlink_fuzz
[ -x "$fuzz" ] || skip_all "netlink_fuzz is not built"
plan 10
messages=${R5S_FUZZ:-1000000}
# Of these, so many that arm and disarm the probes: each time that takes long.
arming=$((messages / 10 < 4000 ? messages / 10 : 4000))
seed=${R5S_SEED:-$((RANDOM << 15 | RANDOM))}
diag "seed $seed, $messages messages"

# What the kernel complains of, from here on.
dmesg >"$scratch/dmesg.before"
complaints()
{
	dmesg | tail -n +$(($(wc -l <"$scratch/dmesg.before") + 1)) |
		grep -E 'BUG:|WARNING:|KASAN|UBSAN|ODEBUG|Oops|locking|suspicious RCU|blocked for more' && return 1
	return 0
}

# both MESSAGES SEED: half by root, half by nobody, at once
both()
{
	local nobody rc=0
	"$fuzz" nobody $(($1 / 2)) "$2" md0 md1 >"$scratch/nobody" 2>&1 &
	nobody=$!
	"$fuzz" root $(($1 / 2)) "$2" md0 md1 >"$scratch/root" 2>&1 || rc=1
	wait "$nobody" || rc=1
	cat "$scratch/root" "$scratch/nobody"
	return "$rc"
}

# count WHO WORD: the number before or behind a word of its last line
refused() { grep -o " $2 [0-9]*" "$scratch/$1" | awk '{ print $2 }'; }
answered() { grep -o "[0-9]* answered" "$scratch/$1" | awk '{ print $1 }'; }

make_ramdisks 8 32768
create_array md0 5 /dev/ram0 /dev/ram1 /dev/ram2
# A socket of nobody's needs room for the answers to a whole datagram.
echo $((16 << 20)) >/proc/sys/net/core/rmem_max
load level=latency
wait_for 100 counting md0
: >"$scratch/churn"
while [ -e "$scratch/churn" ]; do
	create_array md1 6 /dev/ram4 /dev/ram5 /dev/ram6 /dev/ram7 || break
	dd if=/dev/zero of=/dev/md1 bs=256k count=4 oflag=direct status=none
	stop_array md1 || break
done >"$scratch/churn.log" 2>&1 &
churning=$!
check "every message gets what it must: all is armed" both $((messages - arming)) "$seed"
diag "$(tail -q -n 1 "$scratch/root" "$scratch/nobody")"
holds "root: answers with data, so deep code was reached" "$(answered root) > $messages / 200"
holds "nobody: answers with data" "$(answered nobody) > $messages / 200"
holds "nobody was refused what needs CAP_NET_ADMIN" "$(refused nobody EPERM) > $messages / 200"
# Now the messages themselves arm and disarm.
echo gauges >/sys/module/raid5stat/parameters/level
check "every message gets what it must: messages arm and disarm" both "$arming" $((seed + 1))
diag "$(tail -q -n 1 "$scratch/root" "$scratch/nobody")"
rm -f "$scratch/churn"
wait "$churning"
check "the array that came and went: no step of it failed" test ! -s "$scratch/churn.log"
level_fell() { grep -q '^level gauges' "$dbg/info"; }
check "with all sockets closed the level is the floor again" wait_for 100 level_fell
check "the array stops" stop_array md0
check "the module can go" rmmod raid5stat
check "the kernel did not complain" complaints
finish
