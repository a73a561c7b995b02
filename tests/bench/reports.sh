#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures the reports on a large program beside perf and prints the section of doc/bench.md on it. Each figure is the median of
# interleaved runs. Called by `make bench` and `make bench-reports` in the build directory. $ROUNDS (5) runs of each; $PATIENCE
# (300) seconds for what a peer is asked.
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

# A large program: the same samples for all reports of ours, and perf on a recording of its own of the same program.
"$(dirname "$0")/make_big_program.sh" $bench/big
big=$bench/big/big_program
cat <<END
## Reports on a large program

Printed by \`make bench-reports\` (\`tests/bench/reports.sh\`): medians of $rounds interleaved runs, of 3 with empty caches, load
$(cut -d' ' -f1 /proc/loadavg) at the start. The peer's recording is its own, of the same program.

| work | measured | beside it | wanted |
|---|---|---|---|
END
megabytes=$(du -mL "$big" | cut -f1)
mkdir "$work/big" "$work/calls" "$work/stacks" "$work/out"
$bench/make_big_session addresses "$work/big" "$PWD/$big" 100000 >/dev/null
$bench/make_big_session calls "$work/calls" "$PWD/$big" 10000000 >/dev/null
$bench/make_big_session stacks "$work/stacks" "$PWD/$big" 1050000 >/dev/null
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
	./opreport --session-dir "$work/calls" -c ::: \
	./opreport --session-dir "$work/stacks" --call-tree ::: \
	./opreport --session-dir "$work/stacks" --call-tree=callers >"$work/reports"
row "opreport -l -g, 100,000 addresses in $megabytes MB of C++, caches empty" "$(field 2 1 "$work/cold") ms, $(field 2 3 "$work/cold") KB" \
	"$perf_lines" "500 ms, 150 MB"
row "the same, caches warm" "$(field 1 1 "$work/reports") ms" "" "500 ms"
row "the same with --inline" "$(field 2 1 "$work/reports") ms" "without: $(field 1 1 "$work/reports") ms" \
	"2 times; is $(ratio "$(field 2 1 "$work/reports")" "$(field 1 1 "$work/reports")")"
row "opannotate --source --output-dir of it" "$(field 3 1 "$work/reports") ms" "" "500 ms"
row "opannotate --assembly -t 0.05 of it" "$(field 4 1 "$work/reports") ms" "$perf_annotated" "500 ms"
row "opreport -c, 10 M samples with call graphs" "$(field 5 1 "$work/reports") ms, $(field 5 3 "$work/reports") KB" "$perf_calls" "1000 ms, 150 MB"
row "opreport --call-tree, 0.5 M different stacks of 30 frames" "$(field 6 1 "$work/reports") ms, $(field 6 3 "$work/reports") KB" "" "500 ms, 150 MB"
row "the same, --call-tree=callers" "$(field 7 1 "$work/reports") ms, $(field 7 3 "$work/reports") KB" "" "500 ms, 150 MB"
