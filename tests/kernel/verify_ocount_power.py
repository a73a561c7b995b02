#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_ocount_power.py DIR BUILD: checks the output of t_ocount_power.sh in DIR."""
import json
import sys

from verify import check, known_instructions, only_row

output = sys.argv[1]

counts = {}
for name, words in ("three", 3), ("six", 6):
    event, counts[name], percent = only_row(f"{output}/{name}")
    check(f"{name}: {event} all the time", event == "PM_INST_CMPL" and percent == 100)
    kernel = counts[name] - known_instructions(words)
    check(f"{name}: {counts[name]} instructions, {kernel} more than the program's", 0 < kernel < known_instructions(words) / 100)
between = counts["six"] - counts["three"]
check(f"three words more: {between} instructions", 0.99 < between / (known_instructions(6) - known_instructions(3)) < 1.01)


def rows(name):
    """Event -> row of the report in JSON."""
    return {row["event"]: row for row in json.load(open(f"{output}/{name}"))["counts"]}


together = rows("together")
check("two events on two counters, all the time", len(together) == 2 and not any(row["scaled"] for row in together.values()))
instructions, cycles = together["PM_INST_CMPL"]["count"], together["CYCLES"]["count"]
check(f"{instructions} instructions of {counts['six']}", abs(instructions / counts["six"] - 1) < 0.01)
# The emulator's clock and its cycle counter go at 1 GHz and an instruction takes 2 ns of it.
check(f"{cycles} cycles, two each", abs(cycles / instructions - 2) < 0.01 * 2)

turns = rows("turns")
shares = {event: row["running_ns"] / row["enabled_ns"] for event, row in turns.items()}
# The kernel takes events in the order of their turns up to the first that has no counter left. PM_CYC has the counter of one of the
# others, so that in five turns 14 or 16 events are counted, as their order is: 2.8 or 3.2 at a time. The last turns may be cut off.
check(f"five take turns on four: {shares}", len(shares) == 5 and 2.5 < sum(shares.values()) < 4.01)
check("every event was counted", all(share > 0 for share in shares.values()))
cycles, share = turns["PM_CYC"]["count"], shares["PM_CYC"]
check(f"cycles were counted for {share:.3f} of the time, and scaled", 0.2 < share < 0.9 and turns["PM_CYC"]["scaled"])
check(f"scaled, {cycles} cycles, two for each of {counts['six']}", abs(cycles / counts["six"] - 2) < 0.03 * 2)
others = sum(row["count"] for event, row in turns.items() if event != "PM_CYC")
check(f"{others} of the events that the emulator does not count", others == 0)
