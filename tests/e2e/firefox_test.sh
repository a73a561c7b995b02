#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Firefox shows a page of opreport --html: its picture, table and search, and loads nothing. page_test.sh has the other claims.
. "${srcdir:-.}/tests/e2e/lib.sh"
browser=$(command -v firefox-esr || command -v firefox) || {
	echo "skipped: no Firefox here (Debian package firefox-esr)"
	exit 77
}
command -v python3 >/dev/null || {
	echo "skipped: no python3 here"
	exit 77
}
source=$(cd "${srcdir:-.}" && pwd)
"$tests/golden/make_session" "$source/tests/golden/sessions/full-stacks.txt" "$work/session"
"$build/opreport" --session-dir "$work/session" --root "$source/tests/fixtures/root" --html="$work/page.html" 2>"$work/opreport.log" ||
	fail "opreport --html"
PYTHONDONTWRITEBYTECODE=1 python3 "$source/tests/e2e/firefox.py" "$browser" "$work" "$work/page.html" 71 >"$work/claims.log" 2>&1 ||
	fail "firefox.py"
cat "$work/claims.log"
