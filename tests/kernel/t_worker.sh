# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64 sid-rt-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 150
# Samples that an interrupt or a worker places instead of the sampled process: none is lost or counted twice, whether taken in interrupts or, with
# the registers in memory, in NMIs; and processes that end some milliseconds after their sample are found. Where there is a build for
# kernels on which modules may not add task work, that one samples first.
. "$KIT/lib.sh"

if [ -f "$KIT/oprofile_no_task_work.ko" ]; then
	load_module oprofile_no_task_work.ko timer=1
	mount -t oprofilefs nodev "$fs"
else
	load_driver timer=1 place_by_worker=1
fi
use_timer 1000000
sample_balanced shares.log -p /shares shares "$(longer 6000)"
three=$(offsets_in shares.log three)
one=$(offsets_in shares.log one)
check "samples in the functions" "$((three + one))" -gt "$(fewer 500)"
program=$(samples_of shares.log image /shares)
check "the program's samples in the two functions, per mille" "$(((three + one) * 1000 / program))" -gt 950
sample short.log short_lived 2000 300
cat short.log
check_eq "balance, short-lived processes" "$(value short.log balance)" ok
user=$(value short.log user)
check "user samples" "$user" -gt "$(fewer 300)"
found=$(samples_of short.log image /short_lived)
check "samples in the processes' own file, per mille of user samples" "$((found * 1000 / user))" -gt 600
unload_driver

[ -f "$KIT/oprofile_double.ko" ] || exit 0
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug
load_module oprofile_double.ko double_cpu=intel model=intel place_by_worker=1
mount -t oprofilefs nodev "$fs"
echo 1 >/sys/kernel/debug/oprofile_msr/lint1
for n in 0 1; do
	put $n/event 0x3c
	put $n/count 100000
	put $n/kernel 1
	put $n/user 1
	put $n/enabled 1
done
cat >nmis.sh <<-'END'
	shares 600000 >/dev/null & one=$!
	shares 600000 >/dev/null & two=$!
	with_nmis 500 short_lived 600 200
	kill $one $two
END
sample nmi.log sh nmis.sh
cat nmi.log
check_eq "balance, NMIs" "$(value nmi.log balance)" ok
check "user samples from NMIs" "$(value nmi.log user)" -gt 100
check "events are sampled alike" "$(value nmi.log event1)" -gt 50

# Programs that the worker cannot interrupt: many NMIs come before it places a sample of the first. They end by themselves: on a
# real-time kernel no timer of another program's would expire while they run.
command -v chrt >/dev/null || exit 0
cat >hogs.sh <<-'END'
	for n in 1 2 3 4; do
		shares "$1" >/dev/null &
	done
	wait
END
sample late.log with_nmis 300 chrt -r 10 sh hogs.sh 1500
cat late.log
check_eq "balance, a late worker" "$(value late.log balance)" ok
check "user samples, a late worker" "$(value late.log user)" -gt 100
check "samples lost, per mille of user samples" "$(($(value late.log lost) * 1000 / $(value late.log user)))" -le 10
unload_driver
