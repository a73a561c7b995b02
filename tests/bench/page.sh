#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures pages of opreport --html, writing them and what a browser takes, and prints the section of doc/bench.md on them.
# Called by `make bench-page` in the build directory. $ROUNDS (3) runs of each command; in the page medians of nine.
set -eu
bench=$PWD/tests/bench
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "page.sh needs Chromium" >&2; exit 1; }
load=$(cut -d' ' -f1 /proc/loadavg)
cd "$work"
cat <<END
## Pages

Printed by \`make bench-page\` (\`tests/bench/page.sh\`): sessions of stacks of 30 frames, made up in the code of opreport;
the page as \`opreport --html\` writes it with \`--html-size=5M\`, then in headless Chromium 1,200 wide; load $load at the
start. Writing: medians of ${ROUNDS:-3} runs; in the page, milliseconds, medians of nine, the first picture once, from the
navigation on; memory is the peak RSS of the page's process.

| stacks | written in ms | peak RSS KB | size KB | nodes in it | first picture | redraw | search | search, with the table | memory MB |
|---|---|---|---|---|---|---|---|---|---|
END
for stacks in 100000 400000; do
	"$bench/make_big_session" stacks "$work/s$stacks" "$build/opreport" $stacks >/dev/null
	"$bench/measure" "${ROUNDS:-3}" - "$build/opreport" --session-dir="$work/s$stacks" --html="$work/page.html" >times 2>measure.log
	written=$(sed -n '1s/ .*//p' times) memory=$(cut -d' ' -f3 times) size=$(($(wc -c <page.html) / 1000))
	shown=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../e2e python3 - "$browser" "$work" <<'END'
import sys
from browser import Browser
program, work = sys.argv[1:]
MEDIAN = """(act => { const times = []; for (let i = 0; i < 9; ++i) { const began = performance.now(); act(i);
    times.push(performance.now() - began); } return times.sort((a, b) => a - b)[4].toFixed(0); })"""
with Browser(program, work) as browser:
    browser.open("file://" + work + "/page.html")
    first = browser.value("profilePage.shownAt.toFixed(0)")
    print(" | ".join([str(browser.value("profilePage.tree.size")), first] + [browser.value(MEDIAN + act) for act in (
        "(() => profilePage.draw())", "(i => { profilePage.state.q = 'e' + 'abcdefghi'[i]; profilePage.search(); profilePage.draw(); })",
        "(i => { profilePage.go({q: 'a' + 'abcdefghi'[i]}, true); profilePage.draw(); })")] + [str(browser.memory() // 1000)]))
END
)
	echo "| $stacks | $written | $memory | $size | $shown |"
done
