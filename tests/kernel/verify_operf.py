#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_operf.py DIR BUILD: checks the output of t_operf.sh in DIR, by the opreport of BUILD, which is of another architecture."""
import json
import os
import pathlib
import subprocess
import sys
import tarfile

from verify import check, check_three_parts, known_instructions

output, build = sys.argv[1:]
source = pathlib.Path(__file__).resolve().parents[2]
os.environ["OPROFILE_EVENTS_DIR"] = str(source / "events")
for archive in pathlib.Path(output).glob("*.tar"):
    tarfile.open(archive).extractall(output)


def report(session, wanted):
    """The symbols of the session: name -> [samples of each event], and the sums. Wanted: the events it has to hold."""
    command = [f"{build}/opreport", "-l", "--format=json", f"--session-dir={output}/{session}", f"--root={output}/root"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(f"{session}: opreport ends with {ran.returncode}: {ran.stderr.decode().strip()}", ran.returncode == 0)
    document = json.loads(ran.stdout)
    check(f"{session}: CPU {document['cpu']['name']}", document["cpu"]["name"] == "ARM Cortex-A72")
    events = [(column["event"], column["count"]) for column in document["columns"]]
    check(f"{session}: {events}", events == wanted)
    samples = {}
    for row in document["symbols"]:
        sums = samples.setdefault(row["symbol"], [0] * len(wanted))
        samples[row["symbol"]] = [a + b for a, b in zip(sums, row["samples"])]
    check(f"{session}: {len(document['totals'])} totals", len(document["totals"]) == len(wanted))
    return samples, document["totals"]


def manifest(session):
    return json.load(open(f"{output}/{session}/samples/current/manifest.json"))


two = [("CPU_CYCLES", 100000), ("INST_RETIRED", 100000)]

# Both tasks of the program take a sample at the end of each period; the rest of the last period makes none.
tasks = 2
symbols, sums = report("known", two)
instructions = int(open(f"{output}/counted").read().split(",")[1])
for name, total, count, occurred in zip(("cycles", "instructions"), sums, (100000, 100000), (2 * instructions, instructions)):
    check(f"known: {total} samples of {count} {name}, {occurred} counted",
          occurred // count - tasks <= total <= occurred // count)
check(f"known: {symbols}, all in the program's own code", symbols == {"_start": sums})

# More events than counters: each was counted for part of the time, and reports are scaled to all of it. What is missing from the
# scaled number follows from the turns, which take four milliseconds: where a task begins or ends, an event may have a turn in
# which the kernel runs and the program does not, one for each task. The last period of each task makes no sample.
turn_ns = 4e6
several = [("INST_RETIRED", count) for count in range(100000, 118000, 2000)]
occurred = known_instructions(36)
scaled = report("several", several)[1]
recorded = manifest("several")["events"]
check(f"several: {len(scaled)} totals, {len(recorded)} events in the manifest", len(scaled) == len(recorded) == len(several))
for (event, count), total, times in zip(several, scaled, recorded):
    share = times["running_ns"] / times["enabled_ns"]
    check(f"several: {event}:{count} was counted {share:.3f} of the time", 0.5 < share < 0.99)
    off = tasks * (turn_ns / times["running_ns"] + count / share / occurred)
    check(f"several: {total} samples of {count} are {occurred}, give or take {100 * off:.2f} %",
          abs(total * count - occurred) <= off * occurred)
printed = {session: open(f"{output}/{session}.log").read() for session in ("known", "shares", "several")}
check("operf reports which events took turns", all(f"{event}:{count} ran" in printed["several"] for event, count in several))
check("and no others", "turns" not in printed["known"] + printed["shares"])

symbols, sums = report("shares", two)
for number, event in enumerate(("CPU_CYCLES", "INST_RETIRED")):
    three, one = symbols["spin_three"][number], symbols["spin_one"][number]
    check_three_parts(f"shares: {event}", three, one)
    check(f"shares: {event}: {(three + one) / sums[number]:.4f} in the two", (three + one) / sums[number] > 0.95)

# Every stack that has one of the chain's functions has its callers, and nearly all lead to the start.
command = [f"{build}/opreport", "--format=folded", f"--session-dir={output}/chain", f"--root={output}/root"]
stacks = [line.rsplit(" ", 1) for line in subprocess.check_output(command, text=True).splitlines()]
chains = [(frames.split(";"), int(count)) for frames, count in stacks if "chain_c" in frames]
exact = sum(count for frames, count in chains if ["main", "chain_a", "chain_b", "chain_c"] == frames[frames.index("chain_c") - 3:][:4]
            and "[truncated" not in frames[1])
total = sum(count for frames, count in chains)
check(f"chain: {exact} of {total} stacks are exact", total > 100 and exact == total)
kept = manifest("chain")["stacks"]
check(f"chain: {kept}", kept["complete"] > 99 * sum(kept["incomplete"].values()))

for session in "known", "shares":
    ledger = manifest(session)["ledger"]
    check(f"{session}: {ledger}", ledger["sampled"] == ledger["stored"] and ledger["stored"] == sum(report(session, two)[1]))
    files = [path.name for path in pathlib.Path(output, session).rglob("*.all.all.all")]
    for event in "CPU_CYCLES.100000.", "INST_RETIRED.100000.":
        check(f"{session}: a sample file of {event}", any(name.startswith(event) for name in files))
