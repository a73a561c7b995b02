#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_power_off.py DIRECTORY: after t_power_off.sh, whose output is DIRECTORY: in the kernel's log, two directories above it, both
CPUs counted when the guest began to power off, and none did after the notifiers had run."""
import pathlib
import re
import sys

log = (pathlib.Path(sys.argv[1]).parent.parent / "serial.log").read_text(errors="replace")
found = re.findall(r"test build: CPUs that count( in the end)?: (\d+)", log)
if found != [("", "2"), (" in the end", "0")]:
    sys.exit(f"FAILED: the counters at power off: {found}")
