#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures call stacks of ordinary programs beside perf and prints the section of doc/bench.md on them. Called by `make bench` and
# `make bench-stacks` in the build directory. $ROUNDS (3) runs of each; a program that is not installed is left out.
set -eu
bench=$PWD/tests/bench
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=${ROUNDS:-3}
have() { command -v "$1" >/dev/null; }
field() { sed -n "$1p" "$3" | cut -d' ' -f"$2"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
row() { printf '| %s | %s | %s | %s |\n' "$@"; }
cd "$work"

# The programs, each a script of its own, that run for some seconds.
cp "$here/load.py" .
cat >load.pl <<'END'
my %n; sub count { my ($w) = @_; $n{$w}++; return length $w } sub each_word { my $s = 0; $s += count($_) for split / /, $_[0]; return $s }
my $end = times() + 3; my $sum = 0; while (times() < $end) { $sum += each_word(join ' ', map { "w" . $_ % 97 } 1 .. 500) }
END
cat >load.sh <<'END'
f() { g "$1"; } ; g() { local x=$1; x=${x//a/bb}; h "$x"; } ; h() { [[ $1 == *b* ]] && n=$((n + ${#1})); }
for ((i = 0; i < 40000; i++)); do f "banana$i"; done
END
cat >load.js <<'END'
const rows = Array.from({ length: 2000 }, (_, i) => ({ number: i, text: 'word ' + i }));
function walk(o, d) { return d === 0 ? JSON.stringify(o).length : walk(o, d - 1) + 1; }
const end = process.cpuUsage().user + 3e6; let sum = 0;
while (process.cpuUsage().user < end) sum += walk(rows, 40) + rows.map(r => r.text.replace(/\d/g, 'x')).sort().length;
END
cat >load.cpp <<'END'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
int main() {
    std::map<std::string, std::map<int, std::string>> m;
    std::unordered_map<std::string, std::function<int(int)>> f;
    m["x"][1] = "y";
    f["z"] = [&](int n) { return n + static_cast<int>(m.size()); };
    std::cout << std::regex_match("abcd", std::regex("a(b|c)*d")) << f["z"](1);
}
END
printf 'set pagination off\nset height 0\n' >load.gdb
for i in 1 2 3 4; do echo "info functions operator"; done >>load.gdb

# commands: NAME COMMAND, one a line
commands() {
	echo "python3 python3 load.py 3"
	echo "bash bash load.sh"
	echo "perl perl load.pl"
	echo "g++ -O1 g++ -O1 -c load.cpp -o load.o"
	echo "node node load.js"
	echo "gdb gdb -batch -x load.gdb $build/opreport"
	echo "clang++ -O1 clang++-14 -O1 -c load.cpp -o load.o"
}

cat <<END
## Call stacks

Printed by \`make bench-stacks\` (\`tests/bench/stacks.sh\`): programs as Debian ships them, \`operf --callgraph\` at 1 kHz,
load $(cut -d' ' -f1 /proc/loadavg) at the start. A stack is complete if it leads to \`_start\` or to the start of the thread.

| program | samples | complete | incomplete, by reason |
|---|---|---|---|
END
# shape FILE: "complete; by reason" of a manifest
shape() {
	awk '/"stacks": *\{/ { inside = 1 }
		inside && /"complete":/ { gsub(/[^0-9]/, ""); complete = $0; next }
		inside && /"incomplete": *\{/ { reasons = 1 }
		reasons && match($0, /"[a-z_]+": *[0-9]+/) {
			pair = substr($0, RSTART + 1, RLENGTH - 1); name = pair; sub(/".*/, "", name); sub(/.*: */, "", pair)
			if (name != "incomplete") { text = text (text ? ", " : "") name " " pair; sum += pair }
		}
		reasons && /\}/ { exit }
		END { printf "%d %d %.2f%% | %s\n", complete + sum, complete, complete * 100 / (complete + sum), text }' "$1"
}
commands | while read -r name rest; do
	case $name in g++ | clang++) option=${rest%% *} rest=${rest#* } title="$name $option" ;; *) title=$name ;; esac
	have "${rest%% *}" || continue
	mkdir -p "s/$name"
	# shellcheck disable=SC2086 # words
	"$build/operf" --session-dir "s/$name" --callgraph --events TIMER:1000000 $rest >/dev/null 2>"$name.log"
	shape "s/$name/samples/current/manifest.json" >shape
	printf '| %s | %s | %s |\n' "$title" "$(cut -d' ' -f1 shape)" "$(cut -d' ' -f3- shape)"
done

# timed FILE COMMAND...: its CPU time in seconds goes to FILE.
cat >timed <<'END'
file=$1
shift
"$@" >/dev/null 2>&1
times >"$file.times" # not in a pipe: its own children are those of another shell
awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); s += t[1] * 60 + t[2] } print s }' "$file.times" >"$file"
END
echo
row "work" "measured" "beside it" "wanted"
echo '|---|---|---|---|'
export PERF_BUILDID_DIR="$work/buildid"
for each in "python3 load.py 3" "g++ -O1 -c load.cpp -o load.o"; do
	name=${each%% *}
	mkdir -p "r/$name"
	set -- "$build/operf" --session-dir "r/$name" --callgraph --events TIMER:1000000 sh timed cpu $each
	if have perf; then
		set -- "$@" ::: perf record -q -e cpu-clock -c 1000000 --call-graph dwarf,16384 -o "$name.data" sh timed cpu $each
		$bench/measure "$rounds" cpu "$@" >figures
		$bench/measure 1 - sh -c 'perf script -i "$0" -F ip,sym >/dev/null 2>&1' "$name.data" ::: \
			sh -c 'perf script --no-inline -i "$0" -F ip,sym >/dev/null 2>&1' "$name.data" >script
		perf=$(awk -v a="$(field 2 5 figures)" -v b="$(field 2 2 script)" 'BEGIN { printf "%.2f", a + b }')
		beside="perf record $(field 2 5 figures) ms + perf script --no-inline $(field 2 2 script) ms (without it $(field 1 2 script) ms)"
		wanted="a quarter; is $(ratio "$(field 1 5 figures)" "$perf")"
		bytes=", perf.data $(du -b "$name.data" | cut -f1)"
	else
		$bench/measure "$rounds" cpu "$@" >figures
		beside='no perf here' wanted='' bytes=''
	fi
	row "$each: own CPU" "$(field 1 5 figures) ms" "$beside" "$wanted"
	# Of the largest process: a compiler is larger than operf.
	[ "$name" = g++ ] || row "the same: peak RSS" "$(field 1 3 figures) KB" "" "49152 KB"
	row "the same: bytes of the session's stacks" "$(du -sb "r/$name/samples/current/stacks" | cut -f1)" "$(sed -n 's/.*"sampled": \([0-9]*\).*/\1/p' "r/$name/samples/current/manifest.json") samples$bytes" ""
done
mkdir -p long
$bench/measure 1 cpu "$build/operf" --session-dir long --callgraph --events TIMER:1000000 sh timed cpu python3 load.py 15 >figures
row "python3 five times as long: peak RSS" "$(field 1 3 figures) KB" "" "the same"
row "the same: bytes of the session's stacks" "$(du -sb long/samples/current/stacks | cut -f1)" \
	"$(sed -n 's/.*"sampled": \([0-9]*\).*/\1/p' long/samples/current/manifest.json) samples" ""

# Walks of recorded stacks, and whole tables.
row_of_walks() {
	while read -r from to samples frames ns first; do
		[ "$from" = 15 ] && limit="2000 ns at depth 20" || limit=
		[ "$from" != 50 ] || limit="5000 ns at depth 60"
		[ "$from" = 1 ] && which="every depth" || which="$from to $((to - 1)) frames"
		row "$1: a walk, $which" "$ns ns" "$samples samples of $frames frames; with building tables $first ns" "$limit"
	done
}
if have perf; then
	for each in "python3 load.py 3" "g++ -O1 -c load.cpp -o load.o" "node load.js"; do
		have "${each%% *}" || continue
		# shellcheck disable=SC2086 # words
		perf record -q -e cpu-clock -c 1000000 --sample-cpu --call-graph dwarf,16384 -o walk.data $each >/dev/null 2>&1
		$bench/walk_bench walk walk.data 10 | row_of_walks "${each%% *}"
		have valgrind || continue
		# What one more round needs.
		for rounds in 1 2; do
			valgrind --tool=callgrind --callgrind-out-file=/dev/null $bench/walk_bench walk walk.data $rounds 2>&1 |
				awk '/^[0-9]/ { walks += $3; frames += $3 * $4 } /Collected/ { print walks, frames, $NF }'
		done | awk -v name="${each%% *}" 'NR == 1 { before = $3; next }
			{ printf "| %s: a walk, instructions | %d | %.1f frames by callgrind | |\n", name, ($3 - before) / $1, $2 / $1 }'
	done
fi
for name in libc.so.6 libcrypto.so.3 libLLVM-14.so.1; do
	file=$({ ldconfig -p 2>/dev/null || /sbin/ldconfig -p; } | awk -v name="$name" '$1 == name && /64/ { print $NF; exit }')
	[ -n "$file" ] || continue
	$bench/walk_bench build "$file" | while read -r rows ns bytes; do
		row "$name: building its table" "$ns ns a row" "$rows rows of $bytes bytes" "100 ns"
	done
done
