# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64
# boot: icount
# limit: 200
# The perf model under a flood: the guard lengthens the counters' periods, and the samples together with the periods left
# out come to what was executed. The emulator counts instructions exactly.
. "$KIT/lib.sh"

load_driver
need_model perf
period=$(get 0/min_count)
put 0/event 0x08
put 0/count "$period"
put 0/kernel 1
put 0/user 1
put 0/enabled 1
sample run.log count_instructions shares 400
cat run.log
expected=$(($(value run.log instructions) / period))
counted=$(($(value run.log received) + $(value run.log throttled)))
echo "$expected periods executed, $counted counted"
check_eq "balance" "$(value run.log balance)" ok
check "periods left out" "$(value run.log throttled)" -gt 0
check "throttle records" "$(value run.log throttles)" -gt 0
check "periods counted, per mille" "$((counted * 1000 / expected))" -gt 950
check "periods counted, per mille" "$((counted * 1000 / expected))" -lt 1050
unload_driver
