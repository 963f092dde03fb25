# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Kprobe events of the kernel's own that count the calls which our metrics count. Sourced after _common.sh.

tracing=/sys/kernel/tracing
need_kprobe_events() { [ -w $tracing/kprobe_events ] || skip_all "no kprobe events here (CONFIG_KPROBE_EVENTS)"; }

# watch NAME [FILTER] DEFINITION: count an event of the kernel's own from now on
watch()
{
	local name=$1 filter=${2:+ if $2}
	echo "$3" >>$tracing/kprobe_events || return
	echo "hist:keys=common_cpu$filter" >"$tracing/events/kprobes/$name/trigger"
}
hits() { awk '/^ *Hits:/ { n = $2 } END { print n + 0 }' "$tracing/events/kprobes/$1/hist"; }
untrigger() { echo "!$(sed -n '/^hist/ { s/ \[.*//; p }' "$1/trigger")" >"$1/trigger"; }
unwatch()
{
	local name
	for name; do
		untrigger "$tracing/events/kprobes/$name"
		echo "-:kprobes/$name" >>$tracing/kprobe_events
	done
}

# create DEVICES... WORD...: an array md0 by mdadm's own words
create()
{
	yes | mdadm --quiet --create /dev/md0 --run --force --chunk=64 "$@" >"$scratch/mdadm.log" 2>&1 ||
		diag "$(cat "$scratch/mdadm.log")"
	wait_for 300 counting md0 || diag "md0 is not counted"
	base=()
}
# from_here METRIC=EVENT...: both sides count from now on, though the event is older than the array
from_here()
{
	local w h
	for w; do
		until h=$(hits "${w#*=}") && base[${w%=*}]=$(($(read_metric "${w%=*}") - h)) && [ "$h" = "$(hits "${w#*=}")" ]; do :; done
	done
}
declare -A base
read_metric() { metric md0 "${1%.*}" "${1#*.}"; }
since() { echo $(($(read_metric "$1") - ${base[$1]:-0})); }
# Both sides are read again until they agree: what the kernel does between two reads is no difference.
agree() { a=$(since "$1") b=$(hits "$2"); [ "$a" = "$b" ]; }
same() { wait_for 20 agree "$2" "$3"; equal "$1" "$a" "$b" "kprobe event $3"; }
