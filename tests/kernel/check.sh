#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh FLAVOURS [CASE...]: run.sh for each of these kernels (a quoted list), two at a time: most of a guest's time one of its
# CPUs has nothing to do, and with three guests their clocks could not be relied on. Those that decide (results.sh) come first.
# Measures the machine's speed first, and prints at the end how long each part took.
# Where no guest can run at all, that is printed, and skipped. Leaves in ./check-kernel
#   newest.txt  what the newest kernels reported, under a heading, unless they decide
#   reruns      a line for each time a case was run again: FLAVOUR CASE ATTEMPT-THAT-FAILED WHY; of those that decide
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
top=$PWD/check-kernel

# harness PASS|FAIL|SKIP: the result of this script itself. It has failed until the end is reached.
harness() {
	printf ':test-result: %s\n:global-test-result: %s\n' "$1" "$1" >"$top/harness.trs"
}

missing_tool() {
	for tool in cpio depmod flock gcc make python3 timeout xz qemu-system-x86_64 qemu-system-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ \
		qemu-system-ppc64 powerpc64le-linux-gnu-gcc powerpc64le-linux-gnu-g++; do
		command -v $tool >/dev/null || { echo "$tool is not installed"; return; }
	done
}

# no_guests: prints why nothing can be run here, if so: tools are missing, or there is no kernel and no mirror to fetch one from.
no_guests() {
	missing_tool | grep . && return
	for each in $deciding $newest; do
		[ ! -f "${OP_KERNELS:-$top/kernels}/$each/kernel.txt" ] || return 1
	done
	"$here/mirror_answers.sh" 2>&1 >/dev/null | tail -n 1 | grep .
}

# summary FLAVOUR: a line for the flavour, with its cases, the longest first, three and more seconds long.
summary() {
	sort -k 4,4nr "$top/$1/times" | awk -v flavour="$1" '
		{ sum[$2] += $4 }
		$2 == "case" && $4 >= 3 { cases = cases (cases ? ", " : "") $3 " " $4 }
		END {
			printf "%s: fetch %d s, build %d s, boot %d s, cases %d s%s\n", flavour, sum["fetch"], sum["build"], sum["boot"],
				sum["case"], cases ? ": " cases : ""
		}'
}

# reported FLAVOUR: what one of the newest kernels did: its release, the number of results of each kind, and each that is not a pass.
reported() {
	[ -e "$top/$1/done" ] || echo "  $1: run.sh did not reach its end"
	release=$(flavour "$1" && kernel_value "${OP_KERNELS:-$top/kernels}" release 2>/dev/null) || release="not fetched"
	find "$top/$1" -name '*.report' | sort | while read -r each; do
		sed -n "s/^:test-result: /$(basename "$each" .report) /p; s/^:remark: //p" "$each" | paste -s -d ' ' -
	done | awk -v kernel="$1 ($release)" '
		{ count[$2]++; name = $1; kind = $2; $1 = $2 = ""; sub(/^ */, "") }
		kind != "PASS" { other = other "    " kind ": " name ($0 == "" ? "" : " (" $0 ")") "\n" }
		END { printf "  %s: %d passed, %d failed, %d skipped\n%s", kernel, count["PASS"], count["FAIL"], count["SKIP"], other }'
}

[ $# -ge 1 ] || die "usage: $0 FLAVOURS [CASE...]"
deciding= newest=
for each in $1; do
	flavour "$each"
	if [ -n "$series${OP_NEWEST_DECIDES-}" ]; then
		deciding="$deciding $each"
	else
		newest="$newest $each"
	fi
done
shift
mkdir -p "$top"
rm -f "$top/newest.txt" "$top/reruns" "$top/reruns.newest"
harness FAIL
begin=$(date +%s)
for each in $deciding $newest; do
	rm -rf "${top:?}/$each"
done
if why=$(no_guests); then
	echo "SKIP: no guests here ($why)"
	harness SKIP
	exit 0
fi
OP_SLOWNESS=$("$here/measure_speed.sh") || {
	OP_SLOWNESS=100
	echo "the speed of this machine cannot be measured; the limits of the cases are those of the reference"
}
export OP_SLOWNESS
echo "emulation takes $OP_SLOWNESS % of the reference's time here, and so do the limits of the cases"
printf '%s\n' $deciding $newest | xargs -P 2 -I FLAVOUR "$here/run.sh" FLAVOUR "$@" || : # the verdict is below
for each in $deciding $newest; do
	[ ! -f "$top/$each/times" ] || summary "$each"
done
ended=$(for each in $deciding; do stat -c %Y "$top/$each/done" 2>/dev/null || :; done | sort -n | tail -n 1)
echo "check-kernel took $(($(date +%s) - begin)) s, the kernels that decide $((${ended:-begin} - begin)) s"
if [ -n "$newest" ]; then
	{
		echo "newest kernels, which do not decide:"
		for each in $newest; do
			reported "$each"
		done
	} >"$top/newest.txt"
	cat "$top/newest.txt"
fi
status=0
for each in $deciding; do
	if [ ! -e "$top/$each/done" ]; then
		echo "FAIL: $each harness (run.sh did not reach its end)"
		status=1
	elif [ -z "$(find "$top/$each" -name '*.trs')" ]; then
		echo "FAIL: $each harness (there are no results)"
		status=1
	fi
done
[ $status = 1 ] || harness PASS
[ $status = 1 ] || [ -z "$deciding" ] || ! grep -q '^:test-result: FAIL' $(for each in $deciding; do echo "$top/$each"/*.trs; done) || status=1
exit $status
