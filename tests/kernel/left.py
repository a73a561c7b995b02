# SPDX-License-Identifier: GPL-2.0-or-later
"""What the checks of things left by guest cases (left_CASE.py) have in common."""
import sys


def check(what, holds):
    """Prints the claim, and ends the check if it does not hold."""
    print("ok" if holds else "FAILED", what)
    if not holds:
        sys.exit(1)


def known_instructions(words):
    """What programs/known_instructions executes with that many words, parent and child; see there."""
    return 31 + 8000000 * words


def only_row(path):
    """(event, count, percent) of the only line of what ocount --brief-format wrote."""
    event, count, percent = open(path).read().split(",")
    return event, int(count), float(percent)
