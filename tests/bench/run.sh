#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures the figures this project promises, beside perf and nm in the same run, and prints doc/bench.md. Each figure is
# the median of interleaved runs. Called by `make bench` in the build directory. $ROUNDS (5) runs of each; $PATIENCE (300)
# seconds for what a peer is asked.
set -eu
bench=tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=${ROUNDS:-5}
patience=${PATIENCE:-300}
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

# A large program: the same samples for all reports of ours, and perf on a recording of its own of the same program.
"$(dirname "$0")/make_big_program.sh" $bench/big
big=$bench/big/big_program
megabytes=$(du -mL "$big" | cut -f1)
mkdir "$work/big" "$work/calls" "$work/out"
$bench/make_big_session addresses "$work/big" "$PWD/$big" 100000 >/dev/null
$bench/make_big_session calls "$work/calls" "$PWD/$big" 10000000 >/dev/null
cold() { sync && echo 3 2>/dev/null >/proc/sys/vm/drop_caches || true; }
perf_lines='no perf here' perf_annotated='' perf_calls=''
if have perf; then
	perf record -q -e cpu-clock -c 200000 -g -o "$work/big.data" \
		sh -c 'for i in $1; do "$0"; done' "$big" "$(seq 200)" >/dev/null 2>&1 || true
	# once COMMAND...: time and memory of one run
	once() {
		$bench/measure 1 - timeout "$patience" "$@" >"$work/once" 2>/dev/null &&
			echo "$(field 1 1 "$work/once") ms, $(field 1 3 "$work/once") KB" || echo "not done in $patience s"
	}
	taken=$(perf report -i "$work/big.data" --stdio --header-only 2>/dev/null | sed -n 's/.*sample_count *: *//p')
	taken="${taken:-$(perf script -i "$work/big.data" -F ip -G 2>/dev/null | wc -l)} samples"
	perf_lines="perf report -s sym,srcline of $taken: $(once perf report -i "$work/big.data" --stdio --no-children -g none -s sym,srcline)"
	perf_annotated="perf annotate of $taken: $(once perf annotate -i "$work/big.data" --stdio)"
	perf_calls="perf report -g of $taken: $(once perf report -i "$work/big.data" --stdio --no-children)"
fi
for i in 1 2 3; do
	cold
	$bench/measure 1 - ./opreport --session-dir "$work/big" -l -g
done | sort -n >"$work/cold"
$bench/measure "$rounds" - ./opreport --session-dir "$work/big" -l -g ::: \
	./opreport --session-dir "$work/big" -l -g --inline ::: \
	./opannotate --session-dir "$work/big" --source --output-dir "$work/out" ::: \
	./opannotate --session-dir "$work/big" --assembly -t 0.05 ::: \
	./opreport --session-dir "$work/calls" -c >"$work/reports"
row "opreport -l -g, 100,000 addresses in $megabytes MB of C++, caches empty" "$(field 2 1 "$work/cold") ms, $(field 2 3 "$work/cold") KB" \
	"$perf_lines" "500 ms, 150 MB"
row "the same, caches warm" "$(field 1 1 "$work/reports") ms" "" "500 ms"
row "the same with --inline" "$(field 2 1 "$work/reports") ms" "without: $(field 1 1 "$work/reports") ms" \
	"2 times; is $(ratio "$(field 2 1 "$work/reports")" "$(field 1 1 "$work/reports")")"
row "opannotate --source --output-dir of it" "$(field 3 1 "$work/reports") ms" "" "500 ms"
row "opannotate --assembly -t 0.05 of it" "$(field 4 1 "$work/reports") ms" "$perf_annotated" "500 ms"
row "opreport -c, 10 M samples with call graphs" "$(field 5 1 "$work/reports") ms, $(field 5 3 "$work/reports") KB" "$perf_calls" "1000 ms, 150 MB"
