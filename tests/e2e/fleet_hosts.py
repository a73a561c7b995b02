#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# A session of one host that ran a program, for tests/golden/make_session: fleet_hosts.py PROGRAM HOST SEED SPEC WEIGHTS...
# A weight is FUNCTION=N: about N samples in that function, which vary by seed. The program has to have a build-id, and a
# place in its file for each address that is its address, as linkers make them.
import json
import random
import re
import subprocess
import sys

program, host, seed, spec = sys.argv[1:5]
weights = dict(pair.split("=") for pair in sys.argv[5:])
draw = random.Random(seed)
symbols = {}
for line in subprocess.check_output(["nm", "-S", program], text=True).splitlines():
    words = line.split()
    if len(words) == 4 and words[2] in "tTwW":
        symbols[words[3]] = (int(words[0], 16), int(words[1], 16))
build_id = re.search(r"Build ID: ([0-9a-f]+)", subprocess.check_output(["readelf", "-n", program], text=True)).group(1)
counts = {}
for name, weight in weights.items():
    start, size = symbols[name]
    places = draw.sample(range(start, start + size), min(4, size))
    for place in places:
        counts[place] = draw.randrange(int(weight) * 9 // 10, int(weight) * 11 // 10 + 1) // len(places) + 1
day = 1764028800 + 86400 * (int(seed) % 2)
total = sum(counts.values()) + 50
lines = ["cpu_type 32", "speed 2394"]
for image, rows in ((program, counts), ("/lib/gone.so", {0x1000: 30, 0x2000: 20})):
    lines.append("file {root}%s/{dep}/{root}%s/CYCLES.100000.0.all.all.all" % (program, image))
    lines.append("header event_code=0x3c count=100000")
    lines += ["%#x %d" % row for row in sorted(rows.items())]
manifest = {
    "format": 1, "tool": "test 1", "command": "prog", "host": host, "kernel_release": "6.1", "cpu_type": 32,
    "cpu_speed_mhz": 2394, "start_time": day, "stop_time": day + 3600,
    "events": [{"name": "CYCLES", "count": 100000, "enabled_ns": 5, "running_ns": 5}],
    "images": {program: {"build_id": build_id}, "/lib/gone.so": {"build_id": "ab" * 20}},
    "ledger": {"sampled": total + 3, "stored": total, "lost": {"no_mapping": {"0": 3}}},
}
lines.append("text manifest.json " + json.dumps(manifest))
with open(spec, "w", encoding="utf-8") as out:
    out.write("\n".join(lines) + "\n")
