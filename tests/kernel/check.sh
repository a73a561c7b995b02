#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh FLAVOURS [CASE...]: run.sh for each of these kernels (a quoted list), two at a time: most of a guest's time one of its
# CPUs has nothing to do, and with three guests their clocks could not be relied on. Measures the machine's speed first, and prints
# at the end how long each part took.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
top=$PWD/check-kernel

# harness PASS|FAIL: the result of this script itself. It has failed until the end is reached.
harness() {
	printf ':test-result: %s\n:global-test-result: %s\n' "$1" "$1" >"$top/harness.trs"
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

[ $# -ge 1 ] || die "usage: $0 FLAVOURS [CASE...]"
flavours=$1
shift
mkdir -p "$top"
harness FAIL
begin=$(date +%s)
for each in $flavours; do
	rm -rf "${top:?}/$each"
done
OP_SLOWNESS=100
if command -v gcc >/dev/null && command -v qemu-system-x86_64 >/dev/null; then
	OP_SLOWNESS=$("$here/measure_speed.sh") || {
		OP_SLOWNESS=100
		echo "the speed of this machine cannot be measured; the limits of the cases are those of the reference"
	}
fi
export OP_SLOWNESS
echo "emulation takes $OP_SLOWNESS % of the reference's time here, and so do the limits of the cases"
status=0
printf '%s\n' $flavours | xargs -P 2 -I FLAVOUR "$here/run.sh" FLAVOUR "$@" || status=$?
for each in $flavours; do
	[ -z "$(find "$top/$each" -name '*.trs' 2>/dev/null)" ] || continue
	echo "FAIL: $each harness (there are no results)"
	exit 1
done
for each in $flavours; do
	[ ! -f "$top/$each/times" ] || summary "$each"
done
echo "check-kernel took $(($(date +%s) - begin)) s"
for each in $flavours; do
	[ -e "$top/$each/done" ] && continue
	echo "FAIL: $each harness (run.sh did not reach its end)"
	exit 1
done
harness PASS
exit $status
