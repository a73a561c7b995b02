#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Is between oppush and a server, or in place of one: fleet_stub.py PORTFILE MODE [UPSTREAM-PORT [CERTIFICATE KEY [CLIENT-CA]]].
# With CLIENT-CA clients need a certificate of it.
#   cut     passes requests on; of every three INSERTs, one is cut in the middle of its body, one loses its answer
#   busy    answers INSERTs with 429 and Retry-After the first two times, then with 503, then passes them on
#   parts   answers INSERTs with ClickHouse's error 252 the first two times, then passes them on
#   full    answers INSERTs as a server of 2018 does whose disk is full
#   write   answers INSERTs as a server does that finds so in the middle of a write
#   before:N, after:N
#           passes everything on up to the Nth INSERT, which it holds for ever, before or after the server has it; then
#           PORTFILE.held exists
#   late    passes everything on; its clock is two hours behind
#   200     answers INSERTs with status 200 and an error in the body, passes the rest on
#   pass    passes everything on
import contextlib
import email.utils
import http.client
import http.server
import socket
import ssl
import sys
import time

port_file, mode = sys.argv[1:3]
upstream = int(sys.argv[3]) if len(sys.argv) > 3 else 0
requests = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def hold(self):
        with open(port_file + ".held", "w"):
            pass
        self.rfile.read(1)  # until the client is gone
        self.close_connection = True

    def passed_on(self, body, cut_at=None):
        path = self.path
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        server = http.client.HTTPConnection("127.0.0.1", upstream, timeout=60)
        if cut_at is not None:
            server.putrequest("POST", path)
            for name, value in headers.items():
                server.putheader(name, value)
            server.endheaders()
            server.send(body[:cut_at])
            server.close()
            return None
        server.request("POST", path, body, headers)
        answer = server.getresponse()
        return answer.status, answer.read(), answer.getheader("Date")

    def do_POST(self):
        global requests
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_insert = "INSERT" in self.path
        requests += is_insert
        if mode == "cut" and is_insert and requests % 3 == 0:
            self.passed_on(body, len(body) * 2 // 3)
            return self.hang_up()
        if mode == "busy" and is_insert and requests <= 3:
            return self.answer(*((429, b"slow down", [("Retry-After", "1")]) if requests < 3 else (503, b"busy")))
        if mode == "parts" and is_insert and requests < 3:
            return self.answer(500, b"Code: 252, e.displayText() = DB::Exception: Too many parts (300). Merges are slower\n")
        if mode == "full" and is_insert:
            return self.answer(500, b"Code: 243, e.displayText() = DB::Exception: Cannot reserve 1.00 MiB, not enough space\n")
        if mode == "write" and is_insert:
            return self.answer(500, b"Code: 75, e.displayText() = DB::Exception: Cannot write to file /x, errno: 28, strerror: No space left on device\n")
        if mode == "200" and is_insert:
            return self.answer(200, b"Code: 241, e.displayText() = DB::Exception: Memory limit\n")
        is_held = is_insert and mode in (f"before:{requests}", f"after:{requests}")
        if is_held and mode.startswith("before"):
            return self.hold()
        status, answer, date = self.passed_on(body)
        if is_held:
            return self.hold()
        if mode == "cut" and is_insert and requests % 3 == 1:
            return self.hang_up()  # it is there, but nobody knows
        if mode == "late":
            date = email.utils.formatdate(time.time() - 7200, usegmt=True)
        self.answer(status, answer, [("Date", date)] if date else [])


class Server(http.server.HTTPServer):
    """Who is refused gets the alert before the connection goes: closing it with bytes unread would drop that."""

    context = None

    def get_request(self):
        connection, address = super().get_request()
        if self.context is None:
            return connection, address
        connection = self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        try:
            connection.do_handshake()
        except OSError:
            connection.settimeout(2)
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
            connection.close()
            raise
        return connection, address


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 5:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[4], sys.argv[5])
    if len(sys.argv) > 6:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(sys.argv[6])
    server.context = context
with open(port_file + ".new", "w") as out:
    out.write(str(server.server_address[1]))
__import__("os").rename(port_file + ".new", port_file)
server.serve_forever()
