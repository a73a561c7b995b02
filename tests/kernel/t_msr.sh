# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 sid-amd64 sid-rt-amd64 6.1-debug
# soak: *-amd64
# limit: 180
# The register-level models over registers that are arrays in memory (a build with OP_MSR_DOUBLE=1): what they write and in which
# order, that every NMI is a sample of each counter, that they claim no other NMI, and that they restore everything.
. "$KIT/lib.sh"

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

# expect_writes WHAT FILE: both CPUs wrote just that.
expect_writes() {
	for cpu in 0 1; do
		writes $cpu >"writes.$cpu"
		diff "$2" "writes.$cpu" || fail "$1: what CPU $cpu wrote"
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
	cat >nmis.sh <<-'END'
		nmis() {
			awk '/^ *NMI:/ { for (i = 2; i <= NF; i++) n += $i; print n }' /proc/interrupts
		}
		shares 600000 >/dev/null & busy=$!
		before=$(nmis)
		touch /out/nmi
		while [ -e /out/nmi.idle ]; do sleep 0.05; done
		sleep 1
		rm /out/nmi
		until [ -e /out/nmi.idle ]; do sleep 0.05; done
		sleep 0.5
		echo $(($(nmis) - before)) >nmis
		kill $busy
	END
	sample "run.$1" sh nmis.sh
	grep -E '^(received|placed|lost|throttle|event|balance)' "run.$1"
	check "$1: samples of counter 1" "$(value "run.$1" event1)" -gt 10
	check_eq "$1: samples of counter 0" "$(($(value "run.$1" event0) + $(value "run.$1" lost)))" "$((${5-1} * $(cat nmis)))"
	check_eq "$1: balance" "$(value "run.$1" balance)" ok
	check_eq "$1: NMIs for unknown reason" "$(unknown_nmis)" 0
	reloads "$2" 100000 "$4"
	reloads "$3" 6000 "$4"
	fail_unless_same "$1: registers after sampling" registers.before "$msr/registers"
}

# registers_are REGISTER VALUE: both CPUs' register holds that.
registers_are() {
	[ "$(awk -v r="$1" '$2 == r { print $3 }' "$msr/registers" | sort -u)" = "$2" ]
}

# taken_away CPU GLOBAL_CTRL: another user stops all counters, in NMIs of its own and outside them: they run again soon, and its
# NMIs are not claimed.
taken_away() {
	exec 3<"$fs/buffer"
	put enable 1
	for again in 1 2; do
		echo 1 >"$msr/stolen"
		wait_for 10 registers_are "$2" 0x3
	done
	echo 0 >"$msr/log"
	mark_log
	wait_for 20 unclaimed_nmi
	grep -q " nmi $2 0x3\$" "$msr/log" || fail "$1: an NMI of another user left the counters off"
	echo 0 >"$msr/stolen"
	exec 3<&-
	echo 0 >"$msr/log"
}

# guests REGISTER WITHOUT WITH: the select register follows SVM, with which guests can be left out.
guests() {
	exec 3<"$fs/buffer"
	put enable 1
	registers_are "$1" "$2" || fail "$1 without SVM: $(cat "$msr/registers")"
	echo 1 >"$msr/svme"
	wait_for 10 registers_are "$1" "$3"
	put enable 0
	put enable 1
	registers_are "$1" "$3" || fail "$1 with SVM from the start: $(cat "$msr/registers")"
	echo 0 >"$msr/svme"
	wait_for 10 registers_are "$1" "$2"
	exec 3<&-
	fail_unless_same "registers after guests" registers.before "$msr/registers"
	echo 0 >"$msr/log"
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
	{ echo "0x834 0x400" && cat start; } >came
	diff came back || fail "$1: what a CPU that came wrote"
	exec 3<&-
	fail_unless_same "$1: registers after a CPU came and went" registers.before "$msr/registers"
	fail_unless_same "$1: LVTPC after a CPU came and went" lvtpc.before "$msr/lvtpc"
	echo 0 >"$msr/log"
}

