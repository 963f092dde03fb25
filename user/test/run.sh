#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The reader's own tests in one TAP stream: plain and under valgrind, or with SANITIZE=address,undefined
# built so; then comparisons with scipy, awk and the real fs_mark.
#
# usage: user/test/run.sh [NAME...]     without names: every C test below user/

set -u -o pipefail
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/tap.sh"
export R5S_TEST_DATA=$tap_top/user/test/data

objects()	# of the reader without its main(), below build/$1: what the Makefile says
{
	make -pnq user 2>/dev/null | sed -n 's/^user_obj := //p' | tr ' ' '\n' |
		grep -v '/main\.o$' | sed "s,^build/user/,build/$1/,"
}

link()		# link DIRECTORY TEST.c OUTPUT
{
	# shellcheck disable=SC2046,SC2086 # words are wanted
	gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror -g $tap_flags -Iuser -Iinclude/uapi -Iinclude \
		$(pkg-config --cflags $libs) -o "$3" "$2" "$work/$1.a" $(pkg-config --libs $libs) -lm
}

libs='libnl-3.0 libnl-genl-3.0 libkmod sqlite3 json-c gsl'
if [ -n "${SANITIZE:-}" ]; then
	dir=user-san cflags='-O1 -g'
else
	dir=user cflags='-O2 -g'
fi
# Every object that there is goes into an archive, so that one that does not build breaks only its own tests.
# shellcheck disable=SC2046 # words are wanted
{
	make -s -k -j2 SANITIZE="${SANITIZE:-}" CFLAGS="$cflags" $(objects $dir) >"$work/make.log" 2>&1
	rc=$?
	[ $rc = 0 ] || sed 's/^/# /' "$work/make.log"
	ar rcs "$work/$dir.a" $(ls $(objects $dir) 2>/dev/null)
	result $rc "$dir: every object builds"
}

tests=()
for src in user/test/*.c user/*/test/*.c; do
	[ -e "$src" ] || continue
	name=${src#user/} name=${name%.c} name=${name//test\//}
	if [ $# = 0 ] || [[ " $* " = *" $name "* ]]; then
		tests+=("$name")
		link "$dir" "$src" "$work/${name//\//-}" 2>"$work/cc"
		rc=$?
		[ $rc = 0 ] || sed 's/^/# /' "$work/cc"
		result $rc "$name: links, no warning"
	fi
done
[ ${#tests[@]} -gt 0 ] || { echo "Bail out! no test of that name"; exit 2; }

for name in "${tests[@]}"; do
	bin=$work/${name//\//-}
	[ -x "$bin" ] || continue
	if [ -n "${SANITIZE:-}" ]; then
		# The limits of store-size are for the plain build.
		[ "$name" = store-size ] || sub "$name, sanitised" "$bin"
		continue
	fi
	sub "$name" "$bin"
	case $name in
	store-size) ;;		# the same
	correlate) ;;		# thousands of simulations: minutes under valgrind, and ASan sees the same code
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
		skip "rho and p against scipy" "/usr/bin/python3 has no scipy: apt-get install python3-scipy"
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
		skip "command lines against the real fs_mark" "no fs_mark: apt-get install fsmark"
	fi
fi

tap_end
