#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare what tools/layout finds with pahole and bpftool, for every kernel installed here; TAP.
#
#   LAYOUT=FILE              the tool (default: compile it)
#   R5S_LAYOUT_ROOTS="DIR"   more roots that hold kernels, such as unpacked debug kernels

set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0

ok() { n=$((n + 1)); echo "ok $n - $*"; }
not_ok() { n=$((n + 1)); bad=1; echo "not ok $n - $*"; }
# check NAME COMMAND...: what the command prints is shown when it fails
check() {
	local name=$1
	shift
	if "$@" >"$tmp/log" 2>&1; then ok "$name"; else not_ok "$name"; sed 's/^/# /' "$tmp/log"; fi
}

for c in pahole:pahole bpftool:bpftool xz:xz-utils zstd:zstd lz4:lz4 objcopy:binutils; do
	command -v "${c%:*}" >/dev/null && continue
	echo "1..0 # SKIP ${c%:*} not found: apt-get install ${c#*:}"
	exit 4
done

tool=${LAYOUT:-$tmp/layout}
if [ -z "${LAYOUT:-}" ]; then
	cc -std=gnu11 -D_GNU_SOURCE -O1 -g -I"$here" -I"$here/../../kmod" "$here"/*.c -o "$tool" \
		-lbpf -lelf -llzma -lzstd -llz4 -lz || exit 3
fi

le32() { od -An -tu4 -j"$2" -N4 "$1" | tr -d ' '; }

# unpack FILE TO: a module, or the vmlinux in a kernel image, by the stock command-line tools
unpack() {
	local from=$1 start len
	if [ "$(dd if="$1" bs=1 skip=514 count=4 2>/dev/null | tr -d "\\0")" = HdrS ]; then
		start=$((($(od -An -tu1 -j497 -N1 "$1") + 1) * 512 + $(le32 "$1" 584)))
		len=$(($(le32 "$1" 588) - 4))
		tail -c +$((start + 1)) "$1" | head -c "$len" >"$2.payload"
		from=$2.payload
	fi
	case $(od -An -tx1 -N4 "$from" | tr -d ' ') in
	fd377a58) xz -dc <"$from" >"$2" ;;
	28b52ffd) zstd -qdc <"$from" >"$2" ;;
	02214c18|04224d18) lz4 -qdc <"$from" >"$2" ;;
	1f8b*) gzip -dc <"$from" >"$2" ;;
	7f454c46) cp "$from" "$2" ;;
	*) return 1 ;;
	esac
}

module() { compgen -G "$1/lib/modules/$2/kernel/drivers/md/$3.ko*" | head -1; }

# members of one struct as pahole prints them: "MEMBER offset bytes"; unnamed ones are looked into
pahole_members() {
	pahole -F btf --btf_base="$tmp/vmlinux" -C "$1" "$tmp/raid456.ko" 2>/dev/null | awk '
	/\{[ \t]*($|\/\*)/ { depth++; kept[depth] = ""; next }
	/^[ \t]*\}/ {
		inner = kept[depth--]
		line = $0
		sub(/^[ \t]*\}[ \t]*/, "", line)
		if (depth < 1) { printf "%s", inner; next }
		if (line ~ /^;/) { kept[depth] = kept[depth] inner; next }
		$0 = "x " line
	}
	match($0, /\/\*[ \t]*[0-9]+[ \t]+[0-9]+[ \t]*\*\//) {
		split(substr($0, RSTART + 2, RLENGTH - 4), num, " ")
		name = substr($0, 1, RSTART - 1)
		if (name ~ /\(/ && name !~ /__attribute__/) next
		sub(/[ \t]*__attribute__.*/, "", name)
		sub(/;.*/, "", name)
		sub(/(\[[0-9]*\])+$/, "", name)
		sub(/.*[ \t*]/, "", name)
		kept[depth] = kept[depth] name " " num[1] " " num[2] "\n"
	}'
}

