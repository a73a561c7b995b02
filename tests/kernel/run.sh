#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh FLAVOUR [CASE...]: builds the driver for that kernel (where there is no driver for it, only the programs), boots the
# kernel in guests and runs the cases t_CASE.sh there; without a name, all that are for this kernel. Works in ./check-kernel.
# Prints PASS, FAIL or SKIP for each case and writes it to FLAVOUR (results.sh); how long each part took, in seconds, goes to
# FLAVOUR/times. Kernels are kept in $OP_KERNELS, else in ./check-kernel/kernels.
# A case that fails is run again alone, up to twice, after the others; what no rerun excuses is in report() of results.sh.
# OP_SLOWNESS: limits of time in per cent of those that the cases name, as measure_speed.sh prints it.
# OP_BEGIN_BEFORE: in seconds since 1970; a kernel that does not decide and whose turn comes later is left out.
# OP_END_BEFORE: likewise; cases whose turn comes later are skipped, on every kernel. One that has failed stays red.
# OP_PLACING=worker: the driver's worker places what its interrupts leave, in the cases that load the driver themselves.
# A case names in its head what it is for; FLAVOUR may be a pattern:
#   "# kernels: FLAVOUR..."    "# limit: SECONDS"    "# boot: KIND" (plain, the default, icount or netburst; see
#   boot_options)
#   "# soak: FLAVOUR..."  further kernels, on which it is expected to find what it finds on the others: run if $OP_SOAK is set,
#   or if the case is named
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$PWD/check-kernel
. "$here/flavour.sh"
. "$here/results.sh"
OP_KERNELS=${OP_KERNELS:-$top/kernels}
OP_SLOWNESS=${OP_SLOWNESS:-100}
export OP_KERNELS OP_SLOWNESS

# Plain guests of x86 can be sent NMIs. A debug kernel gets a tenth of them: it takes more than a millisecond to place the sample of one,
# and the next would come in that work, hardly ever in user mode. It also needs the memory that guest.sh gives it. With sleep=off the
# clock of an idle guest jumps to its next timer, also while it waits for the host's files: on a busy host the limits of what it runs
# are then over at once.
boot_options() {
	case $flavour-$1 in
	*-debug-plain) echo "--qmp-nmi 100" ;;
	*-amd64-plain) echo "--mem 1024 --qmp-nmi 1000" ;;
	*-plain) echo "--mem 1024" ;;
	*-netburst)
		echo "--mem 1024 --qmp-nmi 1000 --smp 2,threads=2 --cpu max,vendor=GenuineIntel,family=15,model=4,stepping=1"
		;;
	*-amd64-icount) echo "--smp 1 --icount shift=1,sleep=on" ;;
	*-icount) echo "--smp 1 --icount shift=1,sleep=off" ;;
	esac
}

# head_of CASE KEY: the value of that key in the case's head.
head_of() {
	sed -n "s/^# $2: //p" "$here/t_$1.sh"
}

# kernels_of CASE
kernels_of() {
	head_of "$1" kernels
	[ -z "${OP_SOAK-}" ] || head_of "$1" soak
}

# check_head CASE: a case that nothing would run, or without a limit, is an error.
check_head() {
	[ -f "$here/t_$1.sh" ] || die "there is no case $1"
	[ -n "$(head_of "$1" kernels)" ] || die "t_$1.sh names no kernels"
	case $(head_of "$1" limit) in
	'' | *[!0-9]*) die "t_$1.sh has no limit" ;;
	esac
	case $(head_of "$1" boot) in
	'' | plain | icount | netburst) ;;
	*) die "t_$1.sh names an unknown kind of boot" ;;
	esac
}

# in_time SECONDS: so many on this machine, for this kernel: a debug kernel is several times as slow.
in_time() {
	case $flavour in
	*-debug) echo $((10 * $1 * OP_SLOWNESS / 100)) ;;
	*) echo $(($1 * OP_SLOWNESS / 100)) ;;
	esac
}

