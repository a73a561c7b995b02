#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# callgrind_annotate reads what opreport --format=callgrind writes, and counts what opreport counts, to the last sample.
. "${srcdir:-.}/tests/e2e/clients.sh"
need_client callgrind_annotate valgrind
make_sessions

for session in $sessions separate; do
	report "$session" --format=callgrind --output-file="$work/$session.out"
	wanted=$(totals "$session")
	found=$(annotated_totals "$work/$session.out")
	echo "$session: opreport $wanted, callgrind_annotate $found"
	[ "$wanted" = "$found" ] || fail "$session: callgrind_annotate counts otherwise"
	functions "$session" >"$work/functions"
	annotated_functions "$work/$session.out" >"$work/annotated"
	same "$session: the functions" "$work/functions" "$work/annotated"
done

# What callgrind_annotate calls inclusive: the cost of all calls of a function, or if nobody calls it its own and that of
# its calls. From our call graph:
inclusive() {
	report "$1" -c --format=csv --no-header | without_bounds | sed -E 's/^([0-9]+),([a-z]+),[^,]*,[^,]*,(.*),0x[0-9a-f]+,([0-9]+)$/\1 \2 \4 \3/; s/ "(.*)"$/ \1/' |
		awk '{ n = $1; role = $2; count = $3; sub(/^[0-9]+ [a-z]+ [0-9]+ /, "") }
			role == "function" { name[n] = $0 }
			role == "caller" { callers[n] += count }
			role == "callee" || role == "self" { rest[n] += count }
			END { for (n in name) print (n in callers ? callers[n] : rest[n]), name[n] }' | by_name
}
inclusive calls >"$work/inclusive"
annotated_functions "$work/calls.out" --inclusive=yes >"$work/annotated"
same "calls: inclusive costs" "$work/inclusive" "$work/annotated"
cat "$work/annotated"
for session in $sessions; do
	[ "$session" = real ] || continue
	for name in inner outer; do
		inclusive real | grep "shop::Counter::$name(" || fail "real: opreport does not know $name"
	done >"$work/inclusive"
	# Without the lines of inner's inlined part, which callgrind_annotate lists as another function.
	annotate "$work/real.out" --inclusive=yes |
		sed -nE 's/^([0-9]+) [^:]*calls\.cpp:(shop::.*) \[[^][]*\] *$/\1 \2/p' | sort -k 2 >"$work/annotated"
	same "real: inclusive costs" "$work/inclusive" "$work/annotated"
	cat "$work/annotated"
done

# A file for each process and thread
report separate --format=callgrind --output-dir="$work/apart"
sum=0
for file in "$work"/apart/callgrind.out.*; do
	sum=$((sum + $(annotated_totals "$file")))
done
echo "separate: $sum samples in files:" $(ls "$work/apart")
[ "$sum" = "$(totals separate)" ] || fail "separate: the files together hold something else"
