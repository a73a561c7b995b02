# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64 6.12-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 300
# Load, start, stop, unload, 200 times, while a program is busy: no memory is leaked. A leak of each round grows in both halves of the
# rounds, other changes of the system do not. The debug kernel keeps freed memory for a while, but finds leaks by itself.
. "$KIT/lib.sh"

leaks=/sys/kernel/debug/kmemleak
expedite_rcu
background shares 600000

# kib NAME...: the sum of these in /proc/meminfo.
kib() {
	awk -v names=" $* " '{ sub(":", "", $1) } index(names, " " $1 " ") { n += $2 } END { print n + 0 }' /proc/meminfo
}

# KiB of free pages of 4 KiB on the CPUs' own lists, which MemAvailable does not count: some megabytes, more or less.
at_hand() {
	awk '$1 == "count:" { n += $2 } END { print n * 4 }' /proc/zoneinfo
}

# Memory that the kernel itself uses, and memory that is not free: "KiB KiB".
taken() {
	sync
	sleep 1 # until RCU has freed
	echo 3 >/proc/sys/vm/drop_caches
	cat /proc/sys/vm/stat_refresh
	echo "$(kib SUnreclaim VmallocUsed Percpu) $(($(kib MemTotal) - $(kib MemAvailable) - $(at_hand)))"
}

# half LOG
half() {
	rounds 95 "$KIT/oprofile.ko" >"$1" || { cat "$1"; fail "rounds"; }
	check "bytes read" "$(value "$1" bytes)" -gt 0
}

# check_growth WHAT LIMIT BEFORE MIDDLE AFTER
check_growth() {
	echo "$1: $3 KiB after 10 rounds, $4 KiB after 105, $5 KiB after 200"
	[ $(($4 - $3)) -lt "$2" ] || [ $(($5 - $4)) -lt "$2" ] || fail "$1: $2 KiB in 95 rounds, twice"
}

mkdir -p "$fs"
rounds 10 "$KIT/oprofile.ko"
mount -t debugfs debugfs /sys/kernel/debug 2>mount.log || true
[ ! -e "$leaks" ] || echo clear >"$leaks"
before=$(taken)
half first.log
middle=$(taken)
half second.log
after=$(taken)
if [ -e "$leaks" ]; then
	sleep 6 # it does not report memory younger than five seconds
	echo scan >"$leaks"
	echo scan >"$leaks"
	cat "$leaks" >leaks.log
	if grep -q -E 'comm "rounds"|oprofile' leaks.log; then
		cat leaks.log
		fail "memory that nobody refers to"
	fi
else
	check_growth "memory of the kernel" 190 "${before% *}" "${middle% *}" "${after% *}"
	check_growth "memory in use" 500 "${before#* }" "${middle#* }" "${after#* }"
fi
