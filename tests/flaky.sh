#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# flaky.sh [--until TIME] IDLE LOADED TREE TEST...: runs each of these tests of a build tree so many times alone, and so many times
# beside load: a busy loop for each CPU, a writer of files, a storm of forks. Prints a row a test: passes, the seconds of the median
# run, and the first line with FAILED of each red run, whose log is kept in $OP_RECORDS/flaky. Fails if a run was red. A test whose
# turn comes after TIME (seconds since 1970) is left out, and named.
set -u
until=
if [ "$1" = --until ]; then
	until=$2
	shift 2
fi
idle=$1 loaded=$2
tree=$(cd "$3" && pwd)
shift 3
source=$(cd "$(dirname "$0")/.." && pwd)
records=${OP_RECORDS:-$tree}/flaky
rm -rf "$records"
mkdir -p "$records"
work=$(mktemp -d)
load='' running=''
trap 'end_group "$running"; end_group "$load"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# end_group PID: kills that process, which may not have made its group yet, then the group, and waits for it.
end_group() {
	[ -n "$1" ] || return 0
	kill -s KILL "$1" 2>/dev/null
	kill -s KILL -- "-$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

# group PID: the commands of the processes of that group that have not ended, as /proc/PID/stat has them (proc(5)).
group() {
	cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^[0-9]* (\(.*\)) \([^ ]\) [0-9]* \([0-9]*\) .*/\3 \2 \1/p' |
		awk -v group="$1" '$1 == group && $2 != "Z" { print $3 }' | tr '\n' ' '
}

start_load() {
	setsid sh -c '
		n=$(nproc)
		while [ "$n" -gt 0 ]; do
			(while :; do :; done) &
			n=$((n - 1))
		done
		(while head -c 33554432 /dev/zero >"$1/written" && sync "$1/written"; do :; done) &
		while :; do /bin/true; done' load "$work" &
	load=$!
}
# once TEST KIND NUMBER: one run, as make check does it. Sets $result, and appends its seconds to the test's times. A run that
# leaves processes is red; they are named, and ended.
once() {
	log=$records/$(basename "$1").$2$3.log
	began=$(date +%s%3N)
	ended=0
	(cd "$tree" && srcdir=$source CXX=$(sed -n 's/^CXX = //p' Makefile) && export srcdir CXX && exec setsid "$source/$1") \
		>"$log" 2>&1 </dev/null &
	running=$!
	wait "$running" || ended=$?
	echo $(($(date +%s%3N) - began)) >>"$work/times"
	left=$(group "$running")
	if [ -n "$left" ]; then
		kill -s KILL -- "-$running" 2>/dev/null
		while [ -n "$(group "$running")" ]; do sleep 0.01; done
	fi
	running=
	case $ended in
	0) result=pass ;;
	77) result=skip ;;
	*) result=fail ;;
	esac
	if [ -n "$left" ]; then
		result=fail
		echo "    $2 run $3 leaves processes: $left" >>"$work/failures"
	elif [ $result = fail ]; then
		echo "    $2 run $3, status $ended: $(grep 'FAILED' "$log" | head -n 1)" >>"$work/failures"
	else
		rm "$log"
	fi
}

# runs TEST KIND NUMBER: prints PASSES/NUMBER, or "skipped"
runs() {
	number=0 passes=0
	while [ $number -lt "$3" ]; do
		number=$((number + 1))
		once "$1" "$2" $number
		[ $result != skip ] || { passes=skipped; break; }
		[ $result != pass ] || passes=$((passes + 1))
	done
	[ "$passes" = skipped ] || passes=$passes/$number
}

status=0 left_out=
printf '%-36s %9s %9s %9s\n' test idle loaded seconds
for test; do
	if [ -n "$until" ] && [ "$(date +%s)" -ge "$until" ]; then
		left_out="$left_out $test"
		continue
	fi
	: >"$work/times" >"$work/failures"
	runs "$test" idle "$idle"
	alone=$passes
	passes=-
	if [ "$loaded" -gt 0 ]; then
		start_load
		runs "$test" loaded "$loaded"
		end_group "$load"
		load=
	fi
	printf '%-36s %9s %9s %9s\n' "${test#tests/}" "$alone" "$passes" \
		"$(sort -n "$work/times" | awk '{ t[NR] = $1 } END { if (NR) printf "%.1f", t[int((NR + 1) / 2)] / 1000 }')"
	cat "$work/failures"
	[ ! -s "$work/failures" ] || status=1
done
[ -z "$left_out" ] || echo "left out for want of time:$left_out"
exit $status
