#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# ocount by events that the kernel counts itself, of a program whose page faults are known: started, attached to, by
# threads, CPUs and intervals, interrupted, refused. Parts that need root are skipped for other users, with a message.
. "${srcdir:-.}/tests/e2e/lib.sh"
may_profile || { echo "skipped: $refusal"; exit 77; }

# expect STATUS NAME ocount-words: ocount ends with that status; its output goes to NAME.out, its messages to NAME.log
expect() {
	wanted=$1 name=$2
	shift 2
	status=0
	"$build/ocount" "$@" >"$work/$name.out" 2>"$work/$name.log" || status=$?
	[ "$status" = "$wanted" ] || fail "$name: status $status, not $wanted"
}
# log_has LOG PATTERN
log_has() {
	grep -Eq -- "$2" "$work/$1.log" || fail "$1 does not contain: $2"
}
# prints NAME PATTERN
prints() {
	grep -Eq -- "$2" "$work/$1.out" || fail "$1 does not print: $2; but: $(cat "$work/$1.out")"
}
# total NAME EVENT: the sum of its counts in brief output
total() { awk -F, -v e="$2" 'NF > 2 && $(NF-2) == e && $(NF-1) != "not counted" { n += $(NF-1) } END { printf "%.0f\n", n }' "$work/$1.out"; }
# within NUMBER LEAST MOST NAME
within() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || fail "$4: $1 is not within $2 and $3"; }

# A command and its children: what it touches, and a little for starting
expect 0 alone --brief-format --events page-faults "$tests/e2e/touch_pages" 20000 0
within "$(total alone page-faults)" 20000 21000 alone
expect 0 forks -b -e page-faults,minor-faults "$tests/e2e/touch_pages" 20000 3
within "$(total forks page-faults)" 80000 82000 forks
within "$(total forks minor-faults)" 80000 82000 forks
grep -q OPROFILE_MACHINE_DIR "$work/forks.log" && fail "forks: a warning of a made-up machine"
export OPROFILE_MACHINE_DIR="${srcdir:-.}/tests/fixtures/machines/amd"
expect 0 there -b -e page-faults true
unset OPROFILE_MACHINE_DIR
log_has there "^warning: the machine's description is taken from .*/machines/amd \\(OPROFILE_MACHINE_DIR\\)"
# It is noted, too, where this kernel has no such PMU
cp -rL "${srcdir:-.}/tests/fixtures/machines/amd" "$work/absent"
chmod -R u+w "$work/absent"
echo 60000 >"$work/absent/sys/bus/event_source/devices/cpu/type"
export OPROFILE_MACHINE_DIR="$work/absent"
expect 1 absent -b -e cpu-cycles true
unset OPROFILE_MACHINE_DIR
log_has absent 'cannot count it'
log_has absent '^warning: .* unset OPROFILE_MACHINE_DIR$'
expect 0 table -e page-faults "$tests/e2e/touch_pages" 20000 1
prints table '^Event counts \(actual\) for .*touch_pages 20000 1:$'
prints table '^	page-faults +4[0-9],[0-9]{3} +100\.00$'
expect 0 by_default "$tests/e2e/touch_pages" 10 0
prints by_default '100\.00|Event not counted|[0-9]\.[0-9]{2}$'
expect 0 timer -b -e TIMER,cpu-clock,task-clock "$tests/e2e/shares" plain 300
within "$(total timer TIMER)" 90000000 9000000000 timer
within "$(total timer task-clock)" 90000000 9000000000 timer
if may_profile kernel; then
	expect 0 in_kernel -b -e TIMER,context-switches:0,cpu-migrations true
	grep -q '^cpu-migrations,' "$work/in_kernel.out" || fail "in_kernel: $(cat "$work/in_kernel.out")"
else
	echo "what occurs in the kernel: skipped, $refusal"
fi

# JSON, a file, verbose output
expect 0 json --format=json --events=page-faults --output-file="$work/json.file" --verbose "$tests/e2e/touch_pages" 20000 0
[ ! -s "$work/json.out" ] || fail "json: something is printed though a file was named"
log_has json 'event page-faults: type 1, config 0x2'
grep -Eq '"event":"page-faults","count":2[0-9]{4},"scaled":false,' "$work/json.file" || fail "json: $(cat "$work/json.file")"
expect 0 replaced -b -f "$work/json.file" -e page-faults true
grep -Eq '^page-faults,[0-9]+,100.00$' "$work/json.file" || fail "replaced: the file was not replaced"

# Attached: the first interval shows that counting is on, then the program gets its line
attached() {
	name=$1 option=$2 children=$3
	shift 3
	mkfifo "$work/$name.fifo"
	"$tests/e2e/touch_pages" 20000 "$children" wait <"$work/$name.fifo" &
	program=$!
	exec 3>"$work/$name.fifo"
	"$build/ocount" "$option" $program -b -e page-faults --time-interval=100 "$@" >"$work/$name.out" 2>"$work/$name.log" &
	ocount=$!
	wait_beside $ocount 60 "$name: the first interval" [ -s "$work/$name.out" ]
	echo go >&3
	exec 3>&-
	wait_end $ocount 60 "$name: ocount" || fail "$name: status $?"
	wait_end $program 60 "$name: the program" || fail "$name: the program ended with status $?"
}
attached process --process-list 3
within "$(total process page-faults)" 80000 82000 process
grep -q '^t:[0-9]' "$work/process.out" || fail "process: no time before the interval"
attached by_thread -p 1 --separate-thread
within "$(total by_thread page-faults)" 40000 41000 by_thread
grep -q "^$program,page-faults," "$work/by_thread.out" || fail "by_thread: no number of the thread"
attached thread --thread-list 3
within "$(total thread page-faults)" 20000 21000 "thread (children do not count)"