# is_for CASE: the case is for this kernel.
is_for() (
	set -f
	for pattern in $(kernels_of "$1"); do
		case $flavour in
		$pattern) return 0 ;;
		esac
	done
	return 1
)

# cases_for KIND: those of $wanted that are for this kernel and kind of boot, one a line.
cases_for() {
	for each in $wanted; do
		boot=$(head_of "$each" boot)
		[ "${boot:-plain}" != "$1" ] || ! is_for "$each" || echo "$each"
	done
}

# verify_output CASE: output that the case left is checked here, where there is more than in the guest. A case that left some
# has a check, and the other way round.
verify_output() {
	if [ ! -f "$here/verify_$1.py" ]; then
		[ ! -e "$out/output/$1" ] || { echo "FAILED: there is no verify_$1.py" >>"$out/results/$1.log"; return 1; }
		return 0
	fi
	python3 -B "$here/verify_$1.py" "$out/output/$1" "$PWD" >>"$out/results/$1.log" 2>&1
}

# seconds_between FILE FILE: between their last changes, by the host's clock.
seconds_between() {
	echo $(($(stat -c %Y "$2") - $(stat -c %Y "$1")))
}

# collect CASE...: reports the cases that have a result. Sets $unfinished to the others.
collect() {
	unfinished=
	for each in "$@"; do
		results=$out/results/$each
		if [ ! -s "$results.status" ] || [ ! -f "$results.log" ] || [ ! -f "$results.begun" ]; then
			unfinished="$unfinished $each"
			continue
		fi
		status=$(cat "$results.status")
		seconds=$(seconds_between "$results.begun" "$results.status")
		in_cases=$((in_cases + seconds))
		took case "$each" "$seconds"
		[ "$status" != 0 ] || verify_output "$each" || status=$?
		[ "$status" != 99 ] || complained=yes
		report "$each" "$results.log" "$status" "$seconds" "$attempt"
	done
}

# boot KIND CASE...: one boot in $out, and a report of its results. Sets $unfinished to the cases that were not run to their end.
boot() {
	kind=$1
	shift
	rm -rf "$out/results" "$out/output" "$out/late"
	mkdir -p "$out"
	cp -R "$kit" "$out"
	limit=$(in_time 60)
	: >"$out/cases"
	for each in "$@"; do
		echo "$each $(in_time "$(head_of "$each" limit)")" >>"$out/cases"
		limit=$((limit + $(in_time "$(head_of "$each" limit)")))
	done
	printf '#!/bin/sh\nexport OP_BUILD="%s" OP_SOURCE="%s" OP_SLOWNESS="%s" OP_PLACING="%s" OP_END_BEFORE="%s"\nexec sh /out/kit/run_cases\n' \
		"$PWD" "$here/../.." "$OP_SLOWNESS" "${OP_PLACING-}" "${OP_END_BEFORE-}" >"$out/script"
	survived=yes complained=
	begin=$(now)
	"$here/guest.sh" --timeout "$limit" --boot-limit "$(in_time 120)" $(boot_options "$kind") --bind "$(cd "$here/../.." && pwd)" --bind "$PWD" \
		"$flavour" "$out/script" "$out" 2>"$out/guest.err" || survived=
	in_guest=$(($(now) - begin))
	in_cases=0
	collect "$@"
	took boot "$kind" $((in_guest - in_cases))
	# Faults outside the cases: a complaint at boot, between cases or at the end, or a guest that did not end properly.
	if [ -z "$survived$complained" ] && { [ -z "$unfinished" ] || [ -e "$out/late" ]; }; then
		result FAIL "guest_${out##*/}" "not the fault of one case"
		show <"$out/guest.err"
	fi
}

