#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Every command that the scripts of the tests call is of a package that every Debian has or that quickstart installs: the table
# tests/commands, compared with the scripts by tests/commands_test.py.
set -eu
cd "${srcdir:-.}"
if ! command -v python3 >/dev/null; then
	echo "skipped: no python3 here"
	exit 77
fi
exec python3 tests/commands_test.py
