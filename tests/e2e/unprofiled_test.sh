#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# The kernel ends the profiling of a program that has other rights than its user, or that its user cannot read. operf and ocount
# report what is missing, of a command and of a part of one; and nothing where nothing is missing, as of many short processes, whose
# last moments are never covered, or where a process frees much memory at its end.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling

as=
if [ "$(id -u)" = 0 ]; then
	may_act_as_another && another_may_profile || { echo "skipped: $refusal"; exit 77; }
	as=$another
fi
mkdir "$work/user"
install "$build/operf" "$build/ocount" "$tests/e2e/shares" "$work/user/"
install "$tests/e2e/shares" "$work/user/secret"
install "$tests/e2e/shares" "$work/user/raised"
install "$(command -v id)" "$work/user/raised_id"
[ -z "$as" ] || chown 65534 "$work/user"
chmod 711 "$work/user/secret"
[ -n "$as" ] || chmod 111 "$work/user/secret"
chmod 4755 "$work/user/raised" "$work/user/raised_id"

# run LOG COMMAND...: as the user
run() {
	log=$1
	shift
	(cd "$work/user" && $as ./"$@") >"$work/$log.out" 2>"$work/$log.log" || fail "$log: status $?"
}
# has_note LOG WORDS: and no other cause is reported
has_note() {
	grep -Eq "^o(perf|count): [0-9.]+ s of [0-9.]+ s of CPU time is missing: .*$2" "$work/$1.log" || fail "$1: '$2' is not reported"
	! grep -Eq 'ended before a sample|a lower count' "$work/$1.log" || fail "$1: another cause is reported, too"
}
has_no_note() {
	! grep -q 'is missing' "$work/$1.log" || fail "$1: time is reported as missing"
}

unreadable='the kernel left out \./secret \(process [0-9]+\), .*; as root, '
run whole operf ./secret plain 300
has_note whole "${unreadable}operf --system-wide includes them"
run lazy operf --lazy-conversion --callgraph ./secret plain 300
has_note lazy "$unreadable"
# What a shell's commands used before the shell became operf, or ocount, is not of the command.
for tool in operf 'ocount -e cpu-clock'; do
	name=${tool%% *}_after
	(cd "$work/user" && $as sh -c "./shares plain 600; exec ./$tool ./shares plain 100") >"$work/$name.out" 2>"$work/$name.log" || fail "$name: status $?"
	has_no_note "$name"
done
# counted LOG WORDS COMMAND...: what ocount reports. It knows how many tasks the whole machine made, not how many of them are the
# command's: beside a storm of them nothing is claimed.
tasks() { awk '$1 == "processes" { print $2 }' /proc/stat; }
counted() {
	log=$1 words=$2 before=$(tasks)
	shift 2
	run "$log" ocount -e cpu-clock "$@"
	made=$(($(tasks) - before))
	if [ $made -lt 250 ]; then
		has_note "$log" "$words"
	else
		echo "$log: skipped, $made tasks were made beside it"
	fi
}
counted counted "${unreadable}ocount --system-wide includes them" ./secret plain 300
counted counted_part 'perhaps that of programs' sh -c './shares plain 300; ./secret plain 300; true'

# Longer than the second between two looks at the records.
run part operf sh -c './shares plain 300; ./secret plain 4000; true'
has_note part 'the kernel left out secret \(process [0-9]+\), '

# Beside short processes, of which too few samples are due, the gap has one cause.
run mixed operf sh -c 'n=0; while [ $n -lt 200 ]; do (:); n=$((n + 1)); done; ./secret plain 1000; true'
has_note mixed 'the kernel le'

if [ -n "$as" ] && [ "$(cd "$work/user" && $as ./raised_id -u)" = 0 ]; then
	run raised operf ./raised plain 300
	has_note raised 'the kernel left out \./raised \(process'
else
	echo "a program with other rights: skipped, it would have none here"
fi

run readable operf ./shares plain 300
has_no_note readable
run counted_readable ocount -e cpu-clock ./shares plain 300
has_no_note counted_readable
many='n=0; while [ $n -lt 2000 ]; do (:); n=$((n + 1)); done'
run many operf sh -c "$many"
has_no_note many
run counted_many ocount -e cpu-clock sh -c "$many"
has_no_note counted_many
# 2 GB, freed when the events are closed.
install "$tests/e2e/touch_pages" "$work/user/"
available=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
if [ "$available" -ge 4000 ]; then
	run freed operf ./touch_pages $((2147483648 / $(getconf PAGESIZE))) 0 keep
	has_no_note freed
	run counted_freed ocount -e cpu-clock ./touch_pages $((2147483648 / $(getconf PAGESIZE))) 0 keep
	has_no_note counted_freed
else
	echo "much memory: skipped, only $available MB are available"
fi