# stopped_early: the driver stayed loaded after a case, which has failed; those after it have another guest.
stopped_early() {
	[ -s "$out/status" ] && [ ! -e "$out/results/$(echo "$unfinished" | awk '{ print $1 }').begun" ] &&
		[ "$(echo $unfinished)" != "$(cut -d ' ' -f 1 "$out/cases" | paste -s -d ' ' -)" ]
}

# did_not_come_up: and may be booted again, as this happens on a busy host.
did_not_come_up() {
	[ ! -e "$out/job.log" ] && [ $boots -gt 0 ] || return 1
	boots=$((boots - 1))
	echo "the guest did not come up: $(tail -n 1 "$out/guest.err")"
}

# died_of_emulator: of a fault of the emulator, the first on this kernel.
died_of_emulator() {
	[ $emulator_faults = 0 ] && "$here/emulator_fault" "$out/serial.log" >"$top/$flavour/fault" || return 1
	emulator_faults=1
	echo "the guest died of a fault of the emulator and is booted again: $(cat "$top/$flavour/fault")"
	tail -n 60 "$out/serial.log" | show
}

# ran_out_of_time: the guest did, and the machine has become slower.
ran_out_of_time() {
	grep -q 'the guest did not end within' "$out/guest.err" && is_slower
}

# The case during which a guest died has failed; whatever the attempt, as no kernel may die.
fail_first() {
	result FAIL "$1" "the guest did not survive it"
	cat "$out/guest.err" "$out/results/$1.log" 2>/dev/null | tail -n 60 | show
	tail -n 60 "$out/serial.log" | show
	shift
	unfinished=$*
}

# out_of_time: no further case may begin.
out_of_time() {
	[ -n "${OP_END_BEFORE-}" ] && [ "$(now)" -ge "$OP_END_BEFORE" ]
}

# leave_out CASE...: there is no time left for them. What has failed before is not excused by that.
leave_out() {
	for each in "$@"; do
		if [ -f "$top/$flavour/$each.failed" ]; then
			result FAIL "$each" "$(cat "$top/$flavour/$each.failed"), and there is no time to run it again"
		else
			result SKIP "$each" "$no_time"
		fi
	done
}

# run_all DIR KIND CASE...: in guests of that kind, until every case has a result or has to be run again. Works in FLAVOUR/DIR.
run_all() {
	out=$top/$flavour/$1
	kind=$2
	shift 2
	unfinished=$*
	boots=2
	while [ -n "$unfinished" ]; do
		! out_of_time || { leave_out $unfinished; break; }
		boot "$kind" $unfinished
		[ -n "$unfinished" ] || break
		[ ! -e "$out/late" ] || { leave_out $unfinished; break; }
		! stopped_early && ! did_not_come_up && ! died_of_emulator && ! ran_out_of_time || continue
		if [ ! -e "$out/job.log" ] && [ -z "$series" ]; then
			no_result "guest_$kind" "this emulator does not boot $(kernel_value "$OP_KERNELS" release)"
			tail -n 60 "$out/serial.log" | show
			not_booted=yes
			return 0
		fi
		fail_first $unfinished
	done
}

# is_slower: the machine takes longer now than when it was measured last, by more than a tenth. The limits follow it.
is_slower() {
	slowness=$("$here/measure_speed.sh") && [ $((10 * slowness)) -gt $((11 * OP_SLOWNESS)) ] || return 1
	echo "emulation now takes $slowness % of the reference's time, not $OP_SLOWNESS %: longer limits for $flavour"
	OP_SLOWNESS=$slowness
}

# alone CASE: in a guest of its own.
alone() {
	boot=$(head_of "$1" boot)
	run_all "$1.alone" "${boot:-plain}" "$1"
}

# A case that ran out of time on a machine that has become slower is run again once with limits for that. This is no rerun.
run_late_again() {
	[ -n "$late" ] && is_slower || return 0
	kept=
	for each in $red; do
		case " $late " in
		*" $each "*) ;;
		*) kept="$kept $each" ;;
		esac
	done
	red=$kept
	for again in $late; do
		echo "again with longer limits: $flavour $again"
		alone "$again"
	done
}

