# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads everything under events/ by the grammar of doc/FORMATS.md and reports inconsistencies.

It shares no code with libop's parser, so that a mistake there does not hide one in the data. Usage: events_test.py DIRECTORY
"""
import os
import re
import sys

complaints = []


def complain(place, text):
    complaints.append(f"{place}: {text}")


def lines_of(path):
    """The lines that say something, as (place, text)."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            place = f"{path}:{number}"
            if line != line.rstrip():
                complain(place, "blanks at the end of the line")
            if line.strip() and not line.startswith("#"):
                yield place, line


IDENTIFIER = re.compile(r"[A-Za-z0-9_]+$")
EVENT_NAME = re.compile(r"[A-Za-z0-9_()-]+$")
MASK_NAME = re.compile(r"[A-Za-z0-9_.]+$")
TAGS = {"event", "counters", "ext", "um", "minimum", "filter", "name"}


class Event:
    def __init__(self, place, tags, description):
        self.place, self.name, self.description = place, tags.get("name", ""), description
        self.code = int(tags.get("event", "0"), 16)
        self.counters, self.sets = tags.get("counters"), tags.get("um", "").split(",")
        self.minimum, self.filter = int(tags.get("minimum", "0")), tags.get("filter")


class Mask:
    """A unit mask set: entries are (value, extra bits, name, description)."""

    def __init__(self, place, name, kind, default):
        self.place, self.name, self.kind, self.default, self.entries = place, name, kind, default, []

    def values(self):
        return [value for value, _, _, _ in self.entries]

    def default_value(self):
        """The number of the default, or none if it names no entry."""
        if re.match(r"0x[0-9a-f]+$", self.default):
            return int(self.default, 16)
        return next((value for value, _, name, _ in self.entries if name == self.default), None)


def parse_event(place, line):
    head, colon, description = line.partition(" : ")
    tags = {}
    for word in head.split():
        tag, found, value = word.partition(":")
        if not found or tag not in TAGS or tag in tags or not value:
            complain(place, f"'{word}' is no tag or is a duplicate")
        tags[tag] = value
    for tag in ("event", "um", "minimum", "name"):
        if tag not in tags:
            complain(place, f"no {tag}:")
    if ("counters" in tags) == ("ext" in tags):
        complain(place, "either counters: or ext: is needed")
    if not re.match(r"0x[0-9a-f]{2,8}$", tags.get("event", "")):
        complain(place, "the code is not a hexadecimal number of 32 bits")
    if not re.match(r"cpuid$|\d+(,\d+)*$", tags.get("counters", "0")):
        complain(place, "counters: is neither a list nor cpuid")
    if not EVENT_NAME.match(tags.get("name", "")):
        complain(place, "the name may hold letters, digits, _, -, ( and ) only")
    if not colon or not description.strip():
        complain(place, "no description")
    return Event(place, tags, description)


def parse_events(path):
    includes, events = [], []
    for place, line in lines_of(path):
        if line.startswith("include:"):
            includes.append(line.split(":", 1)[1])
        else:
            events.append(parse_event(place, line))
    return includes, events


def parse_extra(place, words):
    bits = 0
    for flag in filter(None, words.split(",")):
        if flag.startswith("cmask="):
            bits |= int(flag[6:], 16) << 24
        elif flag in ("edge", "any", "inv", "pebs"):
            bits |= 1 << {"edge": 18, "any": 21, "inv": 23, "pebs": 19}[flag]
        else:
            complain(place, f"'{flag}' is no flag")
    return bits


def parse_mask_entry(place, line):
    match = re.match(r"\t(0x[0-9a-f]+) (?:extra:(\S*) (\S+) )?(\S.*)$", line)
    if not match:
        complain(place, "neither a set nor an entry of one")
        return 0, 0, None, ""
    value, flags, name, description = match.groups()
    if name and not MASK_NAME.match(name):
        complain(place, "the name may hold letters, digits, _ and . only")
    return int(value, 16), parse_extra(place, flags or ""), name, description


def parse_masks(path):
    includes, sets = [], []
    for place, line in lines_of(path):
        head = re.match(r"name:(\w+) type:(mandatory|bitmask|exclusive) default:(\w+)$", line)
        if line.startswith("include:"):
            includes.append(line.split(":", 1)[1])
        elif head:
            sets.append(Mask(place, *head.groups()))
        elif not sets:
            complain(place, "an entry before the first set")
        else:
            sets[-1].entries.append(parse_mask_entry(place, line))
    return includes, sets


