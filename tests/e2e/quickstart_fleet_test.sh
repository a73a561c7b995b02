#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# What `./quickstart fleet` runs: a server, two releases of a program profiled under the names of three hosts, pushed and
# symbolized. Both questions find the program's functions, and nothing stays behind.
. "${srcdir:-.}/tests/e2e/lib.sh"
source=$(cd "${srcdir:-.}" && pwd)
need_profiling
mkdir "$work/tmp"
status=0
TMPDIR=$work/tmp "$source/tests/demo/fleet.sh" "$source" >"$work/fleet.log" 2>&1 || status=$?
if [ "$status" = 77 ]; then
	tail -n 1 "$work/fleet.log"
	exit 77
fi
[ "$status" = 0 ] || fail "fleet.sh exits with $status"

[ "$(grep -c '^current: [0-9]* rows pushed in [0-9]* bytes, verified$' "$work/fleet.log")" = 6 ] || fail "not six sessions are verified"
[ "$(grep -c '/shop: names and lines, ' "$work/fleet.log")" = 2 ] || fail "not two builds have names"
sed -n '/^What costs most/,/^What has release/p' "$work/fleet.log" >"$work/top"
grep -q ' 3 hosts, 6 slices$' "$work/top" || fail "top: not three hosts with two sessions each"
grep -Eq ' 3 +2  shop +sort_orders\(Order\*, unsigned long\)$' "$work/top" || fail "top: no sort_orders of both builds on three hosts"
sed -n '/^What has release/,$p' "$work/fleet.log" >"$work/diff"
for release in 1.0 2.0; do
	grep -q "^$release: 3 hosts, [1-9][0-9]* samples$" "$work/diff" || fail "diff: not three hosts of release $release"
done
grep -q ' shop  *find_price(unsigned int)$' "$work/diff" || fail "diff: no find_price"
[ -z "$(ls -A "$work/tmp")" ] || fail "files stay behind: $(ls -A "$work/tmp")"
