#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every option that a command's --help lists is used by a test: of the report tools by a golden case, of the commands
# that record, whose output is never twice the same, by any test.
set -eu
srcdir=${srcdir:-.}
failed=0

# options_of COMMAND: a line for each option, "SHORT LONG"; SHORT is - if there is none.
options_of() {
	"./$1" --help | sed -nE 's/^ +(-(.), )?--([a-z-]+).*/\2 \3/p; s/^ +-(.), --([a-z-]+).*/\1 \2/p' |
		sed 's/^ /- /' | sort -u
}

# check COMMAND FILE...: FILEs are what uses it.
check() {
	command=$1
	shift
	[ "$(options_of "$command" | wc -l)" -gt 3 ] || { echo "$command --help lists no options"; failed=1; }
	options_of "$command" >options_test.list
	while read -r short long; do
		pattern="--$long([= '\")]|\$)"
		[ "$short" = - ] || pattern="$pattern|[ '\"]-[A-Za-z]*$short"
		grep -qE -- "$pattern" "$@" && continue
		echo "$command --$long: no test uses it"
		failed=1
	done <options_test.list
	rm -f options_test.list
}

for command in opreport opannotate opgprof oparchive opimport; do
	cat "$srcdir"/tests/golden/*/*/cmd | grep -E "(^|[|;& ])$command " >options_test.uses
	check "$command" options_test.uses
	rm -f options_test.uses
done
for command in operf ocount opcontrol oprofiled; do
	[ -x "./$command" ] || continue
	check "$command" "$srcdir"/tests/golden/*/*/cmd "$srcdir"/tests/e2e/*.sh "$srcdir"/tests/unit/*.cpp \
		"$srcdir"/tests/kernel/*.sh
done
exit $failed
