#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# What a browser shows of pages of opreport --html, for page_test.sh: page_claims.py BROWSER DIRECTORY. In the directory are
# the pages, NAME.html, and for some of them opreport's own numbers as JSON: NAME.flat, and NAME.tree with what functions call.
import json
import os
import re
import sys

from browser import Browser
from claims import Claims

program, work = sys.argv[1:]
judge = Claims()
is_equal = judge.is_equal


def is_true(claim, holds, why=""):
    is_equal(claim + ("" if holds else " " + str(why)), bool(holds), True)


def page(name, fragment=""):
    browser.open("file://" + os.path.join(work, name + ".html") + "#" + fragment)


def value(expression):
    return browser.value(expression)


def total():
    return value("document.documentElement.dataset.total")


# {"NAME|IMAGE": [self, total]} of the page's table, and the same of its trees, which have to agree with each other.
TABLE = """Object.fromEntries(profilePage.%s.filter(r => r.self.concat(r.total).some(n => n)).map(r =>
    [profilePage.facts.names[r.frame - 1] + "|" + profilePage.facts.images[profilePage.facts.image[r.frame - 1]], [r.self, r.total]]))"""
SUM_OF_SELF = "profilePage.tree.self.map(self => self.reduce((a, b) => a + b, 0))"


def words(text):
    return value("document.getElementById('%s').textContent" % text)


# The samples of each function in opreport's reports, by name and image as the page has them.
def by_name(path, numbers, has_all=False):
    with open(path) as file:
        report = json.load(file)
    sums = {}
    for row in report["symbols"]:
        name, image = row["symbol"], row["image"].replace("/no-vmlinux", "no-vmlinux")
        if name in ("[no symbol]", image, row["image"]):
            name = "[%s]" % (image if image.startswith("anon") else os.path.basename(image))
        if row[numbers][0] or has_all:
            key = "".join("?" if c < " " or c == "\x7f" else c for c in name) + "|" + image
            sums[key] = sums.get(key, 0) + row[numbers][0]
    return report["totals"][0], dict(sorted(sums.items()))


def symbols_of(name):
    samples, own = by_name(os.path.join(work, name + ".flat"), "samples")
    tree = os.path.join(work, name + ".tree")
    return {"samples": samples, "self": own, "inclusive": by_name(tree, "inclusive")[1] if os.path.exists(tree) else None}


def check_totals(name, views=("calls", "callers", "places"), is_whole=True):
    wanted = symbols_of(name)
    for view in views:
        page(name, "view=" + view)
        is_equal(name + ": samples in " + view, value(SUM_OF_SELF), [wanted["samples"]])
        is_equal(name + ": total in " + view, value("profilePage.tree.total[0][0]"), wanted["samples"])
        table = {key: self[0] for key, (self, _) in value(TABLE % "rows").items() if self[0]}
        is_equal(name + ": functions in " + view, dict(sorted(table.items())), wanted["self"])
    if wanted.get("inclusive"):
        page(name)
        table = {key: total[0] for key, (_, total) in value(TABLE % "rows").items() if total[0]}
        is_equal(name + ": functions with what they call", dict(sorted(table.items())), wanted["inclusive"])
        if not is_whole:
            return
        value("profilePage.go({chips: [{kind: 'in', value: ''}]})")  # everything matches: from the tree
        table = {key: total[0] for key, (_, total) in value(TABLE % "rows").items() if total[0]}
        is_equal(name + ": the same from the tree", dict(sorted(table.items())), wanted["inclusive"])


# Of a page without room for all boxes.
def check_pruned():
    page("pruned")
    folded = value("profilePage.facts.folded[0]")
    is_true("some boxes had no room", folded > 0 and value("profilePage.tree.smaller.size") > 0, folded)
    is_true("the page has their number", "[N smaller]" in words("summary"), words("summary"))
    is_equal("samples in them", value("""(t => t.self[0].reduce((sum, n, i) => sum + (i && !t.frame[i] ? n : 0), 0))(profilePage.tree)"""), folded)
    check_totals("pruned", is_whole=False)
    check_orders("pruned")
    for chip in ("recursion:", "images:", "prefix:", "in:", "out:zzz"):
        page("pruned", "chip=" + chip)
        is_equal("all samples with the chip " + chip, value(SUM_OF_SELF), [symbols_of("pruned")["samples"]])


