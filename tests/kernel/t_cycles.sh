# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64
# limit: 60
# The perf model counts with the emulated PMU: cycles give at least 95 % of the samples they should.
. "$KIT/lib.sh"

load_driver
need_model perf
put 0/event 0x11
put 0/count 2000000
put 0/kernel 1
put 0/user 1
put 0/enabled 1
# QEMU's cycle counter runs at 1 GHz whatever the CPU does, but not while it sleeps.
background shares 600000 0
background shares 600000 1
begin=$(awk '{ print int($1 * 100) }' /proc/uptime)
sample run.log sleep 4
took=$(($(awk '{ print int($1 * 100) }' /proc/uptime) - begin))
cat run.log
check_eq "balance" "$(value run.log balance)" ok
echo "$(value run.log received) samples on 2 CPUs in $took hundredths of a second"
check "samples, per cent of 500 a second on each CPU" "$(($(value run.log received) * 100 / (took * 10)))" -ge 95
unload_driver
