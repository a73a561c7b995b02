# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-rt-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# Load, mount, one run, unload; unload is refused while the driver is in use.
. "$KIT/lib.sh"

load_driver timer=1
check_eq "model" "$(get model)" timer
check_eq "cpu_type" "$(get cpu_type)" timer
check_eq "stream_version" "$(get stream_version)" 1
check_eq "pointer_size" "$(get pointer_size)" 8
use_timer
check_eq "start without a reader" "$(answer enable 1)" EINVAL

sample run.log sleep 1
check "samples were taken" "$(value run.log received)" -gt 0
check_eq "enable after the run" "$(get enable)" 0

sleep 1000 <"$fs/buffer" &
reader=$!
wait_for 10 sh -c "poke $fs/buffer | grep -q EBUSY"
if rmmod oprofile 2>/dev/null; then fail "unloaded under a reader"; fi
kill "$reader"
wait "$reader" || true

unload_driver
check "no files are left" ! -e "$fs/enable"

load_driver timer=1
use_timer
sample again.log sleep 1
check "samples were taken after loading again" "$(value again.log received)" -gt 0
unload_driver
