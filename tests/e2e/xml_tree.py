#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares a report as XML with the same report as CSV, whole: xml_tree.py REPORT.xml REPORT.csv. Both become one list of
# lines, a line for each application, image, symbol and call; prints the lines that differ, status 1. One column only.
# Of a session that separates threads: xml_tree.py REPORT.xml PID TID=REPORT.csv..., all threads of a process, each with the
# CSV of its own samples; the process's count is their sum.
import csv
import difflib
import sys
import xml.etree.ElementTree as ElementTree


def count(element):
    return sum(int(one.text) for one in element.findall("count"))


def calls(function, kind, app, names):
    """The lines of a function's callers or callees; a module names the image of the symbols in it."""
    lines = []
    element = function.find(kind)
    if element is None:
        return ["no element " + kind]
    for child in element:
        image = child.get("name") if child.tag == "module" else app
        for symbol in child.findall("symbol") if child.tag == "module" else [child]:
            role = "self" if symbol.get("self") else kind[:-1]
            lines.append((role, image, names[symbol.get("idref")], count(symbol)))
    return sorted(lines)


def app_lines(root, app, element, own):
    """The lines of an application: of a binary or thread element with `own` samples in the application's image."""
    names = {one.get("id"): one.get("name") for one in root.iter("symboldata")}
    has_calls = root.find(".//callers") is not None or root.find(".//callees") is not None
    lines = []
    for image, number in [(element, own)] + [(one, count(one)) for one in element.findall("module")]:
        name = app if image is element else image.get("name")
        symbols = image.findall("symbol")
        if symbols or number:
            lines.append((app, name, number))
        for symbol in symbols:
            row = [app, name, names[symbol.get("idref")], count(symbol)]
            if has_calls:
                row.append(calls(symbol, "callers", app, names) + calls(symbol, "callees", app, names))
            lines.append(tuple(row))
    return lines


def xml_lines(root):
    lines = []
    for binary in root.findall("binary"):
        lines += app_lines(root, binary.get("name"), binary, count(binary))
    return sorted(map(str, lines))


def thread_lines(root, pid, tid):
    """The count of a thread element is that of all its images."""
    lines = []
    for process in root.findall(f"process[@pid='{pid}']"):
        for thread in process.findall(f"thread[@tid='{tid}']"):
            own = count(thread) - sum(map(count, thread.findall("module")))
            lines += app_lines(root, process.get("name"), thread, own)
    return sorted(map(str, lines))


def process_faults(root, pid, tids):
    """What is wrong with the threads of a process, and with its count."""
    processes = root.findall(f"process[@pid='{pid}']")
    threads = [one for process in processes for one in process.findall("thread")]
    found = [one.get("tid") for one in threads]
    faults = [] if found == tids else [f"process {pid} has the threads {found}, not {tids}"]
    if sum(map(count, processes)) != sum(map(count, threads)):
        faults.append(f"the count of process {pid} is not the sum of its threads'")
    return faults


def csv_lines(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    samples = list(rows[0])[-1]
    has_calls = "function" in rows[0]
    images, symbols, blocks = {}, [], {}
    for row in rows:
        number = int(row[samples])
        if has_calls:
            blocks.setdefault(row["function"], []).append(row)
        if has_calls and row["role"] != "function":
            continue
        image = (row["app"], row["image"])
        images[image] = images.get(image, 0) + number
        symbols.append((row["app"], row["image"], row["symbol"], number, row.get("function")))
    lines = [(app, image, number) for (app, image), number in images.items()]
    for app, image, name, number, block in symbols:
        line = (app, image, name, number)
        if has_calls:
            others = [(row["role"], row["image"], row["symbol"], int(row[samples])) for row in blocks[block]]
            others = [other for other in others if other[0] != "function" and other[3] > 0]
            line += (sorted(other for other in others if other[0] == "caller") +
                     sorted(other for other in others if other[0] != "caller"),)
        lines.append(line)
    return sorted(map(str, lines))


def differences(xml, rows):
    return list(difflib.unified_diff(rows, xml, "csv", "xml", lineterm="", n=0))


root = ElementTree.parse(sys.argv[1]).getroot()
if len(sys.argv) == 3:
    faults = differences(xml_lines(root), csv_lines(sys.argv[2]))
else:
    pid, reports = sys.argv[2], [one.split("=", 1) for one in sys.argv[3:]]
    faults = process_faults(root, pid, [tid for tid, _ in reports])
    for tid, report in reports:
        faults += differences(thread_lines(root, pid, tid), csv_lines(report))
print("\n".join(faults))
sys.exit(bool(faults))
