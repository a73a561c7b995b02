# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64 sid-arm64
# soak: *-arm64
# limit: 120
# As t_hotplug, with the perf model: a CPU's counters are released and created again with it.
. "$KIT/lib.sh"

online=/sys/devices/system/cpu/cpu1/online
[ -w "$online" ] || skip "CPU 1 cannot be taken away here"
load_driver
need_model perf
put 0/event 0x11
put 0/count 1000000
put 0/kernel 1
put 0/user 1
put 0/enabled 1
cat >plug.sh <<-END
	shares 600000 0 >/dev/null & zero=\$!
	shares 600000 >/dev/null & busy=\$!
	for n in 1 2 3; do
		echo 0 >$online
		sleep 0.3
		echo 1 >$online
		sleep 0.3
	done
	cat $fs/stats/cpu1/sample_received >$work/before
	sleep 1
	cat $fs/stats/cpu1/sample_received >$work/after
	kill \$busy \$zero
END
sample_balanced run.log sh plug.sh
check "samples of the CPU that came back" "$(($(cat after) - $(cat before)))" -gt 50
echo 0 >"$online"
sample away.log sh -c "sleep 0.3; echo 1 >$online; sleep 0.5"
check_eq "balance, back within the run" "$(value away.log balance)" ok
sample gone.log sh -c "sleep 0.3; echo 0 >$online; sleep 0.3"
check_eq "balance, gone within the run" "$(value gone.log balance)" ok
unload_driver
echo 1 >"$online"
