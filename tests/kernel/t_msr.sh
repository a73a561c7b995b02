# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-debug
# limit: 180
# The register-level models over registers that are arrays in memory (a build with OP_MSR_DOUBLE=1): what they write and in which
# order, that every NMI is a sample of each counter, that they claim no other NMI, and that they restore everything.
. "$KIT/lib.sh"

msr=/sys/kernel/debug/oprofile_msr
cpu1=/sys/devices/system/cpu/cpu1/online
[ -f "$KIT/oprofile_double.ko" ] || skip "there is no build with the registers' double"
[ -d /sys/kernel/debug ] || skip "this kernel has no debugfs"
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug

# load_double CPU TYPE COUNTERS: as that processor; the driver takes the model for it.
load_double() {
	insmod "$KIT/oprofile_double.ko" "double_cpu=$1"
	mkdir -p "$fs" 2>/dev/null || true
	mount -t oprofilefs nodev "$fs"
	check_eq "$1: cpu_type" "$(get cpu_type)" "$2"
	check "$1: the last counter" -d "$fs/$(($3 - 1))"
	check "$1: no further counter" ! -d "$fs/$3"
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

# Saves the registers' values while nobody uses them; reserved bits 21 and 36 are set.
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
	check_eq "$1: writes before the start" "$(cat "$msr/log")" ""
	check_eq "$1: LVTPC" "$(cut -d' ' -f2 "$msr/lvtpc" | sort -u)" 0x400
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

# samples CPU REGISTER0 REGISTER1 WIDTH: NMIs become samples of both counters, alike.
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
	check_eq "$1: samples of counter 0" "$(($(value "run.$1" event0) + $(value "run.$1" lost)))" "$(cat nmis)"
	check_eq "$1: balance" "$(value "run.$1" balance)" ok
	check_eq "$1: NMIs for unknown reason" "$(unknown_nmis)" 0
	reloads "$2" 100000 "$4"
	reloads "$3" 6000 "$4"
	fail_unless_same "$1: registers after sampling" registers.before "$msr/registers"
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
	diff start back || fail "$1: what a CPU that came wrote"
	exec 3<&-
	fail_unless_same "$1: registers after a CPU came and went" registers.before "$msr/registers"
	fail_unless_same "$1: LVTPC after a CPU came and went" lvtpc.before "$msr/lvtpc"
	echo 0 >"$msr/log"
}

# Intel architectural perfmon, version 4: 4 counters of 48 bits, global control.
load_double intel i386/arch_perfmon 4
remember 0x186
check_eq "intel: a count too small" "$(answer 0/count 499)" EINVAL
counter 0 0x3c 100000 0x41 1 1 0
counter 1 0xc0 6000 0 0 1 0xffffffff
cat >start <<END
0x38f 0x0
0x186 0x1000200000
0x187 0x1000200000
0x188 0x1000200000
0x189 0x1000200000
0xc1 0xffffffffffff
0xc2 0xffffffffffff
0xc3 0xffffffffffff
0xc4 0xffffffffffff
0x390 0xf
0xc1 0xfffffffe7960
0x186 0x100033413c
0xc2 0xffffffffe890
0x187 0x10ffb500c0
0x186 0x100073413c
0x187 0x10fff500c0
0x38f 0x3
END
cat >stop <<END
0x38f 0x0
0x186 0x100033413c
0x187 0x10ffb500c0
END
life intel
samples intel 0xc1 0xc2 48
plug intel
unload_driver

# P6: 2 counters, of which 32 bits matter.
load_double ppro i386/ppro 2
remember 0x186
counter 0 0x79 100000 0 1 1 0
counter 1 0xc0 6000 0 1 0 0
cat >start <<END
0x186 0x1000200000
0x187 0x1000200000
0xc1 0xffffffff
0xc2 0xffffffff
0xc1 0xfffe7960
0x186 0x1000330079
0xc2 0xffffe890
0x187 0x10003200c0
0x186 0x1000730079
0x187 0x10007200c0
END
cat >stop <<END
0x186 0x1000330079
0x187 0x10003200c0
END
life ppro
samples ppro 0xc1 0xc2 32
unload_driver

# AMD K8: 4 counters; a 12-bit event code.
load_double k8 x86-64/hammer 4
remember 0xc0010000
counter 0 0x1c7 100000 2 1 1 0
counter 1 0x76 6000 0 1 0 0x1040000
cat >start <<END
0xc0010000 0x1000200000
0xc0010001 0x1000200000
0xc0010002 0x1000200000
0xc0010003 0x1000200000
0xc0010004 0xffffffffffff
0xc0010005 0xffffffffffff
0xc0010006 0xffffffffffff
0xc0010007 0xffffffffffff
0xc0010004 0xfffffffe7960
0xc0010000 0x11003302c7
0xc0010005 0xffffffffe890
0xc0010001 0x1001360076
0xc0010000 0x11007302c7
0xc0010001 0x1001760076
END
cat >stop <<END
0xc0010000 0x11003302c7
0xc0010001 0x1001360076
END
life k8
samples k8 0xc0010004 0xc0010005 48
unload_driver

# Zen 4: 6 counters in their second place, global control.
load_double zen4 x86-64/generic 6
remember 0xc0010200
counter 0 0x76 100000 0 1 1 0
counter 1 0xc0 6000 0 0 1 0
cat >start <<END
0xc0000301 0x0
0xc0010200 0x1000200000
0xc0010202 0x1000200000
0xc0010204 0x1000200000
0xc0010206 0x1000200000
0xc0010208 0x1000200000
0xc001020a 0x1000200000
0xc0010201 0xffffffffffff
0xc0010203 0xffffffffffff
0xc0010205 0xffffffffffff
0xc0010207 0xffffffffffff
0xc0010209 0xffffffffffff
0xc001020b 0xffffffffffff
0xc0000302 0x3f
0xc0010201 0xfffffffe7960
0xc0010200 0x1000330076
0xc0010203 0xffffffffe890
0xc0010202 0x10003100c0
0xc0010200 0x1000730076
0xc0010202 0x10007100c0
0xc0000301 0x3
END
cat >stop <<END
0xc0000301 0x0
0xc0010200 0x1000330076
0xc0010202 0x10003100c0
END
life zen4
samples zen4 0xc0010201 0xc0010203 48
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

# The real registers of this emulator do not read back: the next model is taken, with a line in the log.
load_driver
case $(get model) in
intel | amd) skip "this processor has real counters" ;;
esac
check_eq "lines in the log" "$(dmesg | grep -c 'counter registers do not read back')" 1
unload_driver
