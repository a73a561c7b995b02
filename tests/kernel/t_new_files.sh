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
		read -r began rest </proc/uptime
		files/p$n 20 >/dev/null
		read -r ended rest </proc/uptime
		echo "p$n $began $ended" >>ran
		rm files/p$n
		n=$((n + 1))
	done
END
sample run.log sh programs.sh
# A CPU has a sample each half millisecond; the clock that is read counts hundredths of a second.
awk 'NR == FNR { longest[$1] = 2000 * ($3 - $2 + 0.01); next }
	$1 == "image" && $3 ~ /\/p[0-9]+$/ {
		sub(/.*\//, "", $3)
		n++
		if ($2 > most) most = $2
		if ($2 > longest[$3]) { print $3 " has " $2 " samples; it ran for " longest[$3] " periods at most"; others++ }
	}
	END { print "programs with samples: " n + 0; print "most samples: " most + 0; print "samples of others: " others + 0 }' ran run.log >samples
[ "$(value run.log balance)" = ok ] || cat run.log
check_eq "balance" "$(value run.log balance)" ok
cat samples
check "programs with samples" "$(sed -n 's/^programs with samples: //p' samples)" -ge 148
check_eq "programs with samples of others" "$(sed -n 's/^samples of others: //p' samples)" 0
unload_driver
umount files
