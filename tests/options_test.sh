#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Every option that a command's --help lists is used by a test: of the report tools by a golden case, of the commands
# that record, whose output is never twice the same, by one of their own. The manual has the formats of opreport, each once
# and in the same order.
set -eu
srcdir=${srcdir:-.}
failed=0

# help_of COMMAND: what its --help prints; of opfleet, also that of its verbs.
help_of() {
	"./$1" --help
	[ "$1" != opfleet ] || for verb in $(./opfleet --help | sed -n '/^Verbs/,$s/^  \([a-z]*\)  .*/\1/p'); do "./$1" "$verb" --help; done
}

# options_of COMMAND: a line for each option, "SHORT LONG"; SHORT is - for an option without a short form.
options_of() {
	help_of "$1" | sed -nE 's/^ +(-(.), )?--([a-z-]+).*/\2 \3/p; s/^ +-(.), --([a-z-]+).*/\1 \2/p' |
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

# uses COMMAND WORDS FILE...: the lines of FILEs that run the command, by its name or one of the WORDS, in options_test.uses
uses() {
	words=$2
	shift 2
	cat "$@" | grep -E -- "$words" >options_test.uses
}

# formats_known: the names that opreport itself lists; formats_described: those of the section FORMATS of its manual.
formats_known() { ./opreport --format=NONE 2>&1 | sed -n 's/.*not one of //p' | tr -d ,; }
formats_described() {
	sed -n '/^\.SH FORMATS/,/^\.SH PROFILES/p' "$srcdir"/doc/opreport.1 | sed -n '/^\.TP/{n;s/^\.B //p;}' | tr '\n' ' ' | sed 's/ $//'
}
[ -n "$(formats_known)" ] || { echo "opreport lists no formats"; failed=1; }
[ "$(formats_known)" = "$(formats_described)" ] ||
	{ echo "opreport knows the formats $(formats_known); its manual describes $(formats_described)"; failed=1; }

golden=$srcdir/tests/golden
e2e=$srcdir/tests/e2e
for command in opreport opannotate opgprof oparchive opimport opjitconv ophelp; do
	uses "$command" "(^|[|;& ])$command " "$golden"/*/*/cmd
	check "$command" options_test.uses
done
if [ -x ./oprofiled ]; then
	uses operf 'operf|profile|expect|record|chain|refused|options' "$golden"/operf/*/cmd "$e2e"/operf_test.sh "$e2e"/stacks_test.sh "$e2e"/while_recording_test.sh "$e2e"/rotation_test.sh
	check operf options_test.uses
	uses ocount 'ocount|count|expect' "$golden"/ocount/*/cmd "$e2e"/ocount_test.sh
	check ocount options_test.uses
	uses opcontrol 'control|Words|of\(' "$golden"/opcontrol/*/cmd "$e2e"/opcontrol_test.sh "$e2e"/rotation_test.sh \
		"$srcdir"/tests/kernel/t_opcontrol.sh "$srcdir"/tests/unit/opcontrol_test.cpp
	check opcontrol options_test.uses
	uses oprofiled 'oprofiled|start_daemon|options|"--' "$e2e"/oprofiled_test.sh "$e2e"/rotation_test.sh "$golden"/oprofiled/*/cmd \
		"$srcdir"/tests/kernel/t_*.sh "$srcdir"/tests/unit/opcontrol_test.cpp
	check oprofiled options_test.uses
	uses optop 'optop' "$golden"/optop/*/cmd "$e2e"/optop_test.sh
	check optop options_test.uses
fi
if [ -x ./opfleet ]; then
	uses opfleet 'opfleet|top|refused|symbolize|counts' "$e2e"/opfleet_*test.sh "$e2e"/symbolizer_test.sh "$e2e"/push_secrets_test.sh
	check opfleet options_test.uses
fi
rm -f options_test.uses
exit $failed
