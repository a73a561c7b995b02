# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-rt-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# A file system whose program was sampled can be unmounted soon after the program has ended, long before the buffer is full. Samples
# that were taken in the kernel, in NMIs, do not keep it busy even if nobody reads.
. "$KIT/lib.sh"

# run_and_unmount PROGRAM TENTHS [COMMAND...]: a script that runs it, by the command, from a file system of its own and unmounts that
# within so many tenths of a second.
run_and_unmount() {
	program=$1 tenths=$2
	shift 2
	mkdir -p files
	mount -t tmpfs tmpfs files
	cp "$KIT/$program" files
	cat >run.sh <<-END
		$* files/$program 1000 >/dev/null
		tries=0
		until umount files 2>umount.log; do
			tries=\$((tries + 1))
			[ \$tries -lt $tenths ] || { cat umount.log; exit 1; }
			sleep 0.1
		done
		echo "unmounted after \$tries tenths of a second"
	END
}

run_and_unmount shares "$(within 50)"
load_driver timer=1
put buffer_size 4194304
use_timer 10000000
sample_balanced user.log sh run.sh
check "samples of the program" "$(awk '$1 == "image" && $3 ~ /\/shares$/ { print $2 }' user.log)" -gt 5
unload_driver

[ -f "$KIT/oprofile_double.ko" ] || exit 0
load_nmi_double
put 0/kernel 1
put 0/enabled 1
run_and_unmount calls "$(within 10)" with_nmis 300
sample nmi.log -l sh run.sh
cat nmi.log
check_eq "balance, NMIs" "$(value nmi.log balance)" ok
check "samples of the program, NMIs" "$(awk '$1 == "comm" && $3 == "calls" { print $2 }' nmi.log)" -gt 10
unload_driver
