#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every reader of the program under libFuzzer with ASan and UBSan, each for a few thousand runs from a small
# corpus and a printed seed; what was found once stays in the corpus.
#
# usage: user/test/fuzz/run.sh      R5S_FUZZ_RUNS (4000) for each reader, R5S_FUZZ_SECONDS (30) at most,
#                                   R5S_FUZZ_SEED (1),
#                                   R5S_FUZZ_ONLY=KEYS some of the readers,
#                                   R5S_FUZZ_KEEP=DIRECTORY keeps what breaks

set -u -o pipefail
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/../tap.sh"
here=user/test/fuzz
seconds=${R5S_FUZZ_SECONDS:-30} runs=${R5S_FUZZ_RUNS:-4000} seed=${R5S_FUZZ_SEED:-1}
keep=${R5S_FUZZ_KEEP:-$work}

command -v clang >/dev/null || { echo "1..0 # SKIP no clang: apt install clang"; exit 4; }

objects()
{
	local src cflags
	# shellcheck disable=SC2086 # words are wanted
	cflags=$(pkg-config --cflags $libs)
	for src in $(make -pnq user 2>/dev/null | sed -n 's/^user_src := //p'); do
		[ "$src" = user/main.c ] || [ "$src" = user/./main.c ] || echo "$src"
	done | xargs -P 2 -I SRC sh -c 'clang -std=gnu11 -D_GNU_SOURCE -O1 -g \
		-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -Iuser -Iinclude -Iinclude/uapi \
		'"$cflags"' -c -o "'"$work"'/$(echo SRC | tr / -).o" SRC'
}

libs='libnl-3.0 libnl-genl-3.0 libkmod sqlite3 json-c gsl zlib'
# shellcheck disable=SC2086,SC2046 # words are wanted
objects 2>"$work/cc" &&
	clang -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -Iuser -Iinclude -Iinclude/uapi $(pkg-config --cflags $libs) \
		-o "$work/fuzz" $here/fuzz.c "$work"/*.o $(pkg-config --libs $libs) -lm 2>>"$work/cc"
rc=$?
[ $rc = 0 ] || sed 's/^/# /' "$work/cc"
result $rc "harness and every object build with clang"
[ $rc = 0 ] || { tap_end; exit 1; }

# name KEY MAXIMUM TEXT: a reader by itself, so that each has its time
fuzz()
{
	local key=$1 max=$2 name=$3 rc
	[[ ${R5S_FUZZ_ONLY:-$key} = *$key* ]] || return
	mkdir -p "$work/seeds-$key" "$work/new-$key"
	cp $here/corpus/"$key"-* "$work/seeds-$key/" 2>/dev/null
	"$work/fuzz" -runs=0 "$work/seeds-$key" >"$work/log" 2>&1
	result $? "$name: the corpus, and what was found before"
	"$work/fuzz" -seed="$seed" -runs="$runs" -max_total_time="$seconds" -max_len="$max" -rss_limit_mb=1024 -timeout=10 \
		-only_ascii=0 -dict=$here/dictionary -artifact_prefix="$keep/$key-" "$work/new-$key" \
		"$work/seeds-$key" >"$work/log" 2>&1
	rc=$?
	result $rc "$name: $(grep -o 'Done [0-9]* runs' "$work/log" || echo stopped), seed $seed"
	[ $rc = 0 ] || grep -v '^#[0-9]' "$work/log" | head -n 40 | sed 's/^/# /'
}

fuzz p 2000 "diskstats, slabinfo, mountinfo"
fuzz n 4000 "netlink answers"
fuzz e 1000 "fanotify events"
fuzz a 400 "fs_mark's command line"
fuzz y 600 "sysfs and facts"
fuzz s 3000 "sources of numbers"
fuzz l 1500 "show's saved file"
fuzz x 400 "escaping: terminal and JSON"
fuzz d 200 "a store with changed bytes"
fuzz q 600 "a store with a hostile schema"
tap_end
