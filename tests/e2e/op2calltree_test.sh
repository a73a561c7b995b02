#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# KCachegrind's op2calltree reads opreport -gdf, of sessions of the timer, too: callgrind_annotate counts in what it makes
# what opreport counts in symbols, to the last sample.
. "${srcdir:-.}/tests/e2e/clients.sh"
need_client op2calltree kcachegrind-converters
need_client callgrind_annotate valgrind
make_sessions

for session in $sessions; do
	mkdir "$work/$session.dir"
	report "$session" -gdf >"$work/$session.gdf"
	(cd "$work/$session.dir" && op2calltree <"$work/$session.gdf" >/dev/null 2>"$work/op2calltree.log") ||
		fail "op2calltree fails on $session"
	for file in "$work/$session.dir"/oprof.out.*; do
		annotated_totals "$file"
	done | awk '{ for (i = 1; i <= NF; i++) sum[i] += $i; n = NF }
		END { for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? " " : ""), sum[i]; print "" }' >"$work/found"
	wanted=$(totals "$session" -l)
	echo "$session: opreport $wanted, op2calltree $(cat "$work/found")"
	[ "$wanted" = "$(cat "$work/found")" ] || fail "$session: op2calltree counts otherwise"
done
