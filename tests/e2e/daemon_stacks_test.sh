#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Call stacks of the daemon over perf_event_open, in a tree of its own: what a second run finds is continued, and pairs of
# caller and callee are written only where asked for.
. "${srcdir:-.}/tests/e2e/lib.sh"
if [ "$(id -u)" != 0 ]; then
	echo "skipped: profiling the whole system needs root"
	exit 77
fi
need_profiling system-wide
need_walked_stacks
own_program
root=$work/root
mkdir -p "$root/root" "$root/run" "$root/var/lib"
s=$root/var/lib/oprofile

# control LOG opcontrol-words
control() {
	log=$work/$1.log
	shift
	in_time 60 "$build/opcontrol" --root-dir "$root" "$@" >"$log" 2>&1 </dev/null || fail "opcontrol $*"
}

# run NAME opcontrol-words: a daemon of its own that samples the program, and the stacks then in the session in NAME.folded
run() {
	run=$1
	shift
	control "$run-start" --start --no-vmlinux --event TIMER:5000000 --image="$program" --callgraph=100 "$@"
	"$program" plain 1500
	control "$run-dump" --dump # of a daemon that is killed for being slow to end, all is there
	control "$run-end" --shutdown
	"$build/opreport" --session-dir "$s" --format=folded "image:$program" >"$work/$run.folded" 2>"$work/$run-report.log" ||
		fail "$run: no stacks"
}
# sum FILE [WORD]: the samples in lines of a folded file, those with WORD
sum() { awk -v word="${2-}" 'word == "" || index($0, word) { n += $NF } END { print n + 0 }' "$1"; }
# stored_stacks: samples with a stack by the session's account
stored_stacks() {
	awk '{ text = text $0 }
		END {
			rest = substr(text, index(text, "\"stacks\""))
			rest = substr(rest, 1, match(rest, /"cut"/))
			while (match(rest, /"[a-z_]+": *[0-9]+/)) {
				pair = substr(rest, RSTART, RLENGTH)
				n += substr(pair, index(pair, ":") + 1)
				rest = substr(rest, RSTART + RLENGTH)
			}
			print n + 0
		}' "$s/samples/current/manifest.json"
}
pairs() { find "$s/samples/current" -path '*{cg}*' | grep -q .; }

run first
! pairs || fail "pairs of caller and callee that nobody asked for"
[ "$(sum "$work/first.folded" ';main;')" -gt 50 ] || fail "few stacks lead to main"
before=$(stored_stacks)
[ "$before" -gt 50 ] || fail "the account has few stacks: $before"

# A second daemon goes on with the session: no stack is lost, and those of both runs are added up.
run second
! pairs || fail "pairs of caller and callee after the second run"
awk 'function stack() { return substr($0, 1, length($0) - length($NF) - 1) }
	NR == FNR { held[stack()] = $NF; next }
	{ held[stack()] -= $NF }
	END { for (s in held) if (held[s] > 0) { print "lost: " s; bad = 1 } exit bad }' \
	"$work/first.folded" "$work/second.folded" || fail "stacks of the first run are gone"
[ "$(sum "$work/second.folded" ';main;')" -gt $(($(sum "$work/first.folded" ';main;') + 50)) ] || fail "few stacks of the second run"
[ "$(stored_stacks)" -gt $((before + 50)) ] || fail "the account has the last run only"
flat=$("$build/opreport" --session-dir "$s" --symbols "image:$program" --no-header 2>/dev/null | awk '{ n += $1 } END { print n + 0 }')
[ "$(sum "$work/second.folded")" = "$flat" ] || fail "$flat samples, but $(sum "$work/second.folded") in stacks"
all=$("$build/opreport" --session-dir "$s" --format=folded 2>/dev/null | awk '!/\[truncated: no_stack\]/ { n += $NF } END { print n + 0 }')
[ "$all" = "$(stored_stacks)" ] || fail "$all samples have stacks, but $(stored_stacks) by the account"
balanced "$s"

run third --callgraph-files=1
pairs || fail "no pairs of caller and callee, though asked for"
[ "$(sum "$work/third.folded" ';main;')" -gt $(($(sum "$work/second.folded" ';main;') + 50)) ] || fail "few stacks beside the pairs"

# While the kernel frees the memory of a program that called exec there is no stack, and none that is not complete.
build_replaced
control exec-reset --reset
control exec-start --start --no-vmlinux --event TIMER:250000 --image="$work/replaced" --callgraph=100
# It runs until it was sampled often enough while memory was freed, whatever share of its CPU time that takes.
rounds=0 freeing=0
while [ "$freeing" -le 20 ] && [ "$rounds" -lt 40 ]; do
	"$work/replaced" 60
	rounds=$((rounds + 1))
	control exec-dump --dump
	"$build/opreport" --session-dir "$s" --format=folded >"$work/exec.folded" 2>"$work/exec-report.log" || continue
	grep "begin_new_exec;.*exit_mmap" "$work/exec.folded" >"$work/exec.txt" || :
	freeing=$(awk '{ n += $NF } END { print n + 0 }' "$work/exec.txt")
	grep -q ' T begin_new_exec$' /proc/kallsyms || break
done
control exec-end --shutdown
[ -s "$work/exec.folded" ] || fail "exec: no stacks"
if grep -q ' T begin_new_exec$' /proc/kallsyms; then
	! grep truncated "$work/exec.txt" || fail "exec: a stack that is not complete"
	[ "$freeing" -gt 20 ] || fail "exec: after $rounds runs only $freeing samples of memory being freed"
fi
