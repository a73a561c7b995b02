#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the tests of programs that read our profiles: sessions, and what opreport itself counts in them.
. "${srcdir:-.}/tests/e2e/lib.sh"
source=$(cd "${srcdir:-.}" && pwd)
LC_ALL=C
export LC_ALL

# need_client PROGRAM PACKAGE
need_client() {
	command -v "$1" >/dev/null && return
	echo "skipped: no $1 here (package $2)"
	exit 77
}

# report SESSION WORDS: opreport on it; its messages go to report.log
report() {
	session=$1
	shift
	root=
	[ "$session" = real ] || root=--root=$source/tests/fixtures/root
	"$build/opreport" --session-dir "$work/$session" $root "$@" 2>"$work/report.log" || fail "opreport $*"
}

# Makes the sessions whose names it puts into $sessions: made ones, one with two events, and, if this user may profile,
# one of a program with calls, $work/program, called "real".
make_sessions() {
	sessions='demo calls modes recorded multiplexed events'
	cat >"$work/events.txt" <<-'END'
		cpu_type 32
		file {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/CPU_CLK_UNHALTED.100000.0.all.all.all
		0x100 11
		0x140 3
		file {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/TIMER.1000000.0.all.all.all
		0x100 5
		0xc0 2
		text manifest.json {"format": 1, "cpu_type": 32, "events": [{"name": "CPU_CLK_UNHALTED", "count": 100000, "kernel": false}]}
	END
	for name in $sessions separate; do
		description=$source/tests/golden/sessions/$name.txt
		[ -f "$description" ] || description=$work/$name.txt
		"$tests/golden/make_session" "$description" "$work/$name" || fail "make_session $name"
	done
	if "$tests/e2e/can_profile" 2>"$work/can_profile.log"; then
		record_program
		sessions="$sessions real"
	else
		echo "a recorded program: skipped, no profiling here: $(cat "$work/can_profile.log")"
	fi
}

record_program() {
	# Without optimization every function keeps a frame, also one that calls none.
	${CXX:-c++} -std=c++20 -O0 -g -I "$source" -o "$work/program" "$source/tests/e2e/calls.cpp" 2>"$work/compile.log" ||
		fail "calls.cpp cannot be compiled"
	mkdir "$work/real"
	profile real --session-dir "$work/real" --callgraph --events TIMER:200000 "$work/program" || fail "operf"
}

# without_bounds: lines of CSV without the last columns, which are the bounds of shares
without_bounds() { sed -E 's/(,[0-9]+\.[0-9]{6})+$//; s/(,low % [^,]*,high % [^,]*)+$//'; }

# totals SESSION [WORDS]: what opreport counts, a number for each event
totals() {
	report "$@" --format=csv --no-header --merge=cpu,tid,tgid | without_bounds >"$work/totals.csv"
	columns=$(report "$@" --format=csv --merge=cpu,tid,tgid | head -n 1 | tr ',' '\n' | grep -c '^samples ')
	awk -F, -v n="$columns" '{ for (i = 1; i <= n; i++) sum[i] += $(NF - n + i) }
		END { for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? " " : ""), sum[i]; print "" }' "$work/totals.csv"
}

# functions SESSION: what opreport counts of the first event, "COUNT NAME" a line
functions() {
	report "$1" -l --format=csv --no-header --merge=cpu,tid,tgid | without_bounds |
		sed -E 's/^[^,]*,[^,]*,(.*),0x[0-9a-f]+,([0-9]+)(,[0-9]+)*$/\2 \1/; s/ "(.*)"$/ \1/' | by_name
}

# by_name: adds up lines "COUNT NAME"
by_name() {
	awk '{ n = $1; sub(/^[0-9]+ +/, ""); sum[$0] += n } END { for (name in sum) if (sum[name]) print sum[name], name }' | sort
}

# same WHAT FILE FILE
same() {
	[ -s "$2" ] || fail "$1: nothing to compare"
	diff -u "$2" "$3" >"$work/diff.log" || fail "$1 differs"
}

# annotate FILE [WORDS]: the table of callgrind_annotate, numbers without commas and shares
annotate() {
	file=$1
	shift
	# It cuts the working directory off the files of functions, but not off those of called ones.
	(cd / && callgrind_annotate --auto=no --threshold=100 "$@" "$file") >"$work/annotated.log" 2>"$work/annotate.log" ||
		fail "callgrind_annotate $file"
	[ -s "$work/annotate.log" ] && fail "callgrind_annotate complains of $file"
	sed -E ':a; s/([0-9]),([0-9]{3})/\1\2/; ta; s/\( *[0-9.]+%\)//g; s/  +/ /g; s/^ //' "$work/annotated.log"
}

# annotated_totals FILE: the program totals that callgrind_annotate adds up itself; those the file claims must be the same
annotated_totals() {
	grep -v -e '^summary:' -e '^totals:' "$1" >"$work/bare"
	annotate "$work/bare" | sed -n 's/ *PROGRAM TOTALS (calculated)$//p' >"$work/calculated"
	annotate "$1" | sed -n 's/ *PROGRAM TOTALS$//p' >"$work/claimed"
	cmp -s "$work/calculated" "$work/claimed" || fail "$1 claims $(cat "$work/claimed"), and holds $(cat "$work/calculated")"
	cat "$work/calculated"
}

# annotated_functions FILE [WORDS]: "COUNT NAME" a line, of the first event
annotated_functions() {
	annotate "$@" | sed -nE 's/^([0-9]+) ([0-9.]+ )*[^:]*:(.*)$/\1 \3/p' | sed -E 's/ \[[^][]*\] *$//' |
		sed 's|^\([0-9]*\) ???$|\1 [no symbol]|' | by_name # which it calls ???
}
