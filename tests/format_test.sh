#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Every C++ file is formatted by .clang-format. Versions of clang-format other than 14 may disagree.
set -eu
cd "${srcdir:-.}"
tool=
for name in clang-format-14 clang-format; do
	[ -z "$tool" ] && "$name" --version 2>/dev/null | grep -q 'version 14\.' && tool=$name
done
if [ -z "$tool" ]; then
	echo "skipped: no clang-format 14 here"
	exit 77
fi
find libop daemon libpp fleet libopagent utils gui tests -name '*.cpp' -o -name '*.h' | xargs "$tool" --dry-run -Werror
