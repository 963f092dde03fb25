# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2034 # the variables of soak.sh and _common.sh
#
# What soak.sh does to the arrays, the module, its readers and the machine. Every operation op_NAME gets three
# random numbers and draws none itself, so that a seed always gives the same sequence; what an operation finds
# to do may depend on how far the arrays are.

declare -A members spares failed loads
members=([md0]="ram0 ram1 ram2 ram3" [md1]="ram5 ram6 ram7 ram8") spares=([md0]=ram4 [md1]=ram9)
failed=([md0]='' [md1]='')
readers=() paused=() deaf=() problems=0 params=/sys/module/raid5stat/parameters

trail() { tail -n 15 "$ops"; }

# An operation's step that must work; the first that does not ends the walk.
must()
{
	local out
	out=$("$@" 2>&1) && return
	problems=$((problems + 1))
	diag "failed: $*" "$out"
	return 1
}
# One that this state of the arrays may refuse.
may() { timeout 120 "$@" >>"$scratch/may.log" 2>&1 || echo "  refused: $*" >>"$ops"; }
put() { echo "$2" >"$1"; }

md() { echo "/sys/block/$1/md"; }
at_rest() { [ "$(sysfs "$1" sync_action)" = idle ]; }
healthy() { [ "$(sysfs "$1" degraded)" = 0 ] && at_rest "$1"; }

# --- the loads ------------------------------------------------------------------------------------

# In a session of its own, so that all of it can be ended.
start_load()
{
	[ -z "${loads[$1]:-}" ] || return 0
	if [ "$1" = md0 ]; then
		mountpoint -q "$scratch/mnt" || must mount /dev/md0 "$scratch/mnt" || return
		setsid nice bash -c 'while :; do fs_mark -d "$0" -n 10 -s 65536 -t 8 -S $((RANDOM % 2)); done' \
			"$scratch/mnt" >/dev/null 2>&1 &
	else
		setsid nice fio --name=w --filename=/dev/md1 --rw=randrw --bsrange=4k-256k --direct=1 --ioengine=libaio \
			--iodepth=32 --rate=4m,4m --time_based --runtime=36000 --thread >/dev/null 2>&1 &
	fi
	loads[$1]=$!
	disown
}

load_ended() { ! pgrep -s "$1" >/dev/null; }
stop_load()
{
	local session=${loads[$1]:-}
	[ -n "$session" ] || return 0
	while pgrep -s "$session" >/dev/null; do
		pkill -KILL -s "$session"
		must wait_for 300 load_ended "$session" || return
	done
	loads[$1]=
	[ "$1" != md0 ] || must umount "$scratch/mnt"
}

# --- arrays ---------------------------------------------------------------------------------------

# make ARRAY LEVEL CHUNK: md0 with a file system on it
make()
{
	local disks
	read -r -a disks <<<"${members[$1]}"
	failed[$1]=
	chunk=$3 must create_array "$1" "$2" "${disks[@]/#//dev/}" || return
	must put "$(md "$1")/sync_speed_min" 1000000
	if [ "$1" = md0 ]; then
		must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/md0
	fi
}

op_resize() { must put "$(md "md$(($1 % 2))")/stripe_cache_size" $(($3 % 4 == 0 ? 17 : 17 + $2 % 500)); }

op_tune()
{
	local m
	m=$(md "md$(($1 % 2))")
	case $(($2 % 4)) in
	0) must put "$m/group_thread_cnt" $(($3 % 5)) ;;
	1) may bash -c "echo $(($3 % 3)) >$m/rmw_level" ;;
	2) must put "$m/skip_copy" $(($3 % 2)) ;;
	3) must put "$m/preread_bypass_threshold" $(($3 % 17)) ;;
	esac
}

op_sync()
{
	local actions=(check repair idle)
	may bash -c "echo ${actions[$2 % 3]} >$(md "md$(($1 % 2))")/sync_action"
}

