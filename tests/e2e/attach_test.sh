#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# rooms: daemon/perf daemon/source daemon/run utils
# operf --pid: several processes, however they are named, and the children that they have already.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling
cd "$work"

# Programs of names of their own, which end when they are killed: a server's two workers, and two others.
for name in worker first second; do cp "$tests/e2e/shares" $name; done
sh -c './worker plain 100000000 & echo $! >one; ./worker plain 100000000 & echo $! >two; wait' &
server=$!
./first plain 100000000 &
first=$!
./second plain 100000000 &
second=$!
# compute MS PID...: each of these uses so much more CPU time
compute() {
	ms=$1 goals=
	shift
	for pid; do goals="$goals $pid:$(($(cpu_ms "$pid") + ms))"; done
	for goal in $goals; do wait_until 60 "process ${goal%:*} computes" has_used "${goal%:*}" "${goal#*:}"; done
}
wait_until 60 "the workers are there" [ -s two ]
worker=$(cat one)

# attached NAME OPTION...: a session that ends when the processes that are to be sampled have run for a while
attached() {
	name=$1
	shift
	mkdir $name
	"$build/operf" --session-dir $name --events TIMER:1000000 "$@" >$name.out 2>$name.log &
	operf=$!
	wait_beside $operf 60 "$name: operf is attached" grep -qs 'Press Ctl-c' $name.out
	compute 60 $worker $first $second # as many samples
	kill -INT $operf
	wait_end $operf 60 "$name: operf" || fail "$name: status $?: $(cat $name.log)"
	"$build/opreport" --session-dir $name --no-header >$name.report 2>>report.log || :
}
# applications NAME: those with samples, sorted, in one line
applications() { awk '/^ / { sub(".*/", "", $3); print $3 }' "$1.report" | sort | tr '\n' ' '; }
sampled() {
	found=$(applications "$1")
	[ "$found" = "$2" ] || fail "$1: samples of '$found', not '$2': $(cat "$1.report" "$1.log")"
}

if [ -e /proc/thread-self/children ]; then
	attached pool --pid $server
	sampled pool 'worker '
	attached alone --pid $server --no-children
	sampled alone ''
	grep -q "children of process $server that are not profiled: " alone.log || fail "alone: no note: $(cat alone.log)"
else
	echo "children that are there already: skipped, this kernel does not list them"
fi
attached both --pid $first --pid $second
sampled both 'first second '
attached list --pid $first,$second
sampled list 'first second '
attached mixed -p "$worker
$first" # as pgrep prints them
sampled mixed 'first worker '

# The recording lasts until the last of the processes has ended.
mkdir last
"$build/operf" --session-dir last --events TIMER:1000000 --pid $first,$second >last.out 2>last.log &
operf=$!
wait_beside $operf 60 "last: operf is attached" grep -qs 'Press Ctl-c' last.out
kill $first
wait_until 60 "the first ends" is_over $first
compute 100 $second
! is_over $operf || fail "last: operf ended with the first"
kill $second
wait_end $operf 60 "last: operf" || fail "last: status $?: $(cat last.log)"
grep -q "processes $first, $second have ended" last.log || fail "last: $(cat last.log)"
