#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# A section of doc/bench.md that is measured again replaces itself and no other.
set -eu
src=$(cd "${srcdir:-.}" && pwd)
put=$src/tests/bench/put_section.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "$*"
	exit 1
}
# section FILE HEADING
section() { awk -v heading="$2" '/^##? / { is_it = $0 == heading } is_it' "$1"; }

grep '^##* ' "$src/doc/bench.md" >"$work/headings"
[ "$(wc -l <"$work/headings")" -ge 5 ] || fail "doc/bench.md has fewer sections than it should"
while read -r heading; do
	cp "$src/doc/bench.md" "$work/same.md"
	section "$work/same.md" "$heading" | sh "$put" "$work/same.md"
	cmp "$src/doc/bench.md" "$work/same.md" || fail "$heading: put back, it is another file"
	cp "$src/doc/bench.md" "$work/other.md"
	printf '%s\n\nmeasured\\nagain\n' "$heading" | sh "$put" "$work/other.md"
	[ "$(section "$work/other.md" "$heading" | grep -v '^$')" = "$(printf '%s\nmeasured\\nagain' "$heading")" ] ||
		fail "$heading is not replaced"
	while read -r other; do
		[ "$other" = "$heading" ] || [ "$(section "$work/other.md" "$other")" = "$(section "$src/doc/bench.md" "$other")" ] ||
			fail "$heading takes $other with it"
	done <"$work/headings"
done <"$work/headings"

cp "$src/doc/bench.md" "$work/more.md"
printf '## New\n\ntext\n' | sh "$put" "$work/more.md"
tail -n 4 "$work/more.md" | cmp - "$(printf '\n## New\n\ntext\n' >"$work/end"; echo "$work/end")" || fail "a new section is not added"
