# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# A program whose memory map stays locked, as a FUSE server does not answer: a thread of it that computes goes on and is not put to
# sleep by being sampled, the driver's files can be read and it can be unloaded within two seconds, and the program can be killed. The
# store grows until it has room for all samples of the second that they wait, but not beyond its limit, nor where there is no memory:
# then some are lost, and counted.
. "$KIT/lib.sh"

# uptime: hundredths of a second.
uptime() {
	awk '{ printf "%d\n", $1 * 100 }' /proc/uptime
}
ended() {
	! grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null
}

need_file_system fuse
[ -c /dev/fuse ] || mknod /dev/fuse c 10 229
cat >watch.sh <<-'END'
	. "$KIT/lib.sh"
	echo "bytes_before $(used_memory)"
	fuse_hang victim files/file
	echo "bytes_after $(used_memory)"
	awk '{ printf "ended %d\n", $1 * 100 }' /proc/uptime
END
# The kernel wants to keep half as much again as the least, which is more than all that is free: nothing counts as available. Whoever
# needs memory still finds it.
cat >little_memory.sh <<-'END'
	least=/proc/sys/vm/min_free_kbytes
	usual=$(cat $least)
	awk '$1 == "MemFree:" { printf "%d\n", $2 * 3 / 4 }' /proc/meminfo >$least
	awk '$1 == "MemAvailable:" { print "available", $2 }' /proc/meminfo
	sh watch.sh
	echo "$usual" >$least
END

# hang SCRIPT SLOTS [PARAMETER]: with stores that grow to so many slots. Sets $overflow, the samples without room, $grew, in bytes, and
# $refused, the lines in the log that there is no memory.
hang() {
	mkdir -p files
	background fuse_hang serve files
	wait_for 10 test -f files/file
	load_driver timer=1 ${3-}
	use_timer
	put cpu_buffer_size "$2"
	sample run.log sh "$1"
	cat run.log
	overflow=$(get stats/event_lost_overflow)
	begin=$(uptime)
	cat "$fs"/stats/cpu*/* >stats.log
	read_in=$(($(uptime) - begin))
	unload_driver
	unloaded=$(uptime)
	echo "hundredths of a second: statistics read in $read_in, unloaded after $((unloaded - $(value run.log ended)))"
	check "progress" "$(value run.log progress)" -gt 1000
	check_eq "sleeps" "$(value run.log slept)" 0
	check_eq "balance" "$(value run.log balance)" ok
	grew=$(($(value run.log bytes_after) - $(value run.log bytes_before)))
	check "statistics read, hundredths of a second" "$read_in" -le "$(within 100)"
	check "unloaded after, hundredths of a second" $((unloaded - $(value run.log ended))) -le "$(within 200)"
	check "lines in the log" "$(dmesg | grep -c "process $(value run.log victim) (fuse_hang) keeps its memory map locked")" -ge 1
	check "lines in the log" "$(dmesg | grep -c 'keeps its memory map locked')" -le 3
	refused=$(dmesg | grep -c 'no memory for more than .* samples of CPU') || true
	kill -9 "$(value run.log victim)"
	wait_for 2 ended "$(value run.log victim)"
	kill -9 "$pid"
	wait_for 10 ended "$(value run.log reader)"
	wait_for 10 umount files
	dmesg -c >/dev/null
}

# With a limit of 64 a store has 16 slots, then 32, then 64: it gets a page and two, each time with one that guards their end. As many
# as wait in a second would take ten times as much.
page=4096
most=$(($(grep -c ^processor /proc/cpuinfo) * (2 + 3) * page))
for parameter in "" place_by_task=1 place_by_worker=1; do
	hang watch.sh 2048 $parameter # it begins with 32
	check_eq "samples without room" "$overflow" 0
	check_eq "lines in the log about memory" "$refused" 0
	if worker_places_all "$parameter"; then
		check_eq "growth of the store, bytes" $grew 0
	else
		check "growth of the store, bytes" $grew -gt 0
	fi
	hang watch.sh 64 $parameter
	check "samples without room in the least store" "$overflow" -gt 0
	check "growth of the least store, bytes" $grew -le $most
done

if ! worker_places_all; then
	hang little_memory.sh 2048
	check_eq "kB available" "$(value run.log available)" 0
	check "samples without room, without memory" "$overflow" -gt 0
	check_eq "growth of the store without memory, bytes" $grew 0
	check "lines in the log about memory" "$refused" -ge 1
	check "lines in the log about memory, once a CPU" "$refused" -le "$(grep -c ^processor /proc/cpuinfo)"
fi
