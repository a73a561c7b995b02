# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-arm64 6.1-debug
# limit: 60
# One process' samples, one mode's samples, and a filter that nothing passes.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 1000000
background shares 60000
other=$pid
wait_for 10 grep -q shares "/proc/$other/comm"
put pid_filter "$other"
sample one.log sleep 2
check "samples of the process" "$(value one.log placed)" -gt 100
check_eq "comms" "$(awk '$1 == "comm" { print $3 }' one.log)" shares
check "filtered samples" "$(value one.log filtered)" -gt 100
put pid_filter 999999
sample none.log sleep 1
check_eq "samples of nobody" "$(value none.log received)" 0
put pid_filter 0
put 0/kernel 0
sample user.log sleep 2
check "user samples" "$(value user.log user)" -gt 100
check_eq "kernel samples, not asked for" "$(value user.log kernel)" 0
put 0/kernel 1
put 0/user 0
sample kernel.log sleep 2
check "kernel samples" "$(value kernel.log kernel)" -gt 100
check_eq "user samples, not asked for" "$(value kernel.log user)" 0
unload_driver
