#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_operf_power.py DIR BUILD: checks the output of t_operf_power.sh in DIR, by the opreport of BUILD, which is of another architecture."""
import json
import subprocess
import sys
import tarfile

from verify import check

output, build = sys.argv[1:]
tarfile.open(f"{output}/shares.tar").extractall(output)

command = [f"{build}/opreport", "-l", "--format=json", f"--session-dir={output}/shares", f"--root={output}/root"]
ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
check(f"opreport ends with {ran.returncode}: {ran.stderr.decode().strip()}", ran.returncode == 0)
document = json.loads(ran.stdout)
check(f"CPU {document['cpu']['name']}", document["cpu"]["name"] == "CPU with timer interrupt")
samples = {}
for row in document["symbols"]:
    samples[row["symbol"]] = samples.get(row["symbol"], 0) + row["samples"][0]
total = document["totals"][0]
check(f"{total} samples, one a millisecond of 400 and what it took to begin", 400 <= total <= 440)
# Three parts to one, within 400 milliseconds; the first has some milliseconds more at the start.
three, one = samples["spin_three"], samples["spin_one"]
check(f"{three} and {one}, 3 parts of 4 are {three / (three + one):.4f}", 0.74 <= three / (three + one) <= 0.77)
check(f"{(three + one) / total:.4f} in the two", (three + one) / total > 0.95)
ledger = json.load(open(f"{output}/shares/samples/current/manifest.json"))["ledger"]
check(f"{ledger}", ledger["sampled"] == ledger["stored"] == total)
