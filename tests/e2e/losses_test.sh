#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What programs do to lose records costs no samples, and is counted apart from them.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling

# lost SESSION CAUSE: samples lost by that cause
lost() {
	awk -v cause="\"$2\"" 'index($0, cause) { on = 1 } on && /"[0-9]+": *[0-9]+/ { n += $2 + 0 } on && /}/ { on = 0 }
		END { print n + 0 }' "$1/samples/current/manifest.json"
}

# A flood of mappings: what overflows is the side band's, and is no sample
mkdir "$work/flood"
profile flood --session-dir "$work/flood" --events TIMER:1000000 "$tests/e2e/map_code" 4 150000 || fail "flood: status $?"
balanced "$work/flood"
buffer_full=$(lost "$work/flood" kernel_buffer)
stored=$(awk '/"stored"/ { print $2 + 0 }' "$work/flood/samples/current/manifest.json")
band=$(awk '/"side_band_lost"/ { print $2 + 0 }' "$work/flood/samples/current/manifest.json")
echo "flood: $stored samples, $buffer_full lost in the kernel's buffer, $band records of the side band lost"
[ "$buffer_full" -le "$stored" ] || fail "flood: lost mappings are counted as lost samples"
if [ "$band" -gt 0 ]; then
	grep -q "$band records of processes and mappings were lost" "$work/flood.log" || fail "flood: operf does not report the loss"
	"$build/opreport" --session-dir "$work/flood" >/dev/null 2>"$work/report.log"
	grep -q "$band records of processes and mappings were lost" "$work/report.log" || fail "flood: opreport does not report the loss"
fi
