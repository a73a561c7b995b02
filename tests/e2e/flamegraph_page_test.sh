#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# A browser shows what opreport --format=flamegraph writes: a click zooms in and out, a search counts each sample once, the words
# stay in sight over a stack of 3,000 calls, names are text. No outcome depends on time: flamegraph_claims.py drives the browser.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/need_browser.sh"
cd "${srcdir:-.}"
source=$PWD
cd "$work"
. "$source/tests/e2e/stack_sessions.sh"

# pictures NAME [SESSION.txt]: NAME.svg and NAME.folded.
pictures() {
	"$tests/golden/make_session" "${2-$source/tests/golden/sessions/$1.txt}" "$1" || fail "make_session $1"
	for format in flamegraph folded; do
		"$build/opreport" --session-dir "$1" --root "$source/tests/fixtures/root" --format=$format -o "$1.$format" 2>"$work/opreport.log" ||
			fail "opreport --format=$format of $1"
	done
	mv "$1.flamegraph" "$1.svg"
}

pictures stacks
deep_session 3000 >deep.txt
pictures deep deep.txt
wide_session 3000 >wide.txt
pictures wide wide.txt
pictures hostile "$source/tests/golden/sessions/hostile-stacks.txt"

PYTHONDONTWRITEBYTECODE=1 python3 "$source/tests/e2e/flamegraph_claims.py" "$browser" "$work" >claims.out 2>claims.err ||
	{ cat claims.out claims.err; fail "flamegraph_claims.py"; }
cat claims.out
