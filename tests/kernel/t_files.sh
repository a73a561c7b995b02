# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# Every file of doc/DRIVER.md: first value, mode, what it accepts and what it refuses, and when.
. "$KIT/lib.sh"

# takes FILE VALUE [READ BACK AS]
takes() {
	check_eq "$1 takes $2" "$(answer "$1" "$2")" ${#2}
	check_eq "$1 after $2" "$(get "$1")" "${3-$2}"
}

# refuses FILE VALUE: EINVAL, and nothing changes.
refuses() {
	before=$(get "$1")
	check_eq "$1 refuses '$2'" "$(answer "$1" "$2")" EINVAL
	check_eq "$1 after '$2'" "$(get "$1")" "$before"
}

# starts FILE VALUE MODE
starts() {
	check_eq "first value of $1" "$(get "$1")" "$2"
	check_eq "mode of $1" "$(stat -c %a:%u:%g "$fs/$1")" "$3:0:0"
}

load_driver timer=1
starts enable 0 600
starts buffer_size 131072 600
starts buffer_watershed 32768 600
starts cpu_buffer_size 8192 600
starts backtrace_depth 0 600
starts pid_filter 0 600
starts pgrp_filter 0 600
check_eq "mode of buffer" "$(stat -c %a "$fs/buffer")" 600
check_eq "mode of dump" "$(stat -c %a "$fs/dump")" 200
for file in pointer_size stream_version cpu_type model 0/min_count; do
	check_eq "mode of $file" "$(stat -c %a "$fs/$file")" 400
done
check_eq "mode of the root" "$(stat -c %a "$fs")" 700
check_eq "mode of a directory" "$(stat -c %a "$fs/0")" 700
for file in enabled event count unit_mask kernel user extra; do
	starts 0/$file 0 600
done
for file in sample_received sample_lost_overflow sample_lost_no_mm sample_lost_no_mapping sample_lost_nested \
	sample_lost_pending backtrace_aborted throttled timer_overruns sample_filtered; do
	starts stats/cpu0/$file 0 400
done
for file in event_lost_overflow sample_lost_no_mm sample_lost_no_mapping bt_lost_no_mapping; do
	starts stats/$file 0 400
done
starts timer/cpu0/enabled 1 600
starts timer/cpu0/period_us 0 600

# The accepted spellings of a number.
takes buffer_size 0x20000 131072
takes buffer_size 0200000 65536
for text in '' x '1 2' -1 1x 99999999999999999999 0x; do
	[ -n "$text" ] || continue
	refuses buffer_size "$text"
done
check_eq "an empty write" "$(answer buffer_size '')" 0
check_eq "a write of 50 bytes" "$(answer buffer_size 00000000000000000000000000000000000000000000065536)" EINVAL
check_eq "a write elsewhere" "$(answer buffer_size 3 65536)" EINVAL

# Writing, like reading the buffer, needs the capability; root without it may not write.
setpriv=/usr/bin/setpriv # that of busybox cannot do it
if [ -x $setpriv ]; then
	for file in enable 0/count dump buffer_size; do
		check_eq "$file without capabilities" "$($setpriv --bounding-set=-all --inh-caps=-all poke "$fs/$file" 1 || true)" EPERM
	done
	check_eq "reading without capabilities" "$($setpriv --bounding-set=-all --inh-caps=-all cat "$fs/enable")" 0
fi

# Limits.
refuses buffer_size 1023
refuses buffer_size 268435457
takes buffer_size 1024
takes buffer_size 131072
refuses cpu_buffer_size 63
refuses cpu_buffer_size 1048577
takes cpu_buffer_size 64
takes cpu_buffer_size 8192
refuses backtrace_depth 65
takes backtrace_depth 64
takes backtrace_depth 0
refuses timer/cpu0/period_us 10000001
takes timer/cpu0/period_us 10000000
takes timer/cpu0/period_us 0
takes timer/cpu0/enabled 0
takes timer/cpu0/enabled 1
least=$(get 0/min_count)
check "the least count is a number" "$least" -gt 0
refuses 0/count $((least - 1))
takes 0/count "$least"
for file in pointer_size stream_version cpu_type model 0/min_count stats/cpu0/sample_received; do
	case $(answer $file 1) in
	EACCES | EINVAL | EPERM | EBADF) ;;
	*) fail "$file could be written" ;;
	esac
done

# Some settings cannot change while the buffer is open or while sampling.
put buffer_watershed 1000
put buffer_size 1024
check_eq "watershed below the size opens" "$(sh -c "exec 3<$fs/buffer && echo opened")" opened
put buffer_watershed 1024
check_eq "watershed as big as the buffer" "$(poke "$fs/buffer")" EINVAL
put buffer_size 131072
put buffer_watershed 32768
use_timer 10000000
exec 3<"$fs/buffer"
for file in buffer_size buffer_watershed cpu_buffer_size backtrace_depth; do
	check_eq "$file with an open buffer" "$(answer $file 4096)" EBUSY
done
check_eq "a second reader" "$(poke "$fs/buffer")" EBUSY
put 0/enabled 0
check_eq "start without a counter" "$(answer enable 1)" EINVAL
put 0/enabled 1
takes enable 1
takes enable 1
for file in 0/enabled 0/event 0/count 0/unit_mask 0/kernel 0/user 0/extra pid_filter pgrp_filter; do
	check_eq "$file while sampling" "$(answer $file 1)" EBUSY
done
takes timer/cpu0/enabled 0
takes timer/cpu0/period_us 500
takes timer/cpu0/enabled 1
check_eq "dump" "$(answer dump 1)" 1
takes enable 0
exec 3<&-
unload_driver
