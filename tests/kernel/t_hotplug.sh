# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 sid-rt-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# A CPU goes offline and comes back while sampling: no sample is miscounted, and the CPU is sampled again.
. "$KIT/lib.sh"

online=/sys/devices/system/cpu/cpu1/online
[ -w "$online" ] || skip "CPU 1 cannot be taken away here"
load_driver timer=1
use_timer 1000000
cat >plug.sh <<-END
	shares 600000 >/dev/null & busy=\$!
	for n in 1 2 3 4 5; do
		echo 0 >$online
		sleep 0.3
		echo 1 >$online
		sleep 0.3
	done
	cat $fs/stats/cpu1/sample_received >$work/before
	sleep 1
	cat $fs/stats/cpu1/sample_received >$work/after
	kill \$busy
END
sample_balanced run.log sh plug.sh
check "samples of the CPU that came back" "$(($(cat after) - $(cat before)))" -gt 100

# Offline at the start and online at the end, and the other way round.
echo 0 >"$online"
sample away.log sh -c "sleep 0.3; echo 1 >$online; sleep 0.5"
check_eq "balance, back within the run" "$(value away.log balance)" ok
sample gone.log sh -c "sleep 0.3; echo 0 >$online; sleep 0.3"
check_eq "balance, gone within the run" "$(value gone.log balance)" ok
unload_driver
echo 1 >"$online"
load_driver timer=1
use_timer
sample last.log sleep 1
check "samples of CPU 1 after loading again" "$(awk '$1 == "cpu1" { print $3 }' last.log)" -gt 100
unload_driver
