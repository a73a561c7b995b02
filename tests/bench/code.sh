#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures names of code made at run time: the share of a hot function beside perf's of a second run, stacks through it, and
# the reading of a large map. Prints the section of doc/bench.md on them. Called by `make bench-code` in the build directory.
# $ROUNDS (3) runs of the reading, $SECONDS_EACH (5) of each program. What needs node or a JDK is left out without them.
set -eu
build=$PWD
bench=$build/tests/bench
agent=$build/libopagent/libjvmti_oprofile.so
work=$(mktemp -d)
maps=
# shellcheck disable=SC2086 # words
trap 'rm -rf "$work" $maps' EXIT
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-5}
command -v perf >/dev/null || { echo "code.sh needs perf" >&2; exit 1; }
cd "$work"
mkdir -m 700 run
export XDG_RUNTIME_DIR="$work/run" PERF_BUILDID_DIR="$work/buildid"
field() { sed -n "$1p" "$3" | cut -d' ' -f"$2"; }

# Both count CPU time, so that a busy machine makes them no shorter.
cat >fib.js <<'END'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
console.log(process.pid);
const end = Number(process.argv[2]) * 1e6;
while (process.cpuUsage().user < end) fib(25);
END
cat >Fib.java <<'END'
public class Fib {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    public static void main(String[] words) {
        System.out.println(ProcessHandle.current().pid());
        var clock = java.lang.management.ManagementFactory.getThreadMXBean();
        for (long end = Long.parseLong(words[0]) * 1000000000; clock.getCurrentThreadCpuTime() < end;)
            if (fib(25) == 0) return;
    }
}
END

cat <<END
## Code made at run time

Printed by \`make bench-code\` (\`tests/bench/code.sh\`): $seconds s of a recursive function, one run of each at 1 kHz, load
$(cut -d' ' -f1 /proc/loadavg) at the start. perf's share is of another run, by the map that the program writes.

| program | samples | the function | \`perf report\` | in code without a name | complete stacks |
|---|---|---|---|---|---|
END

# ours SESSION PATTERN: "samples share unnamed-share complete-share"
ours() {
	"$build/opreport" --session-dir "$1" --symbols --no-header 2>report.log >rows
	"$build/opreport" --session-dir "$1" --format=folded 2>>report.log >folded
	awk -v pattern="$2" '
		FILENAME == "folded" { stacks += $NF; if (/\[truncated: /) cut += $NF; next }
		{ all += $1 }
		$0 ~ pattern { its += $1 }
		$3 == "anon" || ($3 == "[jit]" && $5 == "[jit]") { unnamed += $1 }
		END { printf "%d %.1f %.1f %.1f\n", all, 100 * its / all, 100 * unnamed / all, 100 * (stacks - cut) / stacks }' rows folded
}
# program TITLE PATTERN WORD...: a row; perf reads the map that the program has written
program() {
	title=$1 pattern=$2
	shift 2
	rm -rf s
	mkdir s
	"$build/operf" --callgraph --events TIMER:1000000 --session-dir s "$@" >ours.out 2>ours.log || return 0
	maps="$maps /tmp/perf-$(grep -m1 -x '[0-9]*' ours.out).map"
	perf record -q -e cpu-clock -c 1000000 -o p.data "$@" >perf.out 2>perf.log || return 0
	maps="$maps /tmp/perf-$(grep -m1 -x '[0-9]*' perf.out).map"
	theirs=$(perf report -i p.data --stdio -q --no-children -F overhead,sym 2>/dev/null |
		awk -v pattern="$pattern" '$0 ~ pattern { its += $1 } END { printf "%.1f", its }')
	# shellcheck disable=SC2046 # words
	set -- $(ours s "$pattern")
	printf '| %s | %s | %s %% | %s %% | %s %% | %s %% |\n' "$title" "$1" "$2" "$theirs" "$3" "$4"
}
if command -v node >/dev/null && node --perf-basic-prof -e 0 2>/dev/null; then
	program '`node --perf-basic-prof`' '(JS|LazyCompile):.fib ' node --perf-basic-prof --interpreted-frames-native-stack fib.js "$seconds"
fi
if command -v javac >/dev/null && javac Fib.java 2>/dev/null && [ -f "$agent" ]; then
	machine='java -XX:+UseSerialGC -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'
	# shellcheck disable=SC2086 # words
	program 'Java, its map at exit' 'Fib[.]fib[(]' $machine -cp . Fib "$seconds"
	# shellcheck disable=SC2086 # words
	program 'Java with the agent' 'Fib[.]fib[(]' $machine -agentpath:"$agent" -cp . Fib "$seconds"
fi
cat <<END

Wanted: within 2 points of perf; nothing without a name; 99 % of the stacks complete.

END

"$bench/map_bench" make map 1000000
megabytes=$(($(stat -c %s map) / 1000000))
"$bench/measure" "$rounds" - "$bench/map_bench" read map 1000000 10000 >figures
echo "A map of 1,000,000 lines ($megabytes MB), of which 10,000 are wanted, is read in $(field 1 2 figures) ms of CPU time with $(field 1 3 figures) KB of memory" |
	fold -s -w 118 | sed 's/ *$//'
echo "(1000 ms and twice the file wanted)."
rm map
cd "$build"
sh "$(dirname "$0")/java.sh" 2>/dev/null || true