# Every line "field S.M offset bytes" of the list is what pahole says, and what is "-" pahole lacks.
same_fields() {
	local s m off size rest seen wrong=0 count=0 last=
	while IFS=$'\t' read -r _ m off size rest; do
		s=${m%%.*} m=${m#*.}
		[ "$s" = "$last" ] || { pahole_members "$s" >"$tmp/members"; last=$s; }
		seen=$(awk -v m="$m" '$1 == m { print $2, $3; exit }' "$tmp/members")
		[ "$off" = - ] && off='' size=''
		if [ "$seen" != "$off${off:+ }$size" ]; then
			echo "$s.$m: pahole '$seen', layout '$off $size'"
			wrong=1
		fi
		[ -z "$off" ] || count=$((count + 1))
	done < <(grep '^field' "$tmp/list" | sort -k2)
	[ "$count" -ge 150 ] || { echo "only $count fields were compared"; wrong=1; }
	return "$wrong"
}

# Struct sizes and enumerators against bpftool's dump of the module's own types.
same_values() {
	bpftool -B "$tmp/vmlinux" btf dump file "$tmp/raid456.ko" >"$tmp/dump" || return 1
	awk -F '\t' '
	NR == FNR {
		if (match($0, /^\[[0-9]+\] [A-Z0-9]+/)) {
			split($0, w, " "); name = w[3]; gsub(/\047/, "", name)
			kind = w[2]
			if (kind != "STRUCT") next
			sub(/.*size=/, ""); sub(/ .*/, ""); size[name] = $0
		} else if (kind == "ENUM") {
			split($2, w, " "); gsub(/\047/, "", w[1]); sub(/val=/, "", w[2])
			value[w[1]] = w[2]
		}
		next
	}
	$1 == "struct" { have = ($2 in size) ? size[$2] : "-" }
	$1 == "enum" { have = ($2 in value) ? value[$2] : "-" }
	$1 ~ /^(struct|enum)$/ {
		n++
		if (have != $3) { print $2 ": bpftool " have ", layout " $3; bad = 1 }
	}
	END {
		if (n < 100) { print "only " n + 0 " compared"; bad = 1 }
		exit bad
	}' "$tmp/dump" "$tmp/list"
}

same_ids() {
	local m id
	for m in raid456 md-mod; do
		unpack "$(module "$1" "$2" "$m")" "$tmp/$m.id" || return 1
		id=$(readelf -n "$tmp/$m.id" 2>/dev/null | awk '/Build ID:/ { print $3 }')
		if [ -z "$id" ] || ! grep -qx "build-id	${m/-/_}	$id" "$tmp/list" ||
		   ! grep -q "\"$id\"" "$tmp/gen.h"; then
			echo "$m: readelf says '$id'"
			return 1
		fi
	done
}

# The header holds exactly the numbers of the list.
same_header() {
	awk -F '\t' '
	$1 == "struct" { print "sizeof_" $2 " = " ($3 == "-" ? 0 : $3) }
	$1 == "field" {
		sub(/\./, "_", $2)
		print $2 " = { " ($3 == "-" ? "R5S_ABSENT, 0, 0" : $3 ", " $4 ", " $5) " }"
	}
	$1 == "enum" { print "value_" $2 " = " ($3 == "-" ? -1 : $3) }' "$tmp/list" |
		sort >"$tmp/want"
	sed -n 's/^\t\.\(.*\),$/\1/p' "$tmp/gen.h" | sort >"$tmp/have"
	grep -q "generated by tools/layout for $1 " "$tmp/gen.h" && [ -s "$tmp/want" ] &&
		diff "$tmp/want" "$tmp/have"
}

# refuses STATUS TEXT ARGS...: exits so, says so, and leaves no header
refuses() {
	local want=$1 text=$2 rc
	shift 2
	rm -f "$tmp/no.h"
	"$tool" "$@" -o "$tmp/no.h" >"$tmp/err" 2>&1
	rc=$?
	cat "$tmp/err"
	[ "$rc" -eq "$want" ] && grep -qF -- "$text" "$tmp/err" && ! ls "$tmp/no.h"* 2>/dev/null
}

keeps_time() {
	touch -d '2001-01-01' "$tmp/gen.h"
	"$tool" -r "$1" -k "$2" -o "$tmp/gen.h" &&
		[ "$(stat -c %Y "$tmp/gen.h")" = "$(date -d 2001-01-01 +%s)" ]
}

one_kernel() {
	local root=$1 rel=$2 name="$2"
	if ! "$tool" -r "$root" -k "$rel" -l >"$tmp/list" 2>"$tmp/err"; then
		not_ok "$name: offsets are found"; sed 's/^/# /' "$tmp/err"
		return
	fi
	check "$name: header is made" "$tool" -r "$root" -k "$rel" -o "$tmp/gen.h"
	if ! unpack "$(module "$root" "$rel" raid456)" "$tmp/raid456.ko" ||
	   ! unpack "$root/boot/vmlinuz-$rel" "$tmp/vmlinux"; then
		not_ok "$name: module and image unpack"
		return
	fi
	check "$name: offsets and sizes are pahole's" same_fields
	check "$name: struct sizes and enumerators are bpftool's" same_values
	check "$name: build-ids are readelf's" same_ids "$root" "$rel"
	check "$name: header and list agree" same_header "$rel"
	check "$name: an unchanged header keeps its time" keeps_time "$root" "$rel"
	check "$name: a wrong size is refused by name" refuses 1 \
		"struct r5conf.max_nr_stripes: expected 8 bytes, found 4 in $rel" \
		-r "$root" -k "$rel" --expect r5conf.max_nr_stripes=8
	check "$name: so is that of an optional field" refuses 1 \
		"struct r5conf.skip_copy: expected 2 bytes, found 4 in $rel" \
		-r "$root" -k "$rel" --expect r5conf.skip_copy=2

	# The image alone must give what a vmlinux in the headers gave.
	rm -rf "$tmp/root"
	mkdir -p "$tmp/root"
	ln -s "$(readlink -f "$root/boot")" "$tmp/root/boot"
	ln -s "$(readlink -f "$root/lib")" "$tmp/root/lib"
	"$tool" -r "$tmp/root" -k "$rel" -l >"$tmp/list2" 2>&1
	check "$name: the image alone gives the same" \
		diff <(grep -v ^base "$tmp/list") <(grep -v ^base "$tmp/list2")

	# A module without BTF.
	rm -rf "$tmp/root"
	mkdir -p "$tmp/root/lib/modules/$rel/kernel/drivers/md" "$tmp/root/boot"
	ln -s "$(readlink -f "$root/boot/vmlinuz-$rel")" "$tmp/root/boot/"
	objcopy -R .BTF "$tmp/raid456.ko" "$tmp/root/lib/modules/$rel/kernel/drivers/md/raid456.ko"
	check "$name: a raid456 without BTF is refused" refuses 3 "has no BTF" \
		-r "$tmp/root" -k "$rel"
	cp "$tmp/raid456.ko" "$tmp/root/lib/modules/$rel/kernel/drivers/md/raid456.ko"
	rm "$tmp/root/boot/vmlinuz-$rel"
	check "$name: a missing image names its package" refuses 3 "linux-image-$rel" \
		-r "$tmp/root" -k "$rel"
	head -c 3000000 "$root/boot/vmlinuz-$rel" >"$tmp/root/boot/vmlinuz-$rel"
	check "$name: half an image is refused" refuses 3 "vmlinuz-$rel: broken" \
		-r "$tmp/root" -k "$rel"
}

kernels=0
for root in / ${R5S_LAYOUT_ROOTS:-}; do
	root=${root%/}
	for dir in "$root"/lib/modules/*/; do
		rel=$(basename "$dir")
		ls "$dir"kernel/drivers/md/raid456.ko* >/dev/null 2>&1 || continue
		[ -r "$root/boot/vmlinuz-$rel" ] || continue
		kernels=$((kernels + 1))
		one_kernel "$root" "$rel"
	done
done
if [ $kernels -eq 0 ]; then
	echo "1..0 # SKIP no kernel with raid456 is installed: apt-get install linux-image-amd64"
	exit 4
fi

check "a kernel that is not here names its packages" refuses 3 \
	"apt-get install linux-image-9.9.9-none linux-headers-9.9.9-none" -k 9.9.9-none
check "an unknown field is a usage error" refuses 2 "STRUCT.MEMBER=BYTES" \
	-k x --expect r5conf.nothing=4
check "no kernel named is a usage error" refuses 2 "usage:"
check "--none makes a header without offsets" bash -c \
	"'$tool' -k x --none -o '$tmp/none.h' && grep -q 'R5S_LAYOUT_GEN_VALID	0' '$tmp/none.h' &&
	 grep -q 'r5conf_max_nr_stripes = { R5S_ABSENT, 0, 0 }' '$tmp/none.h'"

echo "1..$n"
exit $bad