def check_mask(mask):
    values, names = mask.values(), [name for _, _, name, _ in mask.entries if name]
    default = mask.default_value()
    covered = 0
    for value in values:
        covered |= value
    if default is None:
        complain(mask.place, "the default names no entry")
    elif mask.kind == "mandatory" and values != [default]:
        complain(mask.place, "a mandatory set has one entry, which is the default")
    elif mask.kind == "exclusive" and default not in values:
        complain(mask.place, "the default is no entry")
    elif mask.kind == "bitmask" and default & ~covered:
        complain(mask.place, "the default has bits that no entry has")
    if len(names) != len(set(names)):
        complain(mask.place, "two entries have one name")
    for value, _, name, _ in mask.entries:
        if values.count(value) > 1 and not name:
            complain(mask.place, f"0x{value:x} is listed twice and has no name")
    if mask.default.startswith("0x") and values.count(default) > 1:
        complain(mask.place, "the default's number is several entries'; name one")
    if not mask.entries:
        complain(mask.place, "no entries")


class Directory:
    def __init__(self, base, name):
        path = os.path.join(base, name)
        self.name = name
        self.includes, self.events = parse_events(os.path.join(path, "events"))
        self.mask_includes, self.masks = parse_masks(os.path.join(path, "unit_masks"))
        if self.includes != self.mask_includes:
            complain(path, "events and unit_masks do not include the same")
        for mask in self.masks:
            check_mask(mask)


def closure(directories, name, above=()):
    """The directory and all it includes, innermost first."""
    return [directory for directory, _ in placed_closure(directories, name, above)]


def placed_closure(directories, name, above=()):
    """The directory and all it includes, innermost first, each with its depth of includes."""
    if name in above:
        complain(name, "includes itself")
        return []
    if name not in directories:
        complain(above[-1] if above else name, f"includes {name}, which is not there")
        return []
    found = []
    for include in directories[name].includes:
        found += placed_closure(directories, include, above + (name,))
    return found + [(directories[name], len(above))]


def events_of(directories, name):
    """The events of a type. If files at several depths define a name, the outermost ones count."""
    placed = placed_closure(directories, name)
    least = {}
    for directory, depth in placed:
        for event in directory.events:
            least[event.name] = min(depth, least.get(event.name, depth))
    return [event for directory, depth in placed for event in directory.events if least[event.name] == depth]


def check_sets_of(event, masks):
    sets = [masks[name] for name in event.sets if name in masks]
    if len(sets) != len(event.sets):
        complain(event.place, f"no unit masks {','.join(event.sets)}")
    if len(sets) > 1:
        if {mask.kind for mask in sets} not in ({"bitmask"}, {"exclusive"}):
            complain(event.place, "merged sets are all bitmask or all exclusive")
        if sum(len(mask.entries) for mask in sets) > 64:
            complain(event.place, "merged sets have more than 64 entries")
    return sets


def check_directory(directories, directory, used):
    parts = closure(directories, directory.name)
    masks, seen = {}, set()
    for mask in (mask for part in parts for mask in part.masks):
        if mask.name in masks:
            complain(mask.place, f"{mask.name} is there already, in {masks[mask.name].place}")
        masks[mask.name] = mask
    for event in events_of(directories, directory.name):
        used.update(id(mask) for mask in check_sets_of(event, masks))
        row = (event.name, event.code, ",".join(event.sets))
        if row in seen:
            complain(event.place, f"the same event twice in {directory.name}")
        seen.add(row)
    return events_of(directories, directory.name), masks


MODEL_TAGS = {"cpu", "number", "number_0_9", "counters", "default"}
HEX_LIST = r"[0-9a-f]+(-[0-9a-f]+)?(,[0-9a-f]+(-[0-9a-f]+)?)*"
RULES = {
    "x86": rf"\w+ ({HEX_LIST}|\*) ({HEX_LIST}|\*)( (?:perfmon|noperfmon))?( siblings:\d+)?$",
    "arm": rf"({HEX_LIST}|\*) ({HEX_LIST}|\*)$",
    "ppc": r"[a-z0-9+_]+(,[a-z0-9+_]+)*$",
    "s390": r"\d+(,\d+)*$",
    "cpuinfo": r"\w+ \S.*$",
    "pfm": r"\w+( \w+)*$",
    "filter": r"arch_perfmon$",
    "not_counted": r"\S.*$",
}


class Model:
    def __init__(self, place, tags, title):
        self.place, self.name, self.title, self.tags, self.rules = place, tags.get("cpu", ""), title, tags, []


def parse_models(path):
    models = []
    for place, line in lines_of(path):
        if not line.startswith("\t"):
            head, _, title = line.partition(" : ")
            words = [word.partition(":") for word in head.split()]
            tags = {tag: value for tag, _, value in words}
            if len(tags) != len(words) or not set(tags) <= MODEL_TAGS or "cpu" not in tags or "counters" not in tags:
                complain(place, "a tag is unknown, duplicated or missing")
            if not title:
                complain(place, "no title")
            models.append(Model(place, tags, title))
            continue
        kind, _, text = line[1:].partition(": ")
        if kind not in RULES or not re.match(RULES[kind], text):
            complain(place, "not understood")
        else:
            models[-1].rules.append((kind, text))
    return models


