#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs one golden case for run.sh: case.sh CASE_DIRECTORY RESULT_DIRECTORY leaves there `outcome` (stdout, then stderr if
# there is any), `faults` (commands that ended with an unexpected status) and, when all was run, `done`. A case that is not over
# after $OP_CASE_SECONDS looks at it, a second apart (by default 120), is ended with all that it started.
#
# A cmd is a shell script, run with `set -e` in an empty directory of its own with
#   session NAME [DIRECTORY]   makes a session directory (default: NAME) of tests/golden/sessions/NAME.txt
#   fixtures/                  tests/fixtures
#   control WORDS              opcontrol in a machine's tree of its own, tree/; paths are shown from there
#   events DIRECTORY           takes events from a directory of tests/fixtures/events instead of events/
#   driver MODEL CPU_TYPE MIN  puts the files of a driver with one counter into that tree
#   fails STATUS COMMAND WORDS that command ends with that status
# and the commands of the tree, each of which has to succeed, also in a pipeline, unless `fails` names its status.
# A line "# On machine NAME" names the made-up machine it runs on. All others print the same on every one of them.
# HOME has only the stamp of today's note on parts that the sandbox lacks. Nothing else is in the environment but PATH,
# LC_ALL, OP_TEST (processes.sh), and what sanitizers read.
set -u
. "$srcdir/tests/e2e/processes.sh"
case_dir=$1
result=$2
mkdir -p "$result/home/.local/state/oprofile" "$result/case"
env -u TZ date +%F > "$result/home/.local/state/oprofile/sandbox-incomplete"
: > "$result/faults"
cat > "$result/prelude" <<'END'
umask 022
wanted=0
# Runs a command that has to end with status $wanted.
checked() {
    got=0
    "$@" || got=$?
    [ $got -eq $wanted ] && return 0
    echo "status $got instead of $wanted: $*" >> "$result/faults"
    return 1
}
fails() {
    wanted=$1
    shift
    case $(command -v "$1") in
    /*) checked "$@" ;;
    *) "$@" ;;
    esac
    wanted=0
}
ocount() { checked command ocount "$@"; }
opannotate() { checked command opannotate "$@"; }
oparchive() { checked command oparchive "$@"; }
opcontrol() { checked command opcontrol "$@"; }
operf() { checked command operf "$@"; }
opgprof() { checked command opgprof "$@"; }
ophelp() { checked command ophelp "$@"; }
opimport() { checked command opimport "$@"; }
opjitconv() { checked command opjitconv "$@"; }
opreport() { checked command opreport "$@"; }
oprofiled() { checked command oprofiled "$@"; }
optop() { checked command optop "$@"; }
events() { export OPROFILE_EVENTS_DIR=fixtures/events/$1; }
session() { "$builddir/tests/golden/make_session" "$srcdir/tests/golden/sessions/$1.txt" "${2-$1}"; }
in_tree() {
    mkdir -p tree/root tree/run tree/var/lib
    status=0
    command opcontrol --root-dir=tree "$@" > control.out 2> control.err || status=$?
    sed "s|$PWD|.|g" control.out
    sed "s|$PWD|.|g" control.err >&2
    return $status
}
control() { checked in_tree "$@"; }
driver() {
    mkdir -p tree/dev/oprofile/0
    (cd tree/dev/oprofile && printf '%s' "$1" > model && printf '%s' "$2" > cpu_type && echo "$3" > 0/min_count
        for file in stream_version backtrace_depth pid_filter pgrp_filter buffer_size buffer_watershed \
            cpu_buffer_size 0/enabled 0/event 0/count 0/kernel 0/user 0/unit_mask; do echo 0 > $file; done)
}
set -e
END
on=$(sed -n 's/^# On machine \([a-z0-9-]*\)$/\1/p' "$case_dir/cmd")
machine=$srcdir/tests/fixtures/machines/${on:-$machine}
[ -d "$machine" ] || { echo "no machine '$on'" > "$result/faults"; exit 0; }
cd "$result/case" || exit 1
ln -s "$srcdir/tests/fixtures" fixtures
# The events of the source tree, whatever is installed.
env -i OP_TEST="$OP_TEST" PATH="$builddir:$PATH" LC_ALL=C HOME="$result/home" srcdir="$srcdir" builddir="$builddir" result="$result" \
    OPROFILE_EVENTS_DIR="$srcdir/events" OPROFILE_MACHINE_DIR="$machine" ${ASAN_OPTIONS+ASAN_OPTIONS="$ASAN_OPTIONS"} \
    ${UBSAN_OPTIONS+UBSAN_OPTIONS="$UBSAN_OPTIONS"} ${LSAN_OPTIONS+LSAN_OPTIONS="$LSAN_OPTIONS"} \
    sh -c '. "$result/prelude"; . "$0/cmd"' "$case_dir" > "$result/stdout" 2> "$result/stderr" < /dev/null &
running=$!
limit() {
    try_pause=1
    try_for "${OP_CASE_SECONDS:=120}" is_over $running && return
    echo "the case is not over within $OP_CASE_SECONDS s" >> "$result/faults"
    end_processes
}
limit < /dev/null > /dev/null &
limiting=$! # waited for only where it ends the case: until nothing is left of it
wait $running
status=$?
! grep -q '^the case is not over' "$result/faults" || wait $limiting
[ $status -eq 0 ] || [ -s "$result/faults" ] || echo "the case ended with status $status" > "$result/faults"
{
    cat "$result/stdout"
    [ -s "$result/stderr" ] && { echo "--- stderr"; cat "$result/stderr"; }
} > "$result/outcome"
: > "$result/done"
