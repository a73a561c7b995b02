# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64 sid-arm64
# soak: *-arm64
# limit: 60
# The perf model under a flood: the guard lengthens the periods of both counters and reports it, and does not report more periods left
# out than there were: a guard without effect would count without end. The emulator's cycle counter runs at 1 GHz of its time. With
# callers, or the emulator would spend so much time outside the handlers that these are hardly more than the guard permits.
. "$KIT/lib.sh"

phase "loading the driver"
load_driver
need_model perf
period=$(get 0/min_count)
put backtrace_depth 64
for counter in 0 1; do
	put $counter/event 0x11
	put $counter/count "$period"
	put $counter/kernel 1
	put $counter/user 1
	put $counter/enabled 1
done
phase "starting a busy program"
background shares 600000
hundredths() {
	awk '{ print int($1 * 100 + 0.5) }' /proc/uptime
}
phase "sampling"
begin=$(hundredths)
sample run.log sh -c '
	echo "the sampled command runs" >&2
	sleep 3
	cat /dev/oprofile/stats/cpu*/sample_received /dev/oprofile/stats/cpu*/throttled >&2'
took=$(($(hundredths) - begin))
phase "sampled"
cat run.log
cpus=$(ls -d "$fs"/stats/cpu* | wc -l)
most=$((took * 10000000 / period * cpus * 2))
counted=$(($(value run.log received) + $(value run.log throttled)))
echo "at most $most periods, $counted counted"
check_eq "balance" "$(value run.log balance)" ok
check "periods left out" "$(value run.log throttled)" -gt 0
check "throttle records" "$(value run.log throttles)" -gt 1
check "periods counted" "$counted" -le "$((most * 105 / 100))"
phase "unloading the driver"
unload_driver
