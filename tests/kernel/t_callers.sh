# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-rt-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# Samples have their callers, never more than configured, and the right ones: a calls b, b calls c, c computes and faults.
. "$KIT/lib.sh"

# in_chain LOG MODE PART...: samples of that mode in the program, and those of them whose innermost addresses lie in those parts.
in_chain() {
	awk -v mode="$2" -v parts="$3 ${4-} ${5-}" '
		BEGIN { depth = split(parts, part) }
		$1 == "range" { first[$2] = $3; last[$2] = $4 }
		$1 == "base" { base = mode == "kernel" ? $2 : 0 }
		$1 == "chain" && $2 == mode {
			inside = 1
			for (i = 1; i <= depth; i++) {
				at = $(3 + i) - base
				inside = inside && at >= first[part[i]] && at < last[part[i]]
			}
			all += $3
			good += inside * $3
		}
		END { print all + 0, good + 0 }' "$1"
}

# check_chain LOG MODE: nearly all samples in c were called by b, which was called by a. Not all: on its first and last instructions
# c has no frame of its own.
check_chain() {
	in_c=$(in_chain "$1" "$2" c)
	in_c=${in_c#* }
	whole=$(in_chain "$1" "$2" c b a)
	whole=${whole#* }
	echo "$2: $in_c samples in c, $whole of them called by b called by a"
	check "samples in $2 mode of c" "$in_c" -gt 50
	check "of these, called by b called by a, per mille" "$((whole * 1000 / in_c))" -ge 990
}

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
