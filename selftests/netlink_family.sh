#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An array with work behind it for netlink_family, whose results, from the kernel's own harness, are this test's.
. "$(dirname "$0")/_common.sh"
need_root
need_ramdisks
need_tools mdadm
[ -x "$programs/netlink_family" ] || skip_all "netlink_family is not built: say make KSELFTEST=DIR, where kselftest_harness.h is"

make_ramdisks 4 32768
create_array md0 5 $(ramdisks 4) || skip_all "no RAID5 can be made here"
load level=gauges || skip_all "the module cannot be loaded: see dmesg"
wait_for 100 test -e "$dbg/md0/cache"
"$programs/netlink_family"
rc=$?
trap - EXIT
cleanup
rm -rf "$scratch"
exit $rc
