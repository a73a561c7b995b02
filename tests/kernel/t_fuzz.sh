# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 240
# 100,000 random operations on the driver's files: the driver still works and the kernel does not complain. They must have got far:
# the buffer was opened, sampling started and samples read many times.
. "$KIT/lib.sh"

expedite_rcu
load_driver timer=1
background shares 600000
operations=${OP_FUZZ_OPERATIONS:-100000}
fs_fuzz "$operations" ${OP_FUZZ_SEED-} >fuzz.log || { cat fuzz.log; fail "fs_fuzz ended with status $?"; }
cat fuzz.log
for step in opened started read; do
	check "times opened, started, read: $step" "$(value fuzz.log "$step")" -ge $((operations / 1000))
done
check_eq "sampling after the last close" "$(get enable)" 0
unload_driver
load_driver timer=1
use_timer
sample run.log sleep 1
check_eq "balance" "$(value run.log balance)" ok
unload_driver
