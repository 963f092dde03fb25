#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile names through every renderer, each judged by a parser that is not ours: jq and Python for JSON and
# CSV, sqlite3 for SQL, the bytes themselves for a terminal.
#
# usage: user/test/hostile.sh       R5S_BIN=FILE tests that program, SANITIZE=address,undefined builds one so

set -u -o pipefail
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/tap.sh"
for need in jq sqlite3 gawk /usr/bin/python3; do
	command -v "$need" >/dev/null || { echo "1..0 # SKIP no $need: apt install jq sqlite3 gawk python3"; exit 4; }
done
bin=${R5S_BIN:-}
if [ -z "$bin" ]; then
	make -s user SANITIZE="${SANITIZE:-}" >"$work/build.log" 2>&1
	result $? "raid5stat built"
	bin=$tap_bin
fi
libs='libnl-3.0 libnl-genl-3.0 libkmod sqlite3 json-c gsl zlib'
# shellcheck disable=SC2086,SC2046 # words are wanted
gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -g $tap_flags -Iuser -Iinclude -Iinclude/uapi \
	$(pkg-config --cflags $libs) -o "$work/make" user/test/compare/make.c user/{compare,report,store,analysis}/*.c \
	user/render/{json,utf8}.c user/workload/fsmark*.c $(pkg-config --libs $libs) -lm 2>"$work/cc"
rc=$?
result $rc "the maker of stores builds"
[ $rc = 0 ] || sed 's/^/# /' "$work/cc"

long=$(head -c 3000 /dev/zero | tr '\0' A)
names=(
	$'new\nline' 'quote"and'\''both' 'comma,semicolon;tab	x' $'\033[31mred\033]0;title\a' '<script>alert(1)</script>&amp;'
	$'not utf8 \377\376\300\257 end' '=cmd|"/c calc"!A0' '+1+1' '@SUM(A1)' '-2+3' ']]>' '{"a":1}' '# EOF' '%s%n%d'
	$'\342\200\256rtl' $'c1 \302\233 31m' "'; DROP TABLE runs; --" '../../etc/passwd' '$(id)`id`' $'\\' $'\r overwrite' "$long"
)

# A terminal gets nothing but printable UTF-8, newline and tab; and no character that turns the line round.
clean_bytes()
{
	/usr/bin/python3 - "$1" <<-'EOP'
		import sys, unicodedata
		text = open(sys.argv[1], "rb").read().decode("utf-8")      # not UTF-8: an exception
		bad = [c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
		sys.exit("%d bad: %r" % (len(bad), bad[:5]) if bad else 0)
	EOP
}

# What a sink of JSON must give back: the name, with U+FFFD for each byte that is no UTF-8.
expected()
{
	/usr/bin/python3 -c '
import sys, json
raw = open(sys.argv[1], "rb").read()
out, i = "", 0
while i < len(raw):
    for n in (1, 2, 3, 4):
        try:
            out += raw[i:i + n].decode("utf-8"); i += n; break
        except UnicodeDecodeError:
            pass
    else:
        out += "\ufffd"; i += 1
json.dump(out, sys.stdout)' "$1"
}

at=0
for name in "${names[@]}"; do
	at=$((at + 1))
	db=$work/h$at.db
	printf '%s' "$name" >"$work/name"
	title=$(printf '%s' "${name:0:24}" | iconv -c -f UTF-8 -t ASCII//IGNORE 2>/dev/null | tr -c '[:print:]' '?' | tr '#' '?')
	"$work/make" store "$db" 6.1 4 50 2 1 fs=ext4 >"$work/out" 2>&1 ||
		{ result 1 "$title: a store to begin with"; continue; }
	# The name as SQLite's own shell puts it, in every place that comes from outside.
	hex=$(od -An -v -tx1 "$work/name" | tr -d ' \n')
	argv=$(/usr/bin/python3 -c 'import json, sys; print(json.dumps(["fs_mark", "-d", sys.argv[1]]).encode().hex())' "$(
		iconv -c -f UTF-8 -t UTF-8 "$work/name" 2>/dev/null)")
	sqlite3 "$db" "
		UPDATE runs SET host = CAST(x'$hex' AS TEXT), command = CAST(x'$hex' AS TEXT), array_name = CAST(x'$hex' AS TEXT),
			note = CAST(x'$hex' AS TEXT), cwd = CAST(x'$hex' AS TEXT), argv = CAST(x'$argv' AS TEXT);
		UPDATE arrays SET name = CAST(x'$hex' AS TEXT);
		UPDATE settings SET value = CAST(x'$hex' AS TEXT) WHERE key NOT LIKE 'files.%';
		INSERT OR REPLACE INTO settings SELECT id, 'mount.point', CAST(x'$hex' AS TEXT) FROM runs;
		INSERT OR REPLACE INTO settings SELECT id, CAST(x'$hex' AS TEXT), CAST(x'$hex' AS TEXT) FROM runs;
		INSERT INTO events(run_id, t_ns, array, kind, text) SELECT id, 5, CAST(x'$hex' AS TEXT), CAST(x'$hex' AS TEXT),
			CAST(x'$hex' AS TEXT) FROM runs;" 2>"$work/err" || { result 1 "$title: into the store"; continue; }

	RAID5STAT_DB=$db "$bin" report >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	cat "$work/out" "$work/err" >"$work/all"
	clean_bytes "$work/all" 2>"$work/why"
	good=$?
	[ $rc = 0 ] && [ $good = 0 ] && [ -s "$work/out" ]
	result $? "$title: report, nothing raw ($rc) $(head -n 1 "$work/why" | tr -d '#')"

	RAID5STAT_DB=$db "$bin" report --json >"$work/json" 2>"$work/err"
	expected "$work/name" >"$work/want.json"
	jq -e --slurpfile want "$work/want.json" '[.. | strings] | index($want[0]) != null' "$work/json" >/dev/null 2>"$work/why"
	result $? "$title: report --json gives it back $(head -n 1 "$work/why" | tr -d '#')"
	/usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$work/json" 2>/dev/null
	result $? "$title: and is JSON for Python"

	{
		"$bin" compare --db "$db" --all "$name=1" 1 2
		"$bin" compare --db "$db" --all 1 2
		"$bin" compare --db "$db" "$name" "$name"
		"$bin" compare --from "$work/$name"
		"$bin" report --db "$work/no$name"
		"$bin" report --db "$db" "$name"
		"$bin" show "$name"
		"$bin" "$name"
		"$bin" run --no-load --array "$name" -- "$name"
		"$bin" load --module "$work/$name"
	} >"$work/all" 2>&1 </dev/null
	clean_bytes "$work/all" 2>"$work/why" && [ -s "$work/all" ]
	result $? "$title: compare and ten messages, nothing raw $(head -n 1 "$work/why" | tr -d '#')"
	"$bin" compare --db "$db" --all --json 1 2 >"$work/json" 2>/dev/null
	jq -e . "$work/json" >/dev/null 2>&1
	result $? "$title: compare --json"

	for format in csv openmetrics; do
		"$bin" export -h >/dev/null 2>&1 || break
		"$bin" export --db "$db" --format $format 1 >"$work/$format" 2>"$work/err" || continue
		/usr/bin/python3 user/test/hostile_check.py $format "$work/$format" "$work/name" 2>"$work/why"
		result $? "$title: export as $format $(tail -n 1 "$work/why" | tr -d '#')"
	done
	[ "$(sqlite3 "$db" 'SELECT count(*) FROM runs; PRAGMA integrity_check')" = $'2\nok' ]
	result $? "$title: the store is as it was"
	rm -f "$db"*
done
tap_end
