#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares a report as XML with the same report as CSV, whole: xml_tree.py REPORT.xml REPORT.csv. Both become one list of
# lines, a line for each application, image, symbol and call; prints the lines that differ, status 1. One column only.
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


def xml_lines(path):
    root = ElementTree.parse(path).getroot()
    names = {one.get("id"): one.get("name") for one in root.iter("symboldata")}
    has_calls = root.find(".//callers") is not None or root.find(".//callees") is not None
    lines = []
    for binary in root.findall("binary"):
        app = binary.get("name")
        for image in [binary] + binary.findall("module"):
            symbols = image.findall("symbol")
            if symbols or count(image):
                lines.append((app, image.get("name"), count(image)))
            for symbol in symbols:
                row = [app, image.get("name"), names[symbol.get("idref")], count(symbol)]
                if has_calls:
                    row.append(calls(symbol, "callers", app, names) + calls(symbol, "callees", app, names))
                lines.append(tuple(row))
    return sorted(map(str, lines))


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


xml, rows = xml_lines(sys.argv[1]), csv_lines(sys.argv[2])
print("\n".join(difflib.unified_diff(rows, xml, "csv", "xml", lineterm="", n=0)))
sys.exit(xml != rows)
