#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# A session of known counts for tests/golden/make_session: fleet_session.py ROUND SPEC SUMS. Counts of a later round are
# those of earlier ones and more. SUMS has a line "EVENT PATH SAMPLES" for each event and image, sorted.
import json
import random
import sys

rounds, spec, sums = int(sys.argv[1]), sys.argv[2], sys.argv[3]
apps = ["/usr/bin/a", "/usr/bin/it's; DROP TABLE samples --", "/opt/\u00fc \t\\n"]
libraries = ["/lib/libc.so.6", "/lib/lib'x\".so"]
events = [("TIMER", 1000000), ("CYCLES", 100000)]
counts = {}
for this in range(rounds):
    draw = random.Random(this)
    for app in apps:
        for image in [app] + libraries:
            for event in events:
                for _ in range(400 if this == 0 else 150):
                    key = (app, image, event, draw.randrange(1, 5000))
                    counts[key] = counts.get(key, 0) + draw.randrange(1, 1000)

lines, totals = ["cpu_type 32", "speed 2394"], {}
for app in apps:
    for image in [app] + libraries:
        for event, period in events:
            lines.append(f"file {{root}}{app}/{{dep}}/{{root}}{image}/{event}.{period}.0.all.all.all")
            lines.append(f"header event_code=0x3c count={period}")
            for (a, i, e, place), n in sorted(counts.items()):
                if (a, i, e[0]) == (app, image, event):
                    lines.append(f"{place:#x} {n}")
                    totals[event, image] = totals.get((event, image), 0) + n
total = sum(totals.values())
manifest = {
    "format": 1, "tool": "test 1", "command": "a command with a secret word", "host": "web'1\\", "kernel_release": "6.1",
    "cpu_type": 32, "start_time": 1764028800, "stop_time": 1764032400,
    "events": [{"name": e, "count": p, "enabled_ns": 5, "running_ns": 5} for e, p in events],
    "images": {path: {"build_id": "%040x" % (7 * n + 1)} for n, path in enumerate(apps + libraries)},
    "ledger": {"sampled": total + 3, "stored": total, "lost": {"no_mapping": {"0": 3}}},
}
lines.append("text manifest.json " + json.dumps(manifest, ensure_ascii=False))
with open(spec, "w", encoding="utf-8") as out:
    out.write("\n".join(lines) + "\n")
escaped = {e: str(e).replace("\\", "\\\\").replace("\t", "\\t").replace("'", "\\'") for e in apps + libraries}
with open(sums, "w", encoding="utf-8") as out:
    out.writelines(sorted(f"{e}\t{escaped[i]}\t{n}\n" for (e, i), n in totals.items()))