# Intervals of a command, a number of them
expect 0 intervals --brief-format --time-interval=100:3 -e task-clock "$tests/e2e/shares" plain 100000
[ "$(grep -c '^timestamp,' "$work/intervals.out")" = 3 ] || fail "intervals: $(cat "$work/intervals.out")"
expect 0 stubborn -b -i 100:1 -e task-clock sh -c 'trap "" TERM; while :; do :; done'

# A failed write is reported when the program has ended; no partial file is left behind
expect 1 full -b -i 100 -f /dev/full -e task-clock sh -c "$tests/e2e/shares plain 500; : >'$work/full.done'"
log_has full 'No space left on device'
[ -e "$work/full.done" ] || fail "full: the program was left behind"

# The program's end
expect 1 exit_status -e task-clock sh -c 'exit 3'
log_has exit_status 'sh exited with status 3'
prints exit_status 'task-clock'
expect 1 crash -e task-clock sh -c 'kill -SEGV $$'
log_has crash 'sh was killed by signal 11'
expect 0 killed -e task-clock sh -c 'kill -KILL $$'
expect 1 no_program no-such-program
log_has no_program 'no-such-program: no such program in PATH'
expect 1 not_a_program "$work"
expect 1 no_process --process-list 4194303
log_has no_process 'process 4194303'
make_zombie
expect 1 zombie -e page-faults --process-list "$zombie"
log_has zombie 'ended before counting was started'
expect 1 no_thread --thread-list 4194303
expect 1 no_event -e page-fault true
log_has no_event 'did you mean.* page-faults'
expect 1 no_unit_mask -e TIMER:1 true
log_has no_unit_mask 'unit mask'
expect 1 no_place -f "$work/none/file" true
expect 1 usage -s -p 1

# Interrupted: what was counted is printed
"$build/ocount" -b -i 100 -e task-clock "$tests/e2e/shares" plain 100000 >"$work/interrupted.out" 2>"$work/interrupted.log" &
ocount=$!
wait_beside $ocount 60 "interrupted: the first interval" [ -s "$work/interrupted.out" ]
kill -INT $ocount
wait_end $ocount 60 "interrupted: ocount" || fail "interrupted: status $?"
[ "$(total interrupted task-clock)" -gt 0 ] || fail "interrupted: nothing was counted"

# The whole system, single CPUs
whole_system() {
	expect 0 system --system-wide --separate-cpu -b -e cpu-clock -i 100:2
	[ "$(grep -c '^0,cpu-clock,' "$work/system.out")" = 2 ] || fail "system: $(cat "$work/system.out")"
	mkfifo "$work/go" "$work/touched"
	(
		result=0
		"$tests/e2e/touch_pages" 20000 0 wait <"$work/go" || result=$? # no child of the command
		echo $result >"$work/touched"
	) &
	expect 0 system_command --system-wide -b -e page-faults sh -c "echo >'$work/go'; read -r result <'$work/touched'; exit \$result"
	[ "$(total system_command page-faults)" -ge 20000 ] || fail "system_command: only the command was counted"
	expect 1 system_failure --system-wide -e page-faults sh -c 'exit 3'
	log_has system_failure 'sh exited with status 3'
	prints system_failure 'for the whole system, while it ran sh -c exit 3:'
	expect 0 cpu --cpu-list 0 -e context-switches -i 100:1
	prints cpu 'for the specified CPU\(s\):'
	prints cpu '^	context-switches '
	expect 1 no_cpu --cpu-list 60000 -e context-switches
	log_has no_cpu 'CPU 60000 is not there'
}
if may_profile system-wide; then whole_system; else echo "whole system, CPUs: skipped, $refusal"; fi

# Another user
if may_act_as_another && another_may_profile; then
	mkdir "$work/user"
	install "$build/ocount" "$tests/e2e/touch_pages" "$work/user/"
	user() {
		log=$1
		shift
		(cd "$work/user" && $another ./ocount "$@") >"$work/$log.out" 2>"$work/$log.log"
	}
	user own -b -e page-faults ./touch_pages 20000 1 || fail "user: status $?"
	within "$(total own page-faults)" 40000 41000 "another user's program"
	user refused -e cpu-clock --process-list $$ && fail "user: may count a process of root's"
	log_has refused "process $$ belongs to another user"
	if ! another_may_profile system-wide; then
		user refused_all -e cpu-clock --system-wide && fail "user: may count the whole system"
		log_has refused_all 'kernel.perf_event_paranoid'
	fi
	if ! another_may_profile kernel; then
		user kernel_only -e context-switches true && fail "user: may count what occurs in the kernel"
		log_has kernel_only 'occurs in the kernel'
	fi
else
	echo "another user: skipped, $refusal"
fi