def listed(text, number):
    """True if a list of hexadecimal numbers and ranges, or *, holds the number."""
    if text == "*":
        return True
    for part in text.split(","):
        first, _, last = part.partition("-")
        if int(first, 16) <= number <= int(last or first, 16):
            return True
    return False


def first_match(models, matches):
    return next((model.name for model in models if any(matches(*rule) for rule in model.rules)), None)


def x86_type(models, vendor, family, model, perfmon=False, siblings=1):
    vendor = {"HygonGenuine": "AuthenticAMD"}.get(vendor, vendor)

    def matches(kind, text):
        if kind != "x86":
            return False
        words = text.split()
        return (words[0] == vendor and listed(words[1], family) and listed(words[2], model) and
                ("perfmon" not in words or perfmon) and ("noperfmon" not in words or not perfmon) and
                all(int(word[9:]) == siblings for word in words if word.startswith("siblings:")))
    return first_match(models, matches)


def arm_type(models, implementer, part):
    def matches(kind, text):
        return kind == "arm" and listed(text.split()[0], implementer) and listed(text.split()[1], part)
    return first_match(models, matches)


INTEL_PERFMON = {
    "core_2": "0f 16 17 1d", "core_i7": "1a 1e 1f 2e", "atom": "1c", "westmere": "25 2c 2f", "sandybridge": "2a 2d",
    "ivybridge": "3a 3e", "haswell": "3c 3f 45 46", "broadwell": "3d 47 4f 56", "skylake": "4e 5e 55 8e 9e",
    "silvermont": "37 4c 4d", "goldmont": "5c 5f", "goldmontplus": "7a", "knightslanding": "57 85",
    "icelake": "6a 7e", "tigerlake": "8c", "rocketlake": "a7", "alderlake": "97 9a b7", "sapphirerapids": "8f cf",
    "tremont": "86 96", "gracemont": "be", "arch_perfmon": "01 ff",
}
INTEL_OLD = {"ppro": "0 1 2", "pii": "3 4 5", "piii": "6 7 8 a b", "p6_mobile": "9 d"}
AMD = {
    0x06: "i386/athlon", 0x0f: "x86-64/hammer", 0x10: "x86-64/family10", 0x11: "x86-64/family11h",
    0x12: "x86-64/family12h", 0x13: None, 0x14: "x86-64/family14h", 0x15: "x86-64/family15h",
    0x16: "x86-64/family16h", 0x05: None, 0x1b: "x86-64/generic",
}
ZEN = {(0x17, 0x01): "zen1", (0x17, 0x71): "zen2", (0x19, 0x21): "zen3", (0x19, 0x61): "zen4", (0x1a, 0x44): "zen5",
       (0x1a, 0xff): "generic"}
ARM = {
    0x41: {0xb36: "armv6", 0xb56: "armv6", 0xb76: "armv6", 0xb02: "mpcore", 0xc05: "armv7-ca5", 0xc07: "armv7-ca7",
           0xc08: "armv7", 0xc09: "armv7-ca9", 0xc0f: "armv7-ca15", 0xc0e: "armv7-ca17", 0xd03: "armv8-ca53",
           0xd07: "armv8-ca57", 0xd08: "armv8-ca72", 0xd0b: "armv8-ca76", 0xd0c: "armv8-neoverse-n1",
           0xd01: "armv8-pmuv3"},
    0x42: {0x00f: "armv7-ca15", 0x100: "armv8-ca53", 0x516: "armv8-thunderx2"},
    0x43: {0x0af: "armv8-thunderx2"},
    0x50: {0x000: "armv8-xgene"},
    0x69: {0x290: "xscale1", 0x411: "xscale2"},
}


def expect(what, got, wanted):
    if got != wanted:
        complain("cpu_models", f"{what} is {got}, not {wanted}")


def check_detection(models):
    for name, numbers in INTEL_PERFMON.items():
        for number in numbers.split():
            expect(f"Intel 6/{number}", x86_type(models, "GenuineIntel", 6, int(number, 16), True), f"i386/{name}")
    for name, numbers in INTEL_OLD.items():
        for number in numbers.split():
            expect(f"Intel 6/{number}", x86_type(models, "GenuineIntel", 6, int(number, 16)), f"i386/{name}")
    for model in (0, 1, 2, 3, 4, 6):
        for siblings, name in ((1, "i386/p4"), (2, "i386/p4-ht"), (4, None)):
            got = x86_type(models, "GenuineIntel", 15, model, siblings=siblings)
            expect(f"NetBurst {model} with {siblings} siblings", got, name)
    expect("NetBurst 5", x86_type(models, "GenuineIntel", 15, 5), None)
    expect("Intel 5/2", x86_type(models, "GenuineIntel", 5, 2), None)
    for vendor in ("AuthenticAMD", "HygonGenuine"):
        for family, name in AMD.items():
            expect(f"{vendor} {family:x}", x86_type(models, vendor, family, 1), name)
        for (family, model), name in ZEN.items():
            expect(f"{vendor} {family:x}/{model:x}", x86_type(models, vendor, family, model), f"x86-64/{name}")
    expect("Hygon 18", x86_type(models, "HygonGenuine", 0x18, 0), "x86-64/zen1")
    for implementer, parts in ARM.items():
        for part, name in parts.items():
            expect(f"ARM {implementer:x}/{part:x}", arm_type(models, implementer, part), f"arm/{name}")


