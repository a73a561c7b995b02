#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# tests/verdict.sh and tests/summary.sh over made-up tests: a measured test that fails twice and then passes has passed, and both
# runs are shown; one that fails three times has failed, as has an exact one that fails once, a killed one, and one without a
# result. More than three measured tests that needed another run make the whole red.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAILED: $*"
	cat "$work/out"
	exit 1
}

mkdir -p "$work/src/tests" "$work/tree/tests" "$work/parts"
cp "$srcdir/tests/verdict.sh" "$srcdir/tests/summary.sh" "$work/src/tests/"
# Runs the test as automake's driver does: a .log whose last line is the result, and a .trs.
cat >"$work/tree/Makefile" <<END
check-TESTS:
	@status=0; sh $work/src/\$(TESTS) >\$(TESTS).log 2>&1 || status=\$\$?; \\
	case \$\$status in 0) result=PASS ;; 77) result=SKIP ;; *) result=FAIL ;; esac; \\
	echo "\$\$result \$(TESTS) (exit status: \$\$status)" >>\$(TESTS).log; \\
	echo ":global-test-result: \$\$result" >\$(TESTS).trs
END

# a_test NAME KIND STATUS...: one whose runs end with these statuses, one after the other; the first run has been.
a_test() {
	name=$1 kind=$2
	shift 2
	echo "$*" >"$work/$name.statuses"
	cat >"$work/src/tests/$name.sh" <<END
#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: $kind
read -r now later <$work/$name.statuses
echo "\$later" >$work/$name.statuses
[ "\$now" = 0 ] || echo "FAILED: $name with \$now"
exit "\$now"
END
	make -s -C "$work/tree" check-TESTS TESTS="tests/$name.sh"
}
verdict() {
	rm -rf "$work/parts"
	(cd "$work" && OP_RECORDS=$work/parts sh "$work/src/tests/verdict.sh" "$work/tree" "$@") >"$work/out" 2>&1
}
# left NAME: the statuses of the runs to come.
left() { cat "$work/$1.statuses"; }

a_test good exact 0 1
a_test skipped measured 77 1
a_test lucky measured 1 1 0 9
verdict tests/good.sh tests/skipped.sh tests/lucky.sh || fail "a measured test that passed in its third run failed"
[ "$(left good) $(left skipped) $(left lucky)" = '1 1 9' ] || fail "other tests were run again"
[ "$(cat "$work/parts/reruns")" = 'tests/lucky.sh 1 FAILED: lucky with 1
tests/lucky.sh 2 FAILED: lucky with 1' ] || fail "the reruns are not noted: $(cat "$work/parts/reruns")"
grep -q 'FAILED: lucky' "$work/parts/lucky.sh.failed2.log" || fail "the log of a failed run is not kept"
grep -q '^RERUN: tests/lucky.sh' "$work/out" || fail "a rerun is not printed"

a_test unlucky measured 1 1 1 0
verdict tests/unlucky.sh && fail "a measured test that failed three times passed"
[ "$(left unlucky)" = 0 ] || fail "it was not run three times"
a_test wrong exact 1 0
verdict tests/wrong.sh && fail "an exact test was excused"
[ "$(left wrong)" = 0 ] || fail "an exact test was run again"
[ ! -e "$work/parts/reruns" ] || fail "a rerun is noted that was none"
a_test killed measured 137 0
verdict tests/killed.sh && fail "a killed test was excused"
a_test broken measured 1 137 0
verdict tests/broken.sh && fail "a test that was killed in its second run was excused"
verdict tests/absent.sh && fail "a test without a result passed"
grep -q 'FAIL: tests/absent.sh (it has no result)' "$work/out" || fail "a test without a result is not named"

# summary NUMBER: with so many tests that were run again
summary() {
	rm -rf "$work/parts" "$work/sum"
	mkdir -p "$work/parts" "$work/sum/tests"
	[ -z "${log-}" ] || { echo "$log" >"$work/sum/tests/t1.sh.log"; echo ':global-test-result: PASS' >"$work/sum/tests/t1.sh.trs"; }
	echo 'unknown version: old 1' >"$work/sum/tests/t2.sh.log"
	echo ':global-test-result: PASS' >"$work/sum/one.trs"
	n=0
	while [ $n -lt "$1" ]; do
		n=$((n + 1))
		printf 'tests/t%d.sh 1 FAILED: x\ntests/t%d.sh 2 FAILED: y\n' $n $n >>"$work/parts/reruns"
	done
	sh "$work/src/tests/summary.sh" "$work/parts" "$work/sum" >"$work/out" 2>&1
}
summary 0 || fail "the summary of one good test fails"
[ "$(cat "$work/out")" = '1 passed, 0 failed, 0 skipped' ] || fail "the sum is wrong"
summary 3 || fail "three tests that were run again make the whole red"
grep -q 'tests/t3.sh 2 FAILED: y' "$work/out" || fail "the reruns are not in the summary"
mkdir "$work/check-kernel"
printf '6.1-amd64 flood 1 status 1\n6.1-amd64 forks 1 status 1\n' >"$work/check-kernel/reruns"
echo 'newest kernels, which do not decide:' >"$work/check-kernel/newest.txt"
summary 1 || fail "two cases in guests and a test that were run again make the whole red"
grep -q '6.1-amd64/forks 1 status 1' "$work/out" || fail "the reruns in guests are not in the summary"
grep -q '^newest kernels' "$work/out" || fail "the newest kernels are not in the summary"
log='unknown version: node 99.1'
summary 1 || fail "an unknown version makes the whole red"
grep -q '^  node 99.1$' "$work/out" || fail "an unknown version is not in the summary"
! grep -q 'old 1' "$work/out" || fail "an unknown version of another run is in the summary"
summary 2 && fail "two cases in guests and two tests that were run again pass"
rm -r "$work/check-kernel"
summary 4 && fail "four tests that were run again pass"
# What failed is in the summary, as the kind of test words it.
failed() {
	summary 0 || fail "the summary of one good test fails"
	printf -- "$1\\n" >"$work/sum/two.log"
	echo ':global-test-result: FAIL' >"$work/sum/two.trs"
	sh "$work/src/tests/summary.sh" "$work/parts" "$work/sum" >"$work/out" && fail "a failed test passes"
	grep -qx "FAIL: $work/sum/two" "$work/out" || fail "a failed test is not in the summary"
	grep -qx "    $2" "$work/out" || fail "why a test failed is not in the summary"
}
log=
failed 'begins\nFAILED: no sample\n' 'FAILED: no sample'
failed '[ RUN ] A.b\na_test.cpp:7: Failure\nExpected equality:\n  1\n[ OK ] A.c\n' '  1'
failed '==9==ERROR: AddressSanitizer: stack-use-after-scope\nREAD of size 8\n    #0 0x1 in add\n' '    #0 0x1 in add'
failed '-as expected\n+as it is\nFAILED opreport/one\n' '+as it is'
failed 'the last line' 'the last line'
rm -r "$work/sum" && mkdir "$work/sum"
sh "$work/src/tests/summary.sh" "$work/parts" "$work/sum" >/dev/null && fail "no test at all passes"
exit 0
