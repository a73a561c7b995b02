#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes the screen that Xvfb keeps in a file (X Window Dump, X11/XWDFile.h) as PNG: screenshot.py FILE PICTURE.
# Fails while the screen has hardly anything but one colour.
import struct
import sys
import zlib

with open(sys.argv[1], "rb") as file:
    data = file.read()
head = struct.unpack(">25I", data[:100])
size, width, height, line, colours = head[0], head[4], head[5], head[12], head[19]
pixels = data[size + 12 * colours:]
rows = [pixels[y * line:y * line + 4 * width] for y in range(height)]
shown = [b"".join(row[x + 2:x + 3] + row[x + 1:x + 2] + row[x:x + 1] for x in range(0, len(row), 4)) for row in rows]
if len({row[x:x + 3] for row in shown for x in range(0, len(row), 3)}) < 20:
    sys.exit(1)


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


with open(sys.argv[2], "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
               chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in shown))) + chunk(b"IEND", b""))
