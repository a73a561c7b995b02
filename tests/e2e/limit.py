# SPDX-License-Identifier: GPL-2.0-or-later
# A limit of time that follows the speed of the machine.
import subprocess
import time


def slowness():
    """How many times as long as on an idle machine it takes to start a hundred programs now, at least 1."""
    began = time.monotonic()
    for _ in range(100):
        subprocess.run(["/bin/true"], check=True)
    return max(1, round((time.monotonic() - began) / 0.1))


class Limit:
    """So many seconds from now, of a machine that is as slow as this one is when they are over."""

    def __init__(self, seconds):
        self.began = time.monotonic()
        self.seconds = self.most = seconds

    def left(self):
        """The seconds until the limit, 0 if it is over."""
        left = self.began + self.most - time.monotonic()
        if left <= 0:
            self.most = max(self.most, self.seconds * slowness())
            left = self.began + self.most - time.monotonic()
        return max(0, left)
