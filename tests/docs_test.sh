#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# ARCHITECTURE.md is short, has a line for every room and names only files that exist, as do the programs' messages; every
# manual page has examples;
# every fuzz target has a corpus; every source file has its licence and, except for unit tests, its duty in its head.
set -eu
cd "${srcdir:-.}"
status=0
complain() {
	echo "$*"
	status=1
}

[ "$(wc -l <doc/ARCHITECTURE.md)" -le 150 ] || complain "doc/ARCHITECTURE.md is longer than 150 lines"
# The map has a line for each room and each room within one.
for room in $(find libop daemon libpp utils -mindepth 1 -maxdepth 1 -type d ! -name systemd) kernel libop daemon libpp fleet utils gui tests events; do
	grep -qE "(\`|\*\*)$room(/?\`|/?\*\*)" doc/ARCHITECTURE.md || complain "doc/ARCHITECTURE.md has no line for $room"
done
# Lines of documents are read in a terminal, tables apart.
wide=$(LC_ALL=C.UTF-8 grep -nE '^[^|].{120,}' *.md doc/*.md doc/adr/*.md doc/*.[1-8] | sed 's/\(:[0-9]*:\).*/\1 longer than 120 columns/')
[ -z "$wide" ] || complain "$wide"
merging=$(grep -nE '^(<<<<<<<|>>>>>>>) ' *.md doc/*.md doc/adr/*.md doc/*.[1-8] || true)
[ -z "$merging" ] || complain "two versions are not merged: $merging"
# Every manual page has examples.
for page in doc/*.[1-8]; do
	sed -n '/^\.SH EXAMPLES$/,/^\.SH SEE ALSO$/p' "$page" | grep -q '^\.nf$' || complain "$page has no EXAMPLES"
done
for path in $(grep -oE '`(kernel|libop|daemon|libpp|fleet|utils|tests|doc)/[A-Za-z0-9_./-]+`' *.md doc/*.md | sed 's/.*:`//; s/`$//' | sort -u); do
	case $path in
	*X*) continue ;;                                           # a pattern: write_X.cpp
	libop/stacks | daemon/unwind | daemon/jit) continue ;; # places for what comes
	esac
	[ -e "$path" ] || [ -e "$path.h" ] || complain "a document names $path, which is not there"
done
# A document that a program's message names is there, and so is the heading quoted after its name. Strings that continue on
# the next line are joined first.
named=$(for file in $(grep -rlE '[A-Za-z]\.md' --include='*.cpp' --include='*.h' libop daemon libpp fleet utils); do
	tr '\n' ' ' <"$file" | sed 's/"  *"//g' | grep -oE '[A-Za-z/-]+\.md, \\"[^"\\]*\\"' | sed 's/\\"//g'
done | sort -u)
[ -n "$named" ] || complain "no message names a document: the pattern of tests/docs_test.sh finds nothing"
while IFS= read -r each; do
	grep -qxE "#+ ${each#*.md, }" "${each%%, *}" 2>/dev/null || complain "a message names ${each%%, *}, \"${each#*.md, }\", which is not there"
done <<END
$named
END

# Every fuzz target is built, has a corpus, and is in the table of doc/SECURITY.md; every corpus has a target.
for name in $(ls tests/fuzz tests/fuzz/corpus | sed -n 's/_fuzz\.cpp$//p; /^[a-z_]*$/p' | grep -v '^corpus$' | sort -u); do
	[ -e "tests/fuzz/${name}_fuzz.cpp" ] || complain "tests/fuzz/corpus/$name has no target"
	[ -n "$(ls "tests/fuzz/corpus/$name" 2>/dev/null)" ] || complain "tests/fuzz/corpus/$name is empty"
	grep -q "^	tests/fuzz/${name}_fuzz\( \\\\\)*\$" tests/local.mk || complain "tests/fuzz/${name}_fuzz is not in tests/local.mk"
	grep -q "^|.*\`$name\`" doc/SECURITY.md || complain "fuzz target $name is not in the table of doc/SECURITY.md"
done

for file in $(find libop daemon libpp fleet utils kernel tests -name '*.cpp' -o -name '*.h' -o -name '*.sh' -o -name '*.mk'); do
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || complain "$file: no SPDX line"
	case $file in
	tests/unit/*_test.cpp | *.mk) continue ;; # named for what they test; they list files
	esac
	sed -n '2,3p' "$file" | grep -Eq '^(//|#|/\*| \*) ?[A-Za-z$"`0-9]' || complain "$file: does not say its duty"
done
exit $status
