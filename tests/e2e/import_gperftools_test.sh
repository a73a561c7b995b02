#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# A profile that gperftools' libprofiler wrote of a program: the session has, function by function, what google-pprof counts.
. "${srcdir:-.}/tests/e2e/clients.sh"
need_client google-pprof google-perftools
cat >"$work/busy.cpp" <<-'END'
	#include <cstdlib>
	static volatile unsigned long sum;
	__attribute__((noinline)) void three_parts(long n) {
	    for (long i = 0; i < 3 * n; ++i) sum = sum + i;
	}
	__attribute__((noinline)) void one_part(long n) {
	    for (long i = 0; i < n; ++i) sum = sum + i;
	}
	int main() {
	    for (int i = 0; i < 600; ++i) {
	        three_parts(1000000);
	        one_part(1000000);
	    }
	}
END
${CXX:-c++} -O1 -g -fno-omit-frame-pointer -o "$work/busy" "$work/busy.cpp" -Wl,--no-as-needed -lprofiler 2>"$work/compile.log" || {
	echo "skipped: no libprofiler here (package libgoogle-perftools-dev)"
	exit 77
}
CPUPROFILE=$work/busy.prof CPUPROFILE_FREQUENCY=1000 "$work/busy" 2>"$work/busy.log" || fail "the program"
HOME=$work google-pprof --text "$work/busy" "$work/busy.prof" 2>"$work/pprof.log" | sed -nE 's/^ *([0-9]+) .* (three_parts|one_part)$/\1 \2/p' |
	sort >"$work/pprof.found"
"$build/opimport" --session-dir="$work/session" "$work/busy.prof" 2>"$work/import.log" || fail "opimport"
balanced "$work/session"
"$build/opreport" --session-dir="$work/session" --symbols --format=csv --no-header 2>"$work/report.log" |
	sed -nE 's/^.*,"?(three_parts|one_part)(\([a-z]*\))?"?,0x[0-9a-f]+,([0-9]+),.*$/\3 \1/p' | sort >"$work/found"
same "functions" "$work/pprof.found" "$work/found"
cat "$work/found"
total=$("$build/opreport" --session-dir="$work/session" --no-header 2>/dev/null | awk '{ n += $1 } END { print n }')
[ "$total" -gt 50 ] || fail "only $total samples"
