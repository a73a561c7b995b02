#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_operf_power.py DIR BUILD: checks the output of t_operf_power.sh in DIR, by the opreport of BUILD, which is of another architecture."""
import json
import subprocess
import sys
import tarfile

from verify import check, check_three_parts

output, build = sys.argv[1:]
for session in "shares", "chain", "signal":
    tarfile.open(f"{output}/{session}.tar").extractall(output)

command = [f"{build}/opreport", "-l", "--format=json", f"--session-dir={output}/shares", f"--root={output}/root"]
ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
check(f"opreport ends with {ran.returncode}: {ran.stderr.decode().strip()}", ran.returncode == 0)
document = json.loads(ran.stdout)
check(f"CPU {document['cpu']['name']}", document["cpu"]["name"] == "CPU with timer interrupt")
samples = {}
for row in document["symbols"]:
    samples[row["symbol"]] = samples.get(row["symbol"], 0) + row["samples"][0]
total = document["totals"][0]
check(f"{total} samples, one a millisecond of 1600 and what it took to begin", 1600 <= total <= 1640)
three, one = samples["spin_three"], samples["spin_one"]
check_three_parts("shares", three, one)
check(f"{(three + one) / total:.4f} in the two", (three + one) / total > 0.95)


def manifest(session):
    return json.load(open(f"{output}/{session}/samples/current/manifest.json"))


# Every stack that has the innermost function has its callers, and leads to the start.
for session, chain in ("chain", ["main", "chain_a", "chain_b", "chain_c"]), ("signal", ["main", "interrupted", "handler", "read_clock"]):
    command = [f"{build}/opreport", "--format=folded", f"--session-dir={output}/{session}", f"--root={output}/root"]
    lines = [line.rsplit(" ", 1) for line in subprocess.check_output(command, text=True).splitlines()]
    stacks = [(frames.split(";"), int(count)) for frames, count in lines if chain[-1] in frames]
    exact = sum(count for frames, count in stacks
                if [name for name in frames if name in chain] == chain and "[truncated" not in frames[1])
    leading = sum(count for frames, count in stacks)
    check(f"{session}: {exact} of {leading} stacks are exact", leading > 100 and exact == leading)
    kept = manifest(session)["stacks"]
    check(f"{session}: {kept}", kept["complete"] > 99 * sum(kept["incomplete"].values()))

ledger = manifest("shares")["ledger"]
check(f"{ledger}", ledger["sampled"] == ledger["stored"] == total)
