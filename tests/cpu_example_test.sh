#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# The example of doc/HACKING.md for a new CPU type works as printed: with that row before the generic ones a made-up machine
# of that model is recognised, and the type has the default event and the events it includes.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}

# block BEGINNING: the example that begins so.
block() {
	awk -v beginning="$1" '/^```/ { if (found) exit; next } index($0, beginning) == 1 { found = 1 } found { print }' "$srcdir/doc/HACKING.md"
}
block cpu: >"$work/row"
block include: >"$work/include"
[ -s "$work/include" ] || fail 'doc/HACKING.md has no example of event files'
grep -q '^cpu:i386/arrowlake ' "$work/row" || fail 'doc/HACKING.md has no example row of i386/arrowlake'
mkdir "$work/events"
cp -R "$srcdir/events/i386" "$work/events/"
mkdir "$work/events/i386/arrowlake"
cp "$work/include" "$work/events/i386/arrowlake/events"
cp "$work/include" "$work/events/i386/arrowlake/unit_masks"
awk -v row="$work/row" '/^cpu:i386\/arch_perfmon / { while ((getline line < row) > 0) print line; print "" } { print }' \
	"$srcdir/events/cpu_models" >"$work/events/cpu_models"
cp -R "$srcdir/tests/fixtures/machines/intel" "$work/machine"
# Leaf 1 of family 6, model 0xb5.
sed 's/^1: [0-9a-f]*/1: 000b0650/' "$srcdir/tests/fixtures/machines/intel/cpuid" >"$work/machine/cpuid"

export OPROFILE_MACHINE_DIR="$work/machine"
[ "$(OPROFILE_EVENTS_DIR=$srcdir/events ./ophelp --get-cpu-type)" != 'Intel Arrow Lake microarchitecture' ] ||
	fail 'the model of the example is known already'
export OPROFILE_EVENTS_DIR="$work/events"
[ "$(./ophelp --get-cpu-type)" = 'Intel Arrow Lake microarchitecture' ] || fail 'the row is not recognised'
default=$(./ophelp --cpu-type=i386/arrowlake --get-default-event)
[ "$default" = cpu_clk_unhalted:100000:0:1:1 ] || fail "the default event is '$default'"
./ophelp --cpu-type=i386/arrowlake --check-events cpu_clk_unhalted:100000 >/dev/null || fail 'the default event is refused'
./ophelp --cpu-type=i386/arrowlake >"$work/list" || fail 'the events are not listed'
grep -q '^inst_retired:' "$work/list" || fail 'the included events are not listed'
