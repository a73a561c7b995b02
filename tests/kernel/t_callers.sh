# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-arm64 6.1-debug
# limit: 60
# Callers come with samples, never more than asked for.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 1000000
sample none.log shares 300
check_eq "callers at depth 0" "$(value none.log frames)" 0
put backtrace_depth 5
sample five.log sh -c 'find /proc /sys -maxdepth 4 >/dev/null 2>&1; true'
cat five.log
check_eq "balance" "$(value five.log balance)" ok
check "callers" "$(value five.log frames)" -gt 0
check "deepest chain" "$(value five.log deepest)" -le 5
put backtrace_depth 64
sample many.log sh -c 'find /proc /sys -maxdepth 4 >/dev/null 2>&1; true'
check "deepest chain" "$(value many.log deepest)" -gt 5
check "deepest chain" "$(value many.log deepest)" -le 64
unload_driver
