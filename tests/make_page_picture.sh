#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes doc/page.png, the README's picture of a page of opreport --html: of python3 at work, a function chosen. Called in the
# build directory: sh ../tests/make_page_picture.sh FILE.png. Needs Chromium, python3 and permission to profile.
set -eu
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
case ${1:?usage: make_page_picture.sh FILE.png} in /*) picture=$1 ;; *) picture=$PWD/$1 ;; esac
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >words.py <<'END'
import json, re
rows = [{"number": i, "text": "word %d" % i, "list": list(range(20))} for i in range(1500)]
for _ in range(150):
    text = json.dumps(rows)
    json.loads(text)
    sorted(set(re.findall(r"\w+", text[:60000])))
END
mkdir session
"$build/operf" --callgraph --session-dir=session python3 words.py 2>operf.log || { cat operf.log; exit 1; }
"$build/opreport" --session-dir=session --html=page.html 2>opreport.log || { cat opreport.log; exit 1; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/e2e python3 - "$browser" "$work" "$picture" <<'END'
import sys
from browser import Browser
program, work, picture = sys.argv[1:]
with Browser(program, work, size=(1280, 900)) as browser:
    browser.send("Emulation.setScrollbarsHidden", {"hidden": True})
    browser.open("file://" + work + "/page.html#view=calls&q=scan|encoder")
    # Down to the end of the fourth row of the table.
    end = "Math.ceil(document.querySelectorAll('#rows tr')[3].getBoundingClientRect().bottom) + 1"
    browser.picture(picture, whole=True, height=browser.value(end))
END
