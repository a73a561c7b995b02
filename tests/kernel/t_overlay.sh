# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 130
# Two programs of an overlay that have the same inode number, as each comes from a file system of its own, do equal work: each has its
# own samples, also where they count as the executable's. Placed by the programs and by a worker.
. "$KIT/lib.sh"

need_file_system overlay
mkdir one two both
mount -t tmpfs tmpfs one
mount -t tmpfs tmpfs two
cp "$KIT/shares" one/alpha
cp "$KIT/shares" two/beta
mount -t overlay -o lowerdir=one:two overlay both
check_eq "inode number of beta" "$(stat -c %i two/beta)" "$(stat -c %i one/alpha)"

with_each_placing check_equal_work both/alpha both/beta
umount both
umount one
umount two
