# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# Samples of one process, of one process group, of one mode, and filters that no sample passes.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 1000000
background shares 600000
other=$pid
wait_for 10 grep -q shares "/proc/$other/comm"
put pid_filter "$other"
sample one.log sleep 2
check "samples of the process" "$(value one.log placed)" -gt 20
check_eq "comms" "$(awk '$1 == "comm" { print $3 }' one.log)" shares
check "filtered samples" "$(value one.log filtered)" -gt 20
put pid_filter 999999
sample none.log sleep 1
check_eq "samples of nobody" "$(value none.log received)" 0
put pid_filter 0

# A group of two processes, with other names than the busy process in the case's own group.
cp "$(command -v shares)" in_group_1
cp in_group_1 in_group_2
background setsid sh -c './in_group_1 600000 & ./in_group_2 600000 & wait'
wait_for 10 pidof in_group_1
wait_for 10 pidof in_group_2
set -- $(pidof in_group_1)
group=$(awk '{ print $5 }' "/proc/$1/stat")
check_eq "the group of the second" "$(awk '{ print $5 }' "/proc/$(pidof in_group_2)/stat")" "$group"
check "the group of the process before" "$(awk '{ print $5 }' "/proc/$other/stat")" != "$group"
put pgrp_filter "$group"
sample group.log sleep 3
check_eq "balance" "$(value group.log balance)" ok
for name in in_group_1 in_group_2; do
	check "samples of $name" "$(awk -v name=$name '$1 == "comm" && $3 == name { print $2 }' group.log | grep . || echo 0)" -gt 50
done
check_eq "comms that are not of the group" "$(awk '$1 == "comm" && $3 !~ /^(in_group_[12]|sh)$/ { print $3 }' group.log)" ""
check "filtered samples" "$(value group.log filtered)" -gt 50
put pid_filter "$other"
sample both.log sleep 1
check_eq "samples of a process that is not in the group" "$(value both.log received)" 0
put pid_filter 0
put pgrp_filter 999999
sample nogroup.log sleep 1
check_eq "samples of no group" "$(value nogroup.log received)" 0
put pgrp_filter 0
kill $(pidof in_group_1) $(pidof in_group_2)

put 0/kernel 0
sample user.log sleep 2
check "user samples" "$(value user.log user)" -gt 20
check_eq "kernel samples of a counter without kernel" "$(value user.log kernel)" 0
put 0/kernel 1
put 0/user 0
sample kernel.log sleep 2
check "kernel samples" "$(value kernel.log kernel)" -gt 20
check_eq "user samples of a counter without user" "$(value kernel.log user)" 0
unload_driver
