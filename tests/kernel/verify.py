# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of the checks of guest cases' output (verify_CASE.py)."""
import sys


def check(what, holds):
    """Prints the claim, and ends the check if it does not hold."""
    print("ok" if holds else "FAILED", what)
    if not holds:
        sys.exit(1)


def known_instructions(words):
    """The instructions that programs/known_instructions executes with that many words, parent and child; see there."""
    return 31 + 8000000 * words


def only_row(path):
    """(event, count, percent) of the only line that ocount --brief-format wrote."""
    event, count, percent = open(path).read().split(",")
    return event, int(count), float(percent)
