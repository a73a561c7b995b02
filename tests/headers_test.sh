#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles alone. CXX is set by make.
set -eu
root=${srcdir:-.}
status=0
for header in $(cd "$root" && find libop daemon libpp utils -name "*.h" | sort); do
	printf '#include "%s"\n' "$header" |
		${CXX:-c++} -std=c++20 -fsyntax-only -D_GNU_SOURCE -I"$root" -x c++ - || status=1
done
printf '#include "kernel/uapi/op_stream.h"\n' | ${CC:-cc} -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only -I"$root" -x c - || status=1
exit $status
