#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where no kernel tree's runner is: run tests one after the other and print what that would print, one test
# result a script with the script's own KTAP before it as comments. Exit status 1 if one failed.
#
# usage: run_alone.sh TEST...

cd "$(dirname "$0")" || exit 2
limit=$(sed -n 's/^timeout=//p' settings)
n=0 failed=0
echo "TAP version 13"
echo "1..$#"
for t; do
	n=$((n + 1)) name="selftests: raid5stat: $t"
	echo "# $name"
	timeout --foreground "$limit" "./$t" 2>&1 | sed -u 's/^/# /'
	rc=${PIPESTATUS[0]}
	case $rc in
	0) echo "ok $n $name" ;;
	4) echo "ok $n $name # SKIP" ;;
	124) failed=1; echo "not ok $n $name # TIMEOUT $limit seconds" ;;
	*) failed=1; echo "not ok $n $name # exit=$rc" ;;
	esac
done
exit $failed
