#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The family as programs see it that nobody here wrote, who may do what, and what a bad message gets.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm genl setpriv
plan 12

make_ramdisks 4 65536
create_array md0 5 $(ramdisks 4)
load level=counters
wait_for 100 test -e "$dbg/md0/cache"
settle md0

genl ctrl get name raid5stat >"$scratch/genl" 2>&1
check "genl finds the family, version 1" grep -q "Name: raid5stat" "$scratch/genl"
check "genl sees the group event" grep -qw event "$scratch/genl"

# The kernel's own client, where its source is: it reads the spec and knows nothing of us.
if [ -n "${R5S_YNL:-}" ] && [ -r "$R5S_YNL/tools/net/ynl/cli.py" ]; then
	spec=$R5S_YNL/Documentation/netlink/specs/raid5stat.yaml
	ynl() { (cd "$R5S_YNL" && /usr/bin/python3 tools/net/ynl/cli.py --spec "$spec" --output-json "$@"); }
	ynl --dump array-get >"$scratch/dump" 2>"$scratch/ynl.log" || diag "$(tail -n 3 "$scratch/ynl.log")"
	equal "ynl: the spec is valid, and one array is dumped" "$(jq length <"$scratch/dump")" 1
	equal "ynl: floor is sysfs' stripe_cache_size" "$(jq '.[0].cache.floor' <"$scratch/dump")" \
		"$(sysfs md0 stripe_cache_size)"
	equal "ynl: one array by name" "$(ynl --do array-get --json '{"name": "md0"}' | jq -r .name)" md0
	equal "ynl: info" "$(ynl --do info | jq -r .kernel)" "$(uname -r)"
	equal "ynl: a node each" "$(ynl --dump node-get | jq length)" \
		"$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)"
else
	for t in "the spec is valid, and one array is dumped" "floor is sysfs' stripe_cache_size" "one array by name" \
		"info" "a node each"; do
		skip "ynl: $t" "no ynl here (R5S_YNL)"
	done
fi

# These C programs print KTAP of their own and exit with 0 when all of it is well.
if [ -x "$programs/netlink_messages" ]; then
	check "every malformed or refused message gets its error and a text" "$programs/netlink_messages" root
	check "an unprivileged user reads, and cannot start, stop or listen" \
		setpriv --reuid 65534 --regid 65534 --clear-groups "$programs/netlink_messages" nobody
else
	skip "malformed messages" "netlink_messages is not built"
	skip "unprivileged user" "netlink_messages is not built"
fi
check "debugfs is for root only" bash -c "! setpriv --reuid 65534 --regid 65534 --clear-groups cat $dbg/info"
equal "the family goes with the module" "$(rmmod raid5stat; genl ctrl get name raid5stat 2>&1 | grep -c 'Name: raid5stat')" 0
check "the array stops" stop_array md0
finish
