# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# A buffer as big as the machine's memory is refused, and so are a buffer and a store that only together are too big; no process is
# killed for them.
. "$KIT/lib.sh"

# memory NAME: bytes, of /proc/meminfo.
memory() {
	awk -v name="$1:" '$1 == name { printf "%.0f\n", $2 * 1024 }' /proc/meminfo
}
opened() {
	sh -c "exec 3<$fs/buffer && echo opened"
}

load_driver timer=1
put buffer_size $(($(memory MemTotal) / 8))
check_eq "opening a buffer as big as the memory" "$(poke "$fs/buffer")" ENOMEM

# Half of the free memory may be used. The buffer has a power of two, more than 22 % and at most 45 % of it, the store 40 %: 64
# callers make a sample of 600 bytes, for each CPU.
free=$(memory MemAvailable)
buffer=16777216
while [ $((2 * buffer)) -le $((free * 45 / 100)) ]; do
	buffer=$((2 * buffer))
done
cpus=$(($(sed 's/.*-//' /sys/devices/system/cpu/possible) + 1))
samples=$((free * 40 / 100 / 600 / cpus))
echo "$free bytes free: a buffer of $buffer, a store of $samples samples on each of $cpus CPUs"
put backtrace_depth 64
put buffer_size $((buffer / 8))
check_eq "opening such a buffer" "$(opened)" opened
put cpu_buffer_size $samples
check_eq "opening both" "$(poke "$fs/buffer")" ENOMEM
put buffer_size 131072
check_eq "opening such a store" "$(opened)" opened
put cpu_buffer_size 8192
use_timer
sample run.log sleep 1
check "samples with smaller ones" "$(value run.log received)" -gt 0
unload_driver
