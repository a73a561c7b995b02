#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_soak.py DIR: prints the figures that soak_in_guest.sh left in DIR, the first half of the time beside the second; checks the
account and that memory did not grow. What the daemon has mapped of the session's files (daemon_rss without daemon_anon) grows with
these, and is the page cache's. The index of the store of stacks is the daemon's own, and takes about as much as the store
(libop/stacks/stack_index.h)."""
import json
import pathlib
import sys

from verify import check

FREE = "available, with tmpfs"
OWN = "kernel's own"
directory = pathlib.Path(sys.argv[1])
names, *rows = [line.split() for line in (directory / "figures").read_text().splitlines()]
minutes = [dict(zip(names, map(int, row))) for row in rows]
for minute in minutes:
    minute[OWN] = minute["SUnreclaim"] + minute["KernelStack"] + minute["VmallocUsed"] + minute["Percpu"]
    minute[FREE] = minute["MemAvailable"] + minute["Shmem"]
half = sum(minute["minute"] <= minutes[-1]["minute"] // 2 for minute in minutes)  # rows: minutes can be missing
stats = {name: int(value) for name, value in map(str.split, (directory / "stats").read_text().splitlines())}
ledger = json.loads((directory / "manifest.json").read_text())["ledger"]
losses = {cause: sum(cpus.values()) for cause, cpus in ledger["lost"].items()}


def mean(rows, name):
    return sum(row[name] for row in rows) // len(rows)


def growth(name):
    """Of the means of the two halves, in KiB."""
    return mean(minutes[half:], name) - mean(minutes[:half], name)


print(f"{'KiB':28} {'first':>10} {'mean':>10} {'mean':>10} {'last':>10}")
for name in ["MemFree", "MemAvailable", FREE, OWN, "SUnreclaim", "VmallocUsed", "Percpu", "KernelStack",
             "SReclaimable", "Shmem", "daemon_rss", "daemon_anon", "session_kib", "session_files"]:
    print(f"{name:28} {minutes[0][name]:10} {mean(minutes[:half], name):10} {mean(minutes[half:], name):10} {minutes[-1][name]:10}")
print("the driver:", ", ".join(f"{name} {value}" for name, value in stats.items()))
print("the account: sampled", ledger["sampled"], "stored", ledger["stored"], losses)
first, last = minutes[0], minutes[-1]
idle = (last["idle_ticks"] - first["idle_ticks"]) / (100 * 2 * 60) / (last["minute"] - first["minute"] or 1)
print(f"the daemon: {last['daemon_ticks'] / 100} s of CPU time; the CPUs were idle {idle:.0%} of the time")
check(f"sampled {ledger['sampled']} = received {stats['sample_received']}", ledger["sampled"] == stats["sample_received"] > 0)
check("sampled = stored + lost", ledger["sampled"] == ledger["stored"] + sum(losses.values()))
for name, most in [(OWN, 1024), ("daemon_anon", 1024 + growth("session_kib"))]:
    check(f"{name}: {growth(name)} KiB more on average in the second half, {most} at most", growth(name) <= most)