# What sessions of a side differ by is what is tested, in the table and the tree.
def check_sessions():
    page("runs")
    with open(os.path.join(work, "runs.flat")) as file:
        wanted = {row["symbol"]: [row["significant"], *("%.2f" % row[key][0] for key in ("points", "low", "high"))]
                  for row in json.load(file)["symbols"]}
    interval = """Object.fromEntries(profilePage.rows.map(r => [profilePage.facts.names[r.frame - 1],
        [r.mark, ...[profilePage.changeIn(r.self), ...profilePage.changeInterval(r.self)].map(n => (100 * n).toFixed(2))]]))"""
    is_equal("marks, changes and intervals of sessions are opreport's", value(interval), wanted)
    with open(os.path.join(work, "runs.rows")) as file:
        report = json.load(file)
    is_equal("opreport tests sessions", report["comparison"]["test"], "welch")
    wanted = {row.get("symbol", "demo"): row["significant"] for row in report["rows"]}
    found = value("Object.fromEntries([...profilePage.marks].map((m, i) => [profilePage.facts.names[profilePage.tree.frame[i] - 1], m === 1]).slice(1))")
    is_equal("marks of boxes are those of the call tree", dict(sorted(found.items())), dict(sorted(wanted.items())))
    is_true("the legend has what chance is", "sessions of a side differ by (3 and 3" in words("legend"), words("legend"))
    is_equal("totals of both sides", total(), "3000 3000")
    is_true("folded stacks have both sides' counts", all(re.search(r"[^0-9] \d+ \d+$", line) for line in value("profilePage.foldedText()").splitlines()))
    outside = """profilePage.rows.filter(r => [r.self, r.total].some(counts => { const [low, high] = profilePage.changeInterval(counts);
        const change = profilePage.changeIn(counts); return change < low || change > high; })).length"""
    is_equal("changes are in their intervals", value(outside), 0)
    command = value("profilePage.whyNoCode(profilePage.facts.names.findIndex(name => name.includes('push_back')) + 1)")
    is_true("commas of a name are escaped in a command", command.endswith(
        " Use opannotate --source --include-symbols='std::vector<int\\, std::allocator<int> >::push_back(int&&)'."), command)
    is_equal("CSV of sides", len(value("profilePage.tableCsv()").splitlines()[0].split(",")), 7)
    page("change")
    is_true("without sessions the legend has that", "is not known" in words("legend"), words("legend"))


# The panes of a function's source and instructions have what opannotate lists: lines and addresses with their samples.
def check_code():
    page("coded", "view=places")
    picked = value("""(() => { const row = profilePage.rows.find(r => profilePage.facts.names[r.frame - 1] === "demo::work(int)");
        document.querySelector(`#rows tr[data-frame="${row.frame}"]`).click(); return profilePage.state.pick === row.frame && row.self[0]; })()""")
    titles = value("[...document.querySelectorAll('#details summary')].map(e => e.textContent)")
    is_equal("panes", titles, ["Source: /src/demo.s", "Instructions"])
    table = """[...document.querySelectorAll('#details table.code')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))"""
    source, instructions = value(table)
    with open(os.path.join(work, "coded", "src", "demo.s")) as file:
        lines = file.read().split("\n")
    is_true("each line of the pane is that of the source", source and all(lines[int(at) - 1] == text for _, at, text in source), source)
    is_equal("samples of the lines", sum(int(n.replace(",", "") or 0) for n, _, _ in source), picked)
    is_equal("samples of the instructions", sum(int(n.replace(",", "") or 0) for n, _, _ in instructions), picked)
    with open(os.path.join(work, "coded.assembly")) as file:
        listed = file.read()
    is_true("instructions are those of opannotate", instructions and all(re.search(r"\b%s:.*%s" % (at, re.escape(text.split()[0])), listed) for _, at, text in instructions), instructions)
    heat = value("[...document.querySelectorAll('#details table.code')].map(t => [...t.tBodies[0].rows].filter(r => r.className.includes('heat4')).length > 0)")
    is_equal("the hottest line of each pane is coloured", heat, [True, True])
    value("document.querySelector('#details details summary').click()")
    is_equal("a pane folds", value("document.querySelector('#details details').open"), False)
    browser.key("Escape")
    is_equal("Escape closes the panes", value("[profilePage.state.pick, document.getElementById('details').hidden]"), [0, True])
    page("full-stacks")
    value("profilePage.go({pick: profilePage.facts.names.indexOf('demo::work(int)') + 1})")
    is_true("without a source the pane has that", "Its source is not included" in words("details"), words("details")[:400])


