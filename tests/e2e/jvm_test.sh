#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# libjvmti_oprofile.so in a Java virtual machine: what is compiled has its names and lines, the shares are those that the
# machine's own perf map gives, and it runs whatever fails. Call stacks are whole, with and without frame pointers.
. "${srcdir:-.}/tests/e2e/lib.sh"
agent=$build/libopagent/libjvmti_oprofile.so
[ -f "$agent" ] || { echo "skipped: libjvmti_oprofile.so is not built"; exit 77; }
command -v javac >/dev/null && java -version 2>/dev/null || { echo "skipped: no JDK here"; exit 77; }
met java "$(java -version 2>&1 | sed -n 's/^[^"]* version "\([0-9.]*\).*/\1/p')"
without_map java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -version ||
	{ echo "skipped: this Java virtual machine writes no perf map"; exit 77; }
[ -w /tmp ] || { echo "skipped: perf maps are in /tmp, which cannot be written here"; exit 77; }
need_profiling
cd "$work" || exit
mkdir -m 700 run
export XDG_RUNTIME_DIR="$work/run"
clock="--events TIMER:1000000" # which every machine has

mkdir -p src/shop classes
cat >src/shop/Prog.java <<'END_JAVA'
package shop;
public class Prog {
    static int fib(int n) {
        if (n < 2) return n;
        return fib(n - 1) + fib(n - 2);
    }
    static class Inner {
        long sum(int[] values, String name) {
            long total = name.length();
            for (int value : values)
                total += value % 7 * (value ^ 13); // hot
            return total;
        }
    }
    static final long SLICE = 4_000_000; // ns of CPU time; each of both has half of it, however fast it is
    static final java.lang.management.ThreadMXBean threads = java.lang.management.ManagementFactory.getThreadMXBean();
    public static void main(String[] arguments) throws Exception {
        System.out.println(ProcessHandle.current().pid());
        int[] values = new int[100000];
        for (int i = 0; i < values.length; ++i)
            values[i] = i * 31;
        Inner inner = new Inner();
        long total = 0;
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds || !new java.io.File(arguments[1]).exists(); ++i) {
            for (long start = threads.getCurrentThreadCpuTime(); threads.getCurrentThreadCpuTime() - start < SLICE;)
                total += fib(22);
            for (long start = threads.getCurrentThreadCpuTime(); threads.getCurrentThreadCpuTime() - start < SLICE;)
                total += inner.sum(values, "abc");
        }
        if (total == 0) throw new Exception();
    }
}
END_JAVA
javac -g -d classes src/shop/Prog.java >javac.log 2>&1 || fail "javac"
# As part of main, sum would have main's name.
options='-XX:+UseSerialGC -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,*Inner.sum -cp classes'
fib='int shop.Prog.fib(int)'
sum='long shop.Prog$Inner.sum(int[], java.lang.String)'

# pid_in FILE: the process number that the program printed; the machine's warnings may come before it.
pid_in() { grep -m1 -x '[0-9][0-9]*' "$1"; }

# share SESSION NAME: the percentage of its samples of a symbol. Each of the two has nearly half of the program's time; less than a
# quarter means that samples have no name. Shares by agent and by map are of the same samples: they differ by rounding, and by code
# that the map no longer has.
share() {
	"$build/opreport" --session-dir "$1" --symbols --no-header 2>>report.log |
		awk -v name="$2" '{ all += $1 } index($0, name) { n += $1 } END { printf "%d\n", 100 * n / all + 0.5 }'
}

# From the start, beside the machine's own map: by its names each address is of the same function.
mkdir started
profile started --callgraph --session-dir started $clock java $options -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit \
	-agentpath:"$agent"=debug shop.Prog 500 . || fail "operf ended with status $?"
pid=$(pid_in started.log.out)
map=/tmp/perf-$pid.map
at_exit rm -f "$map"
[ -f "$map" ] || fail "java wrote no $map"
"$build/opreport" --session-dir started --symbols --details --no-header >details 2>>report.log || fail "opreport --details"
for name in "$fib" "$sum"; do
	by_map=$(python3 - "$map" details "$name" <<'END_PYTHON'
import sys
ranges = []
for line in open(sys.argv[1]):
    start, size, name = line.rstrip('\n').split(' ', 2)
    ranges.append((int(start, 16), int(start, 16) + int(size, 16), name))
every = named = 0
for line in open(sys.argv[2]):
    words = line.split()
    if line[0] != ' ':
        every += int(words[1])
        continue
    address = int(words[0], 16)
    if any(start <= address < end and name == sys.argv[3] for start, end, name in ranges):
        named += int(words[1])
print(round(100 * named / every))
END_PYTHON
	) || fail "the map is not understood"
	by_agent=$(share started "$name")
	echo "$name: $by_agent % by the agent, $by_map % by the map"
	[ "$by_agent" -ge 25 ] && [ "$by_agent" -ge $((by_map - 3)) ] && [ "$by_agent" -le $((by_map + 3)) ] || fail "$name"
