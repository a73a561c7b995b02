#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Adds up the test results of the build trees given: automake's and the guests' .trs files. Fails if any test failed or none ran.
passed=0 failed=0 skipped=0
for trs in $(find "$@" -path '*/check-kernel/kernels' -prune -o -name '*.trs' -not -path '*/oprofile-ng-*/*' -print); do
	case $(sed -n 's/^:global-test-result: //p' "$trs") in
	PASS) passed=$((passed + 1)) ;;
	SKIP) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
