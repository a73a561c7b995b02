#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# The harness of the driver's tests cannot pass without results: tests/kernel/check.sh and run.sh over fakes of everything that is
# built, fetched or booted, and the checks of output that is not there.
set -eu
command -v python3 >/dev/null || { echo "skipped: no python3 here"; exit 77; }
here=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tests" "$work/bin" "$work/events"
cp -R "$here/tests/kernel" "$work/tests/kernel"
chmod -R u+w "$work"
kernel=$work/tests/kernel
rm "$kernel"/t_*.sh
cd "$work"

# fake FILE: an executable script of what is read.
fake() {
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod +x "$1"
}
for tool in cpio depmod gcc make sparse xz qemu-system-x86_64 qemu-system-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ \
	qemu-system-ppc64 powerpc64le-linux-gnu-gcc powerpc64le-linux-gnu-g++; do
	fake "bin/$tool" </dev/null
done
PATH=$work/bin:$PATH
for script in fetch_kernel build_programs fetch_libraries copy_modules btrfs_image mirror_answers; do
	fake "$kernel/$script.sh" </dev/null
done
# The file `no_build` names what cannot be built: the canary, the driver.
fake "$kernel/build_module.sh" <<'END'
for out in "$@"; do :; done
case ${kernel_source-driver} in
*canary) name=canary ;;
*) name=driver ;;
esac
! grep -q "$name" no_build 2>/dev/null || { echo "$name does not build" >&2; exit 1; }
mkdir -p "$out" && : >"$out/oprofile.ko"
END
fake bin/strip </dev/null
# The file `speed`: what is measured first, second, ...
fake "$kernel/measure_speed.sh" <<'END'
echo x >>measured
awk -v n=$(grep -c . measured) '{ print (n > NF ? $NF : $n) }' speed
END
echo 250 >speed

# With a file `dies` it does not end by itself. The file `late` holds the turns that come too late, "CASE TURN".
# The file `plan` holds the guest's result for each case, the first time, the second, ...: "CASE STATUS...", "CASE nothing", "CASE no_log";
# or "no boot".
fake "$kernel/guest.sh" <<'END'
for out in "$@"; do :; done
echo "$*" >>guest_words
mkdir -p "$out/results"
rm -f "$out/status"
: >"$out/serial.log"
! grep -q '^no boot' plan || exit 1
: >"$out/job.log"
while read -r name limit; do
	turn=$(($(cat "runs.$name" 2>/dev/null | grep -c .) + 1))
	! grep -q "^$name $turn\$" late 2>/dev/null || { : >"$out/late"; break; }
	echo "$name $limit" >>limits
	echo x >>"runs.$name"
	what=$(awk -v name="$name" -v n=$(($(grep -c . "runs.$name") + 1)) '$1 == name { print (n > NF ? $NF : $n) }' plan)
	: >"$out/results/$name.begun"
	[ "$what" != nothing ] || exit 1
	[ "$what" = no_log ] || : >"$out/results/$name.log"
	[ "$what" != no_log ] || what=0
	echo "$what" >"$out/results/$name.status"
	[ "$what" != 98 ] || break
done <"$out/cases"
echo 0 >"$out/status"
[ ! -e dies ]
END

# a_case NAME KERNELS LIMIT
a_case() {
	printf '# kernels: %s\n# limit: %s\n' "$2" "$3" >"$kernel/t_$1.sh"
}
# run STATUS: check.sh of $flavour ends with 0, or with anything else.
flavour=6.1-amd64
run() {
	rm -rf check-kernel limits guest_words measured runs.*
	ended=0
	"$kernel/check.sh" "$flavour" $cases >log 2>&1 || ended=1
	[ "$ended" = "$1" ] || { cat log; echo "FAILED: $what: status $ended, not $1"; exit 1; }
}
# expect WHAT LINE: a line of the output begins so.
expect() {
	grep -q "^$2" log || { cat log; echo "FAILED: $1: there is no line \"$2\""; exit 1; }
}
# expect_runs CASE NUMBER: the case was run so often, and check-kernel/reruns has as many lines for it as there were reruns.
expect_runs() {
	runs=$(grep -c . "runs.$1")
	reruns=$(grep -c "^6.1-amd64 $1 [12] " check-kernel/reruns 2>/dev/null) || reruns=0
	[ "$runs-$reruns" = "$2-${3-$(($2 - 1))}" ] || { cat log; echo "FAILED: $what: $runs runs and $reruns reruns of $1"; exit 1; }
}
# expect_trs CASE RESULT
expect_trs() {
	grep -q "^:test-result: $2" "check-kernel/$1.trs" || { cat log; echo "FAILED: check-kernel/$1.trs is not $2"; exit 1; }
}

