# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64
# soak: *-arm64
# boot: icount
# limit: 200
# The emulator counts instructions exactly: samples = instructions / period. The driver counts a little longer than the program
# that prints the number, which may make one sample more.
. "$KIT/lib.sh"

period=5000000
load_driver
need_model perf
put 0/event 0x08
put 0/count $period
put 0/kernel 1
put 0/user 1
put 0/enabled 1
sample run.log count_instructions shares 4000
cat run.log
instructions=$(value run.log instructions)
expected=$((instructions / period))
echo "$instructions instructions: $expected samples expected, $(value run.log received) taken"
check_eq "balance" "$(value run.log balance)" ok
check "instructions" "$expected" -gt 100
check "samples above the expected number" $(($(value run.log received) - expected)) -ge 0
check "samples above the expected number" $(($(value run.log received) - expected)) -le 1
unload_driver
