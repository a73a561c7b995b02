#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# The daemon from start to shutdown, over perf_event_open: a program of known shares, dump, stop and start, reset, save,
# kill -9 and start again, a second daemon, faults of the disk, strangers.
. "${srcdir:-.}/tests/e2e/lib.sh"
if [ "$(id -u)" != 0 ]; then
	echo "skipped: not root"
	exit 77
fi
need_profiling system-wide
own_program
s=$work/s
control=$work/run/control
daemon_pid=

ask() { "$tests/e2e/ask_daemon" "$control" "$@"; }
value() { ask status | sed -n "s/^$1: //p"; }
# start_daemon LOG [options]: started in the background, ready when this returns
start_daemon() {
	log=$work/$1.log
	shift
	"$build/oprofiled" --source=perf --session-dir "$s" --control "$control" --events TIMER:100000 "$@" >"$log" 2>&1 || fail "the daemon did not start"
	daemon_pid=$(cat "$s/lock")
}
# program_samples SESSION-DIR: those of its larger part
program_samples() { samples_of "$1" three_parts "image:$program"; }
# three_to_one SESSION-DIR: the shares in the report agree with the program's
three_to_one() {
	"$build/opreport" --session-dir "$1" --symbols "image:$program" 2>/dev/null | awk '
		$NF == "three_parts" { a += $1 } $NF == "one_part" { b += $1 }
		END {
			n = a + b
			print "three_parts " a ", one_part " b
			if (n < 1000) exit 1
			off = a / n - 0.75
			if (off < 0) off = -off
			over = off - 0.01
			exit (over > 0 && over * over > 4 * 4 * 0.75 * 0.25 / n)
		}' || fail "not 3 : 1"
}

# Refusals: nothing starts, and the reason is printed
for options in "--source=none" "--source=replay" "--events=NO_SUCH:100000" "--separate=none,half" "--dump-interval=0" \
	"--kernel-range=2,1" "--image=relative" "--user=no-such-user" "--vmlinux=/etc/passwd" "word"; do
	"$build/oprofiled" --source=perf --session-dir "$s" --control "$control" $options >"$work/refused.log" 2>&1 &&
		fail "$options was accepted"
	grep -q '^oprofiled error: ' "$work/refused.log" || fail "$options: no reason is given"
done
status=0
ask status || status=$?
[ "$status" = 2 ] || fail "somebody listens though nothing was started"

# Samples, a dump, a report
start_daemon first --start --separate=library
[ "$(value state)" = sampling ] || fail "not sampling"
[ "$(value session-dir)" = "$s" ] || fail "wrong session directory"
[ "$(value separate)" = library ] || fail "wrong separation"
"$program" plain 1000
ask dump
three_to_one "$s"
[ "$(value lost)" = 0 ] || ask status
[ "$(value sampled)" -gt 1000 ] || fail "few samples"
[ -f "$s/samples/current/manifest.json" ] || fail "no manifest"
grep -q '"recorder_cpu"' "$s/samples/current/manifest.json" || fail "what recording cost is not in the manifest"

# Memory
rss=$(sed -n 's/^VmRSS:[[:blank:]]*\([0-9]*\).*/\1/p' "/proc/$daemon_pid/status")
echo "daemon: $rss kB resident, most $(sed -n 's/^VmHWM:[[:blank:]]*\([0-9]*\).*/\1/p' "/proc/$daemon_pid/status") kB"

# Privileges: nothing is left that writes, mounts or loads modules
caps=$(sed -n 's/^CapEff:[[:blank:]]*//p' "/proc/$daemon_pid/status")
own=$(sed -n 's/^CapEff:[[:blank:]]*//p' /proc/$$/status) # root has not every capability in a container, and before Linux 5.9
[ "$caps" = "$(printf '%016x' $((0x$own & 0x10400080004)))" ] || fail "capabilities $caps"

# A second daemon, on the same socket and on the same session
"$build/oprofiled" --source=perf --session-dir "$work/other" --control "$control" 2>"$work/second.log" && fail "two on one socket"
grep -q 'another oprofiled' "$work/second.log" || fail "the reason is not said"
"$build/oprofiled" --source=perf --session-dir "$s" --control "$control.2" 2>"$work/third.log" && fail "two in one session"
grep -q "in use by process $daemon_pid" "$work/third.log" || fail "the owner is not named"
[ "$(value state)" = sampling ] || fail "the first one suffered"

# Stop, start
ask stop
[ "$(value state)" = stopped ] || fail "not stopped"
before=$(value sampled)
"$program" plain 200
[ "$(value sampled)" = "$before" ] || fail "samples while stopped"
ask start
"$program" plain 200
ask stop
[ "$(value sampled)" -gt "$before" ] || fail "no samples after the second start"
three_to_one "$s"
ran_all_the_time "$s"

# Save, reset
ask "save monday"
ask "save monday" && fail "saved twice under one name"
for name in "" . .. a/b /etc current; do
	ask "save $name" && fail "saved as '$name'"
done
[ "$(value sampled)" = 0 ] || fail "save did not start a new session"
monday=$("$build/opreport" --session-dir "$s" --symbols session:monday "image:$program" 2>/dev/null | awk '$NF == "three_parts" { print $1 }')
[ "$monday" -gt 1000 ] || fail "the saved session is not whole"
ask start
"$program" plain 200
ask dump
[ "$(program_samples "$s")" -gt 100 ] || fail "nothing new after save"
ask stop
ask reset
[ "$(program_samples "$s")" = 0 ] || fail "reset left samples"
[ "$(value sampled)" = 0 ] || fail "reset left the account"

