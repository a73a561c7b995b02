# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# More samples than there is room for, with a reader that waits or reads little at a time: every lost sample is counted.
. "$KIT/lib.sh"

load_driver timer=1
use_timer "$(get 0/min_count)"
put buffer_size 4096
put buffer_watershed 1024
put cpu_buffer_size 64
background shares 600000
sample late.log -l sleep 3
cat late.log
check_eq "balance, waiting reader" "$(value late.log balance)" ok
check "samples lost" "$(value late.log lost)" -gt 0
check "samples kept" "$(value late.log placed)" -gt 0
sum=$(cat "$fs"/stats/cpu*/sample_lost_overflow | awk '{ n += $1 } END { print n }')
check_eq "event_lost_overflow" "$(get stats/event_lost_overflow)" "$sum"

# A watershed of 0: the reader is woken before a ring is full. Ring after ring is filled, with callers.
put buffer_watershed 0
put backtrace_depth 64
put cpu_buffer_size 8192
put 0/count 1000000
cat >until.sh <<-END
	until [ "\$(cat $fs/stats/cpu*/sample_received | awk '{ n += \$1 } END { print n }')" -gt 5000 ]; do
		find /proc /sys -maxdepth 4 >/dev/null 2>&1 || true # processes end meanwhile
	done
END
sample zero.log sh until.sh
grep -E '^(received|lost|frames|reads|images|balance)' zero.log
check_eq "balance, watershed of 0" "$(value zero.log balance)" ok
check "samples lost at a watershed of 0" "$(value zero.log lost)" -lt $(($(value zero.log received) / 10))
put backtrace_depth 0
put buffer_watershed 1024
put cpu_buffer_size 64
put 0/count "$(get 0/min_count)"

sample small.log -b 4096 sh -c 'find /proc /sys -maxdepth 4 >/dev/null 2>&1; short_lived 200 200'
cat small.log
check_eq "balance, small reads" "$(value small.log balance)" ok
check "missed periods" "$(value small.log overruns)" -gt 0
check_eq "missed periods in the stream" "$(value small.log missed)" "$(value small.log overruns)"
unload_driver
