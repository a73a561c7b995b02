# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 300
# 2000 processes that live for some milliseconds, 300 a second: at least 99.9 % of the user samples are placed in a file, also
# where processes do not place their samples themselves; 99 % where a worker places all of them.
. "$KIT/lib.sh"

find_short_lived() {
	use_timer "$(longer 250000)"
	sample_balanced run.log short_lived 2000 300
	user=$(value run.log user)
	lost=$(value run.log lost)
	check "user samples" "$user" -gt 1000
	check "user samples without a file, and lost ones, in 100,000" "$((($(value run.log user_nowhere) + lost) * 100000 / (user + lost)))" -le "$(most_missed)"
	found=$(samples_of run.log image /short_lived)
	check "samples in the processes' own file, per mille of user samples" "$((found * 1000 / user))" -gt 700
}

with_each_placing find_short_lived
