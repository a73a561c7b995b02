#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what the names of 10,000 compiled methods cost operf, and prints the paragraph of doc/bench.md on them. Called by
# code.sh in the build directory. $ROUNDS (3) runs of each; prints nothing without a JDK or the Java agent.
set -eu
build=$PWD
agent=$build/libopagent/libjvmti_oprofile.so
rounds=${ROUNDS:-3}
{ command -v javac && command -v java && command -v python3 && command -v perf; } >/dev/null && [ -f "$agent" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -m 700 run
mkdir without with classes
export XDG_RUNTIME_DIR="$work/run"

# 20 classes of 500 methods, which are called in turn.
python3 - <<'END_PYTHON'
for c in range(20):
    with open(f"C{c}.java", "w") as out:
        out.write(f"class C{c} {{\n")
        for m in range(500):
            body = f"x = x * {2 * m + 3} + (x >>> {m % 13 + 1}) + {c}"
            out.write(f"static int method{m}(int x) {{ for (int i = 0; i < 20; ++i) {body}; return x; }}\n")
        for part in range(5):
            calls = "".join(f"x += method{m}(x); " for m in range(part * 100, part * 100 + 100))
            out.write(f"static int part{part}(int x) {{ {calls}return x; }}\n")
        out.write("static int all(int x) { return part0(part1(part2(part3(part4(x))))); }\n}\n")
with open("Many.java", "w") as out:
    calls = "".join(f"x = C{c}.all(x); " for c in range(20))
    out.write("class Many { public static void main(String[] words) { int x = 1; "
              f"for (int i = Integer.parseInt(words[0]); i > 0; --i) {{ {calls}}} System.out.println(x); }} }}\n")
END_PYTHON
javac -d classes ./*.java

# What the kernel counts of all processes, those that nobody waits for included: readers of run-time code are such.
options='-XX:+UseSerialGC -Xcomp -XX:TieredStopAtLevel=1 -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,*.method* -cp classes'
clock() { cut -d, -f1 "$1" | grep '^[0-9]'; }
# recorded NAME OPTION...: appends to NAME.figures the CPU ms of operf without the machine, and of the machine.
recorded() {
	name=$1
	shift
	# shellcheck disable=SC2086 # words
	perf stat -x, -e task-clock -o all "$build/operf" --session-dir "$name" --events TIMER:1000000 \
		perf stat -x, -e task-clock -o java java $options "$@" Many 3000 >/dev/null 2>&1
	echo "$(clock all) $(clock java)" | awk '{ print $1 - $2, $2 }' >>"$name.figures"
}
for _ in $(seq "$rounds"); do
	recorded without
	recorded with "-agentpath:$agent"
done
for name in without with; do
	for column in 1 2; do
		cut -d' ' -f$column $name.figures | sort -n | sed -n "$((rounds / 2 + 1))p"
	done | paste -s -d' '
done >figures
named=$("$build/opreport" --session-dir with --symbols --no-header 2>/dev/null | grep -c 'C[0-9]*\.method[0-9]')
awk -v named="$named" 'NR == 1 { without = $1; java = $2 } NR == 2 { with_names = $1; agent = $2 - java }
	END {
		printf "\nA Java virtual machine that compiles 10,000 methods and calls them in turn, at 1 kHz: operf takes %.0f ms of CPU time\n", without
		printf "of its own without their names, and %.0f ms with those of the %d that have samples. The difference is %.1f %% of the\n",
			with_names, named, (with_names - without) * 100 / java
		printf "%.0f ms that the machine takes (the agent in it: %.0f ms more). Wanted: no more than 1 %%.\n", java, agent
	}' figures
