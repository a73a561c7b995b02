#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# check_hardware.sh MODULE PROGRAMS REPORT: whether the driver's register model is right on this machine's processor. Needs root and
# an otherwise idle machine. MODULE is an oprofile.ko for the running kernel, PROGRAMS the folder that build_programs.sh filled.
# Prints a text and leaves it in REPORT; it ends with a verdict. Exit status: 0 no check failed, 1 one failed, 77 nothing was checked.
# $MODEL: intel, p4 or amd, by default as the processor's vendor and family. $MODULE_WORDS: further parameters of the module.
# $MILLIONS: rounds of the counted loop; 5000 take some seconds.
# $UNKNOWN_NMI_PANIC=1: an NMI that nobody claims is a panic meanwhile, not only a line in the log. What was found until then is in
# REPORT.
set -eu
[ $# = 3 ] || { echo "usage: $0 MODULE PROGRAMS REPORT" >&2; exit 2; }
module=$1
PATH=$2:$PATH
report=$3
millions=${MILLIONS:-5000}
fs=/dev/oprofile
sys=/proc/sys/kernel
failures=0
watchdog= # not empty: it was on
work=$(mktemp -d)

say() {
	echo "$*"
	echo "$*" >>"$report"
}

# verdict TRUTH TEXT: TRUTH is 0 if the check did not fail.
verdict() {
	if [ "$1" = 0 ]; then
		say "ok      $2"
	else
		say "FAILED  $2"
		failures=$((failures + 1))
	fi
}

# claim TEXT EXPRESSION...: a check by test(1).
claim() {
	text=$1
	shift
	truth=0
	[ "$@" ] || truth=1
	verdict $truth "$text"
}

ask() {
	echo "Please send the text above, $report, to the project. It has no names of yours but what is in the kernel's command line."
}

# nothing REASON: for the person who runs this. no_model REASON: for the project, too.
nothing() {
	say "nothing was checked: $*"
	exit 77
}
no_model() {
	say "verdict: nothing was checked: $*"
	ask
	exit 77
}

cpuinfo() {
	awk -F '[ \t]*: *' -v key="$1" '$1 == key { print $2; exit }' /proc/cpuinfo
}

clean_up() {
	trap - EXIT HUP INT TERM
	[ ! -d "$fs/stats" ] || umount "$fs"
	[ ! -d /sys/module/oprofile ] || rmmod oprofile
	[ -z "${panic-}" ] || echo "$panic" >"$sys/unknown_nmi_panic"
	[ -z "$watchdog" ] || echo 1 >"$sys/nmi_watchdog"
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

describe() {
	say "oprofile-ng check-hardware, $(date -u +%Y-%m-%dT%H:%MZ)"
	say "processor: $(cpuinfo vendor_id) family $(cpuinfo 'cpu family') model $(cpuinfo model) stepping $(cpuinfo stepping)," \
		"microcode $(cpuinfo microcode), $(cpuinfo 'model name')"
	say "CPUs: $(cat /sys/devices/system/cpu/online)"
	say "kernel: $(uname -srvm)"
	say "command line: $(tr -d '\n' </proc/cmdline)"
	! grep -q '^flags.* hypervisor' /proc/cpuinfo || say "virtual machine: yes"
}

default_model() {
	case $(cpuinfo vendor_id) in
	GenuineIntel) if [ "$(cpuinfo 'cpu family')" = 15 ]; then echo p4; else echo intel; fi ;;
	AuthenticAMD | HygonGenuine) echo amd ;;
	esac
}

# unclaimed: NMIs that nobody has claimed, as far as the log has them.
unclaimed() {
	dmesg | grep -c 'NMI received for unknown reason' || true
}

load() {
	insmod "$module" "model=$model" ${MODULE_WORDS-} 2>"$work/insmod" || {
		dmesg | sed -n 's/.*oprofile: /        log: /p' | tail -n 2 >"$work/log"
		say "$(cat "$work/log")"
		no_model "the model $model cannot be used: $(cat "$work/insmod")"
	}
	mkdir -p "$fs" 2>/dev/null || true
	mount -t oprofilefs nodev "$fs"
	say "driver: model $(cat "$fs/model"), CPU type $(cat "$fs/cpu_type"), counters $(counters)"
}

counters() {
	ls "$fs" | grep -c '^[0-9]*$'
}

# able: the counters that can count instructions.
able() {
	case $(cat "$fs/cpu_type") in
	i386/p4) echo 3 7 ;;
	i386/p4-ht) echo 3 ;;
	*) seq 0 $(($(counters) - 1)) ;;
	esac
}

# use COUNTER COUNT: instructions in user mode. All these processors but the Pentium 4 have the event under this code.
use() {
	instructions="event:0xc0 unit_mask:0"
	[ "$model" != p4 ] || instructions="event:0x23 unit_mask:1"
	for pair in $instructions kernel:0 user:1 extra:0 "count:$2" enabled:1; do
		echo "${pair#*:}" >"$fs/$1/${pair%:*}"
	done
}