a_case good 6.1-amd64 10
a_case other 6.12-amd64 10
cases=
what="all cases pass"
echo 'good 0' >plan
run 0
expect "$what" "PASS: 6.1-amd64 good"
expect_trs 6.1-amd64/good PASS
expect_trs harness PASS
grep -q 'OP_PLACING=""' check-kernel/6.1-amd64/plain/script || { echo "FAILED: a placing is asked for"; exit 1; }
expect "the slowness is printed" "emulation takes 250 %"
expect "times are printed" "6.1-amd64: fetch [0-9]* s, build [0-9]* s, boot [0-9]* s, cases [0-9]* s"
[ "$(cat limits)" = "good 25" ] || { cat limits; echo "FAILED: the limit of a case is not scaled"; exit 1; }
grep -q -e '--timeout 175' guest_words || { cat guest_words; echo "FAILED: the limit of the guest is not scaled"; exit 1; }

what="the worker is to place the samples"
OP_PLACING=worker
export OP_PLACING
run 0
grep -q 'OP_PLACING="worker"' check-kernel/6.1-amd64/plain/script || { echo "FAILED: the placing does not reach the guest"; exit 1; }
unset OP_PLACING

what="a kernel that decides has its turn, however late"
OP_BEGIN_BEFORE=0
export OP_BEGIN_BEFORE
run 0
expect "$what" "PASS: 6.1-amd64 good"
unset OP_BEGIN_BEFORE

what="a kernel that decides, when the time of all tests is over"
OP_END_BEFORE=0
export OP_END_BEFORE
run 0
expect "$what" "SKIP: 6.1-amd64 kernel (this machine is too slow"
[ ! -e guest_words ] || { echo "FAILED: $what: a guest was booted"; exit 1; }
what="a case whose turn comes too late in the guest"
OP_END_BEFORE=99999999999
a_case later 6.1-amd64 10
printf 'good 0\nlater 0\n' >plan
echo later 1 >late
run 0
expect "$what" "PASS: 6.1-amd64 good"
expect "$what" "SKIP: 6.1-amd64 later (this machine is too slow"
[ ! -e runs.later ] || { echo "FAILED: $what: it was run"; exit 1; }
grep -q 'OP_END_BEFORE="99999999999"' check-kernel/6.1-amd64/plain/script || { echo "FAILED: the guest does not know when to end"; exit 1; }
what="a guest that dies after the last case that it had time for"
echo later 1 >late
echo 1 >dies
run 1
expect "$what" "FAIL: 6.1-amd64 guest_plain"
rm dies
what="a case that has failed, and whose next turn comes too late"
printf 'good 1\nlater 0\n' >plan
echo good 2 >late
run 1
expect "$what" "FAIL: 6.1-amd64 good (status 1 after .*, and there is no time to run it again"
unset OP_END_BEFORE
rm "$kernel/t_later.sh" late

a_case bad 6.1-amd64 10
what="a case fails"
printf 'good 0\nbad 1\n' >plan
run 1
expect "$what" "FAIL: 6.1-amd64 bad"
expect_trs 6.1-amd64/bad FAIL
expect_runs good 1
expect_runs bad 3
what="a case that fails once"
printf 'good 0\nbad 1 0\n' >plan
run 0
expect "$what" "failed at attempt 1, and is run again alone: 6.1-amd64 bad (status 1 after "
expect "$what" "PASS: 6.1-amd64 bad (.*, at attempt 2)"
expect_trs 6.1-amd64/bad PASS
expect_runs bad 2
[ -f check-kernel/6.1-amd64/bad.attempt1.log ] || { echo "FAILED: the log of the first attempt is not kept"; exit 1; }
grep -q '^bad 25$' limits && [ "$(sed -n '$p' check-kernel/6.1-amd64/bad.alone/cases)" = "bad 25" ] ||
	{ echo "FAILED: the case was not run again alone"; exit 1; }
what="a case that fails twice"
printf 'good 0\nbad 1 124 0\n' >plan
run 0
expect_runs bad 3
grep -q '^6.1-amd64 bad 2 not done within' check-kernel/reruns || { cat check-kernel/reruns; echo "FAILED: no reason for the second rerun"; exit 1; }
what="a case that is skipped after it failed"
printf 'good 0\nbad 1 77\n' >plan
run 1
expect_trs 6.1-amd64/bad FAIL
expect_runs bad 3
# No luck explains these.
for status in 98 99; do
	what="a case with status $status"
	printf 'good 0\nbad %s 0\n' $status >plan
	run 1
	expect_trs 6.1-amd64/bad FAIL
	expect_trs 6.1-amd64/good PASS
	expect_runs bad 1
