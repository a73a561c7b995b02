#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes requests of OTLP profiles by hand, checks the rules of their dictionary, and prints the samples of each function
of the sampled addresses, and of all. usage: otlp_sums.py FILE..."""
import collections
import sys

from stub_roads import fields


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def message(data):
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


sums, ids = collections.Counter(), set()
for path in sys.argv[1:]:
    request = message(open(path, "rb").read())
    (dictionary,) = [message(d) for d in request[2]]
    for table in (1, 2, 3, 4, 6, 7):
        assert dictionary[table][0] == b"", "%s: entry 0 of table %d is not the zero value" % (path, table)
    assert dictionary[5][0] == b"", "string 0"
    strings = [s.decode() for s in dictionary[5]]
    mappings, locations = [message(m) for m in dictionary[1]], [message(m) for m in dictionary[2]]
    functions, stacks = [message(m) for m in dictionary[3]], [message(m) for m in dictionary[7]]
    attributes = [message(m) for m in dictionary[6]]
    for location in locations:
        assert location[1] == [] or location[1][0] < len(mappings)
    for mapping in mappings[1:]:
        assert mapping[1][0] < mapping[2][0] and strings[mapping[4][0]]
        for index in (i for packed in mapping[5] for i in varints(packed)):
            assert strings[attributes[index][1][0]] == "process.executable.build_id.gnu"
    for resource in request[1]:
        resource = message(resource)
        keys = [message(pair)[1][0].decode() for pair in message(resource[1][0])[1]]
        assert keys == ["service.name", "host.name", "process.executable.path"], keys
        for profile in (message(p) for scope in resource[2] for p in message(scope)[2]):
            kind = message(profile[1][0])
            assert (strings[kind[1][0]], strings[kind[2][0]]) == ("samples", "count")
            assert len(profile[7][0]) == 16 and profile[7][0] not in ids, "ids are not unique"
            ids.add(profile[7][0])
            assert profile[3][0] > 10 ** 18 and profile[6][0] > 0
            for sample in (message(s) for s in profile[2]):
                count = sum(varints(sample[4][0]))
                frames = list(varints(stacks[sample[1][0]][1][0])) if sample[1] else []
                lines = [message(line) for line in locations[frames[0]][3]] if frames else []
                sums["all"] += count
                if lines:
                    sums[strings[functions[lines[0][1][0]][1][0]]] += count
for name, count in sorted(sums.items()):
    print(count, name)
