# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-arm64 6.1-debug
# limit: 240
# Load, start, stop, unload, 200 times, with a busy program beside; no memory stays behind.
. "$KIT/lib.sh"

background shares 600000
free_kib() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}
round() {
	load_driver timer=1
	use_timer 500000
	stream_stat sleep 0.02 >round.log || { cat round.log; fail "round $1"; }
	unload_driver
}
for n in 1 2 3 4 5; do round "$n"; done
before=$(free_kib)
n=5
while [ "$n" -lt 200 ]; do
	n=$((n + 1))
	round "$n"
done
after=$(free_kib)
echo "available memory: $before KiB after 5 rounds, $after KiB after $n"
check "KiB lost in 195 rounds" "$((before - after))" -lt 40000
