# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 90
# Two programs of a btrfs subvolume and its snapshot, which have the same inode number and generation on the same file system, do
# equal work: each has its own samples.
. "$KIT/lib.sh"

[ -f "$KIT/btrfs.gz" ] || skip "there is no mkfs.btrfs"
need_file_system btrfs
gzip -dc "$KIT/btrfs.gz" >image
mkdir volume
load_modules loop
mount -t btrfs -o loop image volume
snapshot new "$work/volume/one"
cp "$KIT/shares" volume/one/program
sync
snapshot of "$work/volume/one" "$work/volume/two"
check_eq "inode number of the other" "$(stat -c %i volume/two/program)" "$(stat -c %i volume/one/program)"

load_driver timer=1
check_equal_work volume/one/program volume/two/program
unload_driver
umount volume
