# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# So many programs, all there to the end, that several of them are in one bucket of the driver's table: each has its own samples.
. "$KIT/lib.sh"

mkdir files
mount -t tmpfs tmpfs files
load_driver timer=1
use_timer 500000
cat >programs.sh <<-'END'
	n=0
	while [ $n -lt 200 ]; do
		cp "$KIT/shares" files/p$n
		files/p$n 20 >/dev/null
		n=$((n + 1))
	done
END
sample run.log sh programs.sh
[ "$(value run.log balance)" = ok ] || cat run.log
check_eq "balance" "$(value run.log balance)" ok
# Of 200 programs in 1,024 buckets some 19 follow another one.
check "programs with samples" "$(grep -c '^image [0-9]* .*/p[0-9]*$' run.log)" -ge 198
unload_driver
umount files
