# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Shared by the tests of what mdadm does to arrays: readers that go on meanwhile, and what must be true after each
# step. Numbers are compared with sysfs, slabinfo and diskstats.

here=$(dirname "$(readlink -f "$0")")
counters="cache.lookups cache.hits cache.free_taken cache.out_of_stripes cache.grow_ok cache.grow_failed cache.drop_ok
	cache.drop_failed cache.resizes cache.waits_begun cache.waits_ended cache.waits_timed cache.wait_user_ns
	writes.read_requests writes.read_sectors writes.write_requests writes.write_sectors writes.flushes
	writes.stripes_full writes.stripes_rcw writes.stripes_rmw writes.member_reads writes.member_writes
	writes.handle_calls writes.stripes_completed writes.raid5d_passes writes.bitmap_waits writes.sb_updates
	writeback.dirtied writeback.written reclaim.count_calls reclaim.scan_calls"
policies=(none resync bitmap ppl journal)
pattern_mib=4
declare -A now before
read -r -a stat_before <<<""

# Nothing here starts systemd's helpers: mdadm itself goes on with a reshape, and mdmon is its child.
export MDADM_NO_SYSTEMCTL=1

# Readers of all doors, until told to end; ten times a second each, so that something is left for the work.
readers=()
start_readers()
{
	: >"$scratch/read"
	while [ -e "$scratch/read" ]; do cat "$dbg"/*/* >/dev/null 2>&1; sleep 0.1; done &
	readers+=($!)
	if [ -x "$here/netlink_reader" ]; then
		"$here/netlink_reader" "$scratch/read" 100 >"$scratch/reader.log" 2>&1 &
		readers+=($!)
		"$here/netlink_events" "$scratch/read" >"$scratch/events" 2>&1 &
		readers+=($!)
	fi
}
stop_readers() { rm -f "$scratch/read"; wait "${readers[@]}"; readers=(); }

# look ARRAY: now[SET.NAME], all that the module says of it
look()
{
	local set name value _
	now=()
	for set in about cache writes writeback reclaim; do
		while read -r name value _; do now[$set.$name]=$value; done <"$dbg/$1/$set" || return
	done 2>/dev/null
}

# No request, no stripe in use, no background work.
at_rest()
{
	local md=/sys/block/$1/md active action stat
	read -r active <"$md/stripe_cache_active" && read -r action <"$md/sync_action" || return
	read -r -a stat <"/sys/block/$1/stat"
	[ "$active" = 0 ] && [ "$action" = idle ] && [ "${stat[8]}" = 0 ]
} 2>/dev/null

# What later steps are compared with: the counters and the array's own statistics, both at rest.
remember()
{
	local name
	before=()
	for name in "${!now[@]}"; do before[$name]=${now[$name]}; done
	read -r -a stat_before <"/sys/block/$1/stat"
}

# same WHAT OURS OTHER
same()
{
	[ -n "$2" ] && [ "$2" = "$3" ] && return
	echo "$1: ${2:-absent}, but it should be ${3:-?}"
	wrong=1
}

slab_holds()
{
	local inuse per cpus size=${now[cache.size]}
	# The array's name may have blanks: what follows it are objects in use, objects, their size, objects a slab.
	read -r inuse per < <(sed -n "s/^raid[456]-$1\(-alt\)\? \+\([0-9]*\) \+[0-9]* \+[0-9]* \+\([0-9]*\) .*/\2 \3/p" \
		/proc/slabinfo)
	cpus=$(nproc)
	[ "${size:-0}" -le "${inuse:-0}" ] && [ "${inuse:-0}" -le $((size + per * (cpus * 32 + 1))) ] && return
	echo "size: ${size:-absent}, but its slab has ${inuse:-no} objects in use"
	wrong=1
}

