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
# A thousand on the CPU that is busy, and never many more. The emulator may be late, if others use the host's CPUs: there may be
# too few in two of three runs, which the log shows.
for try in 1 2 3; do
	sample_balanced run.log sleep 4
	most=$(awk '/^cpu[0-9]+ / && $3 > n { n = $3 } END { print n }' run.log)
	check "samples of the busier CPU" "$most" -lt 1400
	[ "$most" -le 700 ] || break
done
echo "$try of at most 3 runs"
check "samples of the busier CPU" "$most" -gt 700
unload_driver
