# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-rt-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 180
# A thread that only computes, beside six forks of a process of several hundred megabytes, is not put to sleep by being sampled: each
# fork holds the lock of the process' mappings for long. Nearly all of its samples are found.
. "$KIT/lib.sh"

# 700 MB, or what the guest has. A debug kernel takes two seconds to fork so many, but samples wait for one.
free=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
case $(uname -r) in
*debug*) most=100 ;;
*) most=700 ;;
esac
size=$((free * 85 / 100 < most ? free * 85 / 100 : most))
forks $size 6 >alone.log
echo "$size MB; not sampled: $(cat alone.log)"
check_eq "sleeps, not sampled" "$(value alone.log slept)" 0

sample_forks() {
	use_timer 500000
	sample_balanced run.log forks $size 6
	check_eq "sleeps" "$(value run.log slept)" 0
	check "samples of the program" "$(samples_of run.log image /forks)" -gt "$(fewer 500)"
	check "lost, per mille of user samples" $(($(value run.log lost) * 1000 / $(value run.log user))) -le 20
}

with_each_placing sample_forks
