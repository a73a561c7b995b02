#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Passes connections on to a server on loopback and counts the bytes: count_bytes.py PORTFILE COUNTS SERVER-PORT. PORTFILE
# gets the port to connect to. COUNTS has "BYTES-TO-THE-SERVER BYTES-FROM-IT CONNECTIONS", of connections that have ended.
import os
import socket
import socketserver
import sys
import threading

port_file, counts_file, server_port = sys.argv[1], sys.argv[2], int(sys.argv[3])
totals = [0, 0, 0]
lock = threading.Lock()


def replace(path, text):
    with open(path + ".new", "w") as out:
        out.write(text)
    os.rename(path + ".new", path)


def pass_on(source, target):
    count = 0
    while data := source.recv(1 << 16):
        target.sendall(data)
        count += len(data)
    target.shutdown(socket.SHUT_WR)
    return count


class Relay(socketserver.BaseRequestHandler):
    def handle(self):
        with socket.create_connection(("127.0.0.1", server_port)) as server:
            counts = [0, 0]

            def answers():
                counts[1] = pass_on(server, self.request)

            back = threading.Thread(target=answers)
            back.start()
            counts[0] = pass_on(self.request, server)
            back.join()
        with lock:
            for i, n in enumerate(counts + [1]):
                totals[i] += n
            replace(counts_file, " ".join(map(str, totals)) + "\n")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Relay) as relay:
    replace(port_file, str(relay.server_address[1]))
    relay.serve_forever()
