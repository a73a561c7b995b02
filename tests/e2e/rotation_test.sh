#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Sessions that are cut while they are recorded: by the daemon when asked and by itself, after a kill, under a limit of the
# disk, and by operf. The slices of a program's run together have all of it, and each of them a whole account.
. "${srcdir:-.}/tests/e2e/lib.sh"
if [ "$(id -u)" != 0 ]; then
	echo "skipped: not root"
	exit 77
fi
need_profiling system-wide
own_program
s=$work/s
mkdir "$s"
control=$work/run/control
daemon_pid=

ask() { "$tests/e2e/ask_daemon" "$control" "$@"; }
value() { ask status | sed -n "s/^$1: //p"; }
# start_daemon LOG [options]
start_daemon() {
	log=$work/$1.log
	shift
	"$build/oprofiled" --source=perf --session-dir "$s" --control "$control" --events TIMER:100000 --start "$@" >"$log" 2>&1 ||
		fail "the daemon did not start"
	daemon_pid=$(cat "$s/lock")
}
end_daemon() {
	kill -"$1" "$daemon_pid"
	wait_until 60 "the daemon ends by $1" is_over "$daemon_pid"
}
slices() { (cd "$1/samples" && ls -d fleet-* 2>/dev/null || true); }
count() { slices "$1" | grep -c . || true; }
# whole DIRECTORY SESSION: its files hold what its account has
whole() {
	mkdir -p "$work/one/samples"
	ln -sfn "$1/samples/$2" "$work/link"
	rm -rf "$work/one/samples/current"
	cp -r "$work/link/" "$work/one/samples/current"
	balanced "$work/one"
	! grep -q '"unfinished": true' "$1/samples/$2/manifest.json" || fail "$2 is unfinished"
	[ -d "$1/samples/$2/stats" ] || fail "$2 has no statistics"
}
# program_samples DIRECTORY: of the program's larger part, over all slices and the current session
program_samples() {
	total=0
	for session in $(slices "$1") current; do
		n=$("$build/opreport" --session-dir "$1" --symbols "session:$session" "image:$program" 2>/dev/null |
			awk '$NF == "three_parts" { n += $1 } END { print n + 0 }')
		total=$((total + n))
	done
	echo $total
}

# Refusals
for options in "--rotate=2d" "--rotate=0" "--keep=7d" "--max-disk=1G" "--rotate=1d --keep=x" "--rotate=1d --max-disk=0"; do
	"$build/oprofiled" --source=perf --session-dir "$s" --control "$control" $options >"$work/refused.log" 2>&1 &&
		fail "$options was accepted"
	grep -q '^oprofiled error: --' "$work/refused.log" || fail "$options: no reason is given"
done
for options in "--rotate=1d --append" "--rotate=1d --lazy-conversion" "--keep=7d"; do
	profile refused_operf --session-dir "$s" $options true && fail "operf $options was accepted"
	grep -q 'operf error: --' "$work/refused_operf.log" || fail "operf $options: no reason is given"
done

# Asked to cut while a program runs: nothing is lost, nothing counted twice
start_daemon first --rotate=1d --separate=library
value rotation | grep -q '^every 1d, next at .* 00:00:00 UTC$' || fail "status does not have the rotation: $(value rotation)"
"$program" plain 2000 &
running=$!
for i in 1 2 3 4; do
	sleep 0.3
	ask rotate
done
wait_end $running 60 "the program"
ask stop
[ "$(count "$s")" = 4 ] || fail "$(count "$s") slices of 4"
for session in $(slices "$s") current; do whole "$s" $session; done
cut=$(program_samples "$s")
[ "$cut" -gt 1000 ] || fail "few samples"
[ "$(grep -c 'the session was cut: fleet-' "$s/samples/oprofiled.log")" = 4 ] || fail "the cuts are not in the log"
echo "four cuts: $cut samples of the program's larger part"

# Killed, and started again: what was left is a slice
ask start
"$program" plain 300
ask dump
before=$(program_samples "$s")
end_daemon KILL
start_daemon second --rotate=1h --separate=library
[ "$(count "$s")" = 5 ] || fail "what the killed daemon left was not saved"
grep -q 'the session of a run before was saved as fleet-' "$s/samples/oprofiled.log" || fail "that is not in the log"
[ "$(program_samples "$s")" -ge "$before" ] || fail "the killed one's samples are gone"
end_daemon TERM
whole "$s" current

# By itself, every second, ended by SIGTERM; under a limit of the disk, the pushed one goes first
s=$work/t
mkdir "$s"
start_daemon third --rotate=1 --separate=library
has_three_slices() { "$program" plain 200 && [ "$(count "$s")" -ge 3 ]; }
wait_beside "$daemon_pid" 60 "three slices" has_three_slices
end_daemon TERM
for session in $(slices "$s") current; do whole "$s" $session; done
pushed=$(slices "$s" | sed -n 2p)
: >"$s/samples/$pushed/fleet.verified"
start_daemon fourth --rotate=1 --separate=library --max-disk=1K
has_dropped_both() {
	"$program" plain 100 && ! slices "$s" | grep -q "$pushed" &&
		[ -n "$(value dropped-unpushed)$(grep 'not been pushed' "$s/samples/oprofiled.log")" ]
}
wait_beside "$daemon_pid" 60 "slices are dropped that were pushed and that were not" has_dropped_both
end_daemon TERM
first=$(grep -o 'fleet-[^ ]* was dropped, to keep to 1024 bytes; it .* been pushed' "$s/samples/oprofiled.log" | sed -n 1p)
case $first in
"$pushed was dropped, to keep to 1024 bytes; it had been pushed") ;;
*) fail "dropped first: $first" ;;
esac

# operf: a process that it is attached to, cut each second
s=$work/o
mkdir "$s"
"$program" plain 3000 &
running=$!
profile attached --session-dir "$s" --rotate=1 --events TIMER:100000 --pid $running || fail "operf --rotate"
wait_end $running 60 "the program"
[ "$(count "$s")" -ge 1 ] || fail "operf did not cut"
for session in $(slices "$s"); do whole "$s" $session; done
grep -q 'what was sampled before is in [0-9]* session' "$work/attached.log" || fail "operf does not name the slices"
profile again --session-dir "$s" --rotate=1d --events TIMER:100000 true || fail "operf again"
echo "operf: $(count "$s") slices, $(program_samples "$s") samples"
