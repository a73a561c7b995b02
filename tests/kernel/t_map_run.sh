# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 300
# Samples of code that is mapped, run and unmapped within a millisecond are found in its file, also where processes do not place
# their samples themselves: all but one in a thousand, or one in a hundred where a worker places all of them.
. "$KIT/lib.sh"

find_mapped_code() {
	use_timer 250000
	sample_balanced run.log -p /map_run map_run 3000
	user=$(value run.log user)
	found=$(offsets_in run.log code)
	check "samples in the mapped code" "$found" -gt 300
	check "user samples nowhere, in 100,000" "$(($(value run.log user_nowhere) * 100000 / user))" -le "$(most_missed)"
	check "samples lost, in 100,000" "$(($(value run.log lost) * 100000 / user))" -le "$(most_missed)"
}

with_each_placing find_mapped_code