HEADS = "[...document.querySelectorAll('#details table.code')].map(t => [...t.tHead.rows[0].cells].map(c => c.textContent).filter(t => t))"
TITLES = "[...document.querySelectorAll('#details details > summary')].map(e => e.textContent)"


# A comparison has both sides' code: in one listing where they are the same, else each under its name.
def check_both_codes():
    pick = "profilePage.go({pick: profilePage.facts.names.indexOf('demo::work(int)') + 1})"
    page("both")
    value(pick)
    is_equal("one source and one code of both sides", value(TITLES), ["Source: /src/demo.s", "Instructions"])
    is_equal("with the shares of both", value(HEADS), [["Before", "After", what] for what in ("Line", "Address")])
    sums = """[...document.querySelectorAll('#details table.code')].map(t => [0, 1].map(at => [...t.tBodies[0].rows].reduce((sum, r) =>
        sum + (parseInt(r.cells[at].title.replace(/,/g, "")) || 0), 0)))"""
    picked = value("profilePage.rows.find(r => r.frame === profilePage.state.pick).self")
    is_equal("samples of both sides", value(sums), [picked, picked])
    is_equal("shares are of the side's samples", value("document.querySelector('#details table.code td.heat4').textContent.endsWith(' %')"), True)
    page("sources")
    value(pick)
    is_equal("two sources, one code", value(TITLES), ["Before · Source: /src/demo.s", "After · Source: /src/demo.s", "Instructions"])
    is_equal("each with its shares", value(HEADS), [["Before", "Line"], ["After", "Line"], ["Before", "After", "Address"]])
    text = """(sides => { const box = document.createElement("div"); box.append(...profilePage.codeParts(sides)); return box.textContent; })"""
    other = value(text + """([{files: [], instructions: [["10", "nop", 1]]}, {files: [], instructions: [["20", "nop", 2]]}])""")
    is_true("two builds have a listing each", "Before · Instructions" in other and "After · Instructions" in other, other)
    lacks = value(text + """([null, {files: [], instructions: [["20", "nop", 2]]}])""")
    is_true("a side without code is named", lacks.startswith("Before: its source and instructions are not included: it has no samples"), lacks)


def check_orders(name):
    for order in ("isla", "slia", "lsia"):
        page(name, "view=places&order=" + order)
        is_equal("places by " + order, value(SUM_OF_SELF), [symbols_of(name)["samples"]])


def check_search():
    page("full-stacks", "q=work")
    is_true("matches of work", words("matches").startswith("41 samples, 57.75 % ± 11.2"), words("matches"))
    page("full-stacks", "q=main%7Cwork")
    is_true("matches of callers and callees, each sample once", words("matches").startswith("66 samples, 92.96 %"), words("matches"))
    page("full-stacks", "q=(&chip=focus:zz&chip=x:y&zoom=9.zzz&event=7&sort=x&view=y&function=zz&part=q&order=constructor&chip=in:(")
    is_true("half an expression is named", words("matches").startswith("not a regular expression"), words("matches"))
    page("full-stacks")
    browser.key("/")
    for letter in "work":
        browser.key(letter)
    is_true("a search typed in", words("matches").startswith("41 samples"), words("matches"))
    browser.key("Enter")
    browser.key("n")
    is_equal("the next match", value("profilePage.facts.names[profilePage.tree.frame[profilePage.selected] - 1]"), "demo::work(int)")
    browser.key("f")
    is_equal("only matches", total(), "41")
    browser.key("u")
    browser.until("profilePage.state.chips.length === 0")
    browser.key("U")
    browser.until("profilePage.state.chips.length === 1")
    is_equal("undo and redo", total(), "41")
    browser.key("x")
    is_equal("no matches of these", total(), "0")