# run_red_again: twice, as far as it takes.
run_red_again() {
	for attempt in 2 3; do
		failed=$red
		red=
		for again in $failed; do
			note_rerun "$again" $((attempt - 1)) "$(cat "$top/$flavour/$again.failed")"
			alone "$again"
		done
	done
}

# one_at_a_time NAME COMMAND...: what the kernels share is fetched and built by one run of this script only.
one_at_a_time() {
	lock=$1
	shift
	flock "$OP_KERNELS/$lock.lock" "$@"
}

# make_kit: the driver, the programs and the cases, as guests get them.
make_kit() {
	kit=$top/$flavour/kit
	mkdir -p "$kit"
	cp "$here/lib.sh" "$here/msr.sh" "$here/with_nmis" "$here/run_cases" "$here/complaints" "$here/check_hardware.sh" "$here"/t_*.sh "$kit"
	"$here/build_programs.sh" "$flavour" "$kit"
	make_userland
	[ -n "$kernel_arch" ] || return 0
	make_driver
	"$here/copy_modules.sh" "$flavour" "$OP_KERNELS" "$kit/modules"
	one_at_a_time btrfs "$here/btrfs_image.sh" "$OP_KERNELS" "$kit/btrfs.gz" || rm -f "$kit/btrfs.gz"
}

# make_driver: as it is; for 6.1 also as for kernels on which modules may not add task work; and on x86 with registers in memory.
# Stripped, as distributions strip modules: with debug information loading it copies 3 MB each time. Debian's headers of the newest
# kernels lack a script that sparse needs.
make_driver() {
	[ -n "$series" ] || sparse=
	"$here/build_module.sh" ${sparse:+--sparse} "$flavour" "$OP_KERNELS" "$top/$flavour/module"
	if [ "$series" = 6.1 ]; then
		"$here/build_module.sh" ${sparse:+--sparse} --without OP_HAVE_TASK_WORK "$flavour" "$OP_KERNELS" "$top/$flavour/no_task_work"
		"${cross}strip" -g -o "$kit/oprofile_no_task_work.ko" "$top/$flavour/no_task_work/oprofile.ko"
	fi
	if [ "$arch" = amd64 ]; then
		OP_MSR_DOUBLE=1 "$here/build_module.sh" "$flavour" "$OP_KERNELS" "$top/$flavour/double"
		"${cross}strip" -g -o "$kit/oprofile_double.ko" "$top/$flavour/double/oprofile.ko"
		kernel_source=$here/pmu_doubles "$here/build_module.sh" ${sparse:+--sparse} "$flavour" "$OP_KERNELS" "$top/$flavour/pmu_doubles"
		for double in hybrid_double ibs_double; do
			"${cross}strip" -g -o "$kit/$double.ko" "$top/$flavour/pmu_doubles/$double.ko"
		done
		cp -R "$here/../../events" "$kit"
	fi
	"${cross}strip" -g -o "$kit/oprofile.ko" "$top/$flavour/module/oprofile.ko"
}

# wants_userland: one of the cases that are for this kernel needs our own programs.
wants_userland() {
	for each in $(cases_for plain) $(cases_for icount) $(cases_for netburst); do
		! grep -q '^need_userland' "$here/t_$each.sh" || return 0
	done
	return 1
}

# make_userland: for a guest that has none of the host's files, our programs and their events. If there is nothing to build them with,
# the reason goes into the kit, for the cases that need them.
make_userland() {
	[ -n "$cross" ] && wants_userland || return 0
	if [ -f "$here/../../config.status" ]; then
		echo "the source tree is configured itself; build in a folder of its own" >"$kit/no_userland"
		return 0
	fi
	if ! libraries=$(one_at_a_time libraries "$here/fetch_libraries.sh" "$flavour" "$OP_KERNELS" 2>"$top/$flavour/libraries.log"); then
		tail -n 1 "$top/$flavour/libraries.log" >"$kit/no_userland"
		return 0
	fi
	one_at_a_time userland "$here/build_userland.sh" "$flavour" "$libraries" "$top/userland-$arch"
	for program in ocount operf ophelp; do
		cp "$top/userland-$arch/$program" "$kit"
	done
	cp -R "$here/../../events" "$kit"
}

