# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-arm64 6.1-debug
# limit: 120
# A buffer as big as the machine's memory is refused; no process is killed for it.
. "$KIT/lib.sh"

load_driver timer=1
put buffer_size 268435456
check_eq "opening a buffer of 2 GiB" "$(poke "$fs/buffer")" ENOMEM
put buffer_size 134217728
put cpu_buffer_size 1048576
put backtrace_depth 64
check_eq "opening a buffer and a store of 1 GiB each" "$(poke "$fs/buffer")" ENOMEM
put buffer_size 131072
put cpu_buffer_size 8192
use_timer
sample run.log sleep 1
check "samples with smaller ones" "$(value run.log received)" -gt 0
unload_driver
