# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-arm64
# limit: 90
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

for parameter in "" place_by_worker=1; do
	load_driver timer=1 $parameter
	use_timer
	sample run.log sh -c 'both/alpha 2000 0 >alpha.log & both/beta 2000 0 >beta.log; wait'
	cat run.log
	check_eq "balance" "$(value run.log balance)" ok
	check_alike run.log image both/alpha both/beta
	check_alike run.log app both/alpha both/beta
	unload_driver
done
umount both
umount one
umount two
