# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest whose clock counts instructions (2 ns each, see bench.sh): what a sample costs in all, by the driver
# and by perf record, at the same rate, of the same program. Each way is used from its start to its end, so that all is
# counted: interrupts, placing, the reader, what it writes, what it does at the end. That for a short and for a long run of the
# program; the difference, less that of the program alone, is what the further samples cost, without start and end.
# The CPU's idle time does not count. All files lie in memory.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH

millions=${OP_BENCH_MILLIONS:-200}
period=100000 # ns: 10 kHz
frames= # of the program's stack
daemon_words=
manifest=session/samples/current/manifest.json

# busy: nanoseconds that the CPU was not idle, since boot. See Documentation/scheduler/sched-stats.rst.
busy() {
	awk '$1 == "cpu0" { print $8 }' /proc/schedstat
}

# sum FILE: over the CPUs.
sum() {
	cat "$fs"/stats/cpu*/"$1" | awk '{ n += $1 } END { print n }'
}

# sum_of KEY: of the manifest.
sum_of() {
	sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$manifest" | head -n 1
}

peak_kib() {
	awk '$1 == "VmHWM:" { print $2 }' "/proc/$1/status"
}

# Each way to sample: run_WAY MILLIONS runs it; figures_WAY then sets samples, lost and peak.
run_nothing() {
	fixed_work "$1" $frames >program.log
}
figures_nothing() {
	samples=0 lost= peak=
}

run_timer() {
	stream_stat fixed_work "$1" >run.log
}
figures_timer() {
	samples=$(value run.log filtered) lost= peak=
	check_eq "samples that are filtered out" "$(value run.log received)" 0
}

run_reader() {
	stream_stat fixed_work "$1" >run.log
}
figures_reader() {
	samples=$(value run.log received) lost=$(value run.log lost) peak=
	check_eq "periods left out" "$(value run.log throttled)" 0
}

run_daemon() {
	oprofiled --source=driver --no-vmlinux --session-dir "$work/session" --events "TIMER:$period" $daemon_words --start >daemon.log 2>&1
	fixed_work "$1" $frames >program.log
	peak=$(peak_kib "$(daemon_pid)")
	opcontrol --shutdown >shutdown.log 2>&1
}
figures_daemon() {
	samples=$(sum sample_received)
	lost=$((samples - $(sum_of stored)))
	check_eq "samples in the account" "$(sum_of sampled)" "$samples"
	check_eq "periods left out" "$(sum throttled)" 0
	rm -rf session
}

run_perf() {
	perf record $perf_words -a -e cpu-clock -c $period -o perf.data \
		sh -c "fixed_work $1 $frames >program.log; grep VmHWM /proc/\$PPID/status >peak.log" >perf.log 2>&1
}
figures_perf() {
	perf report -i perf.data --stats >stats.log 2>/dev/null
	samples=$(awk '$1 == "SAMPLE" { print $3; exit }' stats.log)
	lost=$(awk '/LOST(_SAMPLES)? events/ { n += $3 } END { print n + 0 }' stats.log)
	peak=$(awk '{ print $2 }' peak.log)
}

run_script() {
	run_perf "$1"
	perf script -i perf.data -F ip,sym >script.log 2>/dev/null
}
figures_script() {
	figures_perf
}

# measure WAY: sets short and long, the instructions of each run; further, the samples that the long one took more; and
# samples, lost and peak of the long one.
measure() {
	before=$(busy)
	"run_$1" "$millions"
	short=$((($(busy) - before) / 2))
	"figures_$1"
	further=$samples
	before=$(busy)
	"run_$1" $((4 * millions))
	long=$((($(busy) - before) / 2))
	"figures_$1"
	further=$((samples - further))
}

# row WHAT: what a sample costs, which is $each then, and what start and end do.
row() {
	extra=$((long - short - base))
	each=$((extra / further))
	fixed=$(((short - base / 3 - extra / 3) / 1000000))
	printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$each" "$fixed" "$samples" "$lost" "${peak:+$peak KB}"
}

run_nothing "$millions" # everything is read in once
measure nothing
base=$((long - short))
cat <<END
A program of $((base / 3000000)) and $((base * 4 / 3000000)) million instructions is sampled at 10 kHz,
everything that runs included: interrupts, reader, writing (to files in memory). The cost of a sample is the difference
of the long and the short run, less that of the program alone; start and end are what both have. Wanted: driver and
daemon no more than perf record, no sample lost, 16384 KB.

| sampled by | instructions a sample | million at start and end | samples of the long run | lost | peak RSS |
|---|---|---|---|---|---|
END

load_driver timer=1
use_timer $period
put pid_filter 999999
measure timer
row "the driver's timer alone: each sample filtered out"
in_timer=$each
put pid_filter 0
run_reader 1
measure reader
row "the driver, and a reader that only counts"
in_reader=$each
put 0/enabled 0
run_daemon 1
figures_daemon
measure daemon
row "the driver, and the daemon that writes sample files"
in_daemon=$each
unload_driver

if command -v perf >/dev/null; then
	# The rate can be set only while perf would lower it by itself.
	echo 99 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	perf_words=
	run_perf 1
	figures_perf
	measure perf
	row "\`perf record -a -e cpu-clock\`, that writes samples one by one"
	perf_words=-B
	measure perf
	row "the same with \`-B\`: it does not read its file again at the end"
fi
cat <<END

By part: the timer's interrupt $in_timer instructions, taking a sample and reading it $((in_reader - in_timer)), counting it and
writing sample files $((in_daemon - in_reader)).
END

frames=16
period=1000000
millions=$((2 * millions))
measure nothing
base=$((long - short))
cat <<END

The same with call stacks, at 1 kHz, of the program with 4 KB of stack in $frames frames and without frame pointers.
perf does not unwind while it records; \`perf script\` does.

| sampled by | instructions a sample | million at start and end | samples of the long run | lost | peak RSS |
|---|---|---|---|---|---|
END
daemon_words=--callgraph=64
load_driver timer=1
run_daemon 1
figures_daemon
measure daemon
row "the driver, and the daemon that walks the stacks and stores them"
unload_driver

command -v perf >/dev/null || exit 0
perf_words="-B --call-graph dwarf,8192"
run_perf 1
figures_perf
measure perf
row "\`perf record -a -B --call-graph dwarf,8192\`"
measure script
row "the same and \`perf script\`"
