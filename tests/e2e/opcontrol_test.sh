#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# The life cycle of opcontrol and oprofiled over perf_event_open, in a tree of its own: nothing of the machine's
# settings, driver or session directory is touched.
. "${srcdir:-.}/tests/e2e/lib.sh"
if [ "$(id -u)" != 0 ]; then
	echo "skipped: profiling the whole system needs root"
	exit 77
fi
need_profiling system-wide
own_program
root=$work/root
mkdir -p "$root/root" "$root/run" "$root/var/lib"
s=$root/var/lib/oprofile

# control STATUS LOG opcontrol-words: opcontrol ends with that status; its output goes to LOG
control() {
	wanted=$1 log=$work/$2.log
	shift 2
	status=0
	in_time 60 "$build/opcontrol" --root-dir "$root" "$@" >"$log" 2>&1 </dev/null || status=$?
	[ "$status" = "$wanted" ] || fail "opcontrol $*: status $status, not $wanted"
}
# log_has LOG PATTERN
log_has() {
	grep -Eq -- "$2" "$work/$1.log" || fail "$1 does not contain: $2"
}
# the samples of the busy program in a session
busy_samples() {
	"$build/opreport" --session-dir "$s" --symbols "session:$1" "image:$program" 2>/dev/null |
		awk '$NF == "three_parts" { n += $1 } END { print n + 0 }'
}

# Before anything is set up
control 0 none --status
log_has none '^Daemon not running$'
control 1 no_vmlinux --start
log_has no_vmlinux 'give --vmlinux=FILE, or --no-vmlinux'
control 1 no_daemon --dump

# Set up, start
control 0 init --init
log_has init 'perf_event_open'
control 0 setup --setup --no-vmlinux --event TIMER:100000
control 0 start --start
log_has start '^Profiler running\.$'
control 0 running --status
log_has running '^Daemon running: pid [0-9]+$'
log_has running '^Event 0: TIMER:100000'
control 0 again --start

# A program's samples are there after --dump
"$program" plain 400
control 0 dump --dump
[ "$(busy_samples current)" -gt 200 ] || fail "dump: $(busy_samples current) samples of the program"
control 0 counted --status
log_has counted '^Stored: [1-9]'

# Settings wait while the daemon runs
control 0 later --setup --separate=library
log_has later 'take effect at its next start'
control 0 waiting --status
log_has waiting '^Separate options: none$'
log_has waiting 'wait for --shutdown and --start'

# Stopped, nothing is added
control 0 stop --stop
control 0 paused --status
log_has paused '^Daemon paused: pid'
before=$(busy_samples current)
"$program" plain 100
control 0 dump2 --dump
[ "$(busy_samples current)" = "$before" ] || fail "stop: samples were taken"

# After a save under a name, a new session starts; a name that is taken is refused
control 0 restart --start
control 0 save --save=first
[ "$(busy_samples first)" = "$before" ] || fail "save: $(busy_samples first) samples, not $before"
control 1 taken --save=first
control 1 outside --save=../first
"$program" plain 200
control 0 reset --reset
[ "$(busy_samples current)" = 0 ] || fail "reset: $(busy_samples current) samples are left"

# The end; what waited counts from the next start
pid=$(awk '/^Daemon running/ { print $NF }' "$work/running.log")
control 0 shutdown --shutdown
[ ! -e "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" || fail "shutdown: process $pid is still there"
control 0 gone --status
log_has gone '^Daemon not running$'
log_has gone '^Separate options: library$'
control 0 daemon --start-daemon
control 0 adopted --status
log_has adopted '^Daemon paused'
log_has adopted '^Separate options: library$'
control 0 deinit --deinit

# The default event is printed as the daemon names it
control 0 default_event --setup --event default
control 0 default_start --start-daemon
log_has default_start '^Using default event: [A-Za-z0-9_.-]+:[1-9][0-9]*:[A-Za-z0-9_.-]+:[01]:1$'
control 0 default_end --deinit
control 0 timer_again --setup --event TIMER:100000

# A stuck daemon is killed; the next start makes the account that of the files it left
before=$(busy_samples current)
control 0 stuck_start --start
"$program" plain 200
pid=$(cat "$s/lock")
has_more() { [ "$(busy_samples current)" -gt "$before" ]; }
wait_beside "$pid" 60 "some samples are stored, and not accounted for" has_more
kill -STOP "$pid"
control 0 stuck --shutdown
log_has stuck 'was killed; what it had not stored is lost$'
[ ! -e "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" || fail "shutdown: stuck process $pid is still there"
control 0 gone2 --status
log_has gone2 '^Daemon not running$'
control 0 recover --start-daemon
balanced "$s"
control 0 shutdown2 --shutdown
grep -q 'recovered after a crash: the sample files hold' "$s/samples/oprofiled.log" || fail "the log does not report the recovery"

# Sessions can be saved and reset without a daemon too
control 0 save2 --save=second
[ -d "$s/samples/second" ] || fail "save without a daemon: no session"
control 0 reset2 --reset

# Settings that were tampered with are refused, not run
echo 'VMLINUX=$(touch /tmp/opcontrol-was-here)' >>"$root/root/.oprofile/daemonrc"
control 1 tampered --status
log_has tampered 'daemonrc:[0-9]+: the value holds a character'
