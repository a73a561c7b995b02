# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# Memory: only CPUs that are or come online have any, and closing the buffer frees all of it. (t_fuse.sh: stores grow with their use.)
. "$KIT/lib.sh"

online=/sys/devices/system/cpu/cpu1/online
[ -w "$online" ] || skip "CPU 1 cannot be taken away here"

# Bytes of an open buffer.
when_open() {
	exec 3<"$fs/buffer"
	used_memory
	exec 3<&-
}

load_driver timer=1
put buffer_watershed 512
put buffer_size 1024 # rings of the least size
check_eq "bytes while closed" "$(used_memory)" 0
both=$(when_open)
echo 0 >"$online"
one=$(when_open)
echo "two CPUs: $both bytes; one: $one"
most=700000
! worker_places_all || most=2400000
check "bytes of two CPUs" "$both" -le "$most"
check "bytes of one CPU" $((both - one)) -gt 130000
exec 3<"$fs/buffer"
echo 1 >"$online"
check_eq "bytes when the other came online" "$(used_memory)" "$both"
echo 0 >"$online"
echo 1 >"$online"
check_eq "bytes when it came online again" "$(used_memory)" "$both"
exec 3<&-
check_eq "bytes after closing" "$(used_memory)" 0

# A CPU that comes back needs no memory: it is not reported if there is little by then.
available() {
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}
put backtrace_depth 64
put cpu_buffer_size $(($(available) * 1024 / 5 / 608)) # slots that take, in the end, a fifth of the memory for a CPU
exec 3<"$fs/buffer"
echo 0 >"$online"
mkdir filled
mount -t tmpfs -o size=90% tmpfs filled
full=$(($(available) * 2 / 3))
fallocate -l ${full}K filled/file
echo "free: $(available) kB"
dmesg -c >/dev/null
echo 1 >"$online"
check_eq "lines about its memory" "$(dmesg | grep -c 'no memory for samples of CPU')" 0
umount filled
exec 3<&-
put backtrace_depth 0
put cpu_buffer_size 8192

# A CPU that comes online while sampling is sampled.
put buffer_size 131072
put buffer_watershed 32768
use_timer
echo 0 >"$online"
sample_balanced came.log sh -c "echo 1 >$online; taskset -c 1 shares 300 >/dev/null 2>&1 || shares 1000 >/dev/null"
check "samples of the CPU that came" "$(awk '$1 == "cpu1" { print $5 }' came.log)" -gt 10

check_eq "bytes after sampling" "$(used_memory)" 0
unload_driver
