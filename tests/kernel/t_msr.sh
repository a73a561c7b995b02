# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 sid-amd64 sid-rt-amd64 6.1-debug
# soak: *-amd64
# limit: 180
# The register-level models over registers that are arrays in memory (a build with OP_MSR_DOUBLE=1): what they write and in which
# order, that every NMI is a sample of each counter, that they claim no other NMI, and that they restore everything.
. "$KIT/lib.sh"
. "$KIT/msr.sh"

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

# kept_by_guest CPU: while a guest has the registers for itself, NMIs that come are another's: nothing is written or claimed.
kept_by_guest() {
	exec 3<"$fs/buffer"
	put enable 1
	echo 1 >"$msr/guest"
	echo 0 >"$msr/log"
	mark_log
	wait_for 20 unclaimed_nmi
	! grep -q ' nmi ' "$msr/log" || fail "$1: written in an NMI while a guest had the registers: $(grep ' nmi ' "$msr/log" | head -n 3)"
	echo 0 >"$msr/guest"
	exec 3<&-
	fail_unless_same "$1: registers after a guest that had them" registers.before "$msr/registers"
	echo 0 >"$msr/log"
}

# has_written CPU: that CPU wrote outside NMIs since the log was emptied.
has_written() {
	[ -n "$(writes "$1")" ]
}

# zeroed CPU: KVM leaves selects and counters 0 after a guest that had the PMU for itself. They are programmed again, once, with the
# writes of the file mend.
zeroed() {
	exec 3<"$fs/buffer"
	put enable 1
	echo 0 >"$msr/log"
	echo 1 >"$msr/zeroed"
	for cpu in 0 1; do
		wait_for 10 has_written $cpu
	done
	sleep 0.5
	expect_writes "$1, zeroed" mend
	exec 3<&-
	fail_unless_same "$1: registers after they were zeroed" registers.before "$msr/registers"
	echo 0 >"$msr/log"
}

# asleep CPU: counters that count are stopped while the machine sleeps, and then started as at first, in the kernel's own test of suspend,
# which only freezes processes.
asleep() {
	[ -w /sys/power/pm_test ] || { echo "not tested: suspend, as this kernel has no test of it"; return 0; }
	echo 1 >/sys/module/suspend/parameters/pm_test_delay
	echo freezer >/sys/power/pm_test
	exec 3<"$fs/buffer"
	put enable 1
	echo 0 >"$msr/log"
	echo freeze >/sys/power/state
	echo none >/sys/power/pm_test
	cat stop start >slept
	expect_writes "$1 asleep" slept
	exec 3<&-
	fail_unless_same "$1: registers after suspend" registers.before "$msr/registers"
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
kept_by_guest intel
cat >mend <<END
0x38f 0x0
0x186 0x13413c
0x187 0xff9500c0
0xc1 0xfffffffe7960
0x186 0x13413c
0xc2 0xffffffffe890
0x187 0xff9500c0
0x186 0x53413c
0x187 0xffd500c0
0x38f 0x3
END
zeroed intel
asleep intel
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
sample run.one with_nmis 300 shares 200
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
cat >mend <<END
0xc0000301 0x0
0xc0010200 0x130076
0xc0010202 0x1100c0
0xc0010201 0xfffffffe7960
0xc0010200 0x130076
0xc0010203 0xffffffffe890
0xc0010202 0x1100c0
0xc0010200 0x530076
0xc0010202 0x5100c0
0xc0000301 0x3
END
zeroed zen4
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
