#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""inject_nmi.py SOCKET RATE FLAG COUNT: as long as the file FLAG exists, makes the QEMU of the QMP socket SOCKET send RATE NMIs a
second to its guest, and writes how many it has sent to the file COUNT. While the file FLAG.idle exists, none is sent. Ends with
QEMU."""
import os
import pathlib
import socket
import sys
import time


def connect(path):
    """The socket, once QEMU listens; None if it does not within ten seconds."""
    for _ in range(100):
        try:
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(path)
            return sock
        except OSError:
            time.sleep(0.1)
    return None


def command(stream, name):
    """Makes QEMU execute a command; skips events. False at the end of the stream."""
    stream.write(b'{"execute":"%s"}\n' % name)
    stream.flush()
    for line in stream:
        if line.startswith((b'{"return"', b'{"error"')):
            return True
    return False


def main():
    path, rate, flag, count = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
    sock = connect(path)
    if sock is None:
        return
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
            time.sleep(0.05)
            if not command(stream, b"query-status"):
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
