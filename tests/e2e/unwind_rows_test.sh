#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Our unwind rules are those that readelf prints, row by row: of the C library, libcrypto and a program.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v readelf >/dev/null || { echo "skipped: readelf is not installed"; exit 77; }
case $(uname -m) in
x86_64 | aarch64) ;;
*)
	echo "skipped: readelf names the registers of this machine in a way that is not known here"
	exit 77
	;;
esac

# library NAME: its path
library() {
	{ ldconfig -p 2>/dev/null || /sbin/ldconfig -p; } | awk -v name="$1" '$1 == name && /64/ { print $NF; exit }'
}

compared=0
for file in "$(library libc.so.6)" "$(library libcrypto.so.3)" "$(command -v bash)" "$build/tests/e2e/unwind_rows"; do
	[ -f "$file" ] || continue
	readelf --debug-dump=frames-interp "$file" 2>/dev/null | "$tests/e2e/unwind_rows" "$file" || fail "$file: rows differ"
	compared=$((compared + 1))
done
[ $compared -ge 2 ] || fail "only $compared files to compare"
