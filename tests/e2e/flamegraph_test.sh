#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# What opreport --format=flamegraph writes is XML, with any bytes in names, and its totals are those of --format=folded. A stack
# of 4,000 calls and stacks whose frames are too narrow to be drawn lose no sample.
. "${srcdir:-.}/tests/e2e/lib.sh"
if ! command -v xmllint >/dev/null; then
	echo "skipped: no xmllint here (Debian package libxml2-utils)"
	exit 77
fi
cd "${srcdir:-.}"
source=$PWD
cd "$work"
. "$source/tests/e2e/stack_sessions.sh"

# draw NAME [SESSION.txt]: NAME.svg, valid, and NAME.folded.
draw() {
	"$tests/golden/make_session" "${2-$source/tests/golden/sessions/$1.txt}" "$1" || fail "make_session $1"
	for format in flamegraph folded; do
		"$build/opreport" --session-dir "$1" --root "$source/tests/fixtures/root" --format=$format >"$1.$format" 2>"$work/report.log" ||
			fail "opreport --format=$format of $1"
	done
	mv "$1.flamegraph" "$1.svg"
	xmllint --noout "$1.svg" 2>"$work/xmllint.log" || fail "$1.svg is no XML"
	[ ! -s "$work/xmllint.log" ] || fail "xmllint of $1.svg"
	[ "$(in_svg "$1" 'count(//*[local-name()="script"])')" = 1 ] || fail "$1.svg has scripts besides its own"
	[ "$(total "$1" 'all
')" = "$(awk '{ n += $NF } END { printf "%d\n", n }' "$1.folded")" ] || fail "$1.svg: samples of all"
}
in_svg() { xmllint --xpath "$2" "$1.svg" 2>/dev/null; }
# total NAME TEXT: the samples of the first box whose title begins so.
total() {
	in_svg "$1" "string((//*[local-name()='g']/*[local-name()='title'][starts-with(., '$2')])[1])" | sed -n 's/^\([0-9]*\) samples\{0,1\},.*/\1/p'
}
is() {
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
	echo "$1: $2"
}

for name in stacks full-stacks hostile-stacks inlined-stacks left-stacks; do draw $name; done
is "samples of the kernel" "$(total stacks '[no-vmlinux]
')" 2
is "elements that no name made" "$(in_svg hostile-stacks 'count(//*[local-name()="g"]/*[not(contains(" title rect text g ", concat(" ", local-name(), " ")))])')" 0

deep_session 4000 >deep.txt
draw deep deep.txt
is "boxes of a deep stack" "$(in_svg deep 'count(//*[local-name()="g"][@id="frames"]/*)')" 4004

wide_session 3000 >wide.txt
draw wide wide.txt
narrow=$(sed -n 's/.*; \([0-9]*\) samples, .* too narrow to show.*/\1/p' wide.svg)
[ "$narrow" -gt 0 ] || fail "nothing is too narrow"
# Boxes of smaller frames have all of it but what is too narrow together as well.
joined=$(grep -A 1 '<title>\[[0-9]* smaller\]$' wide.svg | awk '/ samples?,/ { n += $1 } END { print n + 0 }')
[ "$joined" -gt 0 ] && [ "$joined" -le "$narrow" ] || fail "$joined samples in boxes of smaller frames, $narrow too narrow"