# A member fails and is taken out; the next time it comes back.
op_member()
{
	local a=md$(($1 % 2)) disks
	read -r -a disks <<<"${members[$a]}"
	if [ -n "${failed[$a]}" ]; then
		may mdadm --quiet "/dev/$a" "--$([ $(($3 % 2)) = 0 ] && echo re-add || echo add)" "/dev/${failed[$a]}"
		may mdadm --quiet "/dev/$a" --add "/dev/${failed[$a]}"
		failed[$a]=
	elif wait_for 20 healthy "$a"; then
		failed[$a]=${disks[$2 % ${#disks[@]}]}
		may mdadm --quiet "/dev/$a" --fail "/dev/${failed[$a]}"
		wait_for 60 removed "$a" "${failed[$a]}"
	fi
}
removed() { [ ! -e "$(md "$1")/dev-$2" ] || mdadm --quiet "/dev/$1" --remove "/dev/$2" 2>/dev/null; }

# A stop, and another array in its place.
op_recreate()
{
	local levels=(4 5 6) chunks=(4 16 64 128)
	stop_load md1
	# What began a reshape may have it open for a while.
	must wait_for 300 stop_array md1 || return
	must wait_for 300 test ! -e "$dbg/md1" || return
	counted=no
	make md1 "${levels[$2 % 3]}" "${chunks[$3 % 4]}" && start_load md1
}

# Up and down between RAID4, 5 and 6; what this array's layout does not allow is refused.
op_takeover()
{
	local to=(raid4 raid5 raid6)
	counted=no
	may bash -c "echo ${to[$2 % 3]} >$(md md1)/level"
	may mdadm --quiet /dev/md1 --add "/dev/${spares[md1]}"
}

op_reshape()
{
	local n
	n=$(sysfs md1 raid_disks)
	may mdadm --quiet /dev/md1 --add "/dev/${spares[md1]}"
	may mdadm --quiet --grow /dev/md1 --raid-devices=$((${n%% *} + 1))
}

op_bitmap() { may mdadm --quiet --grow /dev/md1 --bitmap="$([ $(($2 % 2)) = 0 ] && echo internal || echo none)"; }

# --- readers --------------------------------------------------------------------------------------

op_reader()
{
	[ ${#readers[@]} -lt 8 ] || return 0
	case $(($1 % 6)) in
	0) "$programs/netlink_reader" "$scratch/read" ;;
	1) "$programs/netlink_events" "$scratch/read" ;;
	2) while [ -e "$scratch/read" ]; do cat "$dbg"/*/* "$dbg"/info "$dbg"/probes; done ;;
	3) while [ -e "$scratch/read" ]; do "$programs/netlink_messages" root; done ;;
	4) while [ -e "$scratch/read" ]; do "${R5S_BIN:-/usr/bin}/raid5stat" show || sleep 0.2; done ;;
	5) while [ -e "$scratch/read" ]; do "$programs/netlink_sampler" $(($2 % 4)) $((1000000 + $3 * 5000)) 5; done ;;
	esac >/dev/null 2>&1 &
	readers+=($!)
	disown
}

# It dies without a word, in the middle of whatever it does.
op_kill()
{
	[ ${#readers[@]} -gt 0 ] || return 0
	local i=$(($1 % ${#readers[@]}))
	kill -KILL "${readers[i]}" 2>/dev/null
	unset "readers[i]"
	readers=("${readers[@]}")
}

op_pause()
{
	[ ${#readers[@]} -gt 0 ] || return 0
	local pid=${readers[$1 % ${#readers[@]}]}
	if [ $(($2 % 3)) = 0 ]; then
		resume
	else
		kill -STOP "$pid" 2>/dev/null
		paused+=("$pid")
	fi
}
resume() { [ ${#paused[@]} = 0 ] || kill -CONT "${paused[@]}" 2>/dev/null; paused=(); }

# One that does not listen, and all that there is to be told at once.
op_flood()
{
	if [ ${#deaf[@]} -lt 4 ]; then
		"$programs/netlink_deaf" "$scratch/deaf" >>"$scratch/deaf.log" 2>&1 &
		deaf+=($!)
		disown
	fi
	must put "$(md "md$(($1 % 2))")/stripe_cache_size" 17
}

stop_readers()
{
	local pid
	resume
	rm -f "$scratch/read"
	for pid in "${readers[@]}"; do
		wait_for 300 eval "! kill -0 $pid 2>/dev/null" || { diag "a reader does not end"; problems=$((problems + 1)); }
	done
	readers=()
	: >"$scratch/read"
}

stop_deaf()
{
	local pid
	rm -f "$scratch/deaf"
	for pid in "${deaf[@]}"; do
		wait_for 300 eval "! kill -0 $pid 2>/dev/null"
	done
	deaf=()
	: >"$scratch/deaf"
}

# --- the module and the machine -------------------------------------------------------------------

op_level()
{
	local levels=(off gauges counters latency latency latency)
	must put $params/level "${levels[$1 % 6]}"
	[ $(($1 % 6)) -ge 2 ] || counted=no
}

# A paused reader may sit on a dump, which holds the module.
op_module()
{
	local levels=(gauges counters latency latency)
	resume
	must wait_for 300 rmmod raid5stat || return
	must test ! -e "$dbg" || return
	[ "$(grep -c raid5stat /sys/kernel/tracing/enabled_functions)" = 0 ] || must false "hooks are left"
	must load level="${levels[$1 % 4]}"
	counted=no
}

op_raid456()
{
	stop_load md0
	stop_load md1
	must stop_array md0 && must wait_for 300 stop_array md1 || return
	must wait_for 300 modprobe -r raid456 || return
	must modprobe raid456 || return
	counted=no
	make md0 5 64 && make md1 $((4 + $2 % 3)) 64 && start_load md0 && start_load md1
}

op_cpu()
{
	local cpus=(/sys/devices/system/cpu/cpu[1-9]*/online)
	[ -e "${cpus[0]}" ] || return 0
	may bash -c "echo $(($2 % 2)) >${cpus[$1 % ${#cpus[@]}]}"
}

all_cpus()
{
	local c
	for c in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -e "$c" ] || [ "$(cat "$c")" = 1 ] || echo 1 >"$c"
	done
}

op_drop() { local i; for ((i = 0; i <= $1 % 10; i++)); do echo $((1 + $2 % 3)) >/proc/sys/vm/drop_caches; done; }

# A program takes nearly all memory, and may be killed for it.
op_hog()
{
	local most
	most=$(awk '$1 == "MemAvailable:" { print int($2 * 1.02) "K" }' /proc/meminfo)
	bash -c "echo 1000 >/proc/self/oom_score_adj; exec dd if=/dev/zero of=/dev/null bs=$most count=1" >/dev/null 2>&1
	return 0
}
