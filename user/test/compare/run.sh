#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Everything about `raid5stat compare`: published tables read, printed and rebuilt; statistics against
# scipy; LKP's files; the store; scale; a bounded fuzz run.
#
# usage: user/test/compare/run.sh       R5S_BIN=FILE tests that program instead of building one,
#                                       SANITIZE=address,undefined builds everything so,
#                                       R5S_FUZZ_RUNS (12000) and R5S_FUZZ_SECONDS (60) bound the fuzzing

set -u -o pipefail
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/../tap.sh"
here=user/test/compare data=$tap_top/user/test/compare/data

libs="json-c sqlite3 gsl zlib"
build()		# build OUTPUT TEST.c FLAGS...
{
	local out=$1 test=$2
	shift 2
	# shellcheck disable=SC2046,SC2086 # words are wanted
	${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror -g "$@" -Iuser -Iinclude \
		-Iinclude/uapi $(pkg-config --cflags $libs) -o "$out" "$test" user/compare/*.c \
		user/report/*.c user/analysis/{compare,correlate,direction,rank,stats}.c \
		user/render/{compare*,json,lkp,plot,table,utf8}.c user/store/*.c \
		user/workload/fsmark{,_args}.c $(pkg-config --libs $libs) -lm
}

# shellcheck disable=SC2086 # words are wanted
build "$work/behave" $here/behave.c $sanitized && build "$work/rebuild" $here/rebuild.c $sanitized &&
	build "$work/calc" $here/calc.c $tap_flags && build "$work/make" $here/make.c $tap_flags
result $? "test programs built without a warning"
bin=${R5S_BIN:-}
if [ -z "$bin" ]; then
	make -s user SANITIZE="${SANITIZE:-}" >"$work/build.log" 2>&1
	result $? "raid5stat built"
	bin=$tap_bin
fi

sub rules "$work/behave"
sub rebuilt "$work/rebuild" $here/data/*detail* $here/data/*summary*

# --- every row of every table, printed again ---------------------------------------------------------

# Rows as they stand in the files, found without our parser: what begins with a number (or a kernel's
# or device's name) and is no plot; long keys joined to their row; quoting, white space and the sign gone.
published()
{
	sed -e 's/^[> ]*//' -e 's/?/±/g' "$1" | gawk '
		/\|[[:space:]]*$/ || /\+\+/ || /[-*]\+[-*]/ { next }
		waiting != "" { print waiting $0; waiting = ""; next }
		/^(2\.4\.20-pre[12]|sd[a-z]|md[0-9]) / && NF > 3 { print; next }
		/^[[:space:]]*[0-9]/ && NF > 3 {
			if ($NF ~ /^[0-9.e+]+%?$/ && $0 ~ /±|e\+/ && $NF !~ /[a-z]{2}/) { waiting = $0; next }
			if ($1 ~ /^[0-9a-f]{16,}$/ || $1 ~ /^[0-9a-f]{10}$/ && $2 ~ /^\(/) next
			print
		}' | tr -d ' \t'
}

printed()
{
	"$bin" compare --from "$1" --style "$2" --sort none 2>/dev/null | sed -e 's/^[> ]*//' | gawk '
		/^note: / { next }
		/^(2\.4\.20-pre[12]|sd[a-z]|md[0-9]) / && NF > 3 { print; next }
		/^[[:space:]]*[0-9]/ && NF > 3 && !($1 ~ /^[0-9a-f]{16,}$/ || $2 ~ /^\(/) { print }' | tr -d ' \t'
}

total=0
for f in "$data"/*.txt; do
	name=$(basename "$f" .txt)
	case $name in
	raid5-*detail) style=classic ;;
	vm-*) style=classic-2016 ;;
	fsmark-*) style=modern-2017 ;;
	*) style=modern ;;
	esac
	published "$f" >"$work/want"
	printed "$f" $style >"$work/got"
	rows=$(wc -l <"$work/want")
	diff "$work/want" "$work/got" >"$work/diff" && [ "$rows" -gt 0 ]
	result $? "$name: $rows rows printed again, equal but for white space ($style)"
	head -n 6 "$work/diff" | sed 's/^/# /'
	total=$((total + rows))
done
[ $total = 420 ]
result $? "$total published rows in all"

# The order in which they were published follows from the rules. In 2015 it was by medians, of which a
# report knows only the means, and the main result was put first: there pairs of rows are counted.
pairs()
{
	gawk 'NR == FNR { p[$0] = FNR; next }
		$0 in p { q[++n] = p[$0] }
		END {
			for (i = 1; i < n; i++)
				for (k = i + 1; k <= n; k++) { all++; same += q[i] < q[k] }
			printf "%d", all ? 1000 * same / all : 0
		}' <(grep '[0-9]%' "$1") <(grep '[0-9]%' "$2")
}

while read -r name style least; do
	for order in none style; do
		"$bin" compare --from "$data/$name.txt" --style "$style" --sort $order 2>/dev/null |
			grep -v '^note: ' >"$work/order.$order"
	done
	same=$(pairs "$work/order.none" "$work/order.style")
	[ "$same" -ge "$least" ]
	result $? "$name: $same of 1000 pairs of rows stand as published ($style, at least $least)"
done <<-EOF
	f2fs-stress-ng-ioprio.detail modern 1000
	vm-scalability-msync-mt.detail-and-plots classic-2016 1000
	fsmark-single-vs-two-numa-nodes.detail modern-2017 950
	raid5-stripe-cache-growth.summary classic 1000
	raid5-stripe-cache-growth.ext4-fsync.detail classic 950
	raid5-stripe-cache-growth.btrfs-nosync.detail classic 880
EOF

# The same, quoted twice and folded by a mailer; and with what a mailer makes of the sign.
f=$data/raid5-stripe-cache-growth.ext4-fsync.detail.txt
sed -e 's/^/> > /' -e 's/±/?/g' -e 's/ /\t  /g' "$f" >"$work/quoted.txt"
printed "$f" classic >"$work/want"
printed "$work/quoted.txt" classic >"$work/got"
cmp -s "$work/want" "$work/got"
result $? "quoted, folded and with ? for the sign it is the same table"

# --- checking reports ----------------------------------------------------------------------------------

for f in "$data"/*detail*.txt "$data"/*summary.txt; do
	code 0 "$(basename "$f" .txt): every printed change follows from its means" \
		"$bin" compare --from "$f" --check --exit-code
done
f=$data/raid5-stripe-cache-growth.ext4-fsync.detail.txt
"$bin" compare --from "$f" --check >"$work/out"
shows "line 7: fsmark.files_per_sec: fs_mark step of 6.4 files/s: both means are whole multiples of it" \
	"6.40 and 19.20 are marked as steps of 64 threads"
shows "true rate 9.18 -> 18.48 files/s, +101.3 %" "with the true rate beside: +101 %, not +200 %"
"$bin" compare --from "$data/fsmark-single-vs-two-numa-nodes.detail.txt" --check >"$work/out"
shows "fsmark.files_per_sec: fs_mark step of 6.4" "57.60 and 51.20 are marked"
shows "true rate 54.75 -> 50.25 files/s, -8.2 %" "-8.2 %, not -11.1 %"
"$bin" compare --from "$data/raid5-stripe-cache-growth.summary.txt" --check >"$work/out"
[ "$(grep -c 'fs_mark step of 6.4' "$work/out")" = 4 ]
result $? "summary: three cases of 64 threads on whole steps, one within a step"
grep -q 'fs_mark step.*1x-1t' "$work/out"
[ $? = 1 ]
result $? "and none of one thread"
sed 's/+413.4%/+431.4%/' "$data/raid5-stripe-cache-growth.btrfs-nosync.detail.txt" >"$work/wrong.txt"
code 1 "two changed figures are found" "$bin" compare --from "$work/wrong.txt" --check --exit-code
[ "$(grep -c ': disagrees: ' "$work/out")" = 2 ]
result $? "exactly these two"
code 2 "a text without tables is refused" "$bin" compare --from "$here/run.sh"
code 2 "no such report" "$bin" compare --from "$work/none"
shows "No such file" "and says so"

# --- statistics ----------------------------------------------------------------------------------------

sub statistics "$work/calc"
py=
for p in /usr/bin/python3 python3; do
	"$p" -c 'import scipy' 2>/dev/null && py=$p && break
done
if [ -n "$py" ]; then
	sub scipy "$py" $here/scipy_check.py "$work/calc"
else
	skip "statistics against scipy" "no scipy: apt install python3-scipy"
fi

# --- the store -----------------------------------------------------------------------------------------

a=$work/a.db b=$work/b.db
"$work/make" store "$a" 6.1 64 9.18 6 1 fs=ext4 && "$work/make" store "$a" 6.12 64 18.48 6 2 fs=ext4 &&
	"$work/make" store "$b" 6.1 64 50 5 3 fs=xfs && "$work/make" store "$b" 6.12 64 55 5 4 fs=xfs killed
result $? "two stores made"
code 1 "twice as fast is different" "$bin" compare --db "$a" --exit-code test.kernel=6.1 test.kernel=6.12
shows "fs_mark step" "fs_mark's column is marked"
shows "% (files closed over the writing window)" "the true rate is beside"
shows "better" "and called better"
code 4 "3 against 3 runs" "$bin" compare --db "$a" --exit-code 1-3 4-6
shows "Too few runs to tell: 3 against 3 runs give p = 0.1 at best" "are too few, and it says so"
code 0 "6 against 6 equal runs, one metric" "$bin" compare --db "$a" --exit-code --metric md0.cache.grown 1,3,5,7,9,11 2,4,6,8,10,12
shows "No difference shown in 1 rows" "no difference shown is another sentence"
grep -q '^md0.cache.grown .* same' "$work/out"
result $? "the metric that was named is shown, changed or not"
code 0 "groups by a setting over two stores" "$bin" compare --db "$a" --db "$b" --by test.kernel --where fs=xfs
shows "1 runs did not end well and were left out" "a killed run is left out and told"
grep -q '^files_per_sec.true .* 5 .* 4 ' "$work/out"
result $? "5 against 4 runs"
"$bin" compare --db "$a" --all --json 1-6 7-12 >"$work/json"
result $? "JSON"
if [ -n "$py" ]; then
	# Gauge: mean over time; counter: growth; rate: files / window. From the rows with sqlite3 itself.
	sqlite3 "$a" "SELECT avg(w.value * 1.0) FROM (SELECT 1000 * 1e9 / s.value AS value FROM settings s
		WHERE s.key = 'files.window_ns' AND s.run_id <= 6) w" >"$work/true" 2>"$work/sql.err"
	"$py" - "$work/json" "$work/true" <<-'EOF'
		import json, sys
		rows = {r["metric"]: r["cells"] for r in json.load(open(sys.argv[1]))["rows"]}
		assert abs(rows["md0.cache.grown"][0]["mean"] - 10) < 1e-9, "counter"
		assert 256 < rows["md0.cache.size"][0]["mean"] < 512, "gauge"
		true = float(open(sys.argv[2]).read())
		assert abs(rows["files_per_sec.true"][0]["mean"] / true - 1) < 1e-6, "rate"
	EOF
	result $? "means agree with what SQL finds in the store"
fi
code 0 "a row per test case" "$bin" compare --db "$a" --db "$b" --cases fs --summary test.kernel=6.1 test.kernel=6.12
[ "$(grep -Ec '(ext4|xfs)$' "$work/out")" = 2 ]
result $? "two cases"
code 0 "a plot" "$bin" compare --db "$a" --plot files_per_sec.true 1-6 7-12
shows "[*] base, 6 runs   [O] head, 6 runs" "with its legend"
code 0 "with the geometric mean" "$bin" compare --db "$a" --db "$b" --cases fs --summary --geo-mean \
	test.kernel=6.1 test.kernel=6.12
gawk '$NF ~ /(ext4|xfs)$/ { n++; b += log($3); h += log($7) }
	/^GEO-MEAN/ { g1 = $6 + 0; g2 = $8 + 0 }
	END {
		b = exp(b / 2); h = exp(h / 2)
		exit !(n == 2 && g1 > 0 && (g1 / b - 1) ^ 2 < 1e-6 && (g2 / h - 1) ^ 2 < 1e-6)
	}' "$work/out"
result $? "which follows from the two rows"
code 2 "a geometric mean wants a summary" "$bin" compare --db "$a" --geo-mean 1-6 7-12
code 0 "a rule of the robot's" "$bin" compare --db "$a" --robot distance=5,whole 1-2 7-8
shows "robot's own rule" "calls rows of 2 against 2 runs changed"
"$bin" compare --db "$a" 1-2 7-8 >"$work/out"
! grep -q "robot's own rule" "$work/out"
result $? "which its default does not"
code 2 "no such rule" "$bin" compare --db "$a" --robot gap 1-6 7-12
code 0 "without a metric" "$bin" compare --db "$a" --all --without 'md0.*' 1-6 7-12
! grep -q '^md0\.' "$work/out" && grep -q '^files_per_sec.true' "$work/out"
result $? "it is left out, others are not"
for style in own classic classic-2016 modern modern-2017; do
	"$bin" compare --db "$a" --style $style --metric 'files_per_sec.true' 1-4 5,6 7-12 >"$work/out"
	# Base, first head, second head: about 9, 9 and 18.
	gawk -v row="$(grep 'files_per_sec.true' "$work/out" | head -n 1)" 'BEGIN {
		gsub(/±[ <]*[0-9.]+%?/, " ", row)
		n = split(row, w, /[ \t]+/)
		for (i = 1; i <= n; i++) {
			small += w[i] ~ /^(9|[89]\.[0-9]+)$/
			large += w[i] ~ /^(18|1[89]\.[0-9]+)$/
		}
		if (small < 2 || !large) print "# " row
		exit !(small >= 2 && large >= 1)
	}'
	result $? "three groups in one table, $style"
done
code 2 "a group without runs" "$bin" compare --db "$a" 1-6 99
shows "no run of the store fits" "says so"
code 2 "one group" "$bin" compare --db "$a" 1-6
code 2 "a style that does not exist" "$bin" compare --style fancy 1 2
code 3 "a store that does not exist" "$bin" compare --db "$work/none.db" 1 2
code 2 "a directory that does not exist" "$bin" compare "$work/none/a" "$work/none/b"

# --- LKP's trees ---------------------------------------------------------------------------------------

"$bin" compare --db "$a" --save "$work/lkp/" 1-6 7-12 >/dev/null &&
	"$bin" compare --save "$work/again" "$work/lkp/1-6" "$work/lkp/7-12" >/dev/null
result $? "saved as LKP trees, read, saved again"
(cd "$work/lkp" && find . -name '*.json' ! -name matrix.json -exec md5sum {} + | sort -k 2) >"$work/want"
(cd "$work/again" && md5sum -c "$work/want") >/dev/null 2>&1 && [ "$(wc -l <"$work/want")" = 16 ]
result $? "the round trip is equal, file by file"
gzip -c "$work/lkp/1-6/matrix.json" >"$work/m.json.gz"
"$bin" compare --all --json "$work/lkp/1-6" "$work/lkp/7-12" | grep -v '"name"' >"$work/want"
"$bin" compare --all --json "$work/m.json.gz" "$work/lkp/7-12/matrix.json" | grep -v '"name"' >"$work/got"
[ -s "$work/want" ] && cmp -s "$work/want" "$work/got"
result $? "matrix.json and matrix.json.gz say the same as the runs' stats.json"
mkdir -p "$work/root/case1" "$work/root/deep/case2"
for c in root/case1 root/deep/case2; do cp -r "$work/lkp/1-6" "$work/lkp/7-12" "$work/$c/"; done
code 0 "test cases below a directory" "$bin" compare --root "$work/root" --summary 1-6 7-12
[ "$(grep -c "200\.0%" "$work/out")" = 2 ]
result $? "both are found"
code 2 "a summary of three groups" "$bin" compare --root "$work/root" --summary 1-6 7-12 1-6
grep -q 'has two groups' "$work/err"
result $? "says so"
echo '{"a": [1,' >"$work/bad.json"
code 2 "a broken file" "$bin" compare "$work/bad.json" "$work/m.json.gz"

# --- scale ---------------------------------------------------------------------------------------------

"$work/make" tree "$work/big1" 100 3000 0 1 && "$work/make" tree "$work/big2" 100 3000 0.05 2
result $? "200 runs of 3000 metrics made"
# What it costs in seconds is said by tools/bench/compare.sh; here, what no other load on the machine can change.
if [ -n "${SANITIZE:-}" ]; then
	code 0 "200 runs of 3000 metrics, sanitised" "$bin" compare "$work/big1/matrix.json" "$work/big2/matrix.json"
elif [ -x /usr/bin/time ]; then
	code 0 "200 runs of 3000 metrics" /usr/bin/time -o "$work/time" -f %M \
		"$bin" compare "$work/big1/matrix.json" "$work/big2/matrix.json"
	mib=$(($(tail -n 1 "$work/time") / 1024))
	[ "$mib" -gt 1 ] && [ "$mib" -lt 300 ]
	result $? "in $mib MiB (bound 300 MiB)"
else
	skip "memory" "no /usr/bin/time: apt install time"
fi
# instructions RUNS: of a comparison of two groups of that many runs
instructions()
{
	"$work/make" tree "$work/c1" "$1" 3000 0 1 && "$work/make" tree "$work/c2" "$1" 3000 0.05 2 || return
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bin" compare "$work/c1/matrix.json" \
		"$work/c2/matrix.json" 2>&1 >/dev/null | gawk '/Collected/ { print $NF }'
}
if [ -n "${SANITIZE:-}" ] || ! command -v valgrind >/dev/null; then
	skip "cost grows with the runs" "callgrind wants valgrind and a program without sanitisers"
else
	# Above 40 runs in all, since fewer have the exact test, which costs more.
	few=$(instructions 25) many=$(instructions 50)
	gawk "BEGIN { exit !(${few:-0} > 1e8 && $many > $few && $many < 2.5 * $few) }"
	result $? "25 runs a group cost $few instructions, 50 runs $many: it grows with the runs, not with their square"
fi

# --- fuzzing -------------------------------------------------------------------------------------------

if command -v clang >/dev/null; then
	CC=clang build "$work/fuzz" $here/fuzz.c -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all
	result $? "fuzz harness built"
	mkdir "$work/corpus"
	"$work/fuzz" -seed=1 -runs="${R5S_FUZZ_RUNS:-12000}" -max_total_time="${R5S_FUZZ_SECONDS:-60}" -max_len=4096 -rss_limit_mb=2048 \
		-artifact_prefix="$work/" "$work/corpus" $here/corpus >"$work/fuzz.log" 2>&1
	rc=$?
	result $rc "readers of reports, LKP's files and fs_mark: $(grep -o 'Done [0-9]* runs' "$work/fuzz.log" || echo stopped)"
	[ $rc = 0 ] || tail -n 30 "$work/fuzz.log" | sed 's/^/# /'
else
	skip "fuzzing" "no clang: apt install clang"
fi

tap_end
