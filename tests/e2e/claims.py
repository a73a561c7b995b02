# SPDX-License-Identifier: GPL-2.0-or-later
# Claims on what a browser shows: each is printed, those that do not hold are counted.
import json


class Claims:
    def __init__(self):
        self.failures = 0

    def is_equal(self, claim, found, wanted):
        if found == wanted:
            print(claim + ": " + json.dumps(found)[:100])
            return
        self.failures += 1
        print("FAIL %s: %s, not %s" % (claim, json.dumps(found)[:3000], json.dumps(wanted)[:3000]))
