# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# TAP for the shell tests of the reader, to be sourced. With SANITIZE=address,undefined in the environment
# everything that they build is built so.

tap_top=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$tap_top" || exit 3
n=0 failed=0
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

# What a sanitised program is built with, and where the reader is then.
sanitized="-O1 -fsanitize=${SANITIZE:-address,undefined} -fno-sanitize-recover=all -fno-omit-frame-pointer"
if [ -n "${SANITIZE:-}" ]; then
	# shellcheck disable=SC2034 # for who sources this
	tap_flags=$sanitized tap_bin=$tap_top/build/user-san/raid5stat
else
	# shellcheck disable=SC2034
	tap_flags=-O2 tap_bin=$tap_top/build/raid5stat
fi

result()	# result STATUS NAME
{
	local good=$1
	shift
	n=$((n + 1))
	if [ "$good" = 0 ]; then
		echo "ok $n - $*"
	else
		failed=$((failed + 1))
		echo "not ok $n - $*"
	fi
}

skip()		# skip NAME WHY
{
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# sub NAME COMMAND...: its results, renumbered; ending badly or without its plan is a result too
sub()
{
	local name=$1 rc seen bad whole
	shift
	timeout "${SUB_SECONDS:-600}" "$@" >"$work/sub.tap" 2>"$work/sub.err" </dev/null
	rc=$?
	gawk -v name="$name" -v n="$n" '
		/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; next }
		/^(not )?ok / {
			bad += $1 == "not"
			line = $0
			sub(/^(not )?ok [0-9]+ - /, "", line)
			printf "%sok %d - %s: %s\n", $1 == "not" ? "not " : "", n + ++seen, name, line
			next
		}
		{ print "# " name ": " $0 }
		END { print seen + 0, bad + 0, (plan == seen && seen) + 0 >"/dev/fd/3" }
	' "$work/sub.tap" 3>"$work/counts"
	read -r seen bad whole <"$work/counts"
	n=$((n + seen)) failed=$((failed + bad))
	if [ "$whole" != 1 ] || { [ "$rc" != 0 ] && [ "$bad" = 0 ]; }; then
		sed 's/^/# /' "$work/sub.err" | head -n 60
		result 1 "$name: ended with $rc after $seen results"
	fi
}

code()		# code WANT NAME COMMAND...
{
	local want=$1 name=$2 got
	shift 2
	"$@" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = "$want" ]
	result $? "$name: exit status $want"
	[ $got = "$want" ] || sed "s/^/# got $got: /" "$work/err"
}

shows()		# shows TEXT NAME: in what the last command printed
{
	grep -qF -- "$1" "$work/out" "$work/err"
	result $? "$2"
}

tap_end()
{
	echo "1..$n"
	[ $failed = 0 ]
}
