#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# touched.sh: prints the measured tests that the newest change adds or touches, then those of the rooms that it touches, a line each:
# the tests that ./quickstart test runs many times. The change is what was committed within four hours before HEAD, or since the
# commit $OP_BASE. A test's rooms are those that it names in its head ("# rooms: daemon/collect utils"); one that names none is of
# every room of the product. Prints nothing outside a git work tree.
set -eu
cd "$(dirname "$0")/.."
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || exit 0
base=${OP_BASE-}
[ -n "$base" ] || base=$(git rev-list -1 --before="$(($(git log -1 --format=%ct) - 14400))" HEAD)
[ -n "$base" ] || base=$(git hash-object -t tree /dev/null)
changed=$(git diff --name-only "$base" -- .)

# in_change PATH: that file, or one below that directory, was changed.
in_change() {
	printf '%s\n' "$changed" | grep -qE "^$1(/|\$)"
}

touched='' near=''
for test in $(grep -lx '# kind: measured' tests/*_test.sh tests/e2e/*_test.sh 2>/dev/null); do
	rooms=$(sed -n 's/^# rooms: //p' "$test")
	if in_change "$test"; then
		touched="$touched $test"
	else
		for room in ${rooms:-libop daemon libpp utils fleet gui libopagent}; do
			in_change "$room" || continue
			near="$near $test"
			break
		done
	fi
done
printf '%s\n' $touched $near
