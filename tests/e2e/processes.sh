# SPDX-License-Identifier: GPL-2.0-or-later
# What a test starts ends with it, however it ends; and no test waits without a limit. Read by lib.sh before all that has an effect,
# as the script starts a second time.

# Each process has the names of the tests that it is of in its environment from its start, where /proc shows it: so it is found
# wherever it has gone. The parts of the script that run beside it have the environment that the script was started with. Not found
# are programs that were started without environment or whose environment the user may not read (proc(5)): another user's, if
# CAP_SYS_PTRACE is missing. A test ends these itself, or limits them by in_time.
case ${OP_TEST-} in
*",$$/"*) ;;
*)
	read -r up _ </proc/uptime
	export OP_TEST="${OP_TEST-},$$/$up"
	IFS='
'
	set -f
	exec $(tr '\000' '\n' <"/proc/$$/cmdline")
	;;
esac

# is_over PID: the process has ended, whether or not it was waited for
is_over() { ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }

# try_for SECONDS COMMAND...: until the command succeeds; fails after as many tries as an idle machine makes in so many seconds. A
# machine that is slower, or stood still meanwhile, takes longer for each.
try_for() {
	try_left=$1
	[ -n "${try_pause-}" ] || try_left=$(($1 * 20))
	shift
	until "$@"; do
		[ $try_left -gt 0 ] || return 1
		try_left=$((try_left - 1))
		sleep "${try_pause:-0.05}"
	done
}

# wait_until SECONDS WHAT COMMAND...: the same; the test fails if that takes longer, and reports WHAT
wait_until() {
	wait_limit=$1 wait_what=$2
	shift 2
	try_for "$wait_limit" "$@" || fail "$wait_what: not within $wait_limit s"
}

# wait_beside PID SECONDS WHAT COMMAND...: the same; the test fails at once if the process ends first
wait_beside() {
	beside=$1 beside_limit=$2 beside_what=$3
	shift 3
	wait_until "$beside_limit" "$beside_what" succeeds_beside "$@"
}
succeeds_beside() {
	if is_over "$beside"; then
		"$@" || fail "$beside_what: process $beside ended first"
	else
		"$@"
	fi
}

# wait_end PID SECONDS WHAT: until the process, a child of this shell, has ended; returns its status
wait_end() {
	try_for "$2" is_over "$1" || fail "$3 ends: not within $2 s; it is $(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status")"
	wait "$1"
}

# in_time SECONDS COMMAND...: returns the command's status, or 124 if it was killed because it takes longer than so many seconds, of
# an idle machine
in_time() {
	in_time_limit=$1
	shift
	{ "$@" <&3 3<&- & } 3<&0 # or it would have no input
	in_time_pid=$!
	if try_for "$in_time_limit" is_over $in_time_pid; then
		wait $in_time_pid
	else
		echo "not within $in_time_limit s: $*" >&2
		kill -KILL $in_time_pid
		return 124
	fi
}

# cpu_ms PID: the CPU time that the process has used (proc(5))
cpu_ms() { awk -v ticks="$(getconf CLK_TCK)" '{ sub(/^.*[)] /, ""); printf "%d\n", ($12 + $13) * 1000 / ticks }' "/proc/$1/stat"; }
# has_used PID MS
has_used() { [ "$(cpu_ms "$1")" -ge "$2" ]; }

# make_zombie: $zombie is the number of a process that has ended and was not waited for. Its parent is no shell, which might wait.
make_zombie() {
	sh -c '(until grep -qx sleep "/proc/$$/comm"; do sleep 0.05; done) & echo $!; exec sleep 100000' >"$work/zombie" &
	wait_beside $! 60 "a process that has ended is one" is_zombie
}
is_zombie() {
	zombie=$(cat "$work/zombie")
	grep -q '^State:[[:space:]]*Z' "/proc/${zombie:-none}/status" 2>/dev/null
}

# at_exit COMMAND...: is run when the processes of the test have ended, however the test ends, in any directory. Words are what they
# are now; of functions only those of this file are known.
at_exit() {
	for at_exit_word; do
		printf "'%s' " "$(printf %s "$at_exit_word" | sed "s/'/'\\\\''/g")"
	done >>"$work/.at_exit"
	echo >>"$work/.at_exit"
}

# end_processes: those of the test but this one and the script, until none is found twice: one that is replacing itself (execve(2))
# has no environment for a moment
end_processes() {
	read -r end_me _ </proc/self/stat
	end_found='' end_passes=0 end_clean=0
	while [ $end_clean -lt 2 ] && [ $end_passes -lt 200 ]; do
		end_passes=$((end_passes + 1)) end_clean=$((end_clean + 1))
		for end_pid in $(grep -lFs "$OP_TEST" /proc/[0-9]*/environ | cut -d / -f 3); do
			[ "$end_pid" != "$end_me" ] && [ "$end_pid" != $$ ] && kill -KILL "$end_pid" 2>/dev/null || continue
			end_found="$end_found $end_pid" end_clean=0
		done
		sleep 0.02
		for end_pid in $end_found; do
			is_over "$end_pid" || end_clean=0
		done
	done
}

leave() {
	set +e
	end_processes
	[ ! -f "$work/.at_exit" ] || . "$work/.at_exit"
	rm -rf "$work"
}

# The script's own end is followed by leave(), which ends this process. This one does the same where the script is killed, and
# kills it where it does not end within $OP_TEST_SECONDS, of an idle machine.
watch() {
	trap '' HUP INT TERM
	try_pause=1
	watch_limit=${OP_TEST_SECONDS:-1200}
	if ! try_for "$watch_limit" is_over $$; then
		echo "FAILED: not over within $watch_limit s" >&2
		kill -KILL $$
	fi
	leave
}

# leave_nothing: from now on, of the processes of this test and of $work
leave_nothing() {
	(watch </dev/null >/dev/null &) # a child of nobody here: `wait` does not wait for it
	trap leave EXIT
}
