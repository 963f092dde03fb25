#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The reader's own tests in one TAP stream: plain, with ASan and UBSan, and under valgrind; then
# comparisons with scipy, awk and the real fs_mark.
#
# usage: user/test/run.sh [NAME...]     without names: every C test below user/

set -u -o pipefail
top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
cd "$top" || exit 3
export R5S_TEST_DATA=$top/user/test/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

result()
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

# sub NAME COMMAND...: its results, renumbered; ending badly or without its plan is a result too
sub()
{
	local name=$1 rc
	shift
	timeout 300 "$@" >"$work/sub.tap" 2>"$work/sub.err" </dev/null
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

objects()	# of the reader without its main(), below build/$1: what the Makefile says
{
	make -pnq user 2>/dev/null | sed -n 's/^user_obj := //p' | tr ' ' '\n' |
		grep -v '/main\.o$' | sed "s,^build/user/,build/$1/,"
}

link()		# link DIRECTORY TEST.c OUTPUT FLAGS...
{
	local dir=$1 test=$2 out=$3
	shift 3
	# shellcheck disable=SC2046,SC2086 # words are wanted
	gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror -g "$@" -Iuser -Iinclude/uapi -Iinclude \
		$(pkg-config --cflags $libs) -o "$out" "$test" "$work/$dir.a" $(pkg-config --libs $libs) -lm
}

libs='libnl-3.0 libnl-genl-3.0 libkmod sqlite3 json-c gsl'
san=address,undefined
# shellcheck disable=SC2046 # words are wanted
build()		# build DIRECTORY [VARIABLE=VALUE...]: the objects, and an archive of those that there are
{
	local dir=$1 rc
	shift
	make -s -k -j2 "$@" $(objects "$dir") >"$work/make.log" 2>&1
	rc=$?
	[ $rc = 0 ] || sed 's/^/# /' "$work/make.log"
	ar rcs "$work/$dir.a" $(ls $(objects "$dir") 2>/dev/null)
	result $rc "$dir: every object builds"
}

build user
build user-san SANITIZE=$san CFLAGS='-O1 -g'

tests=()
for src in user/test/*.c user/*/test/*.c; do
	[ -e "$src" ] || continue
	name=${src#user/} name=${name%.c} name=${name//test\//}
	if [ $# = 0 ] || [[ " $* " = *" $name "* ]]; then
		tests+=("$name")
		link user "$src" "$work/${name//\//-}" -O2 2>"$work/cc" &&
			link user-san "$src" "$work/${name//\//-}.san" -O1 -fsanitize=$san \
				-fno-sanitize-recover=all 2>>"$work/cc"
		rc=$?
		[ $rc = 0 ] || sed 's/^/# /' "$work/cc"
		result $rc "$name: links, no warning"
	fi
done
[ ${#tests[@]} -gt 0 ] || { echo "Bail out! no test of that name"; exit 2; }

for name in "${tests[@]}"; do
	bin=$work/${name//\//-}
	[ -x "$bin.san" ] || continue
	sub "$name" "$bin"
	case $name in
	store-size) continue ;;	# its limits are for the plain build
	esac
	sub "$name, ASan" "$bin.san"
	case $name in
	correlate) ;;		# thousands of simulations: minutes under valgrind, and ASan saw the same code
	*) sub "$name, valgrind" valgrind -q --leak-check=full --error-exitcode=99 "$bin" ;;
	esac
done

if [ -x "$work/correlate" ]; then
	if /usr/bin/python3 -c 'import scipy.stats' 2>/dev/null; then
		"$work/correlate" pairs >"$work/pairs"
		worst=$(/usr/bin/python3 -c '
import sys
from scipy.stats import spearmanr
worst = n = 0
for line in sys.stdin:
    v = [float(w) for w in line.split()]
    k = (len(v) - 2) // 2
    r = spearmanr(v[2:2 + k], v[2 + k:])
    worst = max(worst, abs(r[0] - v[0]), abs(r[1] - v[1]))
    n += 1
print("%d %.1e %d" % (n, worst, n == 300 and worst < 1e-9))' <"$work/pairs")
		[ "${worst##* }" = 1 ]
		result $? "rho and p against scipy, 300 series with and without ties: pairs and worst difference ${worst% *}"
	else
		result 0 "rho and p against scipy # SKIP /usr/bin/python3 has no scipy: apt-get install python3-scipy"
	fi
fi

if [ -x "$work/fsmark" ]; then
	for f in 1t-1i 1t-5i-v 64t-1i 64t-4i-v 2d-subdirs-v fork-1i fork-5i; do
		"$work/fsmark" rows "fsmark-$f.txt" >"$work/ours"
		awk '/^ *[0-9]/ && NF >= 5 { print $2, $3, $4, $5 }' "user/test/data/fsmark-$f.txt" >"$work/theirs"
		[ -s "$work/ours" ] && cmp -s "$work/ours" "$work/theirs"
		result $? "rows of $f as awk reads them"
	done
	if command -v fs_mark >/dev/null; then
		while read -r words; do
			mkdir -p "$work/mark"
			# shellcheck disable=SC2086 # words are wanted
			ours=$("$work/fsmark" expect fs_mark $words)
			# shellcheck disable=SC2086
			real=$(cd "$work/mark" && timeout 60 fs_mark $words 2>/dev/null </dev/null |
				awk '/^ *[0-9]+ +[0-9]+ / { n = $2 } END { print n ? n : "refused" }')
			[ "$ours" = "$real" ]
			result $? "fs_mark $words: we expect $ours files, it wrote $real"
			rm -rf "$work/mark"
		done <<-'END'
			-d m -n 5 -t 4 -L 3
			-da -t2 -n5 -s4096 -L 1
			-kvd m -n 7
			-d a -d b -t 4 -n 3 -S 0
			-d a -d b -t 1 -n 3
			-d a -d b -t 3 -n 3
			-d m extra -n 2
			-d m -n 2 -- -n 3
			-d m -n 2 -L 0
			-d m -s 4K -n 4K
			-d m -n -3
			-d m -t 70
			-d m -n 2000000
			-d m -S 7 -n 2
			-d m -w 9999999 -n 2
			-d m -p 300 -n 2
			-n 3
			-d m -n
			-d m -q
		END
	else
		result 0 "command lines against the real fs_mark # SKIP no fs_mark: apt-get install fsmark"
	fi
fi

echo "1..$n"
exit $((failed != 0))
