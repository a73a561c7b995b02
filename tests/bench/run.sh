#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures the figures this project promises, beside perf and nm in the same run, and prints doc/bench.md. Each figure is
# the median of interleaved runs. Called by `make bench` in the build directory. $ROUNDS (5) runs of each.
set -eu
bench=tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=${ROUNDS:-5}
have() { command -v "$1" >/dev/null; }
# field LINE N FILE
field() { sed -n "$1p" "$3" | cut -d' ' -f"$2"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
row() { printf '| %s | %s | %s | %s |\n' "$@"; }

cat <<END
# Figures

Printed by \`make bench\` (\`tests/bench/run.sh\`): medians of $rounds interleaved runs on
$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, Linux $(uname -r), load $(cut -d' ' -f1 /proc/loadavg) at the start.
Compare ratios, not seconds.

| work | measured | beside it | wanted |
|---|---|---|---|
END

record() {
	turns=$1
	mkdir -p "$work/s"
	set -- "$rounds" "$work/cpu" tests/e2e/shares plain "$turns" "$work/cpu" ::: \
		./operf --session-dir "$work/s" --events TIMER:100000 tests/e2e/shares plain "$turns" "$work/cpu"
	have perf && set -- "$@" ::: perf record -q -e cpu-clock -c 100000 -o "$work/perf.data" \
		tests/e2e/shares plain "$turns" "$work/cpu"
	$bench/measure "$@" >"$work/record"
}

record 9000
perf_cpu='no perf here' perf_slow='' perf_rss=''
if have perf; then
	perf_cpu="perf record: $(field 3 5 "$work/record") ms"
	perf_slow="perf record: $(ratio "$(field 3 4 "$work/record")" "$(field 1 4 "$work/record")")"
	perf_rss="perf record: $(field 3 3 "$work/record") KB"
fi
row "10 kHz, one busy CPU, $(field 1 1 "$work/record" | cut -d. -f1) ms: own CPU" "$(field 2 5 "$work/record") ms" "$perf_cpu" "no more than perf"
row "the same: program's CPU, times unprofiled" "$(ratio "$(field 2 4 "$work/record")" "$(field 1 4 "$work/record")")" "$perf_slow" "no more than perf"
row "the same: peak RSS" "$(field 2 3 "$work/record") KB" "$perf_rss" "16384 KB"
short=$(field 2 3 "$work/record")
full_rounds=$rounds rounds=1
record 45000
rounds=$full_rounds
row "five times as long: peak RSS" "$(field 2 3 "$work/record") KB" "before: $short KB" "the same"

for i in 1 2 3; do $bench/replay_bench 10; done | sort -k1,1 -k2,2n >"$work/replay"
row "replay of 10 M samples on $(awk '/keys/ { print $2; exit }' "$work/replay") addresses in $(awk '/files/ { print $2; exit }' "$work/replay") files, one core" "$(awk '/^replay_samples/ { v[++n] = $2 } END { printf "%.1f M samples/s", v[2] / 1e6 }' "$work/replay")" "" "10 M samples/s"
row "the same, as the driver places them" "$(awk '/^placed_samples/ { v[++n] = $2 } END { printf "%.1f M samples/s", v[2] / 1e6 }' "$work/replay")" "" "10 M samples/s"
row "the same: peak RSS" "$(awk '/_peak/ { if ($2 + 0 > m + 0) m = $2 } END { print m " KB" }' "$work/replay")" "" "102400 KB"

$bench/sample_file_bench --benchmark_repetitions=3 --benchmark_report_aggregates_only=true \
	--benchmark_format=csv >"$work/sample_file" 2>/dev/null
# adding KEYS WANTED PEER: OProfile 1.5's own figure is from the plan of this project
adding() {
	ns=$(sed -n "s|^\"add_samples/${1}_median\".*,||p" "$work/sample_file")
	row "20 M samples to a sample file, $1 keys" "$(printf '%.1f' "$ns") ns a sample" "" "$2 ns"
}
adding 1000 8
adding 100000 20
adding 1000000 70

$bench/stack_store_bench --benchmark_min_time=0.5 --benchmark_format=csv >"$work/stacks" 2>/dev/null
# storing BENCHMARK TEXT WANTED; growing BENCHMARK TEXT WANTED
storing() {
	ns=$(sed -n "s|^\"$1\",[^,]*,[^,]*,\([^,]*\),.*|\1|p" "$work/stacks")
	row "a call stack of depth ${1#*/} stored, $2" "$(printf '%.0f' "$ns") ns" "" "$3 ns"
}
growing() {
	sed -n "s|^\"grow/$1\".*,\([^,]*\),\([^,]*\),\([^,]*\),\([^,]*\)$|\1 \2 \3 \4|p" "$work/stacks" | {
		read -r bytes frames nodes ns
		row "${1#*/} call stacks $2: $(printf '%.0f nodes, %.0f frames' "$nodes" "$frames")" \
			"$(printf '%.1f' "$bytes") bytes a sample" "" "$3"
	}
}
storing repeat/20 'callers as before' 100
storing repeat/60 'callers as before' 200
storing alternate/20 'nothing as before' 400
storing alternate/60 'nothing as before' 1000
growing python/12594 'as an interpreter has them' '20 bytes'
growing python/62970 'as an interpreter has them' 'less'
growing compiler/11384 'as a compiler has them' '100 bytes'
growing compiler/56920 'as a compiler has them' 'less'

node=$(readlink -f "$(command -v node || command -v clang || command -v g++)")
mkdir "$work/addresses" "$work/files"
$bench/make_big_session addresses "$work/addresses" "$node" 200000 >/dev/null
$bench/measure 11 - ./opreport --session-dir "$work/addresses" --symbols ::: nm -C "$node" >"$work/symbols"
row "opreport -l of 200,000 addresses in $(basename "$node") ($(du -mL "$node" | cut -f1) MB)" \
	"$(field 1 1 "$work/symbols") ms" "nm -C: $(field 2 1 "$work/symbols") ms" \
	"1.5 times nm; is $(ratio "$(field 1 1 "$work/symbols")" "$(field 2 1 "$work/symbols")")"
$bench/make_big_session files "$work/files" 1000 >/dev/null
$bench/measure 11 - ./opreport --session-dir "$work/files" >"$work/summary"
row "image summary over 1,000 sample files" "$(field 1 1 "$work/summary") ms" "" "50 ms"
