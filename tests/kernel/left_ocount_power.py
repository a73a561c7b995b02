#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""left_ocount_power.py DIR BUILD: checks what t_ocount_power.sh left in DIR."""
import json
import sys

from left import check, known_instructions, only_row

left = sys.argv[1]

counts = {}
for name, words in ("three", 3), ("six", 6):
    event, counts[name], percent = only_row(f"{left}/{name}")
    check(f"{name}: {event} all the time", event == "PM_INST_CMPL" and percent == 100)
    kernel = counts[name] - known_instructions(words)
    check(f"{name}: {counts[name]} instructions, {kernel} more than the program's", 0 < kernel < known_instructions(words) / 100)
between = counts["six"] - counts["three"]
check(f"three words more: {between} instructions", 0.99 < between / (known_instructions(6) - known_instructions(3)) < 1.01)

turns = {row["event"]: row for row in json.load(open(f"{left}/turns"))["counts"]}
shares = {event: row["running_ns"] / row["enabled_ns"] for event, row in turns.items()}
check(f"one at a time: {shares}", len(shares) == 2 and 0.97 < sum(shares.values()) < 1.01)
for event, share in shares.items():
    check(f"{event} was counted for {share:.3f} of the time, and scaled", 0.2 < share < 0.8 and turns[event]["scaled"])
instructions, cycles = turns["PM_INST_CMPL"]["count"], turns["CYCLES"]["count"]
check(f"scaled, {instructions} instructions of {counts['six']}", abs(instructions / counts["six"] - 1) < 0.03)
# The emulator's clock and its cycle counter go at 1 GHz and an instruction takes 2 ns of it.
check(f"scaled, {cycles} cycles, two each", abs(cycles / counts["six"] - 2) < 0.03 * 2)
