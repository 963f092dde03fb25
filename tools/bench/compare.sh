#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a comparison of 200 runs of 3000 metrics costs: time, memory, and what twice the runs and twice the
# metrics cost more. Ends with 1 above 2 s or 300 MB.
#
# usage: tools/bench/compare.sh       R5S_BIN=FILE (build/raid5stat) is what is measured

set -eu -o pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
bin=${R5S_BIN:-build/raid5stat}
[ -x "$bin" ] || { echo "no $bin: make user" >&2; exit 3; }
[ -x /usr/bin/time ] || { echo "no /usr/bin/time: apt install time" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

matrix()	# matrix RUNS METRICS SEED
{
	gawk -v runs="$1" -v metrics="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		print "{"
		for (k = 0; k < metrics; k++) {
			printf "%s\"monitor%d.metric_%d\": [", k ? ",\n" : "", k % 40, k
			for (i = 0; i < runs; i++)
				printf "%s%.4f", i ? ", " : "", 1000 + 50 * (k % 3 == 0) * (seed - 1) + 20 * rand()
			printf "]"
		}
		print "\n}"
	}'
}

cost()		# cost RUNS METRICS: of a comparison of two groups; seconds and MB
{
	matrix "$1" "$2" 1 >"$work/a.json"
	matrix "$1" "$2" 2 >"$work/b.json"
	/usr/bin/time -o "$work/time" -f '%U %S %M' "$bin" compare "$work/a.json" "$work/b.json" >"$work/out"
	grep -q '^Different: ' "$work/out" || { echo "the planted difference was not found" >&2; exit 1; }
	gawk '{ printf "%.2f %.0f\n", $1 + $2, $3 * 1024 / 1e6 }' "$work/time"
}

printf '%8s %8s %10s %10s\n' 'runs' 'metrics' 'CPU' 'memory'
while read -r runs metrics; do
	read -r seconds mb < <(cost $((runs / 2)) "$metrics")
	printf '%8d %8d %8s s %7d MB\n' "$runs" "$metrics" "$seconds" "$mb"
	[ "$runs,$metrics" = 200,3000 ] && full=$seconds memory=$mb
done <<-EOF
	100 3000
	200 1500
	200 3000
	400 3000
	200 6000
EOF
echo "bounds for 200 runs of 3000 metrics: 2 s, 300 MB"
gawk "BEGIN { exit !($full < 2 && $memory < 300) }"
