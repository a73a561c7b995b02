# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64
# soak: *-amd64
# limit: 120
# What `make check-hardware` does on a machine that does not count: it goes through all checks, finds that the counts are wrong, and
# leaves the machine as it was. Registers are arrays in memory, so it is no check of a model.
. "$KIT/lib.sh"

[ -f "$KIT/oprofile_double.ko" ] || skip "there is no build with the registers' double"
check_hardware=$KIT/check_hardware.sh
sys=/proc/sys/kernel

# run NAME VARIABLE=VALUE...: with the driver NAME; sets $status.
run() {
	name=$1
	shift
	status=0
	env "$@" MILLIONS=10 sh "$check_hardware" "$KIT/$name" "$KIT" report.txt >printed.txt 2>errors.txt || status=$?
	cat report.txt errors.txt
	check "$name: it leaves no driver" ! -d /sys/module/oprofile
}

panic=$(cat $sys/unknown_nmi_panic)
run oprofile_double.ko MODEL=intel MODULE_WORDS=double_cpu=intel UNKNOWN_NMI_PANIC=1
check_eq "status without overflows" "$status" 1
check_eq "errors" "$(cat errors.txt)" ""
check_eq "unknown_nmi_panic afterwards" "$(cat $sys/unknown_nmi_panic)" "$panic"
grep -q '^driver: model intel, CPU type i386/arch_perfmon, counters 4$' report.txt || fail "the driver is not described"
grep -q '^processor: ' report.txt || fail "the processor is not described"
check_eq "checks that fail without overflows" "$(grep -c '^FAILED' report.txt)" "$(grep -c '^FAILED  as many samples as the loop has' report.txt)"
check_eq "checks that fail" "$(grep -c '^FAILED' report.txt)" 5
check "checks that do not" "$(grep -c '^ok ' report.txt)" -ge 7
grep -q '^verdict: . checks failed$' report.txt || fail "there is no verdict"
grep -q 'Please send' printed.txt || fail "nobody is asked to send the text"

run oprofile_double.ko MODEL=p4 MODULE_WORDS=double_cpu=p4
check_eq "p4: status without overflows" "$status" 1
check_eq "p4: errors" "$(cat errors.txt)" ""
grep -q '^driver: model p4, CPU type i386/p4, counters 8$' report.txt || fail "the driver with model p4 is not described"
check_eq "p4: checks that fail" "$(grep -c '^FAILED' report.txt)" 5
grep -q 'every 10000000 instructions, 2 counters: 0 samples' report.txt || fail "two counters of a Pentium 4 count instructions"

run oprofile.ko MODEL=amd
check_eq "status without counters" "$status" 77
grep -q '^verdict: nothing was checked: the model amd cannot be used: ' report.txt || fail "it is not reported that there are no counters"
grep -q '^ *log: model amd is not possible here' report.txt || fail "the driver's reason is not reported"
check_eq "the last line" "$(tail -n 1 printed.txt | cut -c 1-11)" "Please send"
