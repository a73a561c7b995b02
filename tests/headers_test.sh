#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Every header compiles alone: X.cpp includes X.h before anything else, so that compiling X.cpp shows it,
# in a tree without precompiled headers (tests/precompiled/local.mk). The headers that
# have no such source are compiled by tests/develop.mk, the driver's interface here, as C.
set -eu
cd "${srcdir:-.}"
status=0
for header in $(find libop daemon libpp fleet utils -name '*.h' | sort); do
	source=${header%.h}.cpp
	[ -f "$source" ] || continue
	[ "$(grep -m 1 '^[[:space:]]*#[[:space:]]*include' "$source")" = "#include \"$header\"" ] && continue
	echo "$source: the first #include is not \"$header\""
	status=1
done
printf '#include "kernel/uapi/op_stream.h"\n' |
	${CC:-cc} -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only -I. -x c - || status=1
exit $status