# Unless a parameter asks for it, a register model is taken only on a processor of the list, and other processors' registers are
# not touched.
insert_double intel
check "a processor that is not listed: model $(get model)" "$(get model)" != intel
check "its registers are not touched" ! -e "$msr"
unload_driver
insert_double proved
check_eq "a listed processor: model" "$(get model)" intel
unload_driver
insert_double proved model=timer
check_eq "a listed processor, asked for another model" "$(get model)" timer
unload_driver
check_eq "intel on AMD" "$(insert_double zen4 model=intel 2>&1 | grep -c 'No such device')" 1
insert_double perfmon5 model=intel
check_eq "performance monitoring version 5: model" "$(get model)" intel
unload_driver
check_eq "version 6" "$(insert_double perfmon6 model=intel 2>&1 | grep -c 'No such device')" 1
check "lines on version 6" "$(dmesg | grep -c 'does not know performance monitoring version 6')" -ge 1
check_eq "cores of several kinds" "$(insert_double hybrid model=intel 2>&1 | grep -c 'No such device')" 1
check "lines on cores of several kinds" "$(dmesg | grep -c 'model intel does not know processors with cores of several kinds')" -ge 1

# Intel architectural perfmon, version 4: 4 counters of 48 bits, global control.
load_double intel intel i386/arch_perfmon 4
check_eq "lines on a model that is not proved" "$(dmesg | grep -c 'model intel has not been proved on this processor')" 2
remember 0x186
check_eq "intel: a count too small" "$(answer 0/count 499)" EINVAL
counter 0 0x3c 100000 0x41 1 1 0
counter 1 0xc0 6000 0 0 1 0xffffffff
cat >start <<END
0x38f 0x0
0x186 0x0
0x187 0x0
0x188 0x0
0x189 0x0
0xc1 0xffffffffffff
0xc2 0xffffffffffff
0xc3 0xffffffffffff
0xc4 0xffffffffffff
0x390 0xf
0xc1 0xfffffffe7960
0x186 0x13413c
0xc2 0xffffffffe890
0x187 0xff9500c0
0x834 0x400
0x186 0x53413c
0x187 0xffd500c0
0x38f 0x3
END
cat >stop <<END
0x38f 0x0
0x186 0x13413c
0x187 0xff9500c0
END
life intel
samples intel 0xc1 0xc2 48
check_order intel 0x38f 0xc1 0xc2 0x390 0x834 0x38f
echo 0 >"$msr/log"
echo 1 >"$msr/again"
samples intel 0xc1 0xc2 48 2
check_order "intel, an overflow while LVTPC is masked" 0x38f 0xc1 0xc2 0x390 0x834 0xc1 0x390 0x38f
echo 0 >"$msr/again"
echo 0 >"$msr/log"
taken_away intel 0x38f
plug intel
unload_driver

# P6: 2 counters, of which 32 bits matter. Both are started and stopped by the select register of counter 0.
load_double intel ppro i386/ppro 2
remember 0x186
counter 0 0x79 100000 0 1 1 0
counter 1 0xc0 6000 0 1 0 0
cat >start <<END
0x186 0x0
0x187 0x0
0xc1 0xffffffff
0xc2 0xffffffff
0xc1 0xfffe7960
0x186 0x130079
0xc2 0xffffe890
0x187 0x1200c0
0x834 0x400
0x186 0x530079
END
echo "0x186 0x130079" >stop
life ppro
samples ppro 0xc1 0xc2 32
check_order ppro 0xc1 0xc2 0x834
put 0/enabled 0
echo 0 >"$msr/log"
cat >start <<END
0x186 0x0
0x187 0x0
0xc1 0xffffffff
0xc2 0xffffffff
0xc2 0xffffe890
0x187 0x1200c0
0x834 0x400
0x186 0x400000
END
echo "0x186 0x0" >stop
life "ppro, counter 1 alone"
sample run.one sh nmis.sh
check "ppro, counter 1 alone: samples" "$(value run.one event1)" -gt 10
unload_driver

