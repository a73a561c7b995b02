#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Every script that `make check` runs has its kind in its head (doc/HACKING.md, "How a test is written"), and an exact one neither
# samples nor reads a clock nor waits. Programs among the tests are exact; the driver's cases in guests are measured. An end-to-end
# test waits by the functions of tests/e2e/processes.sh, which have a limit, and leaves what is to be done at its end to at_exit.
# A golden case sorts what `find` prints: the order of a directory is its file system's.
set -eu
cd "${srcdir:-.}"
status=0
complain() {
	echo "$*"
	status=1
}

# What only a measured test may do: sample or count live, start a server or a browser, ask the clock, wait.
live='need_profiling|need_counting|can_profile|start_clickhouse|(^|[[:space:]])perf record -|libprofiler|date \+%s|(^|[^[:alnum:]_./-])sleep [0-9$]|wait_(until|beside|end)'
# What those functions are for.
waits='(^|[^[:alnum:]_-])(until|timeout)[[:space:]]|kill -0|trap .* EXIT'

exact=0 measured=0
for test in tests/*_test.sh tests/e2e/*_test.sh tests/golden/run.sh; do
	case $(sed -n '3s/^# kind: //p' "$test") in
	exact)
		exact=$((exact + 1))
		[ "$test" != tests/kinds_test.sh ] || continue
		found=$(grep -nE "$live" "$test" || :)
		[ -z "$found" ] || complain "$test is exact, but: $found"
		case $(grep -c 'clients\.sh\|clickhouse\.sh' "$test") in
		0) ;;
		*) complain "$test is exact, but reads a library of measured tests" ;;
		esac
		;;
	measured) measured=$((measured + 1)) ;;
	*) complain "$test has no kind in its third line" ;;
	esac
	case $test in
	tests/e2e/*)
		found=$(sed -E 's/(^|[[:space:]])#.*//' "$test" | grep -nE "$waits" || :)
		[ -z "$found" ] || complain "$test does not use tests/e2e/processes.sh for: $found"
		;;
	esac
done
for cmd in tests/golden/*/*/cmd; do
	found=$(grep -nE '(^|[[:space:];(])find ' "$cmd" | grep -vE '\| (sort|wc|grep -q)' || :)
	[ -z "$found" ] || complain "$cmd does not sort what it finds: $found"
done
echo "$exact exact scripts, $measured measured"
[ $exact -gt 10 ] && [ $measured -gt 10 ] || complain "hardly any tests: is this the source tree?"
exit $status
