#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Traces of Akaros: those of the tree are what the generator writes; the session has, symbol by symbol, what perf finds in a
# perf.data of the same samples; pprof opens the export, which takes op2's place.
. "${srcdir:-.}/tests/e2e/lib.sh"
source=$(cd "${srcdir:-.}" && pwd)
LC_ALL=C
export LC_ALL
fixtures=$source/tests/fixtures

if command -v python3 >/dev/null; then
	mkdir "$work/made" "$work/profiles"
	python3 "$fixtures/make_akaros.py" "$work/made"
	diff -r "$fixtures/akaros" "$work/made" || fail "tests/fixtures/akaros is not what make_akaros.py writes"
	python3 "$fixtures/make_gperf.py" "$work/profiles"
	diff -r "$fixtures/gperf" "$work/profiles" || fail "tests/fixtures/gperf is not what make_gperf.py writes"
else
	echo "the generator: skipped, no python3 here"
fi

# import LAYOUT: its session is $work/LAYOUT
import() {
	"$build/opimport" --from=akaros --session-dir="$work/$1" --kernel-map="$fixtures/akaros/ksyms.map" --root="$fixtures/root" \
		"$fixtures/akaros/$1.trace" 2>"$work/$1.log" || fail "opimport $1"
	total=$(report "$1" --no-header --format=csv --merge=all | sed -E 's/(,[0-9]+\.[0-9]{6})+$//' | awk -F, '{ n += $3 + $4 } END { print n }')
	[ "$total" = 120 ] || fail "$1: $total samples of 120"
}
report() {
	session=$work/$1
	shift
	"$build/opreport" --session-dir="$session" --root="$fixtures/root" "$@" 2>"$work/report.log" || fail "opreport $*"
}
for layout in words v1 v2 v3; do
	import $layout
done

if command -v perf >/dev/null; then
	# Lines of SAMPLES SYMBOL (IMAGE). perf knows the kernel's symbols of this machine only: the kernel is one line.
	(cd "$work" && HOME=$work perf script --symfs "$fixtures/root" -F ip,sym,dso -i "$fixtures/akaros/same.perf.data") \
		2>"$work/perf.log" | sed -E 's/^ *[0-9a-f]+ //; s/^.*\(\[kernel\.kallsyms\].*$/(kernel)/; s/\(.*\/(.*)\)$/\1/' |
		sort | uniq -c | sed -E 's/^ +//' | sort >"$work/perf.found"
	for layout in v1 v2 v3; do
		report $layout --symbols --format=csv --no-header | sed -E 's/(,[0-9]+\.[0-9]{6})+$//' |
			awk -F, '{ n = 0; for (i = 5; i <= NF; i++) n += $i; name = $3; image = $1
				sub(/.*\//, "", image); sub(/\([a-z]*\)$/, "", name); if (name == "[no symbol]") name = "[unknown]"
				if (image == "kallsyms") sum["(kernel)"] += n; else sum[name " " image] += n }
				END { for (name in sum) print sum[name], name }' | sort >"$work/$layout.found"
		diff -u "$work/perf.found" "$work/$layout.found" || fail "$layout: perf counts otherwise"
	done
	echo "as perf counts: $(wc -l <"$work/perf.found") symbols"
else
	echo "perf: skipped, not here (package linux-perf)"
fi

if command -v go >/dev/null; then
	for layout in words v3; do
		report $layout --format=pprof --output-file="$work/$layout.pb.gz"
		HOME=$work PPROF_TMPDIR=$work go tool pprof -symbolize=none -raw "$work/$layout.pb.gz" >"$work/raw" 2>"$work/pprof.log" ||
			fail "pprof $layout"
		found=$(sed 's/ time\/nanoseconds/_time\/nanoseconds/g' "$work/raw" | awk '/^Locations/ { exit }
			/^Samples:/ { getline; for (i = 1; i <= NF; i++) is_count[i] = $i ~ /\/count(\[|$)/; next }
			/^ *[0-9]+( +[0-9]+)*: / { sub(/:.*/, ""); for (i = 1; i <= NF; i++) if (is_count[i]) sum += $i } END { print sum }')
		[ "$found" = 120 ] || fail "$layout: pprof finds $found samples of 120"
		grep -q schedule "$work/raw" || fail "$layout: pprof does not have the kernel's functions"
	done
	echo "as pprof counts: 120 samples"
else
	echo "pprof: skipped, no go here (package golang-go)"
fi
