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
mkdir -p "$fs"
rounds 10 "$KIT/oprofile.ko"
before=$(free_kib)
rounds 190 "$KIT/oprofile.ko" >rounds.log || { cat rounds.log; fail "rounds"; }
after=$(free_kib)
cat rounds.log
echo "available memory: $before KiB after 10 rounds, $after KiB after 200"
check "bytes read" "$(value rounds.log bytes)" -gt 0
check "KiB lost in 190 rounds" "$((before - after))" -lt 20000
