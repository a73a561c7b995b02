# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest whose clock counts instructions (2 ns each, see bench.sh): what a sample costs, all told, by the driver
# and by perf record, at the same rate, of the same program.
. "$KIT/lib.sh"

millions=${OP_BENCH_MILLIONS:-200}
period=100000

# nanoseconds LOG: how long the program took.
nanoseconds() {
	value "$1" elapsed
}

# row WHAT LOG SAMPLES LOST: the cost is that of the samples that fell into the program's time.
row() {
	took=$(nanoseconds "$2")
	extra=$(((took - $(nanoseconds base.log)) / 2))
	printf '| %s | %s | %s | %s |\n' "$1" "$((extra / (took / period)))" "$3" "$4"
}

fixed_work "$millions" >warm.log
fixed_work "$millions" >base.log
echo "| sampled by | instructions a sample | samples | lost |"
echo "|---|---|---|---|"
echo "| nothing: $(($(nanoseconds base.log) / 2000000)) million instructions | | | |"

load_driver timer=1
use_timer $period
sample driver.log fixed_work "$millions"
row "the driver, and a reader that counts" driver.log "$(value driver.log received)" "$(value driver.log lost)"
put pid_filter 999999
sample timer.log fixed_work "$millions"
row "the driver's timer alone: every sample filtered out" timer.log 0 0
unload_driver

if command -v perf >/dev/null; then
	# The rate can be set only while perf would lower it by itself.
	echo 99 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	perf record -a -e cpu-clock -c $period -o perf.data fixed_work "$millions" >perf.log 2>perf.err || cat perf.err
	samples=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' perf.err)
	lost=$(perf report -i perf.data --stats 2>/dev/null | awk '/LOST(_SAMPLES)? events/ { n += $3 } END { print n + 0 }')
	row "perf record -a" perf.log "$samples" "$lost"
fi
