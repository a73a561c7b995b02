#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# tests/flaky.sh and tests/touched.sh over made-up tests: one red run of many is shown and makes the whole red, as do processes that
# a test leaves; neither they nor the load are there afterwards. The tests that a change touches come before those of its rooms.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAILED: $*"
	cat "$work/out"
	exit 1
}

mkdir -p "$work/src/tests/e2e" "$work/tree" "$work/src/daemon" "$work/src/libpp"
cp "$srcdir/tests/flaky.sh" "$srcdir/tests/touched.sh" "$work/src/tests/"
echo 'CXX = made up' >"$work/tree/Makefile"
# a_test NAME: its commands are standard input.
a_test() {
	printf '#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0-or-later\n# kind: measured\n' >"$work/src/tests/e2e/$1_test.sh"
	cat >>"$work/src/tests/e2e/$1_test.sh"
	chmod +x "$work/src/tests/e2e/$1_test.sh"
}
flaky() {
	status=0
	OP_RECORDS=$work sh "$work/src/tests/flaky.sh" "$@" >"$work/out" 2>&1 || status=$?
}
# row TEST PATTERN
row() {
	grep -qE "^e2e/$1_test.sh +$2 +[0-9.]+\$" "$work/out" || fail "no row $2 of $1"
}

echo '[ "$CXX" = "made up" ] && [ -d "$srcdir/tests" ]' | a_test good
echo 'exit 77' | a_test skipped
echo "echo >>$work/runs; [ \$(wc -l <$work/runs) != 3 ] || { echo 'FAILED: the third'; exit 1; }" | a_test third
echo '(while :; do :; done) & echo $! >>'"$work/left" | a_test leaving
flaky 2 1 "$work/tree" tests/e2e/good_test.sh tests/e2e/skipped_test.sh
[ $status = 0 ] || fail "good tests are red"
row good '2/2 +1/1'
row skipped 'skipped +skipped'
flaky 2 2 "$work/tree" tests/e2e/good_test.sh tests/e2e/third_test.sh
[ $status = 1 ] || fail "a red run is not red"
row third '2/2 +1/2'
grep -q 'loaded run 1, status 1: FAILED: the third' "$work/out" || fail "its message is not shown"
[ -s "$work/flaky/third_test.sh.loaded1.log" ] || fail "its log is not kept"
flaky 1 0 "$work/tree" tests/e2e/leaving_test.sh
[ $status = 1 ] || fail "a test that leaves processes is not red"
grep -q 'idle run 1 leaves processes: leaving_test.sh' "$work/out" || fail "the process is not named"
! grep -q '^State:[[:space:]]*[^Z]*$' "/proc/$(cat "$work/left")/status" 2>/dev/null || fail "the process is still there"
flaky --until 1 1 1 "$work/tree" tests/e2e/good_test.sh
grep -q '^left out for want of time: tests/e2e/good_test.sh$' "$work/out" || fail "what is left out is not named"

command -v git >/dev/null || { echo "touched.sh: skipped, no git here"; exit 0; }
cd "$work/src"
[ -z "$(GIT_CEILING_DIRECTORIES=$work sh tests/touched.sh)" ] || fail "tests are touched outside a work tree"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git init -q .
# commit DATE: of all there is
commit() {
	git add -A
	GIT_AUTHOR_DATE=$1 GIT_COMMITTER_DATE=$1 git -c user.name=n -c user.email=e commit -q -m m
}
echo '# rooms: libpp' | a_test reports
echo '# rooms: daemon' | a_test daemons
echo >daemon/a
commit '2026-01-01T00:00:00Z'
echo 'exit 0' | a_test good
commit '2026-01-02T00:00:00Z'
[ "$(sh tests/touched.sh)" = tests/e2e/good_test.sh ] || fail "touched: $(sh tests/touched.sh)"
echo more >daemon/a
commit '2026-01-02T03:00:00Z'
expected='tests/e2e/good_test.sh tests/e2e/daemons_test.sh tests/e2e/leaving_test.sh tests/e2e/skipped_test.sh tests/e2e/third_test.sh'
[ "$(sh tests/touched.sh | tr '\n' ' ')" = "$expected " ] || fail "of rooms: $(sh tests/touched.sh)"
