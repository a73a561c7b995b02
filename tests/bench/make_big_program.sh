#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make_big_program.sh DIR [UNITS]: DIR/big_program, a C++ program as large as an application's, with DWARF: UNITS (10)
# translation units of 120 functions that use the standard library's templates, much of it inlined. With 10 units about
# 70 MB; takes some minutes. Does nothing if it is there. $CXX, else c++, compiles.
set -eu
dir=$1
units=${2-10}
[ ! -x "$dir/big_program" ] || exit 0
mkdir -p "$dir"

# One unit: every function has constants of its own, so that no two are merged.
unit() {
	awk -v unit="$1" 'BEGIN {
		print "#include <algorithm>\n#include <map>\n#include <memory>\n#include <numeric>\n#include <regex>"
		print "#include <sstream>\n#include <string>\n#include <unordered_map>\n#include <vector>"
		print "namespace unit" unit " {"
		print "template <int N> struct Box { std::map<int, std::string> m; std::vector<long> v;"
		print "  long fill(long x) { for (int i = 0; i < 9 + N % 7; ++i) { m[i * N] = std::to_string(x + i); v.push_back(x * i + N); }"
		print "    std::sort(v.begin(), v.end(), [](long a, long b) { return a % (N + 3) < b % (N + 3); });"
		print "    return std::accumulate(v.begin(), v.end(), 0L); } };"
		for (f = 0; f < 120; f++) {
			print "__attribute__((noinline)) long work" f "(long x) {"
			print "  Box<" unit * 1000 + f "> box; long sum = box.fill(x);"
			print "  std::unordered_map<std::string, long> counts; std::ostringstream out;"
			print "  for (auto& [k, s] : box.m) { counts[s] += k; out << s << " f "; }"
			print "  for (auto& [s, n] : counts) sum += n + std::count(s.begin(), s.end(), (char)(" 48 + f % 10 "));"
			print "  return sum + (long)out.str().size() + " unit * 7 + f "; }"
		}
		print "long (*table[])(long) = {"
		for (f = 0; f < 120; f++) print "  work" f ","
		print "};\n}\nlong unit" unit "_all(long x) { for (auto f : unit" unit "::table) x += f(x); return x; }"
	}'
}

objects=
n=0
while [ "$n" -lt "$units" ]; do
	unit "$n" >"$dir/unit$n.cpp"
	objects="$objects $dir/unit$n.o"
	n=$((n + 1))
done
{
	n=0
	while [ "$n" -lt "$units" ]; do
		echo "long unit${n}_all(long);"
		n=$((n + 1))
	done
	echo 'int main(int argc, char**) { long x = argc;'
	n=0
	while [ "$n" -lt "$units" ]; do
		echo "x += unit${n}_all(x);"
		n=$((n + 1))
	done
	echo 'return x == 42; }'
} >"$dir/main.cpp"
for source in "$dir"/unit*.cpp; do echo "$source"; done |
	xargs -P "$(nproc)" -I SOURCE sh -c '"$1" -std=c++17 -O2 -g -c -o "${2%.cpp}.o" "$2"' compile "${CXX:-c++}" SOURCE
${CXX:-c++} -std=c++17 -O2 -g -o "$dir/big_program.new" "$dir/main.cpp" $objects
mv "$dir/big_program.new" "$dir/big_program"
rm -f "$dir"/*.o
