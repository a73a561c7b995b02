# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-debug
# soak: *-amd64
# limit: 90
# A daemon that is stopped for a while, under a flood of samples: the driver's rings overflow, and still every sample is accounted
# for: taken by the driver = stored + lost by cause.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH

load_driver timer=1
put buffer_size 1024
put buffer_watershed 512
mkdir -p session
oprofiled --source=driver --no-vmlinux --session-dir "$PWD/session" --events TIMER:100000 --start >daemon.log 2>&1 || {
	cat daemon.log
	fail "oprofiled does not start"
}
daemon=$(daemon_pid)
shares 600000 >/dev/null &
load=$!
wait_for 20 sh -c "[ \"\$(cat $fs/stats/cpu*/sample_received | awk '{ n += \$1 } END { print n }')\" -gt 1000 ]"
kill -STOP "$daemon"
wait_for 40 sh -c "[ \"\$(cat $fs/stats/event_lost_overflow)\" -gt 100 ]"
kill -CONT "$daemon"
kill "$load"
wait "$load" || true
opcontrol --shutdown >shutdown.log 2>&1 || { cat shutdown.log; fail "no shutdown"; }

taken=$(cat "$fs"/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }')
manifest=session/samples/current/manifest.json
number() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$manifest" | head -n 1; }
echo "taken $taken, sampled $(number sampled), stored $(number stored), missed $(number missed_periods), ring full $(cat "$fs/stats/event_lost_overflow")"
check_eq "samples in the account" "$(number sampled)" "$taken"
check_eq "missed periods" "$(number missed_periods)" "$(cat "$fs"/stats/cpu*/timer_overruns | awk '{ n += $1 } END { print n }')"
check "samples were lost" "$(number sampled)" -gt "$(number stored)"
unload_driver
