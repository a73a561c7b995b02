#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# The data under events/, checked by a reader of its own (tests/events_test.py).
set -eu
cd "${srcdir:-.}"
if ! command -v python3 >/dev/null; then
	echo "skipped: no python3 here"
	exit 77
fi
exec python3 tests/events_test.py events