# right ARRAY: what must hold at rest; prints what does not
right()
{
	local a=$1 md=/sys/block/$1/md wrong=0 name stat
	wait_for 200 at_rest "$a" || { echo "never at rest: $(cat "$md"/{stripe_cache_active,sync_action})"; return 1; }
	look "$a" || { echo "nothing in $dbg/$a"; return 1; }
	read -r -a stat <"/sys/block/$a/stat"

	same level "raid${now[about.level]}" "$(<"$md/level")"
	same disks "${now[about.disks]}" "$(<"$md/raid_disks")"
	same chunk "${now[about.chunk]}" "$(<"$md/chunk_size")"
	same layout "${now[about.layout]}" "$(<"$md/layout")"
	same degraded "${now[about.degraded]}" "$(<"$md/degraded")"
	same "sync action" "${now[about.sync_action]}" 0
	same consistency "${policies[${now[about.consistency]:-9}]:-}" "$(<"$md/consistency_policy")"
	same floor "${now[cache.floor]}" "$(<"$md/stripe_cache_size")"
	same active "${now[cache.active]}" "$(<"$md/stripe_cache_active")"
	same size "${now[cache.size]}" \
		$((${now[cache.size_at_start]:-0} + ${now[cache.grow_ok]:-0} - ${now[cache.drop_ok]:-0}))
	slab_holds "$a"
	same "waits ended" "${now[cache.waits_ended]}" "${now[cache.waits_begun]}"
	same waiters "${now[cache.waiters]}" 0

	if [ "${before[about.id]:-}" = "${now[about.id]}" ]; then
		for name in $counters; do
			[ -z "${before[$name]:-}" ] || [ "${now[$name]:-0}" -ge "${before[$name]}" ] ||
				{ echo "$name fell from ${before[$name]} to ${now[$name]:-nothing}"; wrong=1; }
		done
		same "sectors written" $((${now[writes.write_sectors]:-0} - ${before[writes.write_sectors]:-0})) \
			$((stat[6] - stat_before[6]))
		same "sectors read" $((${now[writes.read_sectors]:-0} - ${before[writes.read_sectors]:-0})) \
			$((stat[2] - stat_before[2]))
		same "requests written" $((${now[writes.write_requests]:-0} - ${before[writes.write_requests]:-0})) \
			$((stat[4] - stat_before[4]))
	fi
	return $wrong
}

make_pattern() { dd if=/dev/urandom of="$scratch/pattern" bs=1M count=$pattern_mib status=none; }
write_data() { dd if="$scratch/pattern" of="/dev/$1" bs=256k oflag=direct conv=notrunc status=none; }
read_data()
{
	dd if="/dev/$1" bs=256k count=$((pattern_mib * 4)) iflag=direct status=none | cmp - "$scratch/pattern"
}

# after ARRAY IDS: IDS is "same", or "new" where md has begun anew; its data is read, written again, and all holds
after()
{
	local a=$1 id=${before[about.id]:-0}
	[ -e "/sys/block/$a/md" ] || { echo "there is no $a"; return 1; }
	known() { counting "$a" && look "$a" && { [ "$2" = same ] || [ "${now[about.id]:-0}" -gt "$id" ]; }; }
	wait_for 200 known "$a" "$2" || { echo "no new id came, it is still $id"; return 1; }
	if [ "$2" = new ]; then
		wait_for 200 at_rest "$a"
		look "$a"
		remember "$a"
	elif [ "${now[about.id]}" != "$id" ]; then
		echo "the id became ${now[about.id]} and was $id"
		return 1
	fi
	read_data "$a" || return
	write_data "$a"
	right "$a" || return
	remember "$a"
}

# step NAME ARRAY IDS COMMAND...: one result
step()
{
	local name=$1 a=$2 ids=$3
	shift 3
	if ! "$@" >"$scratch/step.log" 2>&1; then
		fail "$name" "$(cat "$scratch/step.log"; cat /proc/mdstat)"
	elif after "$a" "$ids" >"$scratch/wrong" 2>&1; then
		pass "$name"
	else
		fail "$name" "$(cat "$scratch/wrong" "$scratch/step.log"; cat /proc/mdstat)"
	fi
}

# Disks are whole again, nothing is rebuilt, and so many of them.
whole()
{
	local md=/sys/block/$1/md
	[ "$(<"$md/degraded")" = 0 ] && [ "$(<"$md/sync_action")" = idle ] && [ "$(<"$md/raid_disks")" = "$2" ] &&
		[ "$(<"$md/reshape_position")" = none ]
} 2>/dev/null
