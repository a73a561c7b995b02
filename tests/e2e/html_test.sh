#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# A browser shows what opannotate --html writes: a row for each line, heat where the samples are, heads that stay, lines that
# fold away. It runs nothing that a source file contains.
. "${srcdir:-.}/tests/e2e/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "skipped: no browser here (Debian package chromium)"
	exit 77
}
cd "${srcdir:-.}"
source=$PWD
cd "$work"

browse() {
	in_time 120 "$browser" --headless --no-sandbox --log-level=3 --disable-gpu --disable-dev-shm-usage \
		--user-data-dir="$work/browser" "$@" 2>"$work/browser.log" || fail "browser $*"
}
# page OUT [WORDS]: the sources of the demo program, looked for below sources/.
page() {
	out=$1
	shift
	"$build/opannotate" --html --session-dir demo --root "$source/tests/fixtures/root" -d sources -b /src -o "$out" "$@" \
		2>"$work/opannotate.log" || fail "opannotate --html $*"
}
# ask PAGE SCRIPT: what an expression gives in a copy of the page that may run scripts.
ask() {
	sed '/http-equiv="Content-Security-Policy"/d; s|</body>|<output id="answer"></output><script>\
		document.getElementById("answer").textContent = String((() => {'"$2"'})());</script></body>|' "$1" >"$work/asked.html"
	browse --dump-dom "file://$work/asked.html" | sed -n 's|.*<output id="answer">\([^<]*\)</output>.*|\1|p'
}
is() {
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
	echo "$1: $2"
}

"$tests/golden/make_session" "$source/tests/golden/sessions/demo.txt" demo
mkdir sources
cat "$source/tests/fixtures/demo.s" >sources/demo.s
page out
page=out/index.html

browse --dump-dom "file://$work/$page" >dom.html
is "rows for lines" "$(grep -c '<tr id="f1l' dom.html)" "$(wc -l <sources/demo.s)"
hottest=$(($(grep -n '^_ZN4demo4workEi:$' sources/demo.s | cut -d: -f1) + 1))
is "background of the hottest line's count" \
	"$(ask $page "return getComputedStyle(document.querySelector('#f1l$hottest td')).backgroundColor")" "rgba(255, 106, 0, 0.64)"
is "background of a line without samples" \
	"$(ask $page "return getComputedStyle(document.querySelector('#f1l1 td')).backgroundColor")" "rgba(0, 0, 0, 0)"
is "heads" "$(ask $page "return [...document.querySelectorAll('h2, table.source thead')].map(e => getComputedStyle(e).position).join()")" \
	"sticky,sticky"
is "the list of functions leads to" "$(ask $page "return document.querySelector(document.querySelector('table.index a').getAttribute('href')).tagName")" \
	TR
is "the index of files leads to" "$(ask $page "return document.querySelector(document.querySelectorAll('table.index')[1].querySelector('a').getAttribute('href')).tagName")" \
	SECTION
far="const far = document.querySelector('tbody.far'), skip = document.querySelector('tr.skip')"
displays="return getComputedStyle(far).display + ',' + getComputedStyle(skip).display"
seq -f '# line %.0f' 100 >>sources/demo.s
page long
is "lines far from samples" "$(ask long/index.html "$far; $displays")" "none,table-row"
is "the same, when asked for" "$(ask long/index.html "$far; document.getElementById('near').click(); $displays")" "table-row-group,none"

# Sources are data. The browser would run these, fetch these, or lose its place.
cat >sources/demo.s <<'END'
<script>document.title = "owned"</script>
</td></tr></table></main><script>document.title = "owned"</script>
<img src=x onerror="document.title = 'owned'"><iframe src="file:///etc/hostname"></iframe>
--><!-- &lt;b&gt; <style>* { display: none }</style> <link rel="stylesheet" href="http://127.0.0.1:9/x.css">
END
printf '\377\376\300\274script\300\276 \355\240\200 \033[2J\001\000 "end"\r\n' >>sources/demo.s
page hostile
is "title" "$(ask hostile/index.html 'return document.title')" "Annotated sources"
is "scripts, pictures, frames, links, styles" \
	"$(ask hostile/index.html "return ['script', 'img', 'iframe', 'link', 'style'].map(t => document.querySelectorAll(t).length).join()")" \
	"1,0,0,0,1"
is "the text of the first line" "$(ask hostile/index.html "return document.querySelector('#f1l1 td.text').textContent.substring(1)")" \
	'script&gt;document.title = "owned"&lt;/script&gt;'
is "what was fetched" "$(ask hostile/index.html "return performance.getEntriesByType('resource').length")" 0
iconv -f UTF-8 -t UTF-8 hostile/index.html >/dev/null || fail "the page is not UTF-8"

browse --screenshot="$work/page.png" --window-size=1200,900 "file://$work/$page" >/dev/null
[ "$(head -c 4 page.png | od -An -tx1)" = " 89 50 4e 47" ] || fail "no screenshot"
