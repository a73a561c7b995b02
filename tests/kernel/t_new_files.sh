# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 180
# Each program has its own samples: of programs that are written, run and removed one after the other, so that their inodes have the
# same places in memory, and of so many that stay that several are in one bucket of the driver's table.
. "$KIT/lib.sh"

mkdir files
mount -t tmpfs tmpfs files
load_driver timer=1
use_timer 500000
# programs.sh NUMBER COMMAND: runs that many, each followed by the command on its file.
cat >programs.sh <<-'END'
	n=0
	while [ $n -lt "$1" ]; do
		cp "$KIT/shares" files/p$n
		read -r began rest </proc/uptime
		files/p$n 20 >/dev/null
		read -r ended rest </proc/uptime
		echo "p$n $began $ended" >>ran
		"$2" files/p$n
		n=$((n + 1))
	done
END

# have_own_samples WHAT NUMBER COMMAND
have_own_samples() {
	: >ran
	sample run.log sh programs.sh "$2" "$3"
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
	check_eq "$1: balance" "$(value run.log balance)" ok
	echo "$1:"
	cat samples
	check "$1: programs with samples" "$(sed -n 's/^programs with samples: //p' samples)" -ge $(($2 - 2))
	check_eq "$1: programs with samples of others" "$(sed -n 's/^samples of others: //p' samples)" 0
}

have_own_samples "removed" 150 rm
have_own_samples "that stay" 200 true # of 200 in 1,024 buckets some 19 follow another one
unload_driver
umount files
