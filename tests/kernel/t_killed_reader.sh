# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 sid-rt-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# A reader that is killed while sampling runs: the driver stops by itself, and can be started again or unloaded.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 200000
background shares 600000
for n in 1 2 3 4 5; do
	stream_stat sleep 1000 >/dev/null &
	reader=$!
	wait_for 10 grep -q 1 "$fs/enable"
	sleep 0.1
	kill -9 "$reader"
	wait "$reader" || true
	wait_for 10 grep -q 0 "$fs/enable"
done
sample run.log sleep 0.5
check "samples after the restart" "$(value run.log received)" -gt 100
check_eq "balance" "$(value run.log balance)" ok
stream_stat sleep 1000 >/dev/null &
reader=$!
wait_for 10 grep -q 1 "$fs/enable"
kill -9 "$reader"
wait "$reader" || true
# A process that the reader had just started may keep its files open for a moment.
wait_for 10 umount "$fs"
rmmod oprofile
