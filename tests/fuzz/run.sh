#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs fuzz targets built with libFuzzer, several at a time: run.sh MINUTES JOBS TARGET... in the build directory, with
# the sources in $srcdir. What a target finds stays in fuzz-runs/NAME: its corpus, crashing inputs, its log. Fails if one
# crashed. Ctrl-C ends all; what was done until then is printed.
set -u
out=fuzz-runs

# The line of one target, which ran with that exit status. 72 is libFuzzer's after Ctrl-C.
report() {
	stat() { sed -n "s/^stat::$1: *//p" "$dir/log" | tail -n 1; }  # twice if two signals came
	now=$(ls "$dir/corpus" | wc -l)
	printf '%-16s %10s executions %8s/s %6s new entries\n' "$name" "$(stat number_of_executed_units)" \
		"$(stat average_exec_per_sec)" $((now - before))
	slow=$(find "$dir" -name 'slow-unit-*' -newer "$dir/began")
	[ -z "$slow" ] || printf '  slow: %s\n' $slow
	case $1 in
	0 | 72) return ;;
	esac
	found=$(find "$dir" \( -name 'crash-*' -o -name 'leak-*' -o -name 'oom-*' -o -name 'timeout-*' \) -newer "$dir/began")
	: >"$dir/failed"
	printf '  CRASHED: %s\n' "${found:-see $dir/log}"
}

run_one() {
	name=$(basename "$2" _fuzz)
	dir=$out/$name
	mkdir -p "$dir/corpus"
	before=$(ls "$dir/corpus" | wc -l)
	: >"$dir/began"
	rm -f "$dir/failed"
	trap : INT TERM
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=quarantine_size_mb=16 "$2" -max_total_time=$(($1 * 60)) \
		-timeout=10 -report_slow_units=1 -rss_limit_mb=512 -max_len=4096 -print_final_stats=1 -artifact_prefix="$dir/" \
		"$dir/corpus" "${srcdir:-.}/tests/fuzz/corpus/$name" >"$dir/log" 2>&1
	report $?
}

if [ "$1" = --one ]; then
	run_one "$2" "$3"
	exit 0
fi
minutes=$1 jobs=$2
shift 2
mkdir -p $out
rm -f $out/*/failed
trap : INT TERM
# The reader outlives Ctrl-C: it ends when every target has.
printf '%s\n' "$@" | xargs -P "$jobs" -I{} "$0" --one "$minutes" {} | (trap '' INT TERM; exec cat)
! ls $out/*/failed >/dev/null 2>&1
