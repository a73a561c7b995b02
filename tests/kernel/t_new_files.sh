# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# Programs that are written, run and removed one after the other, so that their inodes have the same places in memory: each has its
# own samples.
. "$KIT/lib.sh"

mkdir files
mount -t tmpfs tmpfs files
load_driver timer=1
use_timer 500000
cat >programs.sh <<-'END'
	n=0
	while [ $n -lt 150 ]; do
		cp "$KIT/shares" files/p$n
		files/p$n 20 >/dev/null
		rm files/p$n
		n=$((n + 1))
	done
END
sample run.log sh programs.sh
awk '$1 == "image" && $3 ~ /\/p[0-9]+$/ { print $2 }' run.log | sort -n >samples
[ "$(value run.log balance)" = ok ] || cat run.log
check_eq "balance" "$(value run.log balance)" ok
check "programs with samples" "$(wc -l <samples)" -ge 148
half=$(sed -n 75p samples)
most=$(tail -n 1 samples)
echo "samples of a program: half have $half or fewer, the most is $most"
check "the most samples of a program" "$most" -le $((4 * half + 40))
unload_driver
umount files
