#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# `quickstart build` makes all programs and no test, `quickstart fleet` what it runs. `quickstart test` goes on where packages of a JDK, a browser and guests
# are missing and cannot be installed. Run in an empty directory, with commands that stand in for apt-get and dpkg-query: every
# part of the tests fails there, at once.
set -eu
quickstart=$(cd "${srcdir:-.}" && pwd)/quickstart
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
for command in apt-get sudo make; do
	printf '#!/bin/sh\nexit 1\n' >"$work/bin/$command"
done
printf '#!/bin/sh\ncase $* in *openjdk* | *chromium* | *qemu*) exit 1 ;; esac\necho installed\n' >"$work/bin/dpkg-query"
chmod +x "$work/bin"/*
cp "$quickstart" "$work/quickstart"
(cd "$work" && PATH=$work/bin:$PATH ./quickstart test) >"$work/log" 2>&1 || true

for line in '  openjdk-17-jdk-headless chromium qemu-system' 'no JDK here' 'no browser here' 'no guests here' 'g++ FAILED' 'the slowest tests'; do
	grep -qF -- "$line" "$work/log" || { echo "quickstart test does not print: $line"; cat "$work/log"; exit 1; }
done

# In a tree where configure and make succeed, and make notes its arguments.
mkdir "$work/tree" "$work/does"
cp "$quickstart" "$work/tree/quickstart"
printf '#!/bin/sh\n>Makefile\n' >"$work/tree/configure"
printf '#!/bin/sh\necho "$*" >>%s/made\n' "$work" >"$work/does/make"
chmod +x "$work/tree/configure" "$work/does/make"
touch -d '1 hour ago' "$work/tree/configure.ac"
(cd "$work/tree" && PATH=$work/does:$work/bin:$PATH ./quickstart build) >"$work/log" 2>&1 ||
	{ echo "quickstart build fails"; cat "$work/log"; exit 1; }
grep -q ' all$' "$work/made" && ! grep -q check "$work/made" || { echo "quickstart build makes something else:"; cat "$work/made"; exit 1; }
grep -qF 'build/operf' "$work/log" || { echo "quickstart build does not print where operf is"; cat "$work/log"; exit 1; }

# What fleet runs is built before.
mkdir -p "$work/tree/tests/demo" "$work/tree/build"
printf '#!/bin/sh\necho "the fleet in $(basename "$PWD") $1"\n' >"$work/tree/tests/demo/fleet.sh"
chmod +x "$work/tree/tests/demo/fleet.sh"
: >"$work/made"
(cd "$work/tree" && PATH=$work/does:$work/bin:$PATH ./quickstart fleet) >"$work/log" 2>&1 ||
	{ echo "quickstart fleet fails"; cat "$work/log"; exit 1; }
grep -q ' operf oppush opfleet tests/demo/release-1.0/shop tests/demo/release-2.0/shop$' "$work/made" ||
	{ echo "quickstart fleet makes something else:"; cat "$work/made"; exit 1; }
grep -qxF 'the fleet in build ..' "$work/log" || { echo "quickstart fleet does not run tests/demo/fleet.sh"; cat "$work/log"; exit 1; }
