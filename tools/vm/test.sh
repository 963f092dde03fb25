#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Test of tools/vm/run: TAP on stdout, exit status 1 when anything failed.
# usage: test.sh [series...]     kernels to test, default 6.1 6.12

set -u
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
[ $# -gt 0 ] || set -- 6.1 6.12
top=$(mktemp -d "${TMPDIR:-/tmp}/r5s-vm-test.XXXXXX")
trap 'rm -rf "$top"' EXIT
trap 'exit 1' INT TERM
# A name that needs quoting, and every temporary file of run in one place that must be empty at the end.
mkdir -p "$top/a b,c" "$top/tmp" "$top/out"
cd "$top/a b,c" || exit 1
export TMPDIR=$top/tmp
n=0 failed=0

ok()
{
	n=$((n + 1))
	echo "ok $n - $1"
}

not_ok()
{
	n=$((n + 1)) failed=1
	echo "not ok $n - $1"
	sed 's/^/# /' "$top/stdout" "$top/stderr"
}

skip() { ok "$1 # SKIP $2"; }

vm()
{
	"$here/run" --quiet --timeout 120 "$@" >"$top/stdout" 2>"$top/stderr"
	rc=$?
}

# expect NAME STATUS STDOUT STDERR-PATTERN: what the last vm gave
expect()
{
	if [ "$rc" = "$2" ] && [ "$(cat "$top/stdout")" = "$3" ] && grep -q -e "$4" "$top/stderr"; then
		ok "$1"
	else
		echo "# exit status $rc, wanted $2"
		not_ok "$1"
	fi
}

# As expect, where nothing may be said on stderr.
expect_quiet()
{
	if [ -s "$top/stderr" ]; then
		not_ok "$1"
	else
		echo >"$top/stderr"
		expect "$@" '^$'
	fi
}

# Processes which have our temporary directory on their command line.
leftover() { grep -l -s -a -F -f <(printf "%s\n" "$TMPDIR") /proc/[0-9]*/cmdline; }

echo "TAP version 14"
echo "1..$((11 + 3 * $#))"

vm --no-such true
expect "an unknown option is refused" 2 "" "unknown option"
vm --kernel 6.1.0-0-none true
expect "a kernel that is missing names its package" 3 "" "apt-get install linux-image-6.1.0-0-none"

for kernel; do
	# shellcheck disable=SC2016 # for the guest's shell
	vm --kernel "$kernel" --env 'V=x  $y' bash -c 'echo "$V|$1|$PWD|$R5S_KERNEL"; exit 42' sh 'p  "q"'
	expect_quiet "$kernel: words, directory, variable, kernel and status come through" 42 \
		"x  \$y|p  \"q\"|$PWD|$("$here/release" "$kernel")"

	head -c 3000000 /dev/urandom >sent
	# shellcheck disable=SC2016
	vm --kernel "$kernel" --out "$top/out" 'cp sent "$R5S_OUT/back.'"$kernel"'" && rm sent && echo lost >new; exit 1'
	if cmp sent "$top/out/back.$kernel" && [ ! -e new ]; then
		expect_quiet "$kernel: files go in and, below --out only, come back" 1 ""
	else
		not_ok "$kernel: files go in and, below --out only, come back"
	fi

	name="$kernel: mdadm, mkfs.ext4 and fs_mark work"
	missing=
	for tool in mdadm mkfs.ext4 fs_mark; do
		command -v "$tool" >/dev/null || missing+=" $tool"
	done
	if [ -n "$missing" ]; then
		skip "$name" "not found:$missing"
		continue
	fi
	vm --kernel "$kernel" '{ modprobe brd rd_nr=4 rd_size=65536 && mkdir /tmp/m &&
		mdadm --create /dev/md0 --level=5 --raid-devices=4 --assume-clean --run /dev/ram[0-3] &&
		mkfs.ext4 -q /dev/md0 && mount /dev/md0 /tmp/m &&
		fs_mark -d /tmp/m -n 20 -s 65536 -S0 -t 4 -k && sync; } >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
		find /tmp/m -type f -size 65536c | wc -l'
	expect_quiet "$name" 0 80
done

vm --kernel "$1" 'echo "WARNING: planted" >/dev/kmsg'
expect "a complaint in the kernel log fails the run" 126 "" "WARNING: planted"
vm --kernel "$1" --allow-splat 'echo "WARNING: planted" >/dev/kmsg'
expect_quiet "--allow-splat lets it pass" 0 ""
vm --kernel "$1" 'echo c >/proc/sysrq-trigger'
expect "a panic is told" 125 "" "guest died: Kernel panic.*sysrq"
vm --kernel "$1" --append rdinit=/none true
expect "a kernel that dies before the command is booted again, not for ever" 125 "" "boot 3 of 3"
vm --kernel "$1" 'sleep 300 & echo b >/proc/sysrq-trigger; sleep 60'
expect "a guest that ends without a word is no success" 125 "" "without a status"
vm --kernel "$1" --timeout 15 'echo up; sleep 300'
expect "a guest that does not end is killed" 124 up "still ran after 15 s"

vm --kernel "$1" --numa --mem 512M 'cat /sys/devices/system/node/node[01]/cpulist'
expect_quiet "--numa gives two nodes of one processor" 0 $'0\n1'

# shellcheck disable=SC2016
"$here/run" --kernel "$1" --quiet 'echo one; sleep 3; echo $((1 + 1))' >"$top/one" 2>&1 &
one=$!
vm --kernel "${*: -1}" 'sleep 3; echo two'
wait "$one"
one_rc=$?
if [ "$one_rc" = 0 ] && [ "$(cat "$top/one")" = $'one\n2' ]; then
	expect_quiet "two guests run side by side" 0 two
else
	not_ok "two guests run side by side"
fi

env --default-signal=INT "$here/run" --kernel "$1" 'echo up; sleep 300' >"$top/stdout" 2>"$top/stderr" &
one=$!
for ((i = 0; i < 1200; i++)); do
	! grep -q up "$top/stdout" || break
	sleep 0.1
done
running=$(leftover)
kill -INT "$one"
wait "$one"
rc=$?
if [ "$rc" = 130 ] && [ -n "$running" ] && [ -z "$(leftover)" ] && [ -z "$(ls -A "$TMPDIR")" ]; then
	ok "output comes live; SIGINT ends the guest and leaves nothing"
else
	not_ok "output comes live; SIGINT ends the guest and leaves nothing"
fi
exit "$failed"
