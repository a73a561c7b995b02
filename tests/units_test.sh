#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# The units are sound by systemd's own check, and what has the network may do little else.
set -eu
srcdir=${srcdir:-.}
command -v systemd-analyze >/dev/null || { echo "skipped: no systemd-analyze here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAILED: $*"
	cat "$work/log"
	exit 1
}
for unit in utils/systemd/*.service; do # whose programs are those that were just built
	sed "s|^ExecStart=[^ ]*/|ExecStart=$PWD/|" "$unit" >"$work/$(basename "$unit")"
done
[ ! -e utils/systemd/oppush.service ] || cp "$srcdir/utils/systemd/oppush.timer" "$work"
! grep -h '@[a-z]*@' "$work"/* >"$work/log" || fail "a place that nobody filled in"
systemd-analyze verify --man=no "$work"/*.service "$work"/*.timer >"$work/log" 2>&1 || fail "systemd-analyze verify"
! grep "$work" "$work/log" || fail "systemd-analyze verify has something to say of our units"

# 0 is locked up, 10 may do everything (with the decimal point removed: 100).
[ -e "$work/oppush.service" ] || exit 0
systemd-analyze security --offline=true --threshold=30 "$work/oppush.service" >"$work/log" 2>&1 || fail "oppush.service may do too much"
sed -n 's/.*Overall exposure level/exposure/p' "$work/log"
