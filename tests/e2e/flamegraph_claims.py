#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# What a browser shows of opreport --format=flamegraph, for flamegraph_page_test.sh: flamegraph_claims.py BROWSER DIRECTORY.
# In the directory are the pictures, NAME.svg, and the same stacks as lines, NAME.folded.
import json
import os
import re
import sys

from browser import Browser
from claims import Claims

program, work = sys.argv[1:]
judge = Claims()
is_equal = judge.is_equal


def value(expression):
    return browser.value(expression)


def picture(name):
    browser.open("file://" + os.path.join(work, name + ".svg"), "document.documentElement.classList.contains('live')")


# Samples of stacks that have a function whose name matches, by the lines.
def matching(name, pattern):
    samples = 0
    with open(os.path.join(work, name + ".folded")) as lines:
        for line in lines:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            if any(re.search(pattern, frame, re.I) for frame in stack.split(";")):
                samples += int(count)
    return samples


# The boxes in sight, as [name, x, y, width, text, class], rounded to pixels.
BOXES = """[...document.querySelectorAll('#frames g')].filter(g => getComputedStyle(g).display !== 'none').map(g => {
  const rect = g.querySelector('rect'), number = name => Math.round(Number(rect.getAttribute(name)));
  return [g.querySelector('title').textContent.split('\\n')[0], number('x'), number('y'), number('width'),
    (g.querySelector('text') || {textContent: ''}).textContent, g.getAttribute('class') || ''];
})"""


def middle(name):
    x, y = value("""(() => { const area = [...document.querySelectorAll('#frames g')].find(g => g.textContent.startsWith(%s) &&
      getComputedStyle(g).display !== 'none').querySelector('rect').getBoundingClientRect();
      return [area.x + area.width / 2, area.y + area.height / 2]; })()""" % json.dumps(name + "\n"))
    return x, y


def click(name):
    browser.click(*middle(name))


def click_on(word):
    x, y = value("(() => { const area = document.getElementById(%s).getBoundingClientRect(); return [area.x + 5, area.y + 5]; })()" % json.dumps(word))
    browser.click(x, y)


def text(word):
    return value("document.getElementById(%s).textContent" % json.dumps(word))


def is_seen(word):
    return value("getComputedStyle(document.getElementById(%s)).display !== 'none'" % json.dumps(word))


def search(pattern):
    value("window.prompt = () => %s" % json.dumps(pattern))
    click_on("search")


def zooms():
    picture("stacks")
    before = value(BOXES)
    is_equal("words at the start", [is_seen(word) for word in ("search", "reset", "clear")], [True, False, False])
    click("main")
    after = value(BOXES)
    is_equal("zoomed, what is below is as wide as the picture", [box[:4] for box in after[:4]],
             [["all", 10, before[0][2], 1180], ["demo", 10, before[1][2], 1180], ["_start", 10, 140, 1180], ["main", 10, 124, 1180]])
    is_equal("the callers are faded", [box[5] for box in after[:4]], ["above", "above", "above", ""])
    is_equal("what lies on it", [box[0] for box in after[4:]], [box[0] for box in before if box[1] >= 45 and box[2] < 124])
    work_box = after[4]
    is_equal("and how wide", work_box[:4], ["demo::work(int)", 10, 108, round(1180 * 86 / 97 - 0.5)])
    click("lib_hot")
    is_equal("a label that has room now", [box[4] for box in value(BOXES) if box[0] == "[no-vmlinux]"], ["[no-vmlinux]"])
    is_equal("a word for the way back", is_seen("reset"), True)
    click_on("reset")
    is_equal("the whole picture by reset", value(BOXES), before)
    click("lib_hot")
    click("all")
    is_equal("the whole picture by its root", value(BOXES), before)
    click("main")
    browser.key("Escape")
    is_equal("the whole picture by Escape", value(BOXES), before)
    browser.hover(*middle("lib_hot"))
    browser.until("document.getElementById('pointed').textContent === 'lib_hot, /usr/lib/libdemo.so, 8 samples, 8.00 %, 8 ms'")


def searches():
    for name, patterns in (("stacks", ("work", "PUSH_BACK|lib_hot", "^main$", "truncated", "no such")), ("deep", ("work", "demo"))):
        picture(name)
        total = matching(name, "")
        for pattern in patterns:
            search(pattern)
            samples = matching(name, pattern)
            is_equal("%s: samples with %s" % (name, pattern), text("matched"), "%d sample%s, %.2f %%, match %s" % (
                samples, "" if samples == 1 else "s", 100 * samples / total, pattern))
            hits = value("[...new Set([...document.querySelectorAll('#frames .hit')].map(g => g.textContent.split('\\n')[0]))]")
            is_equal("%s: names with %s" % (name, pattern), [hit for hit in hits if not re.search(pattern, hit, re.I)], [])
    picture("stacks")
    search("(")
    is_equal("no expression", text("matched"), "not a regular expression: (")
    search("lib")
    is_equal("colour of a match", value("getComputedStyle(document.querySelector('#frames .hit rect')).fill"), "rgb(215, 125, 242)")
    click_on("clear")
    is_equal("cleared", [text("matched"), value("document.querySelectorAll('.hit').length"), is_seen("clear")], ["", 0, False])
    value("window.prompt = () => 'main'; let prevented = false; addEventListener('keydown', event => prevented = event.defaultPrevented)")
    browser.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": "f", "modifiers": 2})
    is_equal("Ctrl-F", [text("matched"), value("prevented")], ["97 samples, 97.00 %, match main", True])


# A zoom back to the root draws what was written.
def draws_as_written():
    for name in ("stacks", "wide", "hostile"):
        picture(name)
        before = value("document.getElementById('frames').innerHTML")
        value("document.querySelector('#frames g').querySelector('rect').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        plain = "document.getElementById('frames').innerHTML.replaceAll(' class=\"\"', '').replace(/<text [^>]*><.text>/g, '')"
        is_equal(name + ": drawn as written", value(plain) == before, True)


def stays_in_sight():
    picture("deep")
    browser.until("scrollY > 1000")
    browser.until("document.getElementById('search').getBoundingClientRect().y < 30")
    is_equal("the root is in sight", value("document.querySelector('#frames rect').getBoundingClientRect().bottom <= innerHeight"), True)
    value("scrollTo(0, 0)")
    browser.until("document.getElementById('search').getBoundingClientRect().y < 30")


def is_inert():
    picture("hostile")
    is_equal("scripts of names", value("document.getElementsByTagName('script').length"), 1)
    search("script")
    is_equal("a match", text("matched"), "5 samples, 100.00 %, match script")


with Browser(program, work) as browser:
    for claims in (zooms, searches, draws_as_written, stays_in_sight, is_inert):
        claims()
    is_equal("complaints", browser.complaints, [])
    is_equal("what was loaded", [request for request in browser.requests if not request.startswith("file://" + work)], ["about:blank"] * 0)
sys.exit(judge.failures > 0)
