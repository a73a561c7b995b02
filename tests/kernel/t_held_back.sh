# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64
# limit: 60
# The perf model under a flood: the guard lengthens the counters' periods and reports it, and does not report more periods left out
# than there were: a guard without effect would double without end. The emulator's cycle counter runs at 1 GHz of its time.
. "$KIT/lib.sh"

load_driver
need_model perf
period=$(get 0/min_count)
put 0/event 0x11
put 0/count "$period"
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
cpus=$(ls -d "$fs"/stats/cpu* | wc -l)
most=$((took * 10000000 / period * cpus))
counted=$(($(value run.log received) + $(value run.log throttled)))
echo "at most $most periods, $counted counted"
check_eq "balance" "$(value run.log balance)" ok
check "periods left out" "$(value run.log throttled)" -gt 0
check "throttle records" "$(value run.log throttles)" -gt 0
check "periods counted" "$counted" -le "$((most * 105 / 100))"
unload_driver
