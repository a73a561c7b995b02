#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""inject_nmi.py SOCKET RATE FLAG COUNT: as long as the file FLAG exists, makes the QEMU of the QMP socket SOCKET send RATE NMIs a
second to its guest, and writes how many it has sent to the file COUNT. While the file FLAG.idle exists, nothing is sent: a QEMU
(7.2) that ends while it has a command to answer may wait for ever. Ends with QEMU."""
import os
import pathlib
import select
import socket
import sys
import time


def connect(path):
    """The socket, once QEMU listens."""
    while True:
        try:
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(path)
            return sock
        except OSError:
            time.sleep(0.1)


def command(stream, name):
    """Makes QEMU execute a command; skips events. False at the end of the stream."""
    stream.write(b'{"execute":"%s"}\n' % name)
    stream.flush()
    for line in stream:
        if line.startswith((b'{"return"', b'{"error"')):
            return True
    return False


def has_ended(sock, stream, seconds):
    """Waits so long for an event, and skips it. True at the end of the stream."""
    return bool(select.select([sock], [], [], seconds)[0]) and not stream.readline()


def main():
    path, rate, flag, count = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
    sock = connect(path)
    stream = sock.makefile("rwb")
    stream.readline()
    command(stream, b"qmp_capabilities")
    sent = 0
    due = None
    idle = pathlib.Path(flag + ".idle")
    while True:
        if not os.path.exists(flag):
            due = None
            idle.touch()
            if has_ended(sock, stream, 0.05):
                break
            continue
        idle.unlink(missing_ok=True)
        due = due or time.monotonic()
        if not command(stream, b"inject-nmi"):
            break
        sent += 1
        with open(count, "w") as file:
            file.write("%d\n" % sent)
        due += 1 / rate
        time.sleep(max(0.0, due - time.monotonic()))


try:
    main()
except OSError:
    pass