unuse() {
	echo 0 >"$fs/$1/enabled"
}

value() {
	awk -v name="$1" '$1 == name { print $2; exit }' "$work/run"
}

# in_loop: samples in the counted loop.
in_loop() {
	awk '$1 == "image" && $3 ~ /counted_loop$/ { n += $2 } END { print n + 0 }' "$work/run"
}

# sample COUNT COUNTERS: runs the loop with that many counters, and checks how often they overflowed. A sample more or less is right
# at each end, and a hundredth for what else runs.
sample() {
	expected=$(awk -v m="$millions" -v c="$1" -v n="$2" 'BEGIN { printf "%d", m * 4e6 * n / c }')
	room=$(awk -v e="$expected" -v n="$2" 'BEGIN { printf "%d", 2 * n + e / 100 }')
	status=0
	stream_stat counted_loop "$millions" >"$work/run" || status=$?
	found=$(in_loop)
	say "        every $1 instructions, $2 counters: $found samples, $expected +- $room expected;" \
		"all $(value received), lost $(value lost), throttled $(value throttled), $(awk '/^balance/' "$work/run")"
	claim "sampling every $1 instructions works" "$status" = 0
	claim "as many samples as the loop has" "$found" -gt 0 -a "$found" -ge $((expected - room)) -a "$found" -le $((expected + room))
}

# one_by_one COUNT; all_together COUNT
one_by_one() {
	set -- "$1" $(able)
	use "$2" "$1"
	sample "$1" 1
	unuse "$2"
}
all_together() {
	for i in $(able); do
		use "$i" "$1"
	done
	sample "$1" "$(able | wc -w)"
	for i in $(able); do
		unuse "$i"
	done
}

# The order is that of rising danger: few interrupts first, all counters at once last.
check_overflows() {
	before=$(unclaimed)
	for count in 2147483647 100000000 10000000 1000000; do
		one_by_one "$count"
		sync
	done
	all_together 10000000
	claim "every NMI was claimed" "$(unclaimed)" = "$before"
}

# counts: true if perf has a counter, and it counts.
counts() {
	count_instructions true >"$work/count" 2>&1 && [ "$(awk '{ print $2 }' "$work/count")" -gt 0 ]
}

# perf gets no counter while the driver has them, the driver gets none while perf has one, and perf counts afterwards.
check_perf() {
	if ! counts; then
		say "        perf has no counter here: not checked beside it"
		return
	fi
	exec 3<"$fs/buffer"
	truth=0
	! counts || truth=1
	verdict $truth "perf gets no counter while the driver has them"
	exec 3<&-
	truth=0
	counts || truth=1
	verdict $truth "perf has its counters again"
	count_instructions sleep 2 >"$work/perf" 2>&1 &
	sleep 1
	claim "the driver gets no counter while perf has one" "$(poke "$fs/buffer" || true)" = EBUSY
	wait
}

# With the watchdog on, one counter is its own. That is so again afterwards.
check_watchdog() {
	[ -n "$watchdog" ] || {
		say "        the NMI watchdog is off: not checked"
		return
	}
	echo 1 >"$sys/nmi_watchdog"
	claim "$1" "$(poke "$fs/buffer" || true)" = EBUSY
	echo 0 >"$sys/nmi_watchdog"
}

: >"$report"
describe
[ "$(id -u)" = 0 ] || nothing "this needs root"
[ ! -d /sys/module/oprofile ] || nothing "the driver is loaded; opcontrol --deinit unloads it"
model=${MODEL:-$(default_model)}
[ -n "$model" ] || no_model "there is no register model for this processor"
load
[ "$(cat "$sys/nmi_watchdog" 2>/dev/null)" != 1 ] || watchdog=on
if [ "${UNKNOWN_NMI_PANIC-}" = 1 ]; then
	panic=$(cat "$sys/unknown_nmi_panic")
	echo 1 >"$sys/unknown_nmi_panic"
	say "        an unclaimed NMI is a panic from here on"
	sync
fi
check_watchdog "the driver gets no counter while the NMI watchdog has one"
[ -z "$watchdog" ] || echo 0 >"$sys/nmi_watchdog"
check_overflows
check_perf
check_watchdog "the NMI watchdog has its counter again"
umount "$fs"
rmmod oprofile
claim "the driver is unloaded" ! -d /sys/module/oprofile
if [ $failures = 0 ]; then
	say "verdict: no check failed; row: { $(cpuinfo vendor_id), $(cpuinfo 'cpu family'), $(cpuinfo model), $(cpuinfo model) }"
else
	say "verdict: $failures checks failed"
fi
ask
[ $failures = 0 ]