done
[ "$(($(share started "$fib") + $(share started "$sum")))" -ge 75 ] || fail "a part of the samples has other names"

# Its lines, of inlined methods too, are found below a directory of sources.
"$build/opannotate" --session-dir started --source --search-dirs=src >annotated 2>>report.log || fail "opannotate"
hot=$(awk '/\/\/ hot$/ { print int($2) }' annotated)
echo "the hot line: $hot %"
[ "$hot" -ge 20 ] || { cat annotated; fail "the hot line has $hot %"; }

# Its call stacks are whole, where operf walks them.
case $(uname -m) in
x86_64 | aarch64)
	"$build/opreport" --session-dir started --call-tree --no-header >tree 2>>report.log || fail "opreport --call-tree"
	grep -qF "$fib" tree || fail "the tree has no $fib"
	cat tree report.log | awk '/^All stacks are complete/ { good = 1 } / % of the stacks are complete/ { good = $1 >= 98 } END { exit !good }' ||
		fail "stacks are not complete"
	;;
esac

# Without the agent: the map that the machine writes when it ends, after the last sample, and one that it is asked for.
mkdir at_exit
profile at_exit --session-dir at_exit $clock java $options -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit shop.Prog 250 . ||
	fail "at_exit: operf ended with status $?"
rm -f "/tmp/perf-$(pid_in at_exit.log.out).map"
mkdir asked
profile asked --session-dir asked $clock java $options shop.Prog 250 never &
operf=$!
has_computed() { pid=$(pid_in asked.log.out) && [ "$(cpu_ms "$pid")" -ge 2000 ]; }
wait_beside $operf 60 "asked: java has used 2 s of CPU time" has_computed
at_exit rm -f "/tmp/perf-$pid.map"
jcmd "$pid" Compiler.perfmap >jcmd.log 2>&1 && grep -qF 'Prog.fib' "/tmp/perf-$pid.map" || fail "asked: no map"
kill -KILL "$pid"
wait_end $operf 60 "asked: operf" || true # the status is the program's
rm -f "/tmp/perf-$pid.map"
for session in at_exit asked; do
	echo "$session: $(share $session 'Prog.fib(int)') % in fib"
	[ "$(share $session 'Prog.fib(int)')" -ge 25 ] || fail "$session: names are missing"
done

# Whole, too, where compiled functions use the frame pointer for data, whichever compiler made them; and none that counts as
# complete lacks a caller.
cat >src/shop/Chain.java <<'END_JAVA'
package shop;
public class Chain {
    static final long CPU_TIME = 3_000_000_000L; // ns
    static volatile long sink;
    static long leaf(int n, long start) {
        long total = start;
        for (int i = 0; i < 20000; ++i)
            total += (total >> 3) * 31 ^ i * n;
        return total;
    }
    static long names(int n) {
        java.util.TreeMap<String, Integer> map = new java.util.TreeMap<>();
        for (int i = 0; i < 300; ++i)
            map.put("name" + (i * 7 ^ n), i);
        return map.values().stream().mapToLong(i -> i ^ n).sum();
    }
    static long fails(int n) {
        if (n % 3 != 0) throw new IllegalStateException("n is " + n);
        return n;
    }
    static long third(String name, int n, long a, double b, int c, int d, int e, int f, int g) {
        long total = leaf(n, a) + names(n) + (long) b + c + d + e + f + g;
        try {
            total += fails(n);
        } catch (IllegalStateException problem) {
            total += problem.getMessage().length() + name.length();
        }
        return total;
    }
    static long second(int n, long a) { return third("second", n, a, 1.5, 1, 2, 3, 4, 5) ^ a; }
    static long first(int n) { return second(n, n * 2L) + 1; }
    static void work() {
        var threads = java.lang.management.ManagementFactory.getThreadMXBean();
        for (int n = 0; threads.getCurrentThreadCpuTime() < CPU_TIME; ++n)
            sink = first(n) ^ sink;
    }
    public static void main(String[] arguments) throws Exception {
        work();
    }
}
END_JAVA
javac -g -d classes src/shop/Chain.java >javac.log 2>&1 || fail "javac"

