#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# The words that plain English (doc/HACKING.md) does without: fails with file:line for each of them in comments, names, messages
# and documents. Walks directories, so that it works in a source package too.
set -eu
cd "${srcdir:-.}"
LC_ALL=C
export LC_ALL

words='[Tt]ells?|[Tt]old|[Tt]elling|[Ss]ays|[Ss]aying|[Aa]new|[Ss]tands|[Ii]n[ _]vain|[Oo]f[ _]theirs|[Ii]s[ _]none|[Aa]ll[ _]the[ _]same|[Nn]ot[ _]asked[ _]for'
banned="(^|[^[:alnum:]])($words)([^[:alnum:]]|\$)" # '_' separates the words of a name
rooms='Makefile.am configure.ac quickstart README.md NEWS.md CONTRIBUTING.md kernel libop libpp daemon fleet utils gui tests doc events/cpu_models'

# The pattern matches words and parts of names, and no longer words.
for text in 'it tells' 'a_note_says_so' 'Stands.' 'told_' 'there is none'; do
	echo "$text" | grep -qE "$banned" || { echo "the pattern misses: $text"; exit 1; }
done
for text in 'understands' 'castellan' 'is None' 'foretold'; do
	! echo "$text" | grep -qE "$banned" || { echo "the pattern matches: $text"; exit 1; }
done

for room in $rooms; do
	[ -e "$room" ] || { echo "$room is not there"; exit 1; }
done
found=$(find $rooms -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.sh' -o -name '*.py' -o -name '*.mk' -o -name '*.am' \
	-o -name '*.ac' -o -name '*.md' -o -name '*.[1-9]' -o -name '*.xsd' -o -name Kbuild -o -name cmd -o -name expected -o -name quickstart -o -name cpu_models \) \
	! -path tests/language_test.sh ! -path 'tests/fuzz/corpus/*' -exec grep -anEH "$banned" {} + || true)
[ -z "$found" ] && exit 0
echo "words that doc/HACKING.md replaces (report, print, state, is, again, no):"
echo "$found"
exit 1