def check_transforms():
    page("full-stacks")
    frame = "(profilePage.facts.names.indexOf('%s') + 1)"
    value("profilePage.go({pick: %s})" % (frame % "demo::work(int)"))
    browser.key("c")
    is_equal("focus", total(), "41")
    value("profilePage.go({chips: []})")
    browser.key("3")
    is_equal("one function: its samples", value("profilePage.tree.total[0][0]"), 41)
    is_true("its callers are above", value("profilePage.tree.callers < profilePage.tree.size && profilePage.tree.highest > 0"))
    browser.key("1")
    for key, kind in (("r", "recursion"), ("s", "files"), ("m", "images"), ("p", "prefix"), ("h", "hide")):
        browser.key(key)
        is_equal("%s keeps all samples" % kind, value("[profilePage.state.chips.at(-1).kind, ...%s]" % SUM_OF_SELF), [kind, 71])
    browser.key("k")
    is_equal("the kernel had no samples here", total(), "71")
    is_equal("chips", value("document.querySelectorAll('#chips button').length"), 7)
    value("document.querySelector('#chips button').click()")
    is_equal("a chip removed", value("profilePage.state.chips.length"), 5)
    page("full-stacks", value("location.hash").lstrip("#"))
    is_equal("chips come from the address", value("profilePage.state.chips.length"), 5)
    check_files()
    page("recursion")
    deep = value("profilePage.tree.deepest")
    browser.key("r")
    is_true("recursion is less deep", value("profilePage.tree.deepest") < deep)


# Functions merged by source file: each box is a file, and has the samples of all its functions; others stay.
def check_files():
    boxes = """(t => [...t.frame].map((f, i) => f && profilePage.facts.images[profilePage.facts.image[f - 1]] + "|" + t.self[0][i]).filter(Boolean).sort())(profilePage.tree)"""
    page("full-stacks")
    own = value("""(t => t.self[0].reduce((sum, n, i) => sum + (t.frame[i] && profilePage.facts.files[profilePage.facts.file[t.frame[i] - 1]] ? n : 0), 0))(
        profilePage.tree)""")
    browser.key("s")
    is_equal("files of the functions called", value("[...new Set(profilePage.facts.files)].filter(Boolean)"), ["/src/demo.s"])
    merged = [int(box.split("|")[1]) for box in value(boxes) if box.startswith("/src/demo.s|")]
    is_equal("boxes of the file have the samples of its functions", sum(merged), own)
    is_true("below an application or another file it is one box", len(merged) < 4 and own > 0, value(boxes))
    page("deep")
    value("document.querySelector('[data-key=s]').click()")
    is_equal("a stack of one file is one box", value("[profilePage.tree.deepest, ...%s]" % SUM_OF_SELF), [2, 10])


# Ranks are those of the samples in the functions themselves, however the table is sorted or searched.
def check_ranks():
    ranks = "Object.fromEntries([...document.querySelectorAll('#rows tr')].map(r => [r.cells[%d].textContent, r.cells[%d].textContent]))"
    page("full-stacks", "sort=name")
    order = [row["symbol"] for row in json.load(open(os.path.join(work, "full-stacks.flat")))["symbols"]]
    found = value(ranks % (6, 5))
    is_equal("the function with most samples has rank 1", found[order[0]], "1")
    page("full-stacks", "sort=name&q=main")
    is_equal("a search does not change ranks", value(ranks % (6, 5)), {name: rank for name, rank in found.items() if "main" in name})
    page("change")
    is_equal("ranks before and after", value(ranks % (9, 8)), {"demo::work(int)": "1", "lib_hot": "2", "main": "3", "_start": "4 → –",
             "std::vector<int, std::allocator<int> >::push_back(int&&)": "– → 4"})


