# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest (see soak.sh): one session of opcontrol with call chains, a sample each millisecond on every CPU, for $MINUTES under
# a mixed load that leaves the CPUs partly idle. Each minute writes a line of figures to /out/figures, whose first line names them;
# at the end copies the manifest to /out. Sizes are in KiB.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH
session=/var/lib/oprofile
losses="sample_lost_overflow sample_lost_no_mm sample_lost_no_mapping sample_lost_nested sample_lost_pending"
counts="sample_received $losses backtrace_aborted throttled timer_overruns sample_filtered"
memory="MemFree MemAvailable Shmem SReclaimable SUnreclaim KernelStack VmallocUsed Percpu"

# again SECONDS COMMAND...: in the background, with pauses of that length, until the file "stop" is there. A command that fails is named
# in the file "failures".
again() {
	(
		pause=$1
		shift
		while [ ! -e stop ]; do
			"$@" >>"load_$1.log" 2>&1 || echo "$*: status $?" >>failures
			echo "$1" >>rounds
			sleep "$pause"
		done
	) &
}

# New files of new file systems, of which some have the same inode numbers.
file_systems() {
	mkdir -p one two both
	mount -t tmpfs tmpfs one
	mount -t tmpfs tmpfs two
	cp "$KIT/shares" one/alpha
	cp "$KIT/shares" two/beta
	mount -t overlay -o lowerdir=one:two overlay both
	both/alpha 200 &
	both/beta 200
	wait $!
	umount both
	umount one two
}

compress() {
	head -c 2000000 "$OP_BUILD/oprofiled" | /usr/bin/xz -1 -T 2 --block-size=500000 >/dev/null
}

write_files() {
	dd if=/dev/zero of=written bs=64k count=200
	cp written copied
	cmp written copied
	rm written copied
}

shell_script() {
	i=0
	while [ $i -lt 20 ]; do
		find /proc/self /sys/module -name 'm*' 2>/dev/null | sort | awk '{ n += length($0) } END { print n }'
		i=$((i + 1))
	done
}

modules() {
	insmod "$KIT"/modules/loop/*
	rmmod loop
}

report() {
	opreport >report.log
}

begin_load() {
	need_file_system overlay
	again 10 short_lived 200 20
	again 8 map_run 300
	again 15 file_systems
	again 20 compress
	again 12 write_files
	again 8 shell_script
	again 20 modules
	again 30 forks 100 3
	again 300 report
}

# of FILE KEY: a value of /proc/meminfo or of a status file.
of() {
	awk -v key="$2:" '$1 == key { print $2 }' "$1"
}

# sum FILE: over the CPUs.
sum() {
	cat "$fs"/stats/cpu*/"$1" | awk '{ n += $1 } END { print n }'
}

names() {
	echo minute $memory daemon_rss daemon_anon daemon_ticks session_kib session_files $counts bt_lost_no_mapping idle_ticks
}

# figures MINUTE: caches are dropped first, so that their growth does not hide that of others. On a busy host the daemon may answer too
# late, and minutes are left out.
figures() {
	opcontrol --dump >dump.log 2>&1 || echo "minute $1: $(cat dump.log)" >&2
	sync
	echo 3 >/proc/sys/vm/drop_caches
	[ -d "/proc/$daemon" ] || fail "the daemon has ended"
	line=$1
	for name in $memory; do
		line="$line $(of /proc/meminfo "$name")"
	done
	line="$line $(of "/proc/$daemon/status" VmRSS) $(of "/proc/$daemon/status" RssAnon) $(awk '{ print $14 + $15 }' "/proc/$daemon/stat")"
	line="$line $(du -sk $session | cut -f 1) $(find $session -type f | wc -l)"
	for name in $counts; do
		line="$line $(sum "$name")"
	done
	echo "$line $(get stats/bt_lost_no_mapping) $(awk '$1 == "cpu" { print $5 }' /proc/stat)"
}

# elapsed: seconds since the start, by the guest's clock.
elapsed() {
	echo $(($(cut -d. -f1 /proc/uptime) - start))
}

opcontrol --init --module "$KIT/oprofile.ko"
check_eq "the model" "$(get model)" timer
opcontrol --setup --no-vmlinux --event TIMER:1000000 --callgraph=16
opcontrol --start
start=$(cut -d. -f1 /proc/uptime)
daemon=$(daemon_pid) # on a busy host it does not always answer in time
[ -n "$daemon" ] || fail "the daemon has ended"
begin_load
names >/out/figures
while [ "$(elapsed)" -lt $((60 * MINUTES)) ]; do
	sleep $((60 - $(elapsed) % 60))
	figures $(($(elapsed) / 60)) >>/out/figures
done
: >stop
wait
wait_for 300 opcontrol --stop
for name in $counts; do
	echo "$name $(sum "$name")"
done >/out/stats
opcontrol --shutdown
cp $session/samples/current/manifest.json /out
opcontrol --deinit
check "no driver is left" ! -d /sys/module/oprofile
sort rounds | uniq -c
[ ! -s failures ] || { cat load_*.log | tail -n 20; fail "$(sort failures | uniq -c)"; }
