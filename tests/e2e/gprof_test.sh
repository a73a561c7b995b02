#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# gprof reads what opgprof writes, and counts what opreport counts, to the last sample; for a position-independent program, too.
. "${srcdir:-.}/tests/e2e/lib.sh"
if ! command -v gprof >/dev/null; then
	echo "skipped: no gprof here"
	exit 77
fi
need_profiling

cat >"$work/calls.c" <<'END'
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) void inner(unsigned long n) { while (n--) sink += n; }
__attribute__((noinline)) void outer(unsigned long n) { inner(n); sink++; }
static void cloned(unsigned long n) __asm__("cloned.isra.0");
__attribute__((noinline)) static void cloned(unsigned long n) { while (n--) sink += n; }
static void constant(unsigned long n) __asm__("constant.constprop.0");
__attribute__((noinline)) static void constant(unsigned long n) { while (n--) sink += n; }
int main(int argc, char **argv)
{
	for (unsigned long i = 0; i < 300; i++)
		outer(argc * 1000000ul);
	cloned(argc * 30000000ul);
	constant(argc * 30000000ul);
	(void)argv;
	return 0;
}
END
# Without optimization every function keeps a frame, also one that calls none.
for flags in -no-pie -pie; do
	cc -O0 $flags -o "$work/calls" "$work/calls.c"
	profile "calls$flags" --session-dir "$work" --callgraph --events TIMER:200000 "$work/calls" || fail "operf"
	"$build/opgprof" --session-dir "$work" -o "$work/gmon.out" "$work/calls" 2>"$work/opgprof.log" || fail "opgprof"
	grep -q 'gprof leaves out clones .*: cloned.isra.0 ([1-9][0-9]*); opreport' "$work/opgprof.log" || fail "no word of the clone"
	gprof -b -p "$work/calls" "$work/gmon.out" >"$work/flat.txt"
	gprof -b -q "$work/calls" "$work/gmon.out" >"$work/graph.txt"
	# The binary alone, in symbols: gprof knows no others.
	grep -q cloned "$work/flat.txt" && fail "gprof reads the clone: opgprof warns for nothing"
	grep -q constant.constprop.0 "$work/flat.txt" || fail "gprof leaves out a clone that opgprof does not warn of"
	wanted=$("$build/opreport" --session-dir "$work" -l -x "$work/calls" 2>/dev/null | awk '$NF == "inner" { print $1 }')
	found=$(awk '$NF == "inner" { printf "%d\n", $3 }' "$work/flat.txt")
	echo "$flags: opreport $wanted, gprof $found"
	[ "$wanted" -gt 100 ] || fail "too few samples"
	[ "$wanted" = "$found" ] || fail "gprof counts otherwise"
	arcs=$("$build/opreport" --session-dir "$work" -c -x "$work/calls" 2>/dev/null |
		awk '/^-/ { middle = 0; n = 0 } / outer$/ && /^  / && !middle { n = $1 } /^[0-9].* inner$/ { print n } /^[0-9]/ { middle = 1 }')
	grep -q "$arcs/$arcs  *outer" "$work/graph.txt" || { cat "$work/graph.txt"; fail "gprof does not know outer's $arcs calls of inner"; }
done
