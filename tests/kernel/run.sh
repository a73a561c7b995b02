#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh KERNELS [CASE...]: builds the driver for each of the kernels (a quoted list of flavours; for those without it the
# programs alone), boots it in a guest and runs the cases there, t_CASE.sh each; all that are for that kernel if none is named. Works in ./check-kernel.
# Prints PASS, FAIL or SKIP for each and leaves them as .trs files, which tests/summary.sh adds up. Kernels are kept in
# $OP_KERNELS, else ./check-kernel/kernels. A case says in its head what it is for:
#   "# kernels: FLAVOUR..."    "# limit: SECONDS"    "# boot: KIND" (plain, nmi or icount; see boot_options)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
top=$PWD/check-kernel
OP_KERNELS=${OP_KERNELS:-$top/kernels}
export OP_KERNELS
failures=0

boot_options() {
	case $1 in
	plain) ;;
	nmi) echo "--qmp-nmi 1000" ;;
	icount) echo "--smp 1 --icount shift=1,sleep=off" ;;
	esac
}

# result PASS|FAIL|SKIP CASE [REMARK]
result() {
	printf '%s: %s %s%s\n' "$1" "$flavour" "$2" "${3:+ ($3)}"
	mkdir -p "$top/$flavour"
	printf ':test-result: %s\n:global-test-result: %s\n' "$1" "$1" >"$top/$flavour/$2.trs"
	[ "$1" != FAIL ] || failures=$((failures + 1))
}

# head_of CASE KEY: what the case's head says.
head_of() {
	sed -n "s/^# $2: //p" "$here/t_$1.sh"
}

# A debug kernel is several times as slow.
limit_of() {
	limit=$(head_of "$1" limit)
	case $flavour in
	*-debug) echo $((limit * 5)) ;;
	*) echo "$limit" ;;
	esac
}

# cases_for KIND: those of $wanted that are for this kernel and kind of boot, one a line.
cases_for() {
	for each in $wanted; do
		boot=$(head_of "$each" boot)
		case " $(head_of "$each" kernels) " in
		*" $flavour "*) [ "${boot:-plain}" != "$1" ] || echo "$each" ;;
		esac
	done
}

# tell CASE LOG STATUS SECONDS
tell() {
	case $3 in
	0) result PASS "$1" "$4 s" ;;
	77) result SKIP "$1" "$(sed -n 's/^skipped: //p' "$2")" ;;
	*)
		case $3 in
		124 | 137 | 143) result FAIL "$1" "not done within its time" ;;
		98) result FAIL "$1" "the driver could not be unloaded" ;;
		99) result FAIL "$1" "the kernel complained" ;;
		*) result FAIL "$1" "status $3 after $4 s" ;;
		esac
		tail -n 60 "$2" | sed 's/^/    /'
		;;
	esac
}

# check_left CASE: what the case left behind is checked here, where there is more than in the guest.
check_left() {
	[ ! -f "$here/left_$1.py" ] || python3 -B "$here/left_$1.py" "$out/left/$1" "$PWD" >>"$out/results/$1.log" 2>&1
}

# boot KIND CASE...: one boot; tells the results. Sets $left to the cases that did not come to run.
boot() {
	kind=$1
	shift
	out=$top/$flavour/$kind
	rm -rf "$out/results" "$out/left"
	mkdir -p "$out"
	cp -R "$kit" "$out"
	limit=60
	: >"$out/cases"
	for each in "$@"; do
		echo "$each $(limit_of "$each")" >>"$out/cases"
		limit=$((limit + $(limit_of "$each")))
	done
	printf '#!/bin/sh\nexport OP_BUILD="%s" OP_SOURCE="%s"\nexec sh /out/kit/run_cases\n' "$PWD" "$here/../.." >"$out/script"
	survived=yes
	failures_before=$failures
	"$here/guest.sh" --timeout "$limit" $(boot_options "$kind") --bind "$PWD" --bind "$(cd "$here/../.." && pwd)" \
		"$flavour" "$out/script" "$out" 2>"$out/guest.err" || survived=
	left=
	for each in "$@"; do
		if [ -s "$out/results/$each.status" ]; then
			read -r status seconds <"$out/results/$each.status"
			[ "$status" != 0 ] || check_left "$each" || status=$?
			tell "$each" "$out/results/$each.log" "$status" "$seconds"
		else
			left="$left $each"
		fi
	done
	# What no case saw: a complaint at boot, between cases or at the end, or an end that was none.
	if [ -z "$left$survived" ] && [ "$failures" = "$failures_before" ]; then
		result FAIL "guest_$kind" "every case passed, but not the guest"
		sed 's/^/    /' "$out/guest.err"
	fi
}

