#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# A report over a session that is being written is consistent: it succeeds, its parts add up to its totals, and no later one
# has less.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling

mkdir "$work/session"
# However slow the machine is, reports come while it records.
cat >"$work/busy.sh" <<-'END'
	while [ ! -e "$1" ]; do "$2" plain 50; done
END
profile busy --session-dir "$work/session" --events TIMER:100000 sh "$work/busy.sh" "$work/stop" "$tests/e2e/shares" &
recording=$!

# report WORDS: opreport on the session; it must report no damage
report() {
	"$build/opreport" --session-dir "$work/session" --no-header "$@" >"$work/report" 2>"$work/report.log" || fail "opreport $*"
	! grep -i "damaged\|cannot be read as\|more samples than" "$work/report.log" || fail "opreport $*"
}

# add_up HEAD PART: lines that match HEAD begin with the sum of the first numbers of the lines that match PART after it,
# if there are any. Prints the sum of the heads.
add_up() {
	awk -v head="$1" -v part="$2" '
		function check() { if (parts && rest != 0) { print "off by " rest " after: " line; exit bad = 1 } }
		$0 ~ part { rest -= $COLUMN; parts++; next }
		$0 ~ head { check(); line = $0; rest = $COLUMN; sum += $COLUMN; parts = 0 }
		END { if (!bad) check(); if (!bad) print sum + 0; exit bad }' COLUMN="$3" "$work/report"
}

# A session can be reported on before its first sample.
has_report() { "$build/opreport" --session-dir "$work/session" --no-header 2>/dev/null | grep -q '^ *[1-9]'; }
wait_beside $recording 60 "the first samples" has_report
has_grown() {
	report
	now=$(add_up '^ *[0-9]' '^\t' 1) || fail "the image summary does not add up: $now"
	[ "$now" -ge "$before" ] || fail "$now samples, and before that $before"
	[ "$now" != "$before" ]
}
before=0
grown=0
reports=0
while [ $grown -lt 5 ]; do
	wait_beside $recording 60 "more samples" has_grown
	grown=$((grown + 1))
	before=$now
	report --details --debug-info
	symbols=$(add_up '^[0-9a-f]' '^  ' 2) || fail "details do not add up: $symbols"
	[ "$symbols" -gt 0 ] || fail "no samples in symbols"
	reports=$((reports + 2))
done
echo "$reports reports while $before samples came"
touch "$work/stop"
wait_end $recording 60 "operf" || fail "operf: status $?"
report
[ "$(add_up '^ *[0-9]' '^\t' 1)" -ge "$before" ] || fail "the last report has less than those before"
balanced "$work/session"
