#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# tests/golden/run.sh itself, over made-up commands and cases: any command that fails unexpectedly fails its case, and no
# such outcome becomes what is expected.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAILED: $*"
	cat "$work/out"
	exit 1
}

mkdir -p "$work/build/tests/golden" "$work/src/tests/golden/sessions" "$work/src/events"
ln -s "$srcdir/tests/e2e" "$work/src/tests/e2e"
cp "$srcdir/tests/golden/run.sh" "$srcdir/tests/golden/case.sh" "$work/src/tests/golden/"
ln -s "$srcdir/tests/fixtures" "$work/src/tests/fixtures"
for program in ocount opannotate oparchive opcontrol operf opgprof ophelp opimport opjitconv opreport oprofiled optop tests/golden/make_session; do
	printf '#!/bin/sh\necho "$*"; ls -A "$HOME"; [ "$1" != crash ] || kill -SEGV $$; exit ${2-0}\n' >"$work/build/$program"
	chmod +x "$work/build/$program"
done
printf 'all tests/golden/make_session: built\nbuilt:\n\ttouch built\n' >"$work/build/Makefile"
touch "$work/build/built"

golden() { srcdir=$work/src builddir=$work/build sh "$work/src/tests/golden/run.sh" "$@" >"$work/out" 2>&1; }
# a_case NAME: makes one of standard input, with what it prints today expected.
a_case() {
	mkdir -p "$work/src/tests/golden/opreport/$1"
	cat >"$work/src/tests/golden/opreport/$1/cmd"
	: >"$work/src/tests/golden/opreport/$1/expected"
}
# is_refused NAME WORDS: the case fails with these words, and --update does not take it.
is_refused() {
	golden "/$1" && fail "case '$1' passed"
	grep -q -e "$2" "$work/out" || fail "case '$1' does not print '$2'"
	golden --update "/$1" && fail "--update took case '$1'"
	[ ! -s "$work/src/tests/golden/opreport/$1/expected" ] || fail "--update wrote what case '$1' printed"
}

echo 'opreport first 1; opreport last' | a_case unexpected
is_refused unexpected 'status 1 instead of 0: command opreport first 1'
echo 'opreport first 2 | cat; opreport last' | a_case piped
is_refused piped 'status 2 instead of 0'
echo 'fails 1 opreport crash' | a_case crashing
is_refused crashing 'status 139 instead of 1'
echo 'fails 1 opreport first' | a_case succeeding
is_refused succeeding 'status 0 instead of 1'
echo 'fails 1 control --status 2' | a_case through-control
is_refused through-control 'status 2 instead of 1'
printf 'grep -q there /dev/null\nopreport last\n' | a_case another-program
is_refused another-program 'ended with status 1'
printf 'cd missing\n' | a_case unending
is_refused unending 'ended with status'
printf 'setsid tail -f /dev/null & echo $! >"$srcdir/left"; opreport last; tail -f /dev/null\n' | a_case endless
export OP_CASE_SECONDS=2
is_refused endless 'not over within 2 s'
# What it started ends with it, before those after it begin.
echo '! grep -q . "/proc/$(cat "$srcdir/left")/cmdline" || echo "left: process $(cat "$srcdir/left")"' | a_case later
jobs=1 golden /endless /later && fail 'an endless case passed'
! grep -q 'left: process' "$work/out" || fail 'a case that was ended left a process'
unset OP_CASE_SECONDS
printf '# On machine unknown\nopreport first\n' | a_case elsewhere
is_refused elsewhere "no machine 'unknown'"

echo 'fails 3 opreport first 3; fails 1 grep -q there /dev/null; fails 2 opreport piped 2 | cat; opreport last; touch $HOME/left' |
	a_case good
golden /good && fail 'a case without its output passed'
golden --update /good || fail '--update refused a good case'
golden /good || fail 'a good case failed, or found a file of an earlier run in its home directory'
[ "$(tr '\n' ' ' <"$work/src/tests/golden/opreport/good/expected")" = 'first 3 .local piped 2 .local last .local ' ] || fail 'the output is wrong'

golden --machine unknown /good && fail 'an unknown machine was taken'
golden /no-such-case && fail 'no case at all passed'
rm "$work/build/built"
golden --update /good && fail '--update took an unfinished tree'
rm "$work/build/ophelp"
golden /good && fail 'a tree without ophelp was taken'
grep -q 'ophelp is not built' "$work/out" || fail 'what is not built is not named'
