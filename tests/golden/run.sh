#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the golden cases: every tests/golden/<command>/<case>/cmd, compared with `expected` beside it. With --update
# the outcomes become what is expected. Further words restrict the run to cases whose path contains one of them.
# Environment: srcdir (the source tree), builddir (where the commands are), both default to '.'.
#
# A cmd is a shell script run in a directory of its own with
#   session NAME [DIRECTORY]   makes a session directory (default: NAME) of tests/golden/sessions/NAME.txt
#   fixtures/                  tests/fixtures
#   control WORDS              opcontrol in a machine's tree of its own, tree/; paths are shown from there
#   events DIRECTORY           takes events from a directory of tests/fixtures/events instead of events/
#   driver MODEL CPU_TYPE MIN  puts the files of a driver with one counter into that tree
# and the commands of the tree first in PATH.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
export srcdir builddir
# The events of the source tree, whatever is installed.
export OPROFILE_EVENTS_DIR="$srcdir/events"
# Settings that a user may have made.
unset DEBUGINFOD_URLS NO_COLOR PAGER OPROFILE_PAGER
update=
[ "${1-}" = --update ] && { update=1; shift; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/prelude" <<'END'
events() { export OPROFILE_EVENTS_DIR=fixtures/events/$1; }
session() { "$builddir/tests/golden/make_session" "$srcdir/tests/golden/sessions/$1.txt" "${2-$1}"; }
control() {
    umask 022
    mkdir -p tree/root tree/run tree/var/lib
    opcontrol --root-dir=tree "$@" > control.out 2> control.err
    status=$?
    sed "s|$PWD|.|g" control.out
    sed "s|$PWD|.|g" control.err >&2
    return $status
}
driver() {
    mkdir -p tree/dev/oprofile/0
    (cd tree/dev/oprofile && printf '%s' "$1" > model && printf '%s' "$2" > cpu_type && echo "$3" > 0/min_count
        for file in stream_version backtrace_depth pid_filter pgrp_filter buffer_size buffer_watershed \
            cpu_buffer_size 0/enabled 0/event 0/count 0/kernel 0/user 0/unit_mask; do echo 0 > $file; done)
}
END

# Prints what a case does: stdout, then stderr if it is not empty, and the status if it is not 0.
outcome() {
    rm -rf "$work/case" && mkdir "$work/case" && cd "$work/case" || exit 1
    ln -s "$srcdir/tests/fixtures" fixtures
    (PATH="$builddir:$PATH" LC_ALL=C && export PATH LC_ALL && . "$work/prelude" && . "$1/cmd") \
        > "$work/stdout" 2> "$work/stderr" < /dev/null
    status=$?
    cat "$work/stdout"
    [ -s "$work/stderr" ] && { echo "--- stderr"; cat "$work/stderr"; }
    [ $status -ne 0 ] && echo "--- status $status"
    return 0
}

# True if a case was asked for.
wanted() {
    name=$1
    shift
    [ $# -eq 0 ] && return 0
    for word; do case $name in *"$word"*) return 0 ;; esac; done
    return 1
}

count=0
failed=0
for cmd in "$srcdir"/tests/golden/*/*/cmd; do
    case_dir=$(dirname "$cmd")
    name=${case_dir#"$srcdir/tests/golden/"}
    wanted "$name" "$@" || continue
    count=$((count + 1))
    outcome "$case_dir" > "$work/outcome"
    cd "$srcdir" || exit 1
    if [ -n "$update" ]; then
        cmp -s "$work/outcome" "$case_dir/expected" || { cp "$work/outcome" "$case_dir/expected"; echo "updated $name"; }
    elif ! diff -u "$case_dir/expected" "$work/outcome"; then
        echo "FAILED $name"
        failed=$((failed + 1))
    fi
done
echo "$count golden cases, $failed failed"
[ $count -gt 0 ] && [ $failed -eq 0 ]