def check_keyboard():
    page("full-stacks")
    value("document.getElementById('graph').focus()")
    browser.key("ArrowUp")
    browser.key("ArrowUp")
    first = words("selected")
    is_true("arrows go from box to box", "samples" in first and not first.startswith("all"), first)
    browser.key("Enter")
    is_true("Enter zooms", value("profilePage.state.zoom") > 0)
    zoomed = value("location.hash").lstrip("#")
    browser.key("Escape")
    browser.key("Home")
    is_equal("Home shows everything", value("profilePage.state.zoom"), 0)
    page("full-stacks", zoomed)
    is_true("the zoom comes from the address", words("selected").split(" · ")[0] == first.split(" · ")[0], words("selected"))
    nodes = browser.accessibility()
    items = [n for n in nodes if n.get("role", {}).get("value") == "treeitem"]
    is_true("a screen reader has the box: name and share", items and "%" in items[0]["name"]["value"], items[:1])
    levels = [p["value"]["value"] for n in items[:1] for p in n.get("properties", []) if p["name"] == "level"]
    is_true("and its level", levels and levels[0] > 0, levels)
    browser.key("?")
    is_true("help opens", value("document.getElementById('help').open"))
    browser.key("Escape")
    tabbed = set()
    value("document.activeElement.blur()")
    for _ in range(60):
        browser.key("Tab")
        tabbed.add(value("(e => e.id || e.dataset.key || e.dataset.view || e.dataset.sort || e.tagName)(document.activeElement)"))
    for wanted in ("calls", "search", "graph", "next", "u", "TR", "SUMMARY"):
        is_true("Tab reaches " + wanted, wanted in tabbed, tabbed)


def check_output():
    page("full-stacks")
    lines = value("profilePage.foldedText()").splitlines()
    is_equal("folded stacks", sum(int(line.rsplit(" ", 1)[1]) for line in lines), 71)
    is_true("with their callers", "demo;_start;main;demo::work(int) 40" in lines, lines)
    csv = value("profilePage.tableCsv()").splitlines()
    is_equal("CSV", [csv[0], '40' in csv[1] or '41' in csv[1]], ["self,total,function,image", True])
    svg = value("profilePage.pictureSvg()")
    is_true("an SVG's tooltips have lines", "demo::work(int)\nin " in svg)
    is_true("SVG", svg.startswith("<svg xmlns") and "demo::work(int)" in svg and value(
        "new DOMParser().parseFromString(profilePage.pictureSvg(), 'image/svg+xml').querySelector('parsererror') === null"))
    page("hostile")
    is_true("SVG of odd names", value(
        "new DOMParser().parseFromString(profilePage.pictureSvg(), 'image/svg+xml').querySelector('parsererror') === null"))
    is_equal("scripts and data", value("document.scripts.length"), 5)


# A page that was saved while open is the same page: the script starts again over what it has filled in.
def check_saving():
    page("full-stacks", "view=callers&q=work&chip=recursion:")
    before = [words("summary"), words("matches"), value("document.querySelectorAll('#rows tr').length"), value("document.querySelectorAll('#facts li').length")]
    with open(os.path.join(work, "saved.html"), "w") as file:
        file.write("<!DOCTYPE html>\n" + value("delete document.documentElement.dataset.ready && document.documentElement.outerHTML"))
    page("saved", "view=callers&q=work&chip=recursion:")
    after = [words("summary"), words("matches"), value("document.querySelectorAll('#rows tr').length"), value("document.querySelectorAll('#facts li').length")]
    is_equal("saved and opened again", after, before)


def check_differences():
    page("difference")
    is_equal("samples before and after", value(SUM_OF_SELF), [71, 71])
    is_equal("nothing differs", value("[profilePage.rows.some(r => r.mark), profilePage.marks.some(m => m)]"), [False, False])
    page("change", "only=significant")
    marked = sorted(value(TABLE % "rows"))
    is_equal("what differs is what opreport marks", marked, sorted(by_name(os.path.join(work, "change.flat"), "samples", has_all=True)[1]))
    browser.key("g")
    is_equal("grey can be switched off", value("profilePage.state.grey"), False)


def check_focus():
    page("full-stacks")
    value("document.querySelectorAll('#rows tr')[1].focus()")
    browser.key("Enter")
    is_equal("a row that is picked keeps the focus", value("[profilePage.state.pick > 0, document.activeElement.dataset.frame == profilePage.state.pick, "
        "document.querySelectorAll('#rows [tabindex=\"0\"]').length]"), [True, True, 1])
    value("document.querySelector('#heads [data-sort=name] button').focus()")
    browser.key("Enter")
    is_equal("a head that is chosen keeps the focus", value("[profilePage.state.sort, document.activeElement.closest('th')?.dataset.sort]"), ["name", "name"])


