# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-rt-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# Samples have their callers, never more than configured, and the right ones: a calls b, b calls c, c computes and faults.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 1000000
sample none.log shares 300
check_eq "callers at depth 0" "$(value none.log frames)" 0
put backtrace_depth 5
sample_balanced five.log sh -c 'find /proc /sys -maxdepth 4 >/dev/null 2>&1; true'
check "callers" "$(value five.log frames)" -gt 0
check "deepest chain" "$(value five.log deepest)" -le 5
put backtrace_depth 64
sample many.log sh -c 'find /proc /sys -maxdepth 4 >/dev/null 2>&1; true'
check "deepest chain" "$(value many.log deepest)" -gt 5
check "deepest chain" "$(value many.log deepest)" -le 64

sample_balanced chain.log -c call_chain call_chain 3000
check_chain chain.log user
check_chain chain.log kernel

# 32-bit programs of arm64, with each kind of frames.
if [ -x "$KIT/call_chain_32" ]; then
	for kind in arm gcc thumb; do
		call_chain_32 $kind chain_32 >ranges.log
		sample run.log -c chain_32 sh -c "timeout $((2 * ${OP_SLOWNESS:-100} / 100)) ./chain_32 || true"
		cat ranges.log run.log >"$kind.log"
		check_chain "$kind.log" user
	done
fi
unload_driver
