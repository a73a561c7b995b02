# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# The stream has times of samples if they are asked for, however samples are placed.
. "$KIT/lib.sh"

# check_times [CALLERS]: every sample has a time, which holds for a millisecond; without the switch none has.
check_times() {
	use_timer 200000
	put backtrace_depth "${1:-0}"
	sample_balanced none.log shares 300
	check_eq "times that nobody asked for" "$(value none.log times)" 0
	put sample_times 1
	sample_balanced run.log shares "$(longer 1000)"
	check_eq "samples without a time" "$(value run.log untimed)" 0
	times=$(value run.log times)
	check "times" "$times" -gt "$(fewer 100)"
	check "times, of samples" "$times" -le "$(value run.log received)"
}

# check_all_times: the same with call chains.
check_all_times() {
	check_times
	check_times_of_chains
}

check_times_of_chains() {
	put sample_times 0
	check_times 4
}

check_eq "sample_times" "$(load_driver timer=1 && get sample_times)" 0
check_eq "sample_times of 2" "$(answer sample_times 2)" EINVAL
unload_driver
with_each_placing check_all_times
[ -f "$KIT/oprofile_double.ko" ] || exit 0
load_nmi_double
put 0/user 1
put 0/kernel 1
put 0/enabled 1
put sample_times 1
sample_balanced nmi.log with_nmis 200 shares 200
check "samples of NMIs" "$(value nmi.log received)" -gt 50
check_eq "samples of NMIs without a time" "$(value nmi.log untimed)" 0
unload_driver
