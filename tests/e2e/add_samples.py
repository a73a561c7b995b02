# SPDX-License-Identifier: GPL-2.0-or-later
# Adds samples to sample files in place, as a recorder does: add_samples.py COUNT FILE... adds COUNT to the first entry of each.
# Layout: doc/FORMATS.md, "Sample files" (72 bytes of header, 32 of descriptor, then entries of 16 bytes from number 0 on).
import struct, sys

FIRST_VALUE = 72 + 32 + 16 + 8

for path in sys.argv[2:]:
    with open(path, "r+b") as file:
        file.seek(FIRST_VALUE)
        (value,) = struct.unpack("=I", file.read(4))
        file.seek(FIRST_VALUE)
        file.write(struct.pack("=I", value + int(sys.argv[1])))