# boot_all KIND: until every case has run; the one that the guest died of has failed. A guest that did not come up, which happens
# to the kernels on a busy host, is booted again, and so is, once, one that died of the emulator with cases left.
boot_all() {
	left=$(cases_for "$1")
	again=2
	while [ -n "$left" ]; do
		boot "$1" $left
		[ -n "$left" ] || break
		if [ ! -e "$top/$flavour/$1/job.log" ] && [ $again -gt 0 ]; then
			again=$((again - 1))
			echo "the guest did not come up: $(tail -n 1 "$top/$flavour/$1/guest.err")"
			continue
		fi
		if [ $emulator_faults = 0 ] && "$here/emulator_fault" "$top/$flavour/$1/serial.log" >"$top/$flavour/fault"; then
			emulator_faults=1
			echo "the emulator failed the guest, which is booted again: double fault, $(cat "$top/$flavour/fault")"
			tail -n 60 "$top/$flavour/$1/serial.log" | sed 's/^/    /'
			continue
		fi
		set -- "$1" $left
		result FAIL "$2" "the guest did not survive it"
		cat "$top/$flavour/$1/guest.err" "$top/$flavour/$1/results/$2.log" 2>/dev/null | tail -n 60 | sed 's/^/    /'
		tail -n 60 "$top/$flavour/$1/serial.log" | sed 's/^/    /'
		left=$(shift 2; echo "$*")
	done
}

# make_kit: the driver, the programs and the cases, as guests get them.
make_kit() {
	kit=$top/$flavour/kit
	rm -rf "$kit" "$top/$flavour/module"
	mkdir -p "$kit"
	cp "$here/lib.sh" "$here/run_cases" "$here/complaints" "$here"/t_*.sh "$kit"
	"$here/build_programs.sh" "$flavour" "$kit"
	make_userland
	[ -z "$kernel_arch" ] || make_driver
}

# make_driver: also as for kernels that do not let modules add task work.
make_driver() {
	"$here/build_module.sh" ${sparse:+--sparse} "$flavour" "$OP_KERNELS" "$top/$flavour/module"
	"$here/build_module.sh" ${sparse:+--sparse} --without OP_HAVE_TASK_WORK "$flavour" "$OP_KERNELS" "$top/$flavour/no_task_work"
	case $flavour in
	*-amd64 | *-debug)
		OP_MSR_DOUBLE=1 "$here/build_module.sh" "$flavour" "$OP_KERNELS" "$top/$flavour/double"
		cp "$top/$flavour/double/oprofile.ko" "$kit/oprofile_double.ko"
		;;
	esac
	cp "$top/$flavour/module/oprofile.ko" "$kit"
}

# make_userland: where the guest has nothing of the host's, our programs and their events into the kit. A case that needs them
# tells why there are none.
make_userland() {
	[ -n "$cross" ] || return 0
	if [ -f "$here/../../config.status" ]; then
		echo "the source tree is configured itself; build in a folder of its own" >"$kit/no_userland"
		return 0
	fi
	if ! libraries=$("$here/fetch_libraries.sh" "$flavour" "$OP_KERNELS" 2>"$top/$flavour/libraries.log"); then
		tail -n 1 "$top/$flavour/libraries.log" >"$kit/no_userland"
		return 0
	fi
	"$here/build_userland.sh" "$flavour" "$libraries" "$top/userland-$arch"
	for program in ocount operf ophelp; do
		cp "$top/userland-$arch/$program" "$kit"
	done
	cp -R "$here/../../events" "$kit"
}

# The kernel: fetched, or for the debug kernel built.
get_kernel() {
	case $flavour in
	*-debug) "$here/build_debug_kernel.sh" "$OP_KERNELS" ;;
	*) "$here/fetch_kernel.sh" "$flavour" "$OP_KERNELS" ;;
	esac
}

# check_kernel FLAVOUR
check_kernel() {
	flavour "$1"
	mkdir -p "$top/$flavour"
	if ! get_kernel >"$top/$flavour/fetch.log" 2>&1; then
		result SKIP kernel "$(tail -n 1 "$top/$flavour/fetch.log")"
		return
	fi
	sparse=$(command -v sparse) || result SKIP sparse "sparse is not installed"
	if make_kit >"$top/$flavour/kit.log" 2>&1; then
		result PASS build
	else
		result FAIL build
		tail -n 60 "$top/$flavour/kit.log"
		return
	fi
	emulator_faults=0
	for kind in plain nmi icount; do
		boot_all "$kind"
	done
}

missing_tool() {
	for tool in cpio depmod gcc make python3 timeout xz qemu-system-x86_64 qemu-system-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ \
		qemu-system-ppc64 powerpc64le-linux-gnu-gcc powerpc64le-linux-gnu-g++; do
		command -v $tool >/dev/null || { echo "$tool is not installed"; return; }
	done
}

[ $# -ge 1 ] || die "usage: $0 KERNELS [CASE...]"
kernels=$1
shift
wanted=${*:-$(cd "$here" && ls t_*.sh | sed 's/^t_//; s/\.sh$//')}
missing=$(missing_tool)
for name in $kernels; do
	if [ -n "$missing" ]; then
		flavour "$name"
		result SKIP kernel "$missing"
	else
		rm -rf "$top/$name"
		check_kernel "$name"
	fi
done
[ "$failures" = 0 ]
