#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ARCHITECTURE.md is short and names only files that are there; every source file says its licence and, but for unit tests, its duty.
set -eu
cd "${srcdir:-.}"
status=0
complain() {
	echo "$*"
	status=1
}

[ "$(wc -l <doc/ARCHITECTURE.md)" -le 150 ] || complain "doc/ARCHITECTURE.md is longer than 150 lines"
for path in $(grep -oE '`(kernel|libop|daemon|libpp|utils|tests|doc)/[A-Za-z0-9_./-]+`' doc/*.md | sed 's/.*:`//; s/`$//' | sort -u); do
	case $path in
	*X*) continue ;; # a pattern: write_X.cpp
	esac
	[ -e "$path" ] || [ -e "$path.h" ] || complain "a document names $path, which is not there"
done

for file in $(find libop daemon libpp utils kernel tests -name '*.cpp' -o -name '*.h' -o -name '*.sh' -o -name '*.mk'); do
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || complain "$file: no SPDX line"
	case $file in
	tests/unit/*_test.cpp | *.mk) continue ;; # named for what they test; they list files
	esac
	sed -n '2,3p' "$file" | grep -Eq '^(//|#|/\*| \*) ?[A-Za-z$"`0-9]' || complain "$file: does not say its duty"
done
exit $status
