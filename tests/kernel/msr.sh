# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of the cases with registers that are arrays in memory (kernel/op_msr_double.c), sourced by each after lib.sh.

msr=/sys/kernel/debug/oprofile_msr
cpu1=/sys/devices/system/cpu/cpu1/online
[ -f "$KIT/oprofile_double.ko" ] || skip "there is no build with the registers' double"
[ -d /sys/kernel/debug ] || skip "this kernel has no debugfs"
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug

# insert_double CPU [PARAMETER...]: as that processor.
insert_double() {
	cpu=$1
	shift
	load_module oprofile_double.ko "double_cpu=$cpu" "$@" || return
	mkdir -p "$fs" 2>/dev/null || true
	mount -t oprofilefs nodev "$fs"
}

# load_double MODEL CPU TYPE COUNTERS: as that processor, with that model.
load_double() {
	insert_double "$2" "model=$1"
	check_eq "$2: model" "$(get model)" "$1"
	check_eq "$2: cpu_type" "$(get cpu_type)" "$3"
	check "$2: the last counter" -d "$fs/$(($4 - 1))"
	check "$2: no further counter" ! -d "$fs/$4"
	echo 1 >"$msr/lint1"
}

# counter N EVENT COUNT UNIT_MASK KERNEL USER EXTRA
counter() {
	put "$1/event" "$2"
	put "$1/count" "$3"
	put "$1/unit_mask" "$4"
	put "$1/kernel" "$5"
	put "$1/user" "$6"
	put "$1/extra" "$7"
	put "$1/enabled" 1
}

# writes CPU: what that CPU wrote outside NMIs since the log was emptied, "register value" a line.
writes() {
	awk -v cpu="$1" '$1 == cpu && $2 == "task" { print $3, $4 }' "$msr/log"
}

# expected FILE CPU: what that CPU has to write: FILE.CPU if there is one, else FILE.
expected() {
	[ ! -f "$1.$2" ] || set -- "$1.$2"
	cat "$1"
}

# expect_writes WHAT FILE: the CPUs wrote just what is expected.
expect_writes() {
	for cpu in 0 1; do
		writes $cpu >"writes.$cpu"
		expected "$2" $cpu | diff - "writes.$cpu" || fail "$1: what CPU $cpu wrote"
	done
	echo 0 >"$msr/log"
}

# fail_unless_same WHAT BEFORE FILE
fail_unless_same() {
	diff "$2" "$3" || fail "$1 is not as it was"
}

# unknown_nmis: how many NMIs since mark_log nobody has claimed.
mark_log() {
	mark=$((${mark-0} + 1))
	echo "msr mark $mark." >/dev/kmsg
}
unknown_nmis() {
	dmesg | awk "/msr mark $mark\./"' { n = 0 } /NMI received for unknown reason/ { n++ } END { print n + 0 }'
}

# Makes the emulator send some NMIs; true if the kernel reports that nobody claimed one. It does not report each.
unclaimed_nmi() {
	touch /out/nmi
	sleep 0.1
	rm /out/nmi
	sleep 0.3
	[ "$(unknown_nmis)" -gt 0 ]
}

# Every NMI wrote the counters' start values; the guard may have lengthened periods by powers of two.
# reloads REGISTER COUNT WIDTH
reloads() {
	awk -v register="$1" '$2 == "nmi" && $3 == register { print $4 }' "$msr/log" | sort -u >values
	check "counter $1 was started again" -s values
	while read -r value; do
		shift_by=0
		while [ $(((-($2 << shift_by)) & ((1 << $3) - 1))) -ne $((value)) ]; do
			shift_by=$((shift_by + 1))
			[ $shift_by -le 30 ] || fail "counter $1 was started at $value"
		done
	done <values
}

# sequence: the registers that CPU 0 wrote in NMIs, in order, without the guard's choice of values.
sequence() {
	awk '$1 == 0 && $2 == "nmi" { printf "%s ", $3 }' "$msr/log"
}