# AMD K8: 4 counters; a 12-bit event code.
load_double amd k8 x86-64/hammer 4
remember 0xc0010000
counter 0 0x1c7 100000 2 1 1 0
counter 1 0x76 6000 0 1 0 0x1040000
cat >start <<END
0xc0010000 0x0
0xc0010001 0x0
0xc0010002 0x0
0xc0010003 0x0
0xc0010004 0xffffffffffff
0xc0010005 0xffffffffffff
0xc0010006 0xffffffffffff
0xc0010007 0xffffffffffff
0xc0010004 0xfffffffe7960
0xc0010000 0x1001302c7
0xc0010005 0xffffffffe890
0xc0010001 0x1160076
0x834 0x400
0xc0010000 0x1005302c7
0xc0010001 0x1560076
END
cat >stop <<END
0xc0010000 0x1001302c7
0xc0010001 0x1160076
END
life k8
samples k8 0xc0010004 0xc0010005 48
check_order k8 0xc0010004 0xc0010005
unload_driver

# Zen 4: 6 counters in their second place, global control.
load_double amd zen4 x86-64/generic 6
remember 0xc0010200
counter 0 0x76 100000 0 1 1 0
counter 1 0xc0 6000 0 0 1 0
cat >start <<END
0xc0000301 0x0
0xc0010200 0x0
0xc0010202 0x0
0xc0010204 0x0
0xc0010206 0x0
0xc0010208 0x0
0xc001020a 0x0
0xc0010201 0xffffffffffff
0xc0010203 0xffffffffffff
0xc0010205 0xffffffffffff
0xc0010207 0xffffffffffff
0xc0010209 0xffffffffffff
0xc001020b 0xffffffffffff
0xc0000302 0x3f
0xc0010201 0xfffffffe7960
0xc0010200 0x130076
0xc0010203 0xffffffffe890
0xc0010202 0x1100c0
0x834 0x400
0xc0010200 0x530076
0xc0010202 0x5100c0
0xc0000301 0x3
END
cat >stop <<END
0xc0000301 0x0
0xc0010200 0x130076
0xc0010202 0x1100c0
END
life zen4
samples zen4 0xc0010201 0xc0010203 48
check_order zen4 0xc0000301 0xc0010201 0xc0010203 0xc0000302 0xc0000301
echo 0 >"$msr/log"
taken_away zen4 0xc0000301
guests 0xc0010200 0x530076 0x20000530076
plug zen4

# A counter that another user has reserved: the buffer cannot be opened, and nothing stays reserved. The kernel manages only AMD's
# registers on this processor.
if grep -q AuthenticAMD /proc/cpuinfo; then
	echo 6 >"$msr/taken"
	check_eq "zen4: open with a counter taken" "$(poke "$fs/buffer" || true)" EBUSY
	for other in 1 2 3 4 5 6; do
		echo $other >"$msr/taken"
	done
	echo 0 >"$msr/taken"
	exec 3<"$fs/buffer"
	exec 3<&-
	fail_unless_same "registers after EBUSY" registers.before "$msr/registers"
	fail_unless_same "LVTPC after EBUSY" lvtpc.before "$msr/lvtpc"
fi
unload_driver
check "no files of the double are left" ! -e "$msr"

# The real registers of this emulator do not read back: a register model cannot be had, with a line in the log. Nobody who does not
# ask for one looks at them.
model=intel
! grep -q AuthenticAMD /proc/cpuinfo || model=amd
if insmod "$KIT/oprofile.ko" "model=$model" 2>insmod.log; then
	rmmod oprofile
	skip "this processor has real counters"
fi
lines=$(dmesg | grep -c 'counter registers do not read back')
check "lines in the log" "$lines" -ge 1
load_driver
check_eq "lines in the log without a wish" "$(dmesg | grep -c 'counter registers do not read back')" "$lines"
unload_driver
