# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of the checks of guest cases' output (verify_CASE.py)."""
import math
import sys


def check(what, holds):
    """Prints the claim, and ends the check if it does not hold."""
    print("ok" if holds else "FAILED", what)
    if not holds:
        sys.exit(1)


def check_three_parts(what, three, one):
    """Three quarters of these samples are in the first function, within a hundredth and four standard errors of that many."""
    samples = three + one
    share = three / samples if samples else 0
    room = 0.01 + 4 * math.sqrt(0.75 * 0.25 / samples) if samples else 0
    check(f"{what}: {three} and {one} samples, 3 parts of 4 are {share:.4f}, give or take {room:.4f}", abs(share - 0.75) <= room)


def known_instructions(words):
    """The instructions that programs/known_instructions executes with that many words, parent and child; see there."""
    return 31 + 8000000 * words


def only_row(path):
    """(event, count, percent) of the only line that ocount --brief-format wrote."""
    event, count, percent = open(path).read().split(",")
    return event, int(count), float(percent)
