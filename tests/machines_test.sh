#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On each made-up machine (tests/fixtures/machines) the unit tests pass and the commands that look at the machine print the
# same, but for golden cases that name a machine of their own. Left out is what takes seconds and looks at no machine.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
export srcdir
builddir=$PWD
export builddir
left_out='ClassicEvents*:Collecting*:Directory*:EventData*:Manifest*:Processes*:ReplaySource*:SampleFile*:SamplePath*:Session*'
status=0
count=0
for machine in "$srcdir"/tests/fixtures/machines/*; do
	count=$((count + 1))
	name=${machine##*/}
	log=$(OPROFILE_MACHINE_DIR=$machine ./tests/unit_tests --gtest_brief=1 --gtest_filter="-$left_out" 2>&1) ||
		{ echo "$log"; echo "FAILED: unit tests on the machine $name"; status=1; }
	log=$("$srcdir/tests/golden/run.sh" --machine "$name" ocount/ opcontrol/ operf/ ophelp/ oprofiled/ 2>&1) ||
		{ echo "$log"; echo "FAILED: golden cases on the machine $name"; status=1; }
done
echo "$count machines"
[ $count -ge 8 ] || status=1
exit $status
