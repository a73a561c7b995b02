# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-rt-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# A program that spends its time 3 : 1 in two functions has its samples there 3 : 1; every sample is accounted for.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 1000000
sample_balanced run.log -p /shares shares "$(longer 6000)"
three=$(offsets_in run.log three)
one=$(offsets_in run.log one)
check "samples in the functions" "$((three + one))" -gt "$(fewer 500)"
check_three_parts "$three" "$one"
# Half of the samples of two CPUs are the program's; nearly all of those lie in the two functions.
program=$(samples_of run.log image /shares)
check "the program's samples in the two functions, per mille" "$(((three + one) * 1000 / program))" -gt 950
check_eq "user samples nowhere" "$(value run.log user_nowhere)" 0
check "the comm's samples" "$(awk '$1 == "comm" && $3 == "shares" { print $2 }' run.log)" -ge "$program"
unload_driver
