# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-rt-amd64
# soak: *-amd64 *-arm64
# limit: 200
# Sampled processes that get no CPU for longer than the closing of the buffer waits: the driver keeps what they still need, cannot be
# opened, started or unloaded, and works again once they have run. The statistics can be read all the time, and the log names them.
# Not on the debug kernel: it preempts readers of RCU, which then have no CPU either, and RCU stalls for minutes.
. "$KIT/lib.sh"

mkdir group
mount -t cgroup2 none group 2>/dev/null || skip "there is no cgroup2"
echo +cpu >group/cgroup.subtree_control 2>/dev/null || skip "there is no cpu controller"
mkdir group/slow
[ -f group/slow/cpu.max ] || skip "CPU time cannot be limited"

# Forty programs that share a millisecond of each second: most wait longer than that for their next turn.
load_driver timer=1 place_by_task=1
use_timer 100000
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	sh -c 'echo $$ >group/slow/cgroup.procs; exec shares 6000000' >/dev/null &
	sh -c 'echo $$ >group/slow/cgroup.procs; exec shares 6000000' >/dev/null &
done
# How many readings begin and end while the buffer is being closed, for which it waits ten seconds: stream_stat, the parent of what it
# runs, then has no file open any more, and has not ended. A reading that had to wait for the closing would be the only one.
cat >statistics.sh <<-'END'
	closing() {
		read -r reader <reader 2>/dev/null && [ -d "/proc/$reader" ] && [ -z "$(ls "/proc/$reader/fd" 2>/dev/null)" ]
	}
	readings=0
	while [ ! -f closed ]; do
		began=no
		! closing || began=yes
		cat /dev/oprofile/stats/cpu*/* >statistics
		if [ $began = yes ] && closing; then
			readings=$((readings + 1))
			echo "while_closing $readings" >readings.new
			mv readings.new readings
		fi
		sleep 0.1
	done
END
echo "while_closing 0" >readings
sh statistics.sh &
statistics=$!
sample run.log sh -c 'echo $PPID >reader; sleep 2; echo "1000 1000000" >group/slow/cpu.max; sleep 3'
touch closed
wait $statistics
grep -E '^(received|placed|lost|balance)' run.log
cat readings
check_eq "balance" "$(value run.log balance)" ok
if dmesg | grep -q 'has not run for 10 seconds'; then
	check "readings of the statistics while closing waited" "$(value readings while_closing)" -ge 3
	check_eq "starting" "$(answer enable 1)" EBUSY
	check_eq "opening" "$(poke "$fs/buffer")" EBUSY
	check_eq "a setting" "$(answer buffer_size 65536)" EBUSY
	check "lines in the log" "$(dmesg | grep -c 'still has not run')" -ge 2
	check "named in the log" "$(dmesg | grep -c 'waiting for process [0-9]* (shares), thread')" -ge 3
	umount "$fs"
	if rmmod oprofile 2>/dev/null; then fail "unloaded under a sampled process"; fi
	mount -t oprofilefs nodev "$fs"
	stuck=yes
else
	stuck=no
fi
echo max >group/slow/cpu.max
if [ $stuck = yes ]; then
	umount "$fs"
	wait_for 30 rmmod oprofile # nobody has opened it
	load_driver timer=1 place_by_task=1
	use_timer 100000
fi
wait_for 30 sh -c "poke $fs/buffer >/dev/null || [ \"\$(poke $fs/buffer)\" != EBUSY ]"
sample again.log sleep 1
check_eq "balance, going on" "$(value again.log balance)" ok
check "samples, going on" "$(value again.log received)" -gt 100
unload_driver
[ $stuck = yes ] || skip "every process got a CPU in time"
