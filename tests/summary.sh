#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# summary.sh RECORDS TREE...: adds up the test results of the build trees: automake's and the guests' .trs files. Prints what failed
# and where, which measured tests had to run again, and why, and what unknown versions tests have met. Fails if any test failed,
# none ran, or more than three needed another run: then the tests, or what they test, depend on luck.
records=$1
shift

# complaint LOG: the first lines of that log that name a failure, with those around them; without such lines, the last ones. Words of
# the end-to-end tests and golden cases (what differs comes before), of GoogleTest and of the sanitizers (the place comes after).
complaint() {
	words='FAILED|: Failure$|ERROR: |runtime error: '
	if grep -qaE "$words" "$1" 2>/dev/null; then
		grep -aE -m 3 -B 8 -A 5 "$words" "$1" | head -n 40
	else
		tail -n 10 "$1" 2>/dev/null
	fi | tr -d '\000-\010\013-\037' | cut -c 1-300 | sed 's/^/    /'
}

passed=0 failed=0 skipped=0
results=$(find "$records" "$@" -path '*/check-kernel/kernels' -prune -o -name '*.trs' -not -path '*/oprofile-ng-*/*' -print | sort -u)
for trs in $results; do
	case $(sed -n 's/^:global-test-result: //p' "$trs") in
	PASS) passed=$((passed + 1)) ;;
	SKIP) skipped=$((skipped + 1)) ;;
	*)
		failed=$((failed + 1))
		echo "FAIL: ${trs%.trs}"
		complaint "${trs%.trs}.log"
		;;
	esac
done
guests=$records/../check-kernel
{
	[ ! -s "$records/reruns" ] || cat "$records/reruns"
	[ ! -s "$guests/reruns" ] || sed 's/ /\//' "$guests/reruns" # KERNEL CASE ATTEMPT MESSAGE
} | sort >"$records/all_reruns"
count=$(cut -d' ' -f1 "$records/all_reruns" | sort -u | wc -l)
if [ "$count" -gt 0 ]; then
	echo "measured tests that failed, and ran again ($records):"
	sed 's/^/  /' "$records/all_reruns"
fi
if [ "$count" -gt 3 ]; then
	echo "FAIL: $count measured tests needed another run; at most 3 may"
	failed=$((failed + 1))
fi
unknown=$(for trs in $results; do # a log without a result is of another run
	sed -n 's/^unknown version: //p' "${trs%.trs}.log" 2>/dev/null
done | sort -u)
[ -z "$unknown" ] || printf 'versions that tests/known_versions does not have:\n%s\n' "$unknown" | sed '2,$s/^/  /'
[ ! -s "$guests/newest.txt" ] || cat "$guests/newest.txt"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
