# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a program on a terminal of its own and reads its screen: screen.py COLUMNS ROWS SCRIPT COMMAND... Each line of SCRIPT is
#   expect TEXT     waits until the screen has the text      refuse TEXT   waits until the screen is without it
#   type KEYS       Python escapes, e.g. \x1b[B              size C R      resizes the terminal
#   run COMMAND     runs a shell command                     ended N       waits until the program ends with status N
#   wide N          fails if a line has more than N columns
#   click TEXT      presses the mouse on the first line with the text     wheel up|down   turns its wheel
#   chosen TEXT     waits until the line in reverse video has the text
# Knows as much of a terminal as vt100's terminfo entry makes curses use. Fails with the screen after half a minute of waiting,
# which is longer on a slow machine (limit.py).
import fcntl, os, pty, re, select, struct, subprocess, sys, termios

sys.dont_write_bytecode = True
from limit import Limit


class Screen:
    def __init__(self, columns, rows, command):
        self.resize_grid(columns, rows)
        self.rest = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = os.environ.get("SCREEN_TERM", "vt100")
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvp(command[0], command)
        self.is_open = True

    def resize_grid(self, columns, rows):
        self.columns, self.rows, self.x, self.y = columns, rows, 0, 0
        self.grid = [[" "] * columns for _ in range(rows)]
        self.reverse, self.is_reverse = [[False] * columns for _ in range(rows)], False

    def resize(self, columns, rows):
        self.resize_grid(columns, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.grid)

    def read(self, seconds):
        if not self.is_open or not select.select([self.fd], [], [], seconds)[0]:
            return
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        self.is_open = got != b""
        self.feed(self.rest + got.decode("utf-8", "replace"))

    def feed(self, data):
        pattern = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[()].|\x1b[=>78MDEHc]|[\s\S]")
        at = 0
        while at < len(data):
            if data[at] == "\x1b" and re.fullmatch(r"\x1b(\[[?0-9;]*|[()])?", data[at:]):
                break
            match = pattern.match(data, at)
            at = match.end()
            if match.group(2):
                self.control(match.group(1), match.group(2))
            elif not match.group(0).startswith("\x1b"):
                self.put(match.group(0))
        self.rest = data[at:]

    def put(self, c):
        if c == "\r":
            self.x = 0
        elif c == "\n":
            self.y = min(self.y + 1, self.rows - 1)
        elif c == "\t":
            self.x = min(self.x // 8 * 8 + 8, self.columns - 1)
        elif c == "\b":
            self.x = max(self.x - 1, 0)
        elif c >= " ":
            if self.x >= self.columns:
                self.x, self.y = 0, min(self.y + 1, self.rows - 1)
            self.grid[self.y][self.x] = c
            self.reverse[self.y][self.x] = self.is_reverse
            self.x += 1

    def control(self, numbers, what):
        given = [int(n) for n in numbers.split(";") if n.isdigit()]
        n = given[0] if given else 0
        if what == "m":
            for number in given or [0]:
                self.is_reverse = number == 7 or self.is_reverse and number not in (0, 27)
        elif what in "Hf":
            self.y = min(max(n, 1), self.rows) - 1
            self.x = min(max(given[1] if len(given) > 1 else 1, 1), self.columns) - 1
        elif what == "A":
            self.y = max(self.y - max(n, 1), 0)
        elif what == "B":
            self.y = min(self.y + max(n, 1), self.rows - 1)
        elif what == "C":
            self.x = min(self.x + max(n, 1), self.columns - 1)
        elif what == "D":
            self.x = max(self.x - max(n, 1), 0)
        elif what in "JK":
            line = self.grid[min(self.y, self.rows - 1)]
            first, last = (self.x, self.columns) if n == 0 else (0, self.x + 1) if n == 1 else (0, self.columns)
            line[first:last] = [" "] * (min(last, self.columns) - min(first, self.columns))
            if what == "J":
                for y in range(self.y + 1 if n == 0 else 0, self.rows if n != 1 else self.y):
                    self.grid[y] = [" "] * self.columns

    def line_of(self, text):
        return next((y for y, line in enumerate(self.text().split("\n")) if text in line), None)

    # As xterm reports it where the terminal's description has kmous=\E[M: button, column and row, 32 added to each.
    def mouse(self, button, y):
        for what in (button,) if button >= 64 else (button, 3):
            os.write(self.fd, b"\x1b[M" + bytes([32 + what, 32 + 11, 32 + 1 + y]))

    def chosen(self):
        return "\n".join("".join(self.grid[y]) for y in range(self.rows) if self.reverse[y][0] and y)

    def wait(self, done, what):
        limit = Limit(30)
        while not done():
            if not limit.left():
                sys.exit(f"{what}\n--- the screen:\n{self.text()}\n---")
            self.read(0.05)

    def end_status(self):
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        self.status = os.waitstatus_to_exitcode(status) if pid else None
        return pid != 0


def main():
    screen = Screen(int(sys.argv[1]), int(sys.argv[2]), sys.argv[4:])
    for line in open(sys.argv[3]):
        word, _, rest = line.strip().partition(" ")
        if word == "expect":
            screen.wait(lambda: rest in screen.text(), f"never showed: {rest}")
        elif word == "refuse":
            screen.wait(lambda: rest not in screen.text(), f"still shows: {rest}")
        elif word == "type":
            os.write(screen.fd, rest.encode().decode("unicode_escape").encode("latin-1"))
        elif word == "click":
            screen.wait(lambda: screen.line_of(rest) is not None, f"never showed: {rest}")
            screen.mouse(0, screen.line_of(rest))
        elif word == "wheel":
            screen.mouse({"up": 64, "down": 65}[rest], 5)
        elif word == "chosen":
            screen.wait(lambda: rest in screen.chosen(), f"not chosen: {rest}")
        elif word == "size":
            screen.resize(*(int(n) for n in rest.split()))
        elif word == "run":
            subprocess.run(rest, shell=True, check=True)
        elif word == "wide":
            if max(len(line) for line in screen.text().split("\n")) > int(rest):
                sys.exit(f"wider than {rest}:\n{screen.text()}")
        elif word == "ended":
            screen.wait(screen.end_status, "never ended")
            if screen.status != int(rest):
                sys.exit(f"ended with status {screen.status}, not {rest}\n{screen.text()}")
        elif word:
            sys.exit(f"no such word: {word}")


main()
