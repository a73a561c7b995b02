#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# A browser shows what opreport --html writes: totals and functions are opreport's in every view, search, transforms, keys and
# output work, names are text, nothing is loaded. The script runs under the page's own content security policy, which allows it
# by its hash alone. No outcome depends on time: page_claims.py drives the browser step by step.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/need_browser.sh"
cd "${srcdir:-.}"
source=$PWD
cd "$work"
. "$source/tests/e2e/stack_sessions.sh"

# session NAME: makes a directory of the golden session, unless there is one.
session() {
	[ -d "$1" ] || "$tests/golden/make_session" "${2-$source/tests/golden/sessions/$1.txt}" "$1"
}
# report SESSION WORDS...: opreport, messages in the log.
report() {
	dir=$1
	shift
	"$build/opreport" --session-dir "$dir" --root "$source/tests/fixtures/root" "$@" 2>"$work/opreport.log" || fail "opreport $*"
}
# page SESSION [WORDS...]: SESSION.html, SESSION.flat with the functions, SESSION.tree with those and what they call.
page() {
	session "$1"
	report "$@" --html="$1.html"
	report "$@" --symbols --merge=cpu,tid,tgid --format=json >"$1.flat"
	if [ -d "$1/samples/current/stacks" ]; then report "$@" --inclusive --merge=cpu,tid,tgid --format=json >"$1.tree"; fi
}

for name in full-stacks two-stacks recursion demo separate hostile; do page "$name"; done
session compared
report compared --html=change.html '{' session:current '}' '{' session:after '}'
report compared --symbols --significant --format=json '{' session:current '}' '{' session:after '}' >change.flat
# Several sessions on each side: what they differ by is tested.
session runs
report runs --html=runs.html '{' session:a1,a2,a3 '}' '{' session:b1,b2,b3 '}'
report runs --symbols --format=json '{' session:a1,a2,a3 '}' '{' session:b1,b2,b3 '}' >runs.flat
report runs --call-tree --threshold=0 --format=json '{' session:a1,a2,a3 '}' '{' session:b1,b2,b3 '}' >runs.rows
report full-stacks --html=difference.html '{' session:current '}' '{' session:current '}'

# A stack of 3,001 calls and its root.
deep_session 3000 >deep.txt
session deep deep.txt
report deep --html=deep.html

# More boxes than a small page has room for.
awk 'BEGIN {
	srand(7)
	count = split("0xc8 0x110 0x142", calls)
	places = split("0xc4 0x100 0x142 0x200", at)
	for (i = 0; i < 12000; ++i) {
		leaf = int(rand() * places) + 1
		n = i % 40 + 1
		own[leaf] += n
		text = "stack " n " root /usr/bin/demo 0x88"
		for (deep = 0; deep < 24; ++deep) text = text " " calls[int(rand() * count) + 1]
		stacks[i] = text " " (leaf == 4 ? "/usr/lib/libdemo.so+" : "") at[leaf]
	}
	event = "TIMER.1000000.0.all.all.all"
	dir = "file {root}/usr/bin/demo/{dep}/{root}/usr/"
	print "cpu_type 4\n" dir "bin/demo/" event "\nheader count=1000000"
	for (leaf = 1; leaf < places; ++leaf) print at[leaf], own[leaf]
	print dir "lib/libdemo.so/" event "\nheader count=1000000\n" at[places], own[places]
	print "stacks " event, 400000
	for (i = 0; i < 12000; ++i) print stacks[i]
}' >pruned.txt
session pruned pruned.txt
page pruned
report pruned --html=pruned.html --html-size=200000
grep -q 'the page has boxes "\[N smaller\]"' "$work/opreport.log" || fail "no word on boxes that had no room"

# A source in an archive, at the place that the binary names.
"$build/oparchive" --session-dir demo --root "$source/tests/fixtures/root" -o coded >"$work/oparchive.log" 2>&1 || fail "oparchive"
mkdir -p coded/src
cp "$source/tests/fixtures/demo.s" coded/src/demo.s
"$build/opreport" archive:coded --html=coded.html 2>"$work/opreport.log" || fail "opreport of an archive"
"$build/opannotate" --source archive:coded >coded.source 2>"$work/opannotate.log" || fail "opannotate --source"
"$build/opannotate" --assembly archive:coded >coded.assembly 2>"$work/opannotate.log" || fail "opannotate --assembly"

# The code of both sides of a comparison: from one source, and from two that differ in a line.
session compared
for side in current after; do
	"$build/oparchive" --session-dir compared --root "$source/tests/fixtures/root" -o "$side" session:$side >"$work/oparchive.log" 2>&1 ||
		fail "oparchive of $side"
	mkdir -p $side/src
	cp "$source/tests/fixtures/demo.s" $side/src/demo.s
done
compared() { "$build/opreport" --html="$1" '{' archive:current '}' '{' archive:after session:after '}' 2>"$work/opreport.log" || fail "opreport --html=$1"; }
compared both.html
sed 's/^/ /' "$source/tests/fixtures/demo.s" >after/src/demo.s
compared sources.html

PYTHONDONTWRITEBYTECODE=1 python3 "$source/tests/e2e/page_claims.py" "$browser" "$work" >claims.out 2>claims.err ||
	{ cat claims.out claims.err; fail "page_claims.py"; }
cat claims.out
