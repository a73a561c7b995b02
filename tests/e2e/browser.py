# SPDX-License-Identifier: GPL-2.0-or-later
# Drives headless Chromium over the pipe of its DevTools protocol; of the standard library alone. A program gives steps:
#
#   with Browser(PROGRAM, DIRECTORY) as browser:
#       browser.open("file:///page.html#view=calls")      until the page's script has reached its end
#       browser.value("profilePage.facts.title")           a JavaScript expression, awaited
#       browser.key("ArrowDown"); browser.picture("a.png")
#       browser.requests, browser.complaints               addresses that were loaded; errors and warnings of the console
import base64
import json
import os
import select
import signal
import subprocess
import time

from limit import Limit

LIMIT = 120  # seconds (limit.py) until a step that does not end has failed; no outcome depends on how long a step takes


class Browser:
    def __init__(self, program, directory, size=(1200, 900), dark=False, reduced=False, scale=1):
        self.program, self.directory, self.size, self.dark, self.reduced, self.scale = program, directory, size, dark, reduced, scale
        self.number, self.buffer, self.requests, self.complaints = 0, b"", [], []

    def __enter__(self):
        out_read, out_write = os.pipe()
        in_read, in_write = os.pipe()

        def pipes():
            saved = os.dup(out_read), os.dup(in_write)
            os.dup2(saved[0], 3)
            os.dup2(saved[1], 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        words = [self.program, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-quic",
                 "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                 "--disable-sync", "--disable-extensions", "--log-level=3", "--user-data-dir=" + os.path.join(self.directory, "browser"),
                 "--window-size=%d,%d" % self.size, "about:blank"]
        self.log = open(os.path.join(self.directory, "browser.log"), "wb")
        self.process = subprocess.Popen(words, preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, env=dict(os.environ, HOME=self.directory), start_new_session=True)
        os.close(out_read)
        os.close(in_write)
        self.write_end, self.read_end = out_write, in_read
        targets = self.send("Target.getTargets", session=None)["targetInfos"]
        page = [t for t in targets if t["type"] == "page"][0]
        self.session = self.send("Target.attachToTarget", {"targetId": page["targetId"], "flatten": True}, session=None)["sessionId"]
        for name in ("Page", "Runtime", "Network", "Log"):
            self.send(name + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", {"width": self.size[0], "height": self.size[1], "deviceScaleFactor": self.scale, "mobile": False})
        self.send("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if self.reduced else "no-preference"}]})
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its own session: the browser and its children
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()
        os.close(self.write_end)
        os.close(self.read_end)

    def send(self, method, params=None, session=""):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + json.dumps(answer["error"]))
                return answer["result"]

    def receive(self):
        limit = Limit(LIMIT)
        while b"\0" not in self.buffer:
            while not select.select([self.read_end], [], [], limit.left())[0]:
                if not limit.left():
                    raise RuntimeError("the browser does not answer")
            piece = os.read(self.read_end, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended; see browser.log")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message)
        return message

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])

    # The page has "data-ready" once its script has reached its end.
    def open(self, address, ready='document.documentElement.dataset.ready === "true"'):
        self.send("Page.navigate", {"url": "about:blank"})
        self.send("Page.navigate", {"url": address})
        self.until("location.href.startsWith('file:') && document.readyState === 'complete' && (" + ready + ")")

    def until(self, claim):
        limit = Limit(LIMIT)
        while not self.value(claim):
            if not limit.left():
                raise RuntimeError("does not become true: " + claim + "; " + " ".join(self.complaints))
            time.sleep(0.02)

    def value(self, expression):
        answer = self.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(expression + ": " + details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def key(self, key, shift=False):
        event = {"key": key, "modifiers": 8 if shift else 0}
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "Home": 36}.get(key)
        if code:
            event["windowsVirtualKeyCode"] = code
        if len(key) == 1:
            event["text"] = key
        if key == "Enter":
            event["text"] = "\r"
        self.send("Input.dispatchKeyEvent", dict(event, type="keyDown"))
        self.send("Input.dispatchKeyEvent", dict(event, type="keyUp"))

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})

    def hover(self, x, y):
        self.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    # Of the top `height` pixels, if that is given.
    def picture(self, path, whole=False, height=None):
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        clip = {"clip": {"x": 0, "y": 0, "width": self.size[0], "height": height, "scale": 1}} if height else {}
        answer = self.send("Page.captureScreenshot", dict(clip, format="png", captureBeyondViewport=whole))
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    # The peak RSS of the page's process in KB.
    def memory(self):
        peaks = [0]
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % process, "rb") as words, open("/proc/%s/status" % process) as status:
                    if b"--type=renderer" in words.read() and os.getsid(int(process)) == self.process.pid:
                        peaks += [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
            except (FileNotFoundError, ProcessLookupError):  # it has ended
                pass
        return max(peaks)

    def accessibility(self):
        return self.send("Accessibility.getFullAXTree")["nodes"]
