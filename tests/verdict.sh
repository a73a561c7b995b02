#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# verdict.sh TREE TEST...: the verdict on tests that `make check` has run in that build tree: 0 if each has a result and none
# failed. A measured test ("# kind: measured" in its head) that failed is run again alone, up to twice, once all others are done.
# It has failed if it failed three times. Each rerun is a line of $OP_RECORDS/reruns, and the log of the run that failed is kept
# beside it: what needs luck shows. A test that was killed or did not end is not run again, and exact tests are not.
set -u
tree=$1
shift
source=$(cd "$(dirname "$0")/.." && pwd)
records=${OP_RECORDS:-$tree}
mkdir -p "$records"

# result TEST: as automake's driver wrote it; empty for a test without one.
result() {
	sed -n 's/^:global-test-result: //p' "$tree/$1.trs" 2>/dev/null
}

# may_run_again TEST: it is a measured test, which ended by itself: a status above 128 is a signal's, 99 a fault of the set-up.
may_run_again() {
	[ "$(result "$1")" = FAIL ] && grep -qx '# kind: measured' "$source/$1" 2>/dev/null || return
	status=$(sed -n 's/^FAIL .* (exit status: \([0-9]*\))$/\1/p' "$tree/$1.log" | tail -n 1)
	[ -n "$status" ] && [ "$status" -le 128 ]
}

# run_again TEST ATTEMPT: keeps the log of the failed run, with a line on it.
run_again() {
	kept=$records/$(basename "$1").failed$2.log
	cp "$tree/$1.log" "$kept"
	printf '%s %d %s\n' "$1" "$2" "$(grep 'FAILED' "$kept" | head -n 1)" >>"$records/reruns"
	echo "RERUN: $1 failed, and runs again alone ($kept)"
	make -s -C "$tree" check-TESTS check_PROGRAMS= check_LIBRARIES= TESTS="$1" VERBOSE=1 || :
}

for test; do
	for attempt in 1 2; do
		! may_run_again "$test" || run_again "$test" $attempt
	done
done

failed=0
for test; do
	case $(result "$test") in
	PASS | SKIP) ;;
	'') echo "FAIL: $test (it has no result)" ; failed=1 ;;
	*) echo "FAIL: $test"; failed=1 ;;
	esac
done
exit $failed