done
what="a guest that dies"
printf 'good 0\nbad nothing 0\n' >plan
run 1
expect_trs 6.1-amd64/bad FAIL
expect_runs bad 1
what="a guest that dies when a case is run again"
printf 'good 0\nbad 1 nothing 0\n' >plan
run 1
expect_trs 6.1-amd64/bad FAIL
expect_runs bad 2
what="a complaint of the kernel besides a case that failed"
printf 'good 0\nbad 1 0\n' >plan
fake "$kernel/guest_again.sh" <"$kernel/guest.sh"
echo '[ -n "$(sed 1d runs.bad)" ]' >>"$kernel/guest.sh"
run 1
expect_trs 6.1-amd64/guest_plain FAIL
expect_trs 6.1-amd64/bad PASS
cp "$kernel/guest_again.sh" "$kernel/guest.sh"

what="out of time on a machine that has become slower"
echo 250 400 >speed
printf 'good 0\nbad 124 0\n' >plan
run 0
expect "$what" "emulation now takes 400 % of the reference's time, not 250 %"
expect_runs bad 2 0
[ "$(cat check-kernel/6.1-amd64/bad.alone/cases)" = "bad 40" ] || { echo "FAILED: the limit has not grown with the measured speed"; exit 1; }
what="out of time for good on a machine that has become slower"
printf 'good 0\nbad 124\n' >plan
run 1
expect_runs bad 4 2
what="another failure on a machine that has become slower"
printf 'good 0\nbad 1 0\n' >plan
run 0
expect_runs bad 2
echo 250 >speed
what="a case without a status"
printf 'good 0\nbad nothing\n' >plan
run 1
expect_trs 6.1-amd64/bad FAIL
expect_trs 6.1-amd64/good PASS
what="a case without a log"
printf 'good 0\nbad no_log\n' >plan
run 1
expect_trs 6.1-amd64/bad FAIL
rm "$kernel/t_bad.sh"

echo 'good 0' >plan
what="a case that does not exist"
cases=god
run 1
expect_trs harness FAIL
cases=
what="a case without a limit"
a_case bad 6.1-amd64 ''
run 1
expect_trs harness FAIL
rm "$kernel/t_bad.sh"
what="a measurement that fails"
mv "$kernel/measure_speed.sh" "$kernel/measured.sh"
fake "$kernel/measure_speed.sh" <<'END'
exit 1
END
run 0
expect "$what" "the speed of this machine cannot be measured"
expect "$what" "emulation takes 100 %"
expect_trs harness PASS
mv "$kernel/measured.sh" "$kernel/measure_speed.sh"

fake "$kernel/guest_again.sh" <"$kernel/guest.sh"
what="a run that ends after its first result"
echo 'rm check-kernel/6.1-amd64/times && mkdir check-kernel/6.1-amd64/times' >>"$kernel/guest.sh"
run 1
expect_trs 6.1-amd64/build PASS
expect_trs harness FAIL
cp "$kernel/guest_again.sh" "$kernel/guest.sh"

what="output that nothing checks"
sed -i 's|^mkdir -p "$out/results"|mkdir -p "$out/results" "$out/output/good"|' "$kernel/guest.sh"
run 1
expect_trs 6.1-amd64/good FAIL
cp "$kernel/guest_again.sh" "$kernel/guest.sh"
what="a check whose input is not there"
cp "$kernel/verify_ocount.py" "$kernel/verify_good.py"
run 1
expect_trs 6.1-amd64/good FAIL

cp "$kernel/guest_again.sh" "$kernel/guest.sh"
rm "$kernel/verify_good.py"
what="a kernel that does not boot"
echo 'no boot' >plan
run 1
expect_trs 6.1-amd64/good FAIL

