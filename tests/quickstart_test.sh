#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `quickstart test` goes on where packages of a browser and of guests are missing and cannot be installed. Run in an empty
# directory, with commands that stand in for apt-get and dpkg-query: every part of the tests fails there, at once.
set -eu
quickstart=$(cd "${srcdir:-.}" && pwd)/quickstart
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
for command in apt-get sudo make; do
	printf '#!/bin/sh\nexit 1\n' >"$work/bin/$command"
done
printf '#!/bin/sh\ncase $* in *chromium* | *qemu*) exit 1 ;; esac\necho installed\n' >"$work/bin/dpkg-query"
chmod +x "$work/bin"/*
cp "$quickstart" "$work/quickstart"
(cd "$work" && PATH=$work/bin:$PATH ./quickstart test) >"$work/log" 2>&1 || true

for line in '  chromium qemu-system' 'no browser here' 'no guests here' 'g++ FAILED' 'the slowest tests'; do
	grep -qF -- "$line" "$work/log" || { echo "quickstart test does not print: $line"; cat "$work/log"; exit 1; }
done
