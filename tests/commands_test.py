# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the shell scripts of the tests and the table tests/commands: every command that a script calls is there, with the
Debian package it is from, and that package is one of every Debian's, or is installed by ./quickstart. Words in quotes and
here-documents are not looked at."""
import glob
import re
import sys

KEYWORDS = "if then else elif fi do done while until esac { } !".split()
BUILT_IN = """: . [ alias bg break cd continue echo eval exit export false fg for case hash jobs kill local printf pwd read readonly
    return set shift test times trap true type ulimit umask unset wait""".split()
OTHER = "\3"  # in the place of a word that is not plain
OPEN, CLOSE = "\1", "\2"  # of a command in parentheses


class Script:
    def __init__(self, text):
        self.text = text
        self.at = 0
        self.inside = []  # the quotes and parentheses that are open
        self.documents = []  # the ends of here-documents that begin in this line
        self.out = []

    def skip_to(self, what, extra=0):
        end = self.text.find(what, self.at + 1)
        self.at = len(self.text) if end < 0 else end + extra

    def skip_braces(self):
        depth = 0
        while self.at < len(self.text):
            depth += {"{": 1, "}": -1}.get(self.text[self.at], 0)
            self.at += 1
            if depth == 0 and self.text[self.at - 1] == "}":
                return

    def skip_documents(self):
        for end in self.documents:
            while self.at < len(self.text):
                line = self.text[self.at:].split("\n", 1)[0]
                self.at += len(line) + 1
                if line.strip() == end:
                    break
        self.documents = []

    def put(self, text, length=1):
        self.out.append(text)
        self.at += length

    def expand(self):
        """A $; True if one was here."""
        if self.text.startswith("$((", self.at):
            self.skip_to("))", 2)
            self.out.append(OTHER)
        elif self.text.startswith("${", self.at):
            self.at += 1
            self.skip_braces()
            self.out.append(OTHER)
        elif self.text.startswith("$(", self.at):
            self.inside.append("$(")
            self.put(OTHER + OPEN, 2)
        elif self.text[self.at] == "$":
            self.put(OTHER)
        else:
            return False
        return True

    def step(self):
        char = self.text[self.at]
        if char == "\\":
            self.put(" " if self.text[self.at:self.at + 2] == "\\\n" else OTHER, 2)
        elif self.expand():
            pass
        elif char == '"':
            if self.inside[-1:] == ['"']:
                self.inside.pop()
            else:
                self.inside.append('"')
            self.put(OTHER)
        elif self.inside[-1:] == ['"']:
            self.put(OTHER)
        elif char == "'":
            self.skip_to("'", 1)
            self.out.append(OTHER)
        elif char == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n;("):
            self.skip_to("\n")
        elif begin := re.match(r"<<-?\s*['\"\\]?(\w+)['\"]?", self.text[self.at:]):
            self.documents.append(begin[1])
            self.put(" ", begin.end())
        elif char == "\n" and self.documents:
            self.put("\n")
            self.skip_documents()
        elif char == "(":
            self.inside.append("(")
            self.put(OPEN)
        elif char == ")" and self.inside:
            self.put(CLOSE + (OTHER if self.inside.pop() == "$(" else ""))
        else:
            self.put(char)

    def bare(self):
        """The text without comments, quoted words and here-documents."""
        while self.at < len(self.text):
            self.step()
        return "".join(self.out)


FUNCTION = re.compile(rf"([A-Za-z_]\w*)\s*{OPEN}\s*{CLOSE}")


def first_command(words):
    """The command that a simple command's words start; empty if that is no plain word."""
    while words:
        word = words[0]
        if word in KEYWORDS or word == "exec" or re.match(r"\w+=", word):
            words = words[1:]
        elif re.match(r"\d*[<>]", word):
            words = words[1 + bool(re.fullmatch(r"\d*[<>]+&?", word)):]
        elif word == "command":
            words = words[1 + (words[1:2] == ["-v"]):]
        elif word == "timeout":
            yield word
            words = [w for w in words[1:] if not re.match(r"[-\d]", w)]
        elif word == "env":
            yield word
            words = words[3:] if words[1:2] == ["-u"] else [w for w in words[1:] if not w.startswith("-")]
        else:
            yield word
            return


def commands_in(bare, functions):
    text = FUNCTION.sub("\n", bare)
    text = re.sub(rf"^[^\n(){OPEN}{CLOSE}]*\)", "\n", text, flags=re.M)  # the patterns of case
    for piece in re.split(rf"[\n;|&(){OPEN}{CLOSE}]+", text):
        for word in first_command(piece.split()):
            if re.fullmatch(r"[A-Za-z_][\w.+-]*", word) and word not in BUILT_IN and word not in functions:
                yield word


def scripts():
    names = ["quickstart", "autogen.sh"]
    for pattern in "*.sh", "e2e/*.sh", "demo/*.sh", "fixtures/*.sh", "fuzz/*.sh", "kernel/*.sh", "golden/*.sh", "golden/*/*/cmd":
        names += glob.glob("tests/" + pattern)
    # What runs in a guest has the guest's commands.
    return sorted(n for n in names if not re.search(r"kernel/(t_.*|.*_in_guest|lib|msr)\.sh$", n))


def families(texts):
    """script -> the scripts whose functions it may call: what it reads, and for a part of others what these read"""
    reads = {}
    for name, text in texts.items():
        words = re.findall(r"^\s*\. .*?(\w+\.sh)\b", text, flags=re.M)
        reads[name] = {other for other in texts if other.rsplit("/", 1)[-1] in words} | {name}
    for _ in range(3):
        reads = {name: set().union(*(reads[other] for other in others)) for name, others in reads.items()}
    return {name: set().union(*(others for others in reads.values() if name in others)) for name in texts}


def called():
    """command -> a script that calls it"""
    texts = {name: open(name, encoding="utf-8").read() for name in scripts()}
    bare = {name: Script(text).bare() for name, text in texts.items()}
    defined = {name: set(FUNCTION.findall(text)) for name, text in bare.items()}
    in_cases = set(re.findall(r"^(\w+)\(\)", texts["tests/golden/case.sh"], flags=re.M))  # of a here-document
    family = families(texts)
    result = {}
    for name, text in bare.items():
        functions = set().union(*(defined[other] for other in family[name]), in_cases if name.endswith("/cmd") else set())
        for command in commands_in(text, functions):
            result.setdefault(command, name)
    return result


def main():
    text = open("quickstart", encoding="utf-8").read()
    installed = set(" ".join(re.findall(r"^\w*packages='([^']*)'", text, flags=re.M)).split())
    faults = [] if len(installed) > 20 else ["no lists of packages in quickstart"]
    known = {}
    for number, line in enumerate(open("tests/commands", encoding="utf-8"), 1):
        if line.startswith("#") or not line.strip():
            continue
        fields = re.fullmatch(r"(base|installed|optional|built) (\S+)(?: by (\S+))?: (.*)\n", line)
        if not fields:
            faults.append(f"tests/commands:{number}: not understood")
            continue
        kind, package, other, names = fields.groups()
        if kind == "installed" and (other or package) not in installed:
            faults.append(f"{package} is in no list of quickstart; it has {names}")
        for name in names.split():
            if name in known:
                faults.append(f"tests/commands:{number}: {name} again")
            known[name] = package
    calls = called()
    faults += [f"{script} calls {command}, which tests/commands has not" for command, script in calls.items() if command not in known]
    faults += [f"tests/commands has {command}, which no script calls" for command in known if command not in calls]
    print(*sorted(faults), sep="\n", end="\n" if faults else "")
    print(f"{len(calls)} commands of {len(set(known.values()))} packages")
    return 1 if faults or len(calls) < 50 else 0


sys.exit(main())
