# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# The rtc model: rates instead of counts, powers of two, and about that many samples a second.
. "$KIT/lib.sh"

load_driver force_rtc=1
check_eq "model" "$(get model)" rtc
check_eq "cpu_type" "$(get cpu_type)" rtc
for rate in 1 4097 1000000; do
	check_eq "a rate of $rate" "$(answer 0/count $rate)" EINVAL
done
for pair in 2:2 1024:1024 1000:1024 1500:1024 1600:2048 4096:4096; do
	put 0/count "${pair%:*}"
	check_eq "a rate of ${pair%:*} is read back" "$(get 0/count)" "${pair#*:}"
done
use_timer 256
background shares 60000
# hundredths: since the guest began.
hundredths() {
	awk '{ printf "%d\n", $1 * 100 }' /proc/uptime
}
# due CPU LOG BEFORE: samples of that CPU, with those that the timer missed since it had missed BEFORE of them: the emulator is late
# where others use the host's CPUs.
due() {
	echo $(($(awk -v cpu="cpu$1" '$1 == cpu { print $3 }' "$2") + $(get "stats/cpu$1/timer_overruns") - $3))
}
# A thousand on the CPU that is busy, and never more than that many a second.
missed0=$(get stats/cpu0/timer_overruns)
missed1=$(get stats/cpu1/timer_overruns)
begin=$(hundredths)
sample_balanced run.log sleep 4
took=$(($(hundredths) - begin))
most=$(due 0 run.log "$missed0")
other=$(due 1 run.log "$missed1")
[ "$most" -ge "$other" ] || most=$other
echo "of two CPUs in $took hundredths of a second: $most and fewer"
check "samples of the busier CPU" "$most" -gt 900
check "samples of the busier CPU" "$most" -lt $((took * 256 / 100 + 100))
unload_driver
