#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_ocount.py DIR BUILD: checks the output of t_ocount.sh in DIR."""
import json
import sys

from verify import check, known_instructions, only_row

output = sys.argv[1]


def rows(name):
    """Event -> row of the report in JSON."""
    return {row["event"]: row for row in json.load(open(f"{output}/{name}"))["counts"]}


for name, words in ("one", 1), ("three", 3):
    counted = only_row(f"{output}/{name}")
    check(f"{name}: {counted}", counted == ("INST_RETIRED:0x0:u", known_instructions(words), 100.0))

modes = rows("modes")
check(f"modes: {len(modes)} events, none scaled", len(modes) == 6 and not any(row["scaled"] for row in modes.values()))
user, kernel, both = (modes["INST_RETIRED" + mode]["count"] for mode in (":0x0:u", ":0x0:k", ""))
check(f"user instructions {user}", user == known_instructions(3))
check(f"instructions {both} = {user} + {kernel} of the kernel", kernel > 0 and both == user + kernel)
# The emulator's clock and its cycle counter go at 1 GHz and an instruction takes 2 ns of it.
for mode in ":0x0:u", ":0x0:k", "":
    instructions, cycles = modes["INST_RETIRED" + mode]["count"], modes["CPU_CYCLES" + mode]["count"]
    check(f"cycles{mode} {cycles} = twice the instructions {instructions}", cycles == 2 * instructions)

# Scaled: events / time running * time enabled. The program executes an instruction every 2 ns but for the time that the
# kernel takes; all that scaling can do wrong is to take the share of that time while it counted for the share while
# it did not.
multiplexed = rows("multiplexed")
check(f"multiplexed: {len(multiplexed)} events", len(multiplexed) == 10)
check("every event was counted", all(row["running_ns"] > 0 for row in multiplexed.values()))
check("not every one all the time", any(row["scaled"] for row in multiplexed.values()))
row = multiplexed["INST_RETIRED:0x0:u"]
share = row["running_ns"] / row["enabled_ns"]
in_kernel = row["enabled_ns"] - 2 * known_instructions(6)
check(f"user instructions counted {share:.3f} of the time", 0.5 < share < 0.99)
check(f"{row['unscaled_count']} counted are fewer than there were", row["unscaled_count"] < known_instructions(6))
check(f"the kernel had {in_kernel} ns of {row['enabled_ns']}", 0 < in_kernel < row["enabled_ns"] / 50)
bound = in_kernel / 2 / share
check(f"{row['count']} is {known_instructions(6)}, give or take {bound:.0f}", abs(row["count"] - known_instructions(6)) <= bound)
