# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64
# soak: *-arm64
# boot: icount
# limit: 200
# The perf model counts with the emulated PMU: cycles make at least 95 % of the expected samples. The emulator's cycle counter
# runs at 1 GHz of the guest's time, which here depends on the instructions executed and not on the host.
. "$KIT/lib.sh"

load_driver
need_model perf
put 0/event 0x11
put 0/count 2000000
put 0/kernel 1
put 0/user 1
put 0/enabled 1
background shares 600000
hundredths() {
	awk '{ print int($1 * 100 + 0.5) }' /proc/uptime
}
begin=$(hundredths)
sample run.log sleep 3
took=$(($(hundredths) - begin))
cat run.log
check_eq "balance" "$(value run.log balance)" ok
echo "$(value run.log received) samples in $took hundredths of a second"
check "samples, per cent of 500 a second" "$(($(value run.log received) * 100 / (took * 5)))" -ge 95
check "samples, per cent of 500 a second" "$(($(value run.log received) * 100 / (took * 5)))" -le 101
unload_driver
