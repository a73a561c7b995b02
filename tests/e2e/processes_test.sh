#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Nothing of a test is left when it has ended, however that was; and what waits has a limit (processes.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
srcdir=$(cd "${srcdir:-.}" && pwd)
export srcdir
cd "$work"

# A script like the tests. It starts all kinds of processes, and ends in the way that its first argument names.
cat >script.sh <<'END_OF_SCRIPT'
#!/bin/sh
. "$srcdir/tests/e2e/lib.sh"
at_exit touch "$2/it's over"
at_exit sh -c 'ls "$1" >"$2/seen"' sh "$work" "$2"
while :; do :; done &
echo $! >>"$2/started"
(while :; do :; done & echo $! >>"$2/started") # of no parent
(setsid sh -c 'echo $$ >>"$0"; while :; do sleep 0.1; done' "$2/started" &)
sh -c 'while :; do /bin/true; done' &
echo $! >>"$2/started"
sh -c 'trap "" TERM INT HUP; while :; do sleep 0.1; done' &
echo $! >>"$2/started"
touch "$work/here"
echo "$work" >"$2/work"
case $1 in
ends) exit 0 ;;
skips) exit 77 ;;
fails) fail "with words" ;;
breaks) false ;;
waits) sleep 10000 ;;
computes) while :; do :; done ;;
esac
END_OF_SCRIPT

# began WORD: a script of that end; its process is $script, its directory $case
number=0
began() {
	number=$((number + 1))
	case=$work/$number.$1
	mkdir "$case"
	setsid env --default-signal=HUP,INT,TERM sh ./script.sh "$1" "$case" >"$case/log" 2>&1 &
	script=$!
	wait_until 20 "$1: the script begins" [ -s "$case/work" ]
}
# none_left: neither what the script started nor what has its name
none_left() {
	for pid in $(cat "$case/started"); do
		is_over "$pid" || return
	done
	! grep -lFs ",$script/" /proc/[0-9]*/environ >"$case/left"
}
# ended STATUS [SECONDS]: it has, and nothing is left then, or so much later
ended() {
	status=0
	wait_end $script 20 "$case" || status=$?
	[ $status = "$1" ] || fail "$case: status $status, not $1: $(cat "$case/log")"
	wait_until ${2-0} "$case: processes are left" none_left
	wait_until ${2-0} "$case: its directory is left" [ ! -e "$(cat "$case/work")" ]
	[ -e "$case/it's over" ] || fail "$case: a command of at_exit was not run"
	grep -qx here "$case/seen" || fail "$case: the files were gone before"
}

began ends
ended 0
began skips
ended 77
began fails
ended 1
grep -qx 'FAILED: with words' "$case/log" || fail "$case: $(cat "$case/log")"
began breaks
ended 1
for word in waits computes; do
	for signal in HUP:129 TERM:143 KILL:137; do
		began $word
		kill -s ${signal%:*} $script
		ended ${signal#*:} 20
	done
	for signal in HUP:129 INT:130 TERM:143; do
		began $word
		kill -${signal%:*} -$script # and what is in its group
		ended ${signal#*:} 20
	done
done
OP_TEST_SECONDS=1
export OP_TEST_SECONDS
began waits
ended 137 20
grep -q '^FAILED: not over within [1-9][0-9]* s$' "$case/log" || fail "$case: $(cat "$case/log")"
unset OP_TEST_SECONDS

# refused WORDS COMMAND...: the command ends a shell with that message
refused() {
	words=$1
	shift
	("$@") 2>refused.txt && fail "$*: does not fail"
	grep -q "^FAILED: $words" refused.txt || fail "$*: $(cat refused.txt)"
}
succeeds_at_third() {
	echo try >>tries
	[ "$(wc -l <tries)" = 3 ]
}
wait_until 20 "the third try" succeeds_at_third
wait_beside $$ 20 "that" true
[ "$(wc -l <tries)" = 3 ] || fail "tried again after it succeeded"
refused 'that: not within [0-9]* s$' wait_until 0 "that" false
sleep 10000 &
refused 'sleep ends: not within [0-9]* s; it is [SR] (.*)$' wait_end $! 0 sleep
wait_beside $! 20 "that" true
refused 'that: not within [0-9]* s$' wait_beside $! 0 "that" false
true &
refused "that: process $! ended first" wait_beside $! 1000 "that" false
status=0
echo word | in_time 20 sh -c 'read -r word && [ "$word" = word ] && exit 3' || status=$?
[ $status = 3 ] || fail "in_time: status $status"
status=0
in_time 0 sleep 10000 2>refused.txt || status=$?
[ $status = 124 ] && grep -q '^not within [0-9]* s: sleep 10000$' refused.txt || fail "in_time: status $status: $(cat refused.txt)"
wait_until 20 "in_time: the command is left" is_over "$in_time_pid"