def check_default(model, events, masks):
    if "default" not in model.tags:
        return
    name, count, *mask = model.tags["default"].split(":")
    found = [event for event in events if event.name == name]
    if not found:
        complain(model.place, f"the default event {name} is not there")
        return
    if int(count) < found[0].minimum:
        complain(model.place, "the default count is below the event's minimum")
    if mask and int(mask[0], 16) not in masks[found[0].sets[0]].values():
        complain(model.place, "the default event has no such unit mask")


def check_counters(model, events):
    if model.tags["counters"] == "cpuid":
        return
    for event in events:
        if event.counters in (None, "cpuid"):
            continue
        if min(int(counter) for counter in event.counters.split(",")) >= int(model.tags["counters"]):
            complain(event.place, f"no counter of {model.name} can hold it")


def check_models(models, directories, known):
    for column in ("cpu", "number", "number_0_9"):
        values = [model.tags[column] for model in models if column in model.tags]
        for value in sorted(set(values)):
            if values.count(value) > 1:
                complain("cpu_models", f"{column}:{value} is listed twice")
    for model in models:
        if model.name in directories:
            events, masks = known[model.name]
            check_default(model, events, masks)
            check_counters(model, events)
        elif "default" in model.tags:
            complain(model.place, "a default event and no directory")
    included = {name for directory in directories.values() for name in directory.includes}
    for name in directories:
        if name not in included and name not in {model.name for model in models}:
            complain(name, "neither a type nor included by one")
    check_detection(models)


def allocate(allowed, taken=()):
    """Depth first, lowest free counter first: the counters, or none."""
    if not allowed:
        return list(taken)
    for counter in allowed[0]:
        if counter not in taken:
            found = allocate(allowed[1:], taken + (counter,))
            if found is not None:
                return found
    return None


P4 = ["BRANCH_RETIRED", "MISPRED_BRANCH_RETIRED", "BPU_FETCH_REQUEST", "ITLB_REFERENCE", "MEMORY_CANCEL", "MEMORY_COMPLETE",
      "TC_MS_XFER", "UOP_QUEUE_WRITES"]
VECTORS = [
    ("i386/ppro", ["CPU_CLK_UNHALTED", "DATA_MEM_REFS"], [0, 1]),
    ("i386/ppro", ["FLOPS", "FP_ASSIST"], [0, 1]),
    ("i386/ppro", ["FP_ASSIST", "FLOPS"], [1, 0]),
    ("i386/ppro", ["COMP_FLOP_RET", "FLOPS"], None),
    ("i386/p4", P4, [3, 7, 0, 4, 2, 6, 1, 5]),
    ("i386/p4", P4[:7] + ["INSTR_RETIRED"], None),
    ("mips/34K", ["DTLB_MISSES", "JR_31_INSNS"], [1, 0]),
]


def check_vectors(known):
    for name, names, counters in VECTORS:
        events = {event.name: event for event in known[name][0]}
        missing = [event for event in names if event not in events]
        if missing:
            complain(name, f"no event {' '.join(missing)}")
            continue
        got = allocate([[int(counter) for counter in events[event].counters.split(",")] for event in names])
        if got != counters:
            complain(name, f"{' '.join(names)} get counters {got}, not {counters}")


def main(base):
    directories = {}
    for path, _, files in os.walk(base):
        if "events" in files or "unit_masks" in files:
            name = os.path.relpath(path, base)
            directories[name] = Directory(base, name)
    used = set()
    known = {name: check_directory(directories, directory, used) for name, directory in sorted(directories.items())}
    for directory in directories.values():
        for mask in directory.masks:
            if id(mask) not in used:
                complain(mask.place, f"no event uses {mask.name}")
    models = parse_models(os.path.join(base, "cpu_models"))
    check_models(models, directories, known)
    check_vectors(known)
    for text in complaints:
        print(text)
    events = sum(len(directory.events) for directory in directories.values())
    print(f"{len(models)} types, {len(directories)} directories, {events} events, "
          f"{sum(len(directory.masks) for directory in directories.values())} unit mask sets: "
          f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "events"))
