#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# What programs do to lose records costs no samples, and is counted apart from them.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling

# lost SESSION CAUSE: samples lost by that cause
lost() {
	awk -v cause="\"$2\"" 'index($0, cause) { on = 1 } on && /"[0-9]+": *[0-9]+/ { n += $2 + 0 } on && /}/ { on = 0 }
		END { print n + 0 }' "$1/samples/current/manifest.json"
}

# In a time namespace, whose clock is not that of the samples: all are stored
for seconds in -10000 10000; do
	if unshare --time --monotonic=$seconds true 2>"$work/timens.log"; then
		mkdir "$work/time$seconds"
		unshare --time --monotonic=$seconds "$build/operf" --session-dir "$work/time$seconds" --events TIMER:20000 \
			"$tests/e2e/shares" plain 300 2>"$work/time$seconds.log" || fail "time namespace: status $?"
		balanced "$work/time$seconds"
		in_time=$(awk '/"stored"/ { print $2 + 0 }' "$work/time$seconds/samples/current/manifest.json")
		[ "$(($(lost "$work/time$seconds" kernel_buffer) * 10))" -lt "$in_time" ] || fail "time namespace: samples were not read in time"
	else
		echo "time namespace: skipped: $(cat "$work/timens.log")"
	fi
done

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

# A program below very many directories: none are made for it, and its samples are counted
deep=$work/$(printf 'd/%.0s' $(seq 1950))
mkdir -p "$deep" "$work/deep"
cp "$tests/e2e/shares" "$deep/program"
profile deep --session-dir "$work/deep" --events TIMER:100000 "${deep}program" plain 300 || fail "deep: status $?"
balanced "$work/deep"
directories=$(find "$work/deep" -type d | wc -l)
echo "deep: $directories directories, $(lost "$work/deep" image_limit) samples lost"
[ "$directories" -lt 200 ] || fail "deep: a directory for each component"
[ "$(lost "$work/deep" image_limit)" -gt 0 ] || fail "deep: its samples are not counted"
grep -q 'limits on images and sample files are reached' "$work/deep.log" || fail "deep: operf does not report the limit"
