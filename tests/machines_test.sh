#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# On each made-up machine (tests/fixtures/machines) the unit tests pass and the commands that look at the machine print the
# same, but for golden cases that name a machine of their own. Two machines at a time.
#
# The slow suites run on one of the machines only, besides the run of all suites on the machine itself. They cannot depend on
# it: none of them reaches machine_path(), through which processor, CPUs, PMUs and kernel settings are read
# (tests/layers_test.sh), and none opens a file of the made-up machine: `strace -f -e trace=%file` over each of them shows no path
# below OPROFILE_MACHINE_DIR. Of the running kernel itself, /proc/modules, /sys/kernel/notes and /sys/module are read directly;
# no made-up machine has them. The suites read event files, sample files, manifests, recordings and recorded streams or temporary
# directories, feed records to the process table and to a collector, look at processes of their own, compute with made-up
# figures, write pages, or shorten names.
# usage: machines_test.sh [--one DIRECTORY]: only that machine, as one of the processes of the test
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
export srcdir
builddir=$PWD
export builddir
# By full name, so that a new suite runs on every machine until it is listed.
slow='AgentDump AkarosSource BuildStacks Cached CallTree CfiReader ClassicEvents Collecting CollectingCode CollectingImportedCode
	CollectingMany CollectingPlaced CollectingStacks CollectorLimits CountingLoop Directory Doubting EventData FitNames Guard
	HeldStacks LiveRowsTest LiveSessionTest Manifest MiniDebugInfo OpenRegularBelow Packages PerfData Processes ProcessPlace ProcScan
	Recordings ReplaySource SampleFile SampleFilesTest SamplePath SandboxCalls Session SessionInfo SessionLock SessionOfRoot
	SessionReader SessionStatistics Significance StackCrash StackSet StackSetReader WritePage'
full=no-pmu

# one DIRECTORY: the tests on that machine; what fails is printed as one text
one() {
	name=${1##*/} status=0
	filter="-$(printf '%s.*:' $slow)"
	[ "$name" != $full ] || filter='*'
	log=$(OPROFILE_MACHINE_DIR=$1 ./tests/unit_tests --gtest_brief=1 --gtest_filter="$filter" 2>&1) ||
		{ status=1; printf '%s\nFAILED: unit tests on the machine %s\n' "$log" "$name"; }
	log=$("$srcdir/tests/golden/run.sh" --machine "$name" ocount/ opcontrol/ operf/ ophelp/ oprofiled/ 2>&1) ||
		{ status=1; printf '%s\nFAILED: golden cases on the machine %s\n' "$log" "$name"; }
	return $status
}

if [ "${1-}" = --one ]; then
	one "$2"
	exit
fi

status=0
suites=$(./tests/unit_tests --gtest_list_tests)
for suite in $slow; do
	echo "$suites" | grep -qxF "$suite." || { echo "no suite $suite"; status=1; }
done
find "$srcdir/tests/fixtures/machines" -mindepth 1 -maxdepth 1 -print0 | xargs -0 -n 1 -P 2 sh "$srcdir/tests/machines_test.sh" --one || status=1
count=$(find "$srcdir/tests/fixtures/machines" -mindepth 1 -maxdepth 1 | wc -l)
echo "$count machines"
[ "$count" -ge 8 ] || status=1
[ -d "$srcdir/tests/fixtures/machines/$full" ] || { echo "no machine $full"; status=1; }
exit $status