# chain NAME [java words]: of the stacks that end in leaf 90 % are complete, and those have its callers, each in the
# interpreter or compiled.
chain() {
	name=$1
	shift
	mkdir "$name"
	profile "$name" --callgraph --events TIMER:500000 --session-dir "$name" java -XX:CompileCommand=quiet \
		'-XX:CompileCommand=dontinline,shop.Chain::*' "$@" -agentpath:"$agent" -cp classes shop.Chain || fail "operf ended with status $?"
	"$build/opreport" --session-dir "$name" --format=folded >"$name.folded" 2>>report.log || fail "opreport --format=folded"
	awk -v names="third;second;first;work;main" '
		BEGIN { callers = split(names, caller, ";") }
		{ count = $NF; sub(/ [0-9]+$/, "") }
		!/;long shop\.Chain\.leaf\(int, long\)$/ { next }
		{ all += count }
		/^[^;]*;\[truncated: / { next }
		{
			frames = split($0, frame, ";")
			for (i = 1; i <= callers && is_call(frame[frames - i], caller[i]); i++) ;
			if (i > callers && !is_java(frame[frames - i])) good += count
			else { wrong += count; print }
		}
		function is_call(name, method) { return name == "Interpreter" || index(name, " shop.Chain." method "(") }
		function is_java(name) { return name == "Interpreter" || name ~ /shop\.Chain/ }
		END {
			print "'"$name"': " all + 0 " stacks to leaf, " good + 0 " complete, " wrong + 0 " wrong"
			exit !(all >= 200 && wrong == 0 && good * 10 >= all * 9)
		}' "$name.folded" >"$name.chain.log" || fail "$name: stacks"
	tail -n 1 "$name.chain.log"
}
if [ "$(uname -m)" = x86_64 ]; then
	chain tiered
	chain simple -XX:TieredStopAtLevel=1
	chain optimised -XX:-TieredCompilation
	chain kept -XX:+PreserveFramePointer
fi

# Loaded while it runs, without lines: what was compiled before has its names.
mkdir attached
profile attached --session-dir attached $clock java $options shop.Prog 250 stop &
operf=$!
agent_loaded() { pid=$(pid_in attached.log.out) && jcmd "$pid" JVMTI.agent_load "$agent" >jcmd.log 2>&1; }
wait_beside $operf 60 "attached: the agent is loaded" agent_loaded
touch stop
wait_end $operf 60 "attached: operf" || fail "operf ended with status $?"
[ "$(share attached "$fib")" -ge 25 ] || fail "attached: $(share attached "$fib") % in fib"

# Attached to a machine that has run for some time, whose agent is loaded after that: code made before has its names.
mkdir late
java $options shop.Prog 250 stop_late >late.out 2>&1 &
java=$!
has_begun() { pid=$(pid_in late.out); }
wait_beside $java 60 "late: its process number" has_begun
"$build/operf" --session-dir late $clock --pid "$pid" >late.log.out 2>late.log &
operf=$!
wait_beside $operf 60 "late: samples in memory" has_file late/samples/current '*anon*/TIMER.*'
jcmd "$pid" JVMTI.agent_load "$agent" >jcmd.log 2>&1 || fail "late: $(cat jcmd.log)"
touch stop_late
wait_end $java 60 "late: java" || fail "late: java ended with status $?"
wait_end $operf 60 "late: operf" || fail "late: operf ended with status $?"
echo "late: $(share late "$fib") % in fib, $(share late "$sum") % in sum"
[ "$(share late "$fib")" -ge 25 ] && [ "$(share late "$sum")" -ge 25 ] || fail "late: names are missing"

# Where nothing can be written, and with an unknown option, it prints one line and the machine runs.
HOME=/nonexistent XDG_RUNTIME_DIR='' java $options -agentpath:"$agent" shop.Prog 1 . >refused.out 2>refused.log || fail "no file: status $?"
[ "$(grep -c '^libjvmti_oprofile:' refused.log)" = 1 ] && grep -q '^libjvmti_oprofile: code is not reported: ' refused.log || fail "no file"
java $options -agentpath:"$agent"=lines shop.Prog 1 . >option.out 2>option.log || fail "unknown option: status $?"
grep -q '^libjvmti_oprofile: .*debug' option.log || fail "unknown option"
