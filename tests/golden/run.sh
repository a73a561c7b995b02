#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Runs the golden cases: every tests/golden/<command>/<case>/cmd by tests/golden/case.sh, and compares what it prints
# with `expected` beside it. With --update the outcomes become what is expected; a case in which a command failed
# unexpectedly is never taken.
# usage: run.sh [--update] [--machine NAME] [WORD...]
#   WORD     only cases whose path contains one of them
#   NAME     the made-up machine (tests/fixtures/machines) of cases that name none; the default is amd-no-counters
# Environment: srcdir (the source tree), builddir (where the commands are), both default to '.'; jobs: how many cases run
# at a time, by default one for each processor; OP_CASE_SECONDS: see case.sh; OP_TEST_SECONDS: how long all may take
# (processes.sh).
set -u
. "${srcdir:-.}/tests/e2e/processes.sh"
srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
update=
machine=amd-no-counters
while :; do
    case ${1-} in
    --update) update=1 ;;
    --machine) machine=$2; shift ;;
    *) break ;;
    esac
    shift
done
export srcdir builddir machine

complain() {
    echo "$*" >&2
    exit 1
}
[ -d "$srcdir/tests/fixtures/machines/$machine" ] || complain "tests/fixtures/machines has no '$machine'"
for program in ocount opannotate oparchive opcontrol operf opgprof ophelp opimport opjitconv opreport oprofiled optop tests/golden/make_session; do
    [ -x "$builddir/$program" ] || complain "$builddir/$program is not built; make update-golden and make check build it"
done
# What an outdated program prints must not become what is expected.
if [ -n "$update" ]; then
    env -u MAKEFLAGS -u MAKELEVEL make -q -C "$builddir" all tests/golden/make_session > /dev/null 2>&1 ||
        complain "the tree in $builddir is not built to its end; make update-golden does that first"
fi

work=$(mktemp -d)
leave_nothing

# True if a case was asked for.
wanted() {
    name=$1
    shift
    [ $# -eq 0 ] && return 0
    for word; do case $name in *"$word"*) return 0 ;; esac; done
    return 1
}

count=0
for cmd in "$srcdir"/tests/golden/*/*/cmd; do
    case_dir=${cmd%/cmd}
    wanted "${case_dir#"$srcdir/tests/golden/"}" "$@" || continue
    count=$((count + 1))
    printf '%s\0%s\0' "$case_dir" "$work/$count"
done > "$work/list"
# The case's number keeps the order of what is printed.
count=$(tr -dc '\0' < "$work/list" | wc -c)
count=$((count / 2))
xargs -0 -n 2 -P "${jobs:-$(nproc)}" sh "$srcdir/tests/golden/case.sh" < "$work/list"

failed=0
number=0
while [ $number -lt $count ]; do
    number=$((number + 1))
    case_dir=$(tr '\0' '\n' < "$work/list" | sed -n "$((2 * number - 1))p")
    name=${case_dir#"$srcdir/tests/golden/"}
    if [ ! -e "$work/$number/done" ] || [ -s "$work/$number/faults" ]; then
        cat "$work/$number/stdout" "$work/$number/stderr" "$work/$number/faults"
        echo "FAILED $name"
        failed=$((failed + 1))
    elif [ -n "$update" ]; then
        cmp -s "$work/$number/outcome" "$case_dir/expected" ||
            { cp "$work/$number/outcome" "$case_dir/expected"; echo "updated $name"; }
    elif ! diff -u "$case_dir/expected" "$work/$number/outcome"; then
        echo "FAILED $name"
        failed=$((failed + 1))
    fi
done
echo "$count golden cases, $failed failed"
[ $count -gt 0 ] && [ $failed -eq 0 ]