# check_order WHAT REGISTER...: in every NMI CPU 0 wrote just these, in this order.
check_order() {
	what=$1
	shift
	sequence >sequence
	check "$what: writes in NMIs" -s sequence
	grep -E -q -x "($* )+" sequence || {
		cut -c 1-400 sequence
		fail "$what: the order of writes in NMIs is not $*"
	}
}

# Saves the registers' values while nobody uses them; the last user has left bits 21 and 36 in the selects.
remember() {
	exec 3<"$fs/buffer"
	exec 3<&-
	cat "$msr/registers" >registers.before
	cat "$msr/lvtpc" >lvtpc.before
	check_eq "a select register at rest" "$(awk -v r="$1" '$1 == 0 && $2 == r { print $3 }' registers.before)" 0x1000200051
	echo 0 >"$msr/log"
}

# life CPU: the steps of a profile, and what each writes, as in the files start and stop.
life() {
	exec 3<"$fs/buffer"
	check_eq "$1: writes before the start" "$(cut -d' ' -f 3,4 "$msr/log" | sort -u)" "0x834 0x400"
	check_eq "$1: LVTPC" "$(cut -d' ' -f2 "$msr/lvtpc" | sort -u)" 0x400
	echo 0 >"$msr/log"
	put enable 1
	expect_writes "$1 start" start
	put enable 0
	expect_writes "$1 stop" stop
	mark_log
	wait_for 20 unclaimed_nmi
	check_eq "$1: writes while stopped" "$(cat "$msr/log")" ""
	put enable 1
	expect_writes "$1 second start" start
	exec 3<&-
	fail_unless_same "$1: LVTPC" lvtpc.before "$msr/lvtpc"
	fail_unless_same "$1: registers" registers.before "$msr/registers"
	echo 0 >"$msr/log"
}

# samples CPU REGISTER0 REGISTER1 WIDTH [EXTRA]: NMIs become samples of both counters, alike; EXTRA more of counter 0 in each.
samples() {
	mark_log
	sample "run.$1" with_nmis 300 shares 200
	grep -E '^(received|placed|lost|throttle|event|balance)' "run.$1"
	check "$1: samples of counter 1" "$(value "run.$1" event1)" -gt 10
	check_eq "$1: samples of counter 0" "$(($(value "run.$1" event0) + $(value "run.$1" lost)))" "$((${5-1} * $(cat nmis)))"
	check_eq "$1: balance" "$(value "run.$1" balance)" ok
	check_eq "$1: NMIs for unknown reason" "$(unknown_nmis)" 0
	reloads "$2" 100000 "$4"
	reloads "$3" 6000 "$4"
	fail_unless_same "$1: registers after sampling" registers.before "$msr/registers"
}

# plug CPU: CPU 1 goes offline while it counts, with its registers restored, and comes back with the whole sequence.
plug() {
	[ -w "$cpu1" ] || return 0
	exec 3<"$fs/buffer"
	put enable 1
	echo 0 >"$cpu1"
	grep '^1 ' registers.before >one.before
	grep '^1 ' "$msr/registers" >one.after
	fail_unless_same "$1: registers of a CPU that left" one.before one.after
	echo 0 >"$msr/log"
	echo 1 >"$cpu1"
	writes 1 >back
	{ echo "0x834 0x400" && expected start 1; } >came
	diff came back || fail "$1: what a CPU that came wrote"
	exec 3<&-
	fail_unless_same "$1: registers after a CPU came and went" registers.before "$msr/registers"
	fail_unless_same "$1: LVTPC after a CPU came and went" lvtpc.before "$msr/lvtpc"
	echo 0 >"$msr/log"
}

# registers_are REGISTER VALUE: both CPUs' register holds that.
registers_are() {
	[ "$(awk -v r="$1" '$2 == r { print $3 }' "$msr/registers" | sort -u)" = "$2" ]
}