def check_contrast():
    # Orange and blue as people without green receptors see them (Viénot, Brettel and Mollon 1999), and text on boxes.
    page("change")
    ratio = value("""(() => {
      const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      const rgb = css => { const c = document.createElement("canvas").getContext("2d"); c.fillStyle = css; c.fillRect(0, 0, 1, 1);
        return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map(linear); };
      const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
      const deuteranope = ([r, g, b]) => [0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b];
      const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const colours = [...document.querySelectorAll("#legend i")].map(i => getComputedStyle(i).backgroundColor).map(rgb);
      const [more, less] = colours.map(deuteranope);
      return [Math.min(...colours.map(c => contrast(light(c), light(rgb("#111"))))), Math.hypot(...more.map((c, i) => c - less[i]))];
    })()""")
    is_true("text on boxes has a contrast of 4.5", ratio[0] >= 4.5, ratio)
    is_true("more and less differ without green receptors", ratio[1] > 0.4, ratio)


def check_all():
    check_totals("full-stacks")
    check_totals("two-stacks")
    check_totals("demo", ("places",))
    check_totals("separate", ("places",))
    check_orders("demo")
    page("separate", "part=all&view=places")
    is_equal("threads one beside the other", value(SUM_OF_SELF), [symbols_of("separate")["samples"]])
    is_true("threads are named", value("profilePage.facts.parts") != "" and value("document.querySelectorAll('#part option').length") > 2)
    page("separate", "view=places")
    value("(e => { e.value = 'tslia'; e.dispatchEvent(new Event('change')); })(document.getElementById('order'))")
    is_equal("grouped by threads first", value("[profilePage.state.part, profilePage.state.order, profilePage.facts.kind[profilePage.tree.frame[1] - 1] & 7]"), ["all", "slia", 5])
    is_equal("by threads: all samples", value(SUM_OF_SELF), [symbols_of("separate")["samples"]])
    page("separate", value("location.hash").lstrip("#"))
    is_equal("the grouping comes from the address", value("document.getElementById('order').value"), "tslia")
    value("(e => { e.value = 'aisl'; e.dispatchEvent(new Event('change')); })(document.getElementById('order'))")
    is_equal("and without threads", value("[profilePage.state.part, profilePage.state.order]"), ["", "aisl"])
    page("hostile")
    is_equal("samples with odd names", value(SUM_OF_SELF), [symbols_of("hostile")["samples"]])
    check_search()
    check_transforms()
    check_keyboard()
    check_output()
    check_saving()
    check_differences()
    check_focus()
    check_contrast()
    check_pruned()
    check_sessions()
    check_code()
    check_both_codes()
    check_ranks()
    page("deep")
    is_equal("a stack of 3,000 calls", value("[profilePage.tree.deepest, profilePage.layOut(800, 0, 4000).length]"), [3003, 3004])
    for view in ("callers", "function&function=" + value("(() => { profilePage.go({pick: profilePage.tree.frame[100]}); return location.hash.match(/function=(\\w+)/)[1] })()")):
        page("deep", "view=" + view)
        is_true("deep callers", value("profilePage.layOut(800, -9999, 9999).length >= 2900"))


with Browser(program, work) as browser:
    check_all()
    is_equal("nothing is loaded but the pages", [r for r in browser.requests if not (r.startswith("file://" + work) or r == "about:blank")], [])
    is_equal("complaints", [c for c in browser.complaints if not c.startswith("Applying inline style")], [])  # of the saved page
for dark in (False, True):
    with Browser(program, work, dark=dark, reduced=True) as browser:
        page("full-stacks")
        browser.picture(os.path.join(work, "dark.png" if dark else "light.png"))
        is_true("it is %s" % ("dark" if dark else "light"), value("getComputedStyle(document.body).backgroundColor") == ("rgb(22, 24, 27)" if dark else "rgb(255, 255, 255)"))
sys.exit(1 if judge.failures else 0)