# Without a result a kernel that decides has failed.
printf 'good 0\nother 0\n' >plan
what="a kernel that cannot be fetched"
cp "$kernel/fetch_kernel.sh" "$kernel/fetch_again.sh"
echo '[ $1 != 6.12-amd64 ] || { echo "the archive is gone"; exit 1; }' >>"$kernel/fetch_kernel.sh"
flavour="6.1-amd64 6.12-amd64"
run 1
expect "$what" "FAIL: 6.12-amd64 kernel (no result: the archive is gone)"
expect "$what" "PASS: 6.1-amd64 good"
cp "$kernel/fetch_again.sh" "$kernel/fetch_kernel.sh"
flavour=6.1-amd64
what="offline"
echo 'echo "no mirror answers" >&2; exit 1' >>"$kernel/mirror_answers.sh"
run 0
expect "$what" "SKIP: no guests here (no mirror answers)"
expect_trs harness SKIP
what="offline, with a kernel from before"
mkdir -p kept/6.1-amd64
: >kept/6.1-amd64/kernel.txt
OP_KERNELS=$work/kept
export OP_KERNELS
run 0
expect "$what" "PASS: 6.1-amd64 good"
unset OP_KERNELS
what="no emulator"
cp "$kernel/check.sh" "$kernel/check_again.sh"
sed -i 's/ cpio / no_such_tool /' "$kernel/check.sh"
run 0
expect "$what" "SKIP: no guests here (no_such_tool is not installed)"
cp "$kernel/check_again.sh" "$kernel/check.sh"
fake "$kernel/mirror_answers.sh" </dev/null

# The newest kernel is a report. With $OP_NEWEST_DECIDES it decides.
flavour=sid-amd64
# run_both LINE REPORT: it fails where the newest kernel decides, with a line that begins so, and else passes with a line in
# newest.txt that matches the other.
run_both() {
	OP_NEWEST_DECIDES=1
	export OP_NEWEST_DECIDES
	run 1
	expect "$what" "$1"
	unset OP_NEWEST_DECIDES
	run 0
	grep -q "$2" check-kernel/newest.txt || { cat check-kernel/newest.txt; echo "FAILED: $what: newest.txt has no line \"$2\""; exit 1; }
	[ -z "$(find check-kernel/sid-amd64 -name '*.trs')" ] || { echo "FAILED: $what: a result of the newest kernel decides"; exit 1; }
}
a_case newest 'sid-*' 10
echo 'no boot' >plan
what="a newest kernel that does not boot"
run_both "FAIL: sid-amd64 guest_plain (no result: this emulator does not boot" "SKIP: guest_plain (this emulator does not boot"
what="the newest kernel"
printf 'newest 0\n' >plan
run 0
expect "a pattern names kernels" "newest kernel: PASS: sid-amd64 newest"
expect "$what" "newest kernels, which do not decide:"
expect "$what" "  sid-amd64 (.*): 2 passed, 0 failed, 0 skipped"
[ ! -e check-kernel/sid-amd64/good.report ] || { echo "FAILED: a case ran on a kernel that it does not name"; exit 1; }
what="a case that fails on the newest kernel"
printf 'newest 1\n' >plan
run_both "FAIL: sid-amd64 newest" "FAIL: newest (status 1 after "
[ ! -e check-kernel/reruns ] && grep -q newest check-kernel/reruns.newest || { echo "FAILED: reruns on the newest kernel are counted"; exit 1; }
what="the newest kernel beside one that decides"
flavour="6.1-amd64 sid-amd64"
printf 'good 1\nnewest 0\n' >plan
run 1
expect_trs 6.1-amd64/good FAIL
printf 'good 0\nnewest 1\n' >plan
run 0
expect_trs harness PASS
flavour=sid-amd64
what="a driver that does not build for the newest kernel"
echo driver >no_build
run_both "FAIL: sid-amd64 build" "FAIL: build"
what="a compiler that is too old for the newest kernel"
echo canary >no_build
run_both "FAIL: sid-amd64 kernel (no result: no module can be built for .* here: canary does not build)" "SKIP: kernel (no module can be built for "
rm no_build
what="the newest kernel cannot be fetched"
echo 'echo "the mirror does not answer"; exit 1' >>"$kernel/fetch_kernel.sh"
run_both "FAIL: sid-amd64 kernel (no result: the mirror does not answer)" "SKIP: kernel (the mirror does not answer)"
cp "$kernel/fetch_again.sh" "$kernel/fetch_kernel.sh"
what="a newest kernel whose turn comes too late"
printf 'newest 0\n' >plan
OP_BEGIN_BEFORE=0
export OP_BEGIN_BEFORE
run 0
expect "$what" "newest kernel: SKIP: sid-amd64 kernel (this machine is too slow"
what="a newest kernel whose turn comes in time"
OP_BEGIN_BEFORE=99999999999
run 0
expect "$what" "newest kernel: PASS: sid-amd64 newest"
unset OP_BEGIN_BEFORE

# Each check by itself.
mkdir empty
for check in "$kernel"/verify_?*.py; do
	for directory in empty nowhere; do
		! python3 -B "$check" "$directory" "$work/nowhere" >log 2>&1 || { cat log; echo "FAILED: ${check##*/} passes without input"; exit 1; }
	done
done
