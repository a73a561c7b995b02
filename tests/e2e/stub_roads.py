#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers of other protocols, as far as oppush has to do with them: Pyroscope's /ingest with its default limits, and
OTLP's profiles over HTTP. Prints its port; keeps each accepted body in a directory. The first `busy` requests are
answered 503. usage: stub_roads.py DIRECTORY [busy] [password]"""
import base64
import gzip
import http.server
import os
import sys
import time
import urllib.parse

MOST_BYTES, MOST_SAMPLES = 4 << 20, 16000


def fields(data):
    """The fields of a protocol buffer: (number, value), bytes or int."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            at += 8
            yield key >> 3, int.from_bytes(data[at - 8:at], "little")
        elif key & 7 == 2:
            length = varint()
            assert at + length <= len(data), "a field beyond the end"
            at += length
            yield key >> 3, data[at - length:at]
        else:
            raise ValueError("wire type %d" % (key & 7))


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        if status == 503:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if PASSWORD and self.headers.get("Authorization") != "Basic " + base64.b64encode(PASSWORD.encode()).decode():
            return self.answer(401, b"wrong password\n")
        if BUSY[0] > 0:
            BUSY[0] -= 1
            return self.answer(503, b"busy\n")
        url = urllib.parse.urlparse(self.path)
        try:
            name = self.pyroscope(url, body) if url.path == "/ingest" else self.otlp(url, body)
        except (AssertionError, KeyError, ValueError, OSError, IndexError) as error:
            return self.answer(400, ("refused: %r\n" % error).encode())
        with open(os.path.join(DIRECTORY, "%03d.%s" % (len(os.listdir(DIRECTORY)), name)), "wb") as out:
            out.write(self.body)
        self.answer(200, b"")

    def pyroscope(self, url, body):
        query = dict(urllib.parse.parse_qsl(url.query, strict_parsing=True))
        assert query["format"] == "pprof" and query["name"]
        assert int(query["from"]) < int(query["until"])
        assert time.time() - 3600 < int(query["until"]) < time.time() + 600, "too old, or of the future"
        profile = gzip.decompress(body)
        assert len(profile) <= MOST_BYTES, "profile too large"
        assert sum(number == 2 for number, _ in fields(profile)) <= MOST_SAMPLES, "too many samples"
        self.body = body
        return query["name"] + ".pb.gz"

    def otlp(self, url, body):
        assert url.path == "/v1development/profiles" and self.headers["Content-Type"] == "application/x-protobuf"
        assert self.headers["Content-Encoding"] == "gzip"
        self.body = gzip.decompress(body)
        assert [number for number, _ in fields(self.body)] == [1, 2]
        return "otlp"


if __name__ == "__main__":
    DIRECTORY, BUSY = sys.argv[1], [int(sys.argv[2]) if len(sys.argv) > 2 else 0]
    PASSWORD = sys.argv[3] if len(sys.argv) > 3 else None
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