# HUP, USR1, USR2
is_in_state() { [ "$(value state)" = "$1" ]; }
kill -USR1 "$daemon_pid"
wait_beside "$daemon_pid" 60 "it samples after USR1" is_in_state sampling
mv "$s/samples/oprofiled.log" "$s/samples/old.log"
kill -HUP "$daemon_pid"
wait_beside "$daemon_pid" 60 "it has another log after HUP" [ -s "$s/samples/oprofiled.log" ]
kill -USR2 "$daemon_pid"
wait_beside "$daemon_pid" 60 "it is stopped after USR2" is_in_state stopped

# Killed while sampling: what was stored stays, the next one takes over
ask start
"$program" plain 300
ask dump
killed=$(program_samples "$s")
kill -9 "$daemon_pid"
wait_until 60 "the killed daemon ends" is_over "$daemon_pid"
[ -f "$s/lock" ] || fail "the lock of the killed one should be there"
start_daemon again --start --separate-kernel=1 --separate-lib=0 --separate-thread=0 --separate-cpu=0 --no-vmlinux --verbose=misc
[ "$(value separate)" = library,kernel ] || fail "separate-kernel is not heard: $(value separate)"
grep -q 'took over the lock' "$work/again.log" || fail "the take-over is not reported"
"$program" plain 300
ask dump
[ "$(program_samples "$s")" -gt "$killed" ] || fail "the killed one's samples are gone"

# The session's directory is removed while it records, then a full disk: reported, not fatal
removed() { rm -rf "$1" 2>/dev/null; }
wait_until 60 "its session can be removed" removed "$s/samples/current" # it makes files there meanwhile
"$program" plain 100
status=0
ask dump || status=$?
[ "$status" = 1 ] || fail "dump into nowhere: $status"
[ "$(value state)" = sampling ] || fail "it ended"
kill -HUP "$daemon_pid"
wait_beside "$daemon_pid" 60 "it can dump after HUP" ask dump
ask "shutdown" wait
[ ! -e "$s/lock" ] || fail "shutdown left the lock"
[ ! -e "$control" ] || fail "shutdown left the socket"
grep -q 'ended: ' "$s/samples/oprofiled.log" || fail "the end is not in the log"
grep -q 'samples stored: ' "$s/samples/oprofiled.log" || fail "the account is not in the log"

mkdir "$work/full"
if mount -t tmpfs -o size=32m none "$work/full" 2>/dev/null; then
	at_exit umount "$work/full"
	s=$work/full start_daemon full --start
	cat /dev/zero >"$work/full/filler" 2>/dev/null || true
	"$program" children 300
	ask dump || true
	[ "$(value state)" = sampling ] || fail "the full disk ended it"
	stored=$(value stored) lost=$(value lost)
	echo "full disk: $stored stored, $lost lost"
	[ "$lost" -gt 0 ] || fail "full disk: nothing lost"
	reports=$(grep -c 'samples lost' "$work/full/samples/oprofiled.log" || true)
	[ "$reports" -le 4 ] || fail "full disk: reported $reports times"
	stored=$(program_samples "$work/full")
	rm "$work/full/filler"
	ask dump || fail "room again: the dump failed"
	"$program" plain 300
	ask dump || fail "room again: the second dump failed"
	[ "$(program_samples "$work/full")" -gt "$stored" ] || fail "room again: nothing stored"
	ask shutdown wait
	grep -q 'samples lost: [1-9]' "$work/full/samples/oprofiled.log" || fail "full disk: the loss is not in the log"
else
	echo "full disk: skipped, tmpfs cannot be mounted here"
fi

# SIGTERM ends it with status 1, in the foreground, after all was stored; the service manager hears of it
"$build/oprofiled" --source=perf --session-dir "$s" --control "$control" --foreground --start --events TIMER:100000 2>"$work/foreground.log" &
daemon_pid=$!
wait_beside $daemon_pid 60 "foreground: it samples" grep -q sampling "$work/foreground.log"
kill -TERM $daemon_pid
status=0
wait_end $daemon_pid 60 "foreground: it" || status=$?
[ "$status" = 1 ] || fail "TERM: status $status"

# Another user: may have it flushed, nothing else; the daemon itself as another user
if may_act_as_another; then
	install "$tests/e2e/ask_daemon" "$work/ask"
	mkdir "$work/nobody"
	s=$work/nobody start_daemon as_nobody --user=nobody --start
	[ "$(stat -c %U "/proc/$daemon_pid")" = nobody ] || grep -q '^Uid:.65534' "/proc/$daemon_pid/status" || fail "still root"
	"$program" plain 1000
	stranger() { setpriv --reuid 65533 --regid 65533 --clear-groups "$work/ask" "$control" "$@"; } # the daemon is 65534 now
	[ "$(stranger status)" = "ok
session-dir: $work/nobody" ] || fail "a stranger's status: $(stranger status)"
	stranger dump || fail "a stranger may flush"
	for request in stop start reset "save x" shutdown; do
		stranger "$request" && fail "a stranger may $request"
	done
	three_to_one "$work/nobody"
	ask stop
	ask start
	ask shutdown wait
else
	echo "other users: skipped, $refusal"
fi

# A report of a daemon's session asks it to flush first
if [ ! -e /run/oprofiled/control ] && [ -w /run ]; then
	at_exit rm -rf /run/oprofiled
	s=$work/flush control=/run/oprofiled/control start_daemon flushed --start
	"$program" plain 500
	[ "$(program_samples "$work/flush")" -gt 500 ] || fail "the report did not have it flushed"
	control=/run/oprofiled/control ask shutdown wait
else
	echo "flush by a report: skipped, a daemon is running or /run cannot be written"
fi
