#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Pushes growing sessions of made-up hosts through a bad network while pushers and the server are killed, then compares the
# server's sums by host, event, image and stack with those of the sessions: fleet_exactness.py BUILD SERVER-DIR WORK HOSTS
# SERVER-KILLS PUSHER-KILLS. SERVER-DIR is one that clickhouse.sh has made, whose server is stopped. Prints what happened, as a
# table; fails if a sum differs.
import http.client
import http.server
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import urllib.request

build, server_dir, work = sys.argv[1:4]
hosts, server_kills, pusher_kills = map(int, sys.argv[4:7])
rounds, pushers = 5, 8
port = int(open(server_dir + "/port").read())
apps = ["/usr/bin/a", "/usr/bin/it's", "/opt/\u00fc"]
library = "/lib/lib'x.so"
events = [("TIMER", 1000000), ("CYCLES", 100000)]
happened = dict.fromkeys(("batches", "cut", "answers lost", "copies", "pushers killed", "server killed"), 0)
lock = threading.Lock()


def count(what):
    with lock:
        happened[what] += 1


class ClickHouse:
    """The server, which may be killed and comes back."""

    def __init__(self):
        self.process = None
        self.busy = threading.Lock()

    def start(self):
        self.process = subprocess.Popen(
            ["clickhouse-server", "--config-file=" + server_dir + "/config.xml"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                self.ask("SELECT 1", "default")
                return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("clickhouse-server does not start")
                time.sleep(0.2)

    def kill(self):
        with self.busy:
            self.process.kill()
            self.process.wait()
            self.start()
        count("server killed")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def ask(self, sql, database="oprofile"):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return opener.open(f"http://127.0.0.1:{port}/?database={database}", data=sql.encode(), timeout=120).read().decode()


class Network(http.server.ThreadingHTTPServer):
    """Cuts every fifth INSERT in its body, loses some answers, and sends each INSERT up to two times more, later."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        self.draw = random.Random(17)
        self.late = []
        super().__init__(("127.0.0.1", 0), Request)

    def handle_error(self, *_):
        """The end of a pusher that was killed is no error."""

    def fate(self):
        """Of an INSERT: whether it is cut, whether its answer is lost, how many copies follow."""
        with lock:
            happened["batches"] += 1
            return self.draw.random() < 0.2, self.draw.random() < 0.1, self.draw.randrange(3)

    def keep(self, copies, request):
        with lock:
            self.late += [request] * copies

    def send_late(self, is_end=False):
        """Sends some of the copies, in any order; all of them at the end."""
        while True:
            with lock:
                if not self.late or (not is_end and self.draw.random() < 0.4):
                    return
                request = self.late.pop(self.draw.randrange(len(self.late)))
            try:
                forward(*request)
                count("copies")
            except OSError:
                self.keep(1, request)
                if not is_end:
                    return
                time.sleep(0.2)


def forward(path, headers, body, cut_at=None):
    upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        if cut_at is not None:
            upstream.putrequest("POST", path)
            for name, value in headers.items():
                upstream.putheader(name, value)
            upstream.endheaders()
            upstream.send(body[:cut_at])
            return None
        upstream.request("POST", path, body, headers)
        answer = upstream.getresponse()
        return answer.status, answer.read()
    except http.client.HTTPException as error:
        raise OSError(str(error)) from error
    finally:
        upstream.close()


class Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        is_cut, is_lost, copies = self.server.fate() if "INSERT" in self.path else (False, False, 0)
        try:
            answer = forward(self.path, headers, body, len(body) * 2 // 3 if is_cut else None)
        except OSError:
            answer = None
        if is_cut:
            count("cut")
        elif copies:
            self.server.keep(copies, (self.path, headers, body))
            self.server.send_late()
        if answer is None or is_lost:
            if answer is not None:
                count("answers lost")
            self.close_connection = True
            return
        try:
            self.send_response_only(answer[0])
            self.send_header("Content-Length", str(len(answer[1])))
            self.end_headers()
            self.wfile.write(answer[1])
        except OSError:
            self.close_connection = True  # the pusher is gone


class Host:
    """Sessions of one host: those of a later round have what earlier ones have, and more."""

    def __init__(self, number):
        self.name = f"host{number}"
        self.draw = random.Random(number)
        self.flat, self.stacks = {}, {}
        self.dir = f"{work}/{self.name}"

    def grow(self, this):
        for _ in range(1500):
            app = self.draw.choice(apps)
            key = (self.draw.choice(events), app, self.draw.choice([app, library]), self.draw.randrange(1, 4000))
            self.flat[key] = self.flat.get(key, 0) + self.draw.randrange(1, 1000)
        for _ in range(400):
            app = self.draw.choice(apps)
            frames = tuple((self.draw.choice([app, library]), self.draw.randrange(1, 60))
                           for _ in range(self.draw.randrange(1, 7)))
            key = (self.draw.choice(events), app, frames)
            self.stacks[key] = self.stacks.get(key, 0) + self.draw.randrange(1, 100)
        self.write(this)

    def write(self, this):
        lines = ["cpu_type 32", "speed 2394"]
        for event in events:
            name = f"{event[0]}.{event[1]}.0.all.all.all"
            for app in apps:
                for image in (app, library):
                    lines += [f"file {{root}}{app}/{{dep}}/{{root}}{image}/{name}", f"header event_code=0x3c count={event[1]}"]
                    lines += [f"{place:#x} {n}" for (e, a, i, place), n in sorted(self.flat.items()) if (e, a, i) == (event, app, image)]
            lines.append(f"stacks {name}")
            for (e, app, frames), n in sorted(self.stacks.items()):
                if e == event:
                    lines.append(f"stack {n} root {app} " + " ".join(f"{image}+{place:#x}" for image, place in frames))
        total = sum(self.flat.values())
        manifest = {"format": 1, "tool": "test", "command": "x", "host": self.name, "kernel_release": "6.1", "cpu_type": 32,
                    "session_id": "%032x" % int(self.name[4:]), "start_time": 1764028800, "stop_time": 1764032400 + 3600 * this,
                    "events": [{"name": e, "count": p, "enabled_ns": 5, "running_ns": 5} for e, p in events],
                    "images": {path: {"build_id": "%040x" % (7 * n + 1)} for n, path in enumerate(apps + [library])},
                    "ledger": {"sampled": total, "stored": total, "lost": {}}}
        lines.append("text manifest.json " + json.dumps(manifest, ensure_ascii=False))
        with open(self.dir + ".spec", "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        made = self.dir + ".made"
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run([build + "/tests/golden/make_session", self.dir + ".spec", made], check=True, stdout=subprocess.DEVNULL)
        current = self.dir + "/samples/current"
        if os.path.isdir(current):
            for name in os.listdir(current):
                if name.startswith("fleet."):
                    shutil.copy(f"{current}/{name}", made + "/samples/current")
        shutil.rmtree(self.dir, ignore_errors=True)
        os.rename(made, self.dir)

    def push(self, url, kill_after=None):
        pusher = subprocess.Popen([build + "/oppush", "--session-dir=" + self.dir, "--to=" + url, "--wait=900"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if kill_after is not None:
            try:
                pusher.communicate(timeout=kill_after)
                return False
            except subprocess.TimeoutExpired:
                pusher.kill()
                pusher.communicate()
                count("pushers killed")
                return True
        out, errors = pusher.communicate()
        if pusher.returncode != 0 or not out.rstrip().endswith(", verified"):
            sys.stderr.write(f"{self.name}: {out}{errors}")
            os._exit(1)
        return True


def work_on(queue, url, kills):
    while True:
        with lock:
            if not queue:
                return
            host = queue.pop()
        for this in range(rounds):
            host.grow(this)
            for _ in range(kills.get((host.name, this), 0)):
                while not host.push(url, host.draw.uniform(0.01, 0.4)):
                    pass
            host.push(url)


def spread_kills(draw, all_hosts):
    """How many pushers of which host are killed in which round. Only pushes with something to send take long enough."""
    kills = {}
    for _ in range(pusher_kills):
        key = (draw.choice(all_hosts).name, draw.randrange(rounds))
        kills[key] = kills.get(key, 0) + 1
    return kills


def server_sums(server):
    """Lines of host, event, image or stack, and samples."""
    def objects(sql):
        return [json.loads(line) for line in server.ask(sql + " FORMAT JSONEachRow").splitlines()]
    names = {h["host"]: h["hostname"] for h in objects("SELECT DISTINCT host, hostname FROM slices")}
    events_of = {e["event"]: e["name"] for e in objects("SELECT DISTINCT event, name FROM events")}
    images = {i["image"]: i["path"] for i in objects("SELECT DISTINCT image, path FROM images")}
    nodes = {s["stack"]: s for s in objects("SELECT stack, parent, image, place, kind FROM stacks FINAL")}

    def stack_text(number):
        frames = []
        while int(number) != 0:
            node = nodes[number]
            frames.append(images[node["image"]] if node["kind"] == 1 else f"{images[node['image']]}+{int(node['place']):#x}")
            number = node["parent"]
        return "|".join(reversed(frames))
    sums = {}
    for s in objects("SELECT host, event, image, sum(hits) AS n FROM samples FINAL GROUP BY host, event, image"):
        sums[names[s["host"]], events_of[s["event"]], images[s["image"]]] = int(s["n"])
    for s in objects("SELECT host, event, stack, sum(hits) AS n FROM stack_samples FINAL GROUP BY host, event, stack"):
        sums[names[s["host"]], events_of[s["event"]], "stack " + stack_text(s["stack"])] = int(s["n"])
    return sums


def session_sums(all_hosts):
    sums = {}
    for host in all_hosts:
        for (event, _, image, _), n in host.flat.items():
            key = (host.name, event[0], image)
            sums[key] = sums.get(key, 0) + n
        for (event, app, frames), n in host.stacks.items():
            key = (host.name, event[0], "stack " + "|".join([app] + [f"{image}+{place:#x}" for image, place in frames]))
            sums[key] = sums.get(key, 0) + n
    return sums


def main():
    server = ClickHouse()
    server.start()
    network = Network()
    threading.Thread(target=network.serve_forever, daemon=True).start()
    url = f"http://default@127.0.0.1:{network.server_address[1]}/oprofile"
    subprocess.run([build + "/opfleet", "init", f"--to=http://default@127.0.0.1:{port}/oprofile"], check=True,
                   stdout=subprocess.DEVNULL)
    draw = random.Random(5)
    all_hosts = [Host(number) for number in range(1, hosts + 1)]
    queue, kills = list(all_hosts), spread_kills(draw, all_hosts)
    began = time.time()
    workers = [threading.Thread(target=work_on, args=(queue, url, kills)) for _ in range(pushers)]
    for worker in workers:
        worker.start()
    for _ in range(server_kills):
        time.sleep(draw.uniform(1, 4))
        server.kill()
    for worker in workers:
        worker.join()
    network.send_late(is_end=True)
    wanted, found = session_sums(all_hosts), server_sums(server)
    different = [key for key in sorted(wanted.keys() | found.keys()) if wanted.get(key) != found.get(key)]
    server.stop()
    stacks = sum(1 for key in wanted if key[2].startswith("stack "))
    print("| | |\n|---|---|")
    print(f"| hosts, and pushes that were verified | {hosts}, {hosts * rounds} |")
    for what, n in happened.items():
        print(f"| {what} | {n} |")
    print(f"| sums by host, event and image; by host, event and stack | {len(wanted) - stacks}; {stacks} |")
    print(f"| samples of images; of stacks | {sum(n for k, n in wanted.items() if not k[2].startswith('stack '))}; "
          f"{sum(n for k, n in wanted.items() if k[2].startswith('stack '))} |")
    print(f"| sums that differ | {len(different)} |")
    print(f"| seconds | {time.time() - began:.0f} |", flush=True)
    for key in different[:5]:
        print("differs:", key, wanted.get(key), found.get(key), file=sys.stderr)
    sys.exit(1 if different else 0)


main()