# get_kernel: fetches the kernel, or builds the debug kernel.
get_kernel() {
	case $flavour in
	*-debug) "$here/build_debug_kernel.sh" "$OP_KERNELS" ;;
	*) "$here/fetch_kernel.sh" "$flavour" "$OP_KERNELS" ;;
	esac
}

# timed KIND COMMAND...: runs it with its output in FLAVOUR/KIND.log.
timed() {
	part=$1
	shift
	begin=$(now)
	status=0
	("$@") >"$top/$flavour/$part.log" 2>&1 || status=$?
	took "$part" "$part" $(($(now) - begin))
	return $status
}

# can_build: modules of the newest kernel can be built by this compiler.
can_build() {
	[ -z "$kernel_arch" ] || kernel_source=$here/canary "$here/build_module.sh" "$flavour" "$OP_KERNELS" "$top/$flavour/canary"
}

# The kit is made by another run of this script, as set -e has no effect within a condition.
check_kernel() {
	if out_of_time; then
		result SKIP kernel "$no_time"
		return 0
	fi
	if ! timed fetch get_kernel; then
		no_result kernel "$(tail -n 1 "$top/$flavour/fetch.log")"
		return 0
	fi
	if [ -z "$series" ] && ! timed canary can_build; then
		no_result kernel "no module can be built for $(kernel_value "$OP_KERNELS" release) here: $(tail -n 1 "$top/$flavour/canary.log")"
		return 0
	fi
	sparse=$(command -v sparse) || result SKIP sparse "sparse is not installed"
	export sparse
	if timed build "$0" --kit "$flavour" $wanted; then
		result PASS build "$(kernel_value "$OP_KERNELS" release)"
	else
		result FAIL build
		tail -n 60 "$top/$flavour/build.log" | show
		return 0
	fi
	kit=$top/$flavour/kit
	[ ! -f "$kit/no_userland" ] || no_result userland "$(cat "$kit/no_userland")"
	emulator_faults=0 not_booted= red= late= attempt=1
	for kind in plain icount netburst; do
		run_all "$kind" "$kind" $(cases_for "$kind")
	done
	run_late_again
	run_red_again
	[ -z "$not_booted" ] || return 0
	for each in $(cases_for plain) $(cases_for icount) $(cases_for netburst); do
		has_result "$each" || result FAIL "$each" "there is no result"
	done
}

if [ "${1-}" = --kit ]; then
	flavour "$2"
	shift 2
	wanted=$*
	make_kit
	exit
fi
[ $# -ge 1 ] || die "usage: $0 FLAVOUR [CASE...]"
flavour "$1"
shift
[ $# = 0 ] || export OP_SOAK=1
wanted=${*:-$(cd "$here" && ls t_*.sh | sed 's/^t_//; s/\.sh$//')}
for each in $wanted; do
	check_head "$each"
done
rm -rf "${top:?}/$flavour"
mkdir -p "$top/$flavour"
no_time="this machine is too slow to come to it in the time that the tests have; make check-kernel runs it"
if ! decides && [ -n "${OP_BEGIN_BEFORE-}" ] && [ "$(now)" -ge "$OP_BEGIN_BEFORE" ]; then
	no_result kernel "this machine is too slow to come to it in the time that the tests have; make check-kernel-newest runs it"
else
	check_kernel
fi
: >"$top/$flavour/done" # for check.sh: every case has its result
[ "$failures" = 0 ] || ! decides
