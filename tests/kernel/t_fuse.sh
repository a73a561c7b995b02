# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# A program whose memory map stays locked, as a FUSE server does not answer: a thread of it that computes goes on and is not put to
# sleep by being sampled, the driver's files can be read and it can be unloaded within two seconds, and the program can be killed. The
# store has room for all samples of the second that they wait: it grows.
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
for parameter in "" place_by_task=1 place_by_worker=1; do
	mkdir -p files
	background fuse_hang serve files
	wait_for 10 test -f files/file
	load_driver timer=1 $parameter
	use_timer
	put cpu_buffer_size 2048 # it begins with 32
	sample run.log sh watch.sh
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
	check_eq "samples without room" "$overflow" 0
	grew=$(($(value run.log bytes_after) - $(value run.log bytes_before)))
	# A store that only a worker empties has its whole size at once.
	case "$parameter ${OP_PLACING-} $(uname -v)" in
	*worker*PREEMPT_RT* | place_by_task=1\ worker*) check_eq "growth of the store, bytes" $grew 0 ;;
	*) check "growth of the store, bytes" $grew -gt 0 ;;
	esac
	check "statistics read, hundredths of a second" "$read_in" -le "$(within 100)"
	check "unloaded after, hundredths of a second" $((unloaded - $(value run.log ended))) -le "$(within 200)"
	check "lines in the log" "$(dmesg | grep -c "process $(value run.log victim) (fuse_hang) keeps its memory map locked")" -ge 1
	check "lines in the log" "$(dmesg | grep -c 'keeps its memory map locked')" -le 3
	kill -9 "$(value run.log victim)"
	wait_for 2 ended "$(value run.log victim)"
	kill -9 "$pid"
	wait_for 10 ended "$(value run.log reader)"
	wait_for 10 umount files
	dmesg -c >/dev/null
done
