#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# What Firefox shows of a page of opreport --html: firefox.py FIREFOX DIRECTORY PAGE SAMPLES. Drives it over the Marionette
# protocol (firefox-source-docs.mozilla.org/testing/marionette): messages are their length, ':' and JSON. Leaves firefox.png.
import base64
import json
import os
import signal
import socket
import subprocess
import sys
import time

from limit import Limit

program, work, page, samples = sys.argv[1:]
LIMIT = 120  # seconds (limit.py) until a step that does not end has failed


class Firefox:
    def __init__(self):
        profile = os.path.join(work, "firefox")
        os.mkdir(profile)
        with open(os.path.join(profile, "user.js"), "w") as file:
            for name, value in (("marionette.port", "0"), ("datareporting.policy.dataSubmissionEnabled", "false"),
                                ("browser.shell.checkDefaultBrowser", "false"), ("network.connectivity-service.enabled", "false"),
                                ("network.captive-portal-service.enabled", "false"), ("app.normandy.enabled", "false")):
                file.write('user_pref("%s", %s);\n' % (name, value))
        self.log = open(os.path.join(work, "firefox.log"), "wb")
        self.process = subprocess.Popen([program, "--headless", "--marionette", "--no-remote", "--profile", profile, "--width", "1200",
                                         "--height", "900", "about:blank"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        env=dict(os.environ, HOME=work, MOZ_HEADLESS="1"), start_new_session=True)
        self.number, self.buffer = 0, b""

    def __enter__(self):
        limit, port = Limit(LIMIT), os.path.join(work, "firefox", "MarionetteActivePort")
        while not os.path.exists(port) or not os.path.getsize(port):
            if not limit.left() or self.process.poll() is not None:
                raise RuntimeError("Firefox does not start; see firefox.log")
            time.sleep(0.1)
        with open(port) as file:
            self.socket = socket.create_connection(("127.0.0.1", int(file.read())), timeout=LIMIT)
        self.receive()
        self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"timeouts": {"script": 1000 * LIMIT}}}})
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its own session: the browser and its children
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()

    def receive(self):
        while b":" not in self.buffer:
            self.buffer += self.more()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.buffer += self.more()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(text)

    def more(self):
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise RuntimeError("Firefox has ended; see firefox.log")
        return piece

    def send(self, command, words):
        self.number += 1
        text = json.dumps([0, self.number, command, words]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(command + ": " + json.dumps(error)[:2000])
        return result

    def value(self, expression):
        return self.send("WebDriver:ExecuteScript", {"script": "return " + expression, "args": []})["value"]

    def until(self, claim):
        limit = Limit(LIMIT)
        while not self.value(claim):
            if not limit.left():
                raise RuntimeError("does not become true: %s; %s" % (claim, self.value("document.body.innerText.slice(0, 500)")))
            time.sleep(0.05)


def words(name):
    return "document.getElementById('%s').textContent" % name


with Firefox() as firefox:
    firefox.send("WebDriver:Navigate", {"url": "file://" + page})
    firefox.until("document.documentElement.dataset.ready === 'true'")
    found = {"samples": firefox.value("document.documentElement.dataset.total"),
             "functions": firefox.value("document.querySelectorAll('#rows tr').length > 0"),
             "picture": firefox.value("(() => { const c = document.getElementById('picture'); return new Set(c.getContext('2d')"
                                      ".getImageData(0, 0, c.width, c.height).data).size > 8; })()"),
             "loaded": firefox.value("performance.getEntriesByType('resource').length")}
    firefox.value("(() => { const box = document.getElementById('search'); box.value = 'work'; box.dispatchEvent(new Event('input')); })()")
    firefox.until(words("matches") + " !== ''")
    found["matches"] = firefox.value(words("matches")).split(",")[0]
    firefox.until("location.hash.includes('q=work')")
    firefox.value("document.querySelector('#rows tr').click()")
    found["details"] = firefox.value("!document.getElementById('details').hidden")
    with open(os.path.join(work, "firefox.png"), "wb") as file:
        file.write(base64.b64decode(firefox.send("WebDriver:TakeScreenshot", {"full": False})["value"]))
    # Saved while open and opened again, it is in the same state.
    state = "[%s, %s, document.querySelectorAll('#rows tr').length, document.querySelectorAll('#facts li').length, %s]" % (
        words("summary"), words("matches"), "document.querySelector('#details h2').textContent")
    before, address = firefox.value(state), firefox.value("location.hash")
    with open(os.path.join(work, "saved.html"), "w") as file:
        file.write("<!DOCTYPE html>\n" + firefox.value(
            "(e => { delete e.dataset.ready; return e.outerHTML; })(document.documentElement)"))
    firefox.send("WebDriver:Navigate", {"url": "file://" + os.path.join(work, "saved.html") + address})
    firefox.until("document.documentElement.dataset.ready === 'true'")
    found["saved"] = firefox.value(state) == before or [before, firefox.value(state)]
print(json.dumps(found))
wanted = {"samples": samples, "functions": True, "picture": True, "loaded": 0, "matches": "41 samples", "details": True, "saved": True}
sys.exit("not " + json.dumps(wanted) if found != wanted else 0)
