#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures imports of large recordings of perf beside perf's own commands on the same file, and prints the section of
# doc/bench.md on them. Called by `make bench-import` in the build directory. $ROUNDS (3) runs of each, $MEGABYTES (1024) a file.
set -eu
bench=$PWD/tests/bench
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=${ROUNDS:-3}
megabytes=${MEGABYTES:-1024}
command -v perf >/dev/null || { echo "import.sh needs perf" >&2; exit 1; }
field() { sed -n "$1p" "$3" | cut -d' ' -f"$2"; }
cd "$work"
export PERF_BUILDID_DIR="$work/buildid"
cp "$here/load.py" .

cat <<END
## Imports

Printed by \`make bench-import\` (\`tests/bench/import.sh\`): recordings of three seconds of python3 at 1 kHz whose samples
are repeated until the file has $megabytes MB. CPU time, medians of $rounds interleaved runs, of perf one; load
$(cut -d' ' -f1 /proc/loadavg) at the start.

| recording | samples | opimport | | peak RSS | perf, of the same file |
|---|---|---|---|---|---|
END

# import TITLE PERF-COMMAND RECORD-OPTION...: a row.
import() {
	title=$1 peer=$2
	shift 2
	perf record -q -e cpu-clock -c 1000000 "$@" -o small.data python3 load.py 3 >/dev/null 2>&1
	"$bench/repeat_perf_data" small.data large.data "$megabytes"
	rm -rf s
	$bench/measure "$rounds" - "$build/opimport" --session-dir s large.data >ours
	# shellcheck disable=SC2086 # words
	$bench/measure 1 - perf $peer -i large.data >theirs
	samples=$(sed -n 's/.*"sampled": \([0-9]*\).*/\1/p' s/samples/current/manifest.json)
	speed=$(awk -v b="$(stat -c %s large.data)" -v n="$samples" -v ms="$(field 1 2 ours)" \
		'BEGIN { printf "%d MB/s, %d k samples/s", b / 1e3 / ms, n / ms }')
	printf '| %s | %s | %s ms | %s | %s KB | `perf %s`: %s ms, %s KB |\n' "$title" "$samples" "$(field 1 2 ours)" "$speed" \
		"$(field 1 3 ours)" "$peer" "$(field 1 2 theirs)" "$(field 1 3 theirs)"
	rm large.data
}
import '`perf record`' 'report --stdio -n'
import '`perf record -g`' 'report --stdio -n --no-children' -g
import '`perf record --call-graph dwarf,8192`' 'script --no-inline -F ip,sym' --call-graph dwarf,8192
cat <<END

Wanted: 200 MB/s, copies of stacks left aside; 300 k samples with such copies a second; 100 MB.
END
