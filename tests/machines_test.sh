#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On each made-up machine (tests/fixtures/machines) the unit tests pass and the commands that look at the machine print the
# same, but for golden cases that name a machine of their own.
#
# The slow suites run on one of the machines only, besides the run of all suites on the machine itself. They cannot depend on
# it: none of them reaches machine_path(), through which all of the product reads the machine (tests/layers_test.sh). They
# read event files, sample files, manifests and recorded streams (ClassicEvents, EventData, Manifest, ReplaySource, SampleFile,
# SamplePath, Session) or temporary directories (Directory), or feed records to the process table and to a collector
# (Processes, Collecting).
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
export srcdir
builddir=$PWD
export builddir
slow='ClassicEvents*:Collecting*:Directory*:EventData*:Manifest*:Processes*:ReplaySource*:SampleFile*:SamplePath*:Session*'
full=no-pmu
status=0
count=0
for machine in "$srcdir"/tests/fixtures/machines/*; do
	count=$((count + 1))
	name=${machine##*/}
	filter="-$slow"
	[ "$name" != $full ] || filter='*'
	log=$(OPROFILE_MACHINE_DIR=$machine ./tests/unit_tests --gtest_brief=1 --gtest_filter="$filter" 2>&1) ||
		{ echo "$log"; echo "FAILED: unit tests on the machine $name"; status=1; }
	log=$("$srcdir/tests/golden/run.sh" --machine "$name" ocount/ opcontrol/ operf/ ophelp/ oprofiled/ 2>&1) ||
		{ echo "$log"; echo "FAILED: golden cases on the machine $name"; status=1; }
done
echo "$count machines"
[ $count -ge 8 ] || status=1
[ -d "$srcdir/tests/fixtures/machines/$full" ] || { echo "no machine $full"; status=1; }
exit $status
