#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# On a terminal opreport has colours, the terminal's width and a pager; in a pipe it is plain, to the byte.
. "${srcdir:-.}/tests/e2e/lib.sh"
if ! command -v script >/dev/null; then
	echo "skipped: no script(1) here to make a terminal with"
	exit 77
fi
here=$(cd "${srcdir:-.}" && pwd)
"$tests/golden/make_session" "$here/tests/golden/sessions/demo.txt" "$work/demo"
report="$build/opreport --session-dir $work/demo --root $here/tests/fixtures/root --symbols"
unset NO_COLOR PAGER OPROFILE_PAGER LESS COLUMNS

# on_terminal COMMAND [COLUMNS]: what it prints on a terminal of 60 columns, or of so many
on_terminal() {
	TERM=xterm script -qec "stty cols ${2:-60} rows 24; $1" /dev/null </dev/null | tr -d '\r'
}
escape=$(printf '\033')

$report >"$work/plain.txt" 2>/dev/null || fail "opreport in a pipe"
! grep -q "$escape" "$work/plain.txt" || fail "colours in a pipe"

on_terminal "OPROFILE_PAGER=cat $report 2>/dev/null" >"$work/tty.log"
grep -q "$escape\[31m" "$work/tty.log" || fail "no colours on a terminal"
sed "s/$escape\[[0-9]*m//g" "$work/tty.log" | awk 'length > 60 { print; bad = 1 } END { exit bad }' |
	grep -v "^CPU\|^Counted\|^Sampled\|^Profiling" >"$work/wide.log" || true
[ ! -s "$work/wide.log" ] || fail "lines wider than the terminal"

on_terminal "NO_COLOR=1 OPROFILE_PAGER=cat $report 2>/dev/null" >"$work/no_color.log"
! grep -q "$escape" "$work/no_color.log" || fail "colours in spite of NO_COLOR"
on_terminal "$report --color=never --no-pager 2>/dev/null" >"$work/never.log"
! grep -q "$escape" "$work/never.log" || fail "colours in spite of --color=never"
$report --color=always 2>/dev/null | grep -q "$escape\[31m" || fail "no colours with --color=always"

# Events, processor and a default directory are one line on a terminal; in a pipe the banner and "Using" are whole.
"$tests/golden/make_session" "$here/tests/golden/sessions/demo.txt" "$work/here/oprofile_data"
short="cd '$work/here' && $build/opreport --symbols --root $here/tests/fixtures/root"
on_terminal "$short --color=never --no-pager 2>$work/notes.log" >"$work/head.log"
sed -n 1p "$work/head.log" | grep -q '^TIMER:[0-9]* on .*' || fail "the head on a terminal: $(sed -n 1p "$work/head.log")"
! grep -q '^Using\|^CPU:\|^Sampled' "$work/head.log" "$work/notes.log" || fail "lines of the banner on a terminal"
(eval "$short" >"$work/head.txt" 2>"$work/using.log") || fail "opreport in a pipe"
grep -q '^CPU: ' "$work/head.txt" && grep -q '^Using .*/oprofile_data/samples/ for samples directory\.$' "$work/using.log" ||
	fail "the banner in a pipe"

# A comparison is one of samples on a terminal, whose columns are no wider than they need to be, with milliseconds where these leave
# room for names, and one of shares in a pipe.
"$tests/golden/make_session" "$here/tests/golden/sessions/compared.txt" "$work/compared"
compare="$build/opreport --session-dir $work/compared --root $here/tests/fixtures/root --symbols { session:current } { session:after }"
on_terminal "$compare --color=never --no-pager 2>/dev/null" 100 >"$work/changes.log"
grep -q '^before after delta before ms after ms delta ms ' "$work/changes.log" || fail "the heads of changes: $(tail -n 6 "$work/changes.log")"
grep -q '^100    200   +100\* 100 ' "$work/changes.log" || fail "a change: $(tail -n 6 "$work/changes.log")"
on_terminal "$compare --color=never --no-pager 2>/dev/null" >"$work/narrow.log"
grep -q '^before after delta image name' "$work/narrow.log" || fail "milliseconds leave no room: $(tail -n 6 "$work/narrow.log")"
on_terminal "$compare --diff=shares --color=never --no-pager 2>/dev/null" >"$work/shares.log"
grep -q '^samples  %        diff % ' "$work/shares.log" || fail "shares on a terminal"
$compare 2>/dev/null | grep -q '^samples  %        diff % ' || fail "shares in a pipe"

# Source on a terminal has both columns, own files first; in a pipe it is OProfile's.
annotate="$build/opannotate --session-dir $work/demo --root $here/tests/fixtures/root --source"
on_terminal "$annotate 2>/dev/null" 200 >"$work/source.log"
grep -q "^ \* Each event has a line's own samples, then those with what is inlined" "$work/source.log" || fail "source on a terminal"
$annotate 2>/dev/null >"$work/source.txt"
! grep -q "^ \* Each event has a line's own" "$work/source.txt" || fail "source in a pipe"

# Three lines of notes at most on a terminal, the last of which has the number of the others.
for n in 1 2 3 4 5; do
	echo "file {root}/usr/bin/demo/{dep}/{root}/usr/lib/none$n.so/TIMER.1000000.0.all.all.all"
	printf 'header count=1000000\n0x200 20\n'
done >"$work/many.txt"
"$tests/golden/make_session" "$work/many.txt" "$work/many"
many="$build/opreport --session-dir $work/many --root $here/tests/fixtures/root --symbols --color=never --no-pager"
on_terminal "$many" >"$work/few.log"
[ "$(grep -c '^warning: /usr/lib/none' "$work/few.log")" = 2 ] || fail "notes on a terminal: $(cat "$work/few.log")"
grep -q '^warning: 3 further images lack symbols, with 60.0 % ' "$work/few.log" || fail "the others: $(cat "$work/few.log")"
on_terminal "$many --include-symbols=nosuch" >"$work/empty.log"
grep -q '^warning: nothing to show: no symbol ' "$work/empty.log" || fail "the reason for an empty report: $(cat "$work/empty.log")"
mkdir "$work/nowhere"
recorded="$build/opreport --session-dir $work/recorded --root $work/nowhere --symbols --color=never --no-pager"
"$tests/golden/make_session" "$here/tests/golden/sessions/recorded.txt" "$work/recorded"
$recorded >"$work/lossy.txt" 2>&1
[ "$(grep -c '^warning: ' "$work/lossy.txt")" -gt 3 ] || fail "the session has too few notes for this test: $(cat "$work/lossy.txt")"
on_terminal "$recorded" >"$work/lossy.log"
[ "$(grep -c '^warning: ' "$work/lossy.log")" = 3 ] && grep -q '^warning: [2-9] further notes: --verbose=all has them$' "$work/lossy.log" ||
	fail "notes on a terminal: $(cat "$work/lossy.log")"
on_terminal "$many --verbose=all" >"$work/all.log"
$many >"$work/pipe.log" 2>&1
for log in all pipe; do
	[ "$(grep -c '^warning: /usr/lib/none' "$work/$log.log")" = 5 ] || fail "not all notes: $(cat "$work/$log.log")"
done

on_terminal "$build/opreport --session-dir $work/many --session-info" >"$work/info.log"
[ "$(grep -c '^Note: /usr/lib/none' "$work/info.log")" = 5 ] || fail "--session-info has not all notes: $(cat "$work/info.log")"

# Threads whose columns leave no room for names are added up; in a pipe they are not.
for tid in 101 102 103 104; do
	echo "file {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/TIMER.1000000.0.100.$tid.all"
	printf 'header count=1000000\n0x200 20\n'
done >"$work/threads.txt"
"$tests/golden/make_session" "$work/threads.txt" "$work/threads"
threads="$build/opreport --session-dir $work/threads --root $here/tests/fixtures/root --symbols --color=never --no-pager"
on_terminal "$threads" 80 >"$work/added.log"
grep -q 'CPUs are added up: the terminal has no room for 4 columns; one of them: tid:' "$work/added.log" &&
	grep -q '^80  *100\.000 ' "$work/added.log" || fail "threads on a narrow terminal: $(cat "$work/added.log")"
for wide in --accumulated --debug-info; do
	on_terminal "$threads $wide" 100 >"$work/wide.log"
	grep -q 'added up' "$work/wide.log" && grep -q ' \[no symbol\]$' "$work/wide.log" || fail "threads with $wide: $(cat "$work/wide.log")"
done
on_terminal "$threads { session:current } { session:current }" 80 >"$work/both.log"
! grep -q 'added up' "$work/both.log" && grep -q before "$work/both.log" || fail "threads that are compared: $(cat "$work/both.log")"
on_terminal "$threads" 120 >"$work/apart.log"
$threads >"$work/apart.txt" 2>&1
for log in apart.log apart.txt; do
	! grep -q 'added up' "$work/$log" && grep -q '^20  *100\.000  *20 ' "$work/$log" || fail "threads: $(cat "$work/$log")"
done

# Names lose their template arguments before their last component; --demangle=full has all of them, and a pipe, too.
on_terminal "OPROFILE_PAGER=cat $report --color=never 2>/dev/null" >"$work/short.log"
grep -q ' vector<…>::push_back$' "$work/short.log" || fail "template arguments on a narrow terminal"
grep -q 'anon (t\.\.\. other .*anon (tgid' "$work/short.log" || fail "a long image's name leaves no room for the symbol"
whole='std::vector<int, std::allocator<int> >::push_back(int&&)$'
on_terminal "OPROFILE_PAGER=cat $report --color=never --demangle=full 2>/dev/null" >"$work/full.log"
grep -q "$whole" "$work/full.log" || fail "a name that is not whole with --demangle=full"
grep -q "$whole" "$work/plain.txt" || fail "a name that is not whole in a pipe"
$report --demangle=full 2>/dev/null | cmp -s - "$work/plain.txt" || fail "--demangle=full changes what is in a pipe"

printf '#!/bin/sh\necho "the pager, given: $1"\ncat\n' >"$work/pager"
chmod +x "$work/pager"
on_terminal "OPROFILE_PAGER='$work/pager word' $report 2>/dev/null" >"$work/pager.log"
grep -q '^the pager, given: word' "$work/pager.log" || fail "no pager"
grep -q work "$work/pager.log" || fail "nothing came through the pager"
on_terminal "OPROFILE_PAGER='$work/pager word' $report --no-pager 2>/dev/null" >"$work/no_pager.log"
! grep -q '^the pager' "$work/no_pager.log" || fail "a pager in spite of --no-pager"
on_terminal "OPROFILE_PAGER=/no/such/pager $report 2>/dev/null" >"$work/no_such.log"
grep -q work "$work/no_such.log" || fail "nothing shown where the pager is missing"
# A pager that ends before it has read everything is no failure.
on_terminal "OPROFILE_PAGER=true $report 2>&1; echo status \$?" >"$work/quits.log"
grep -q '^status 0' "$work/quits.log" || fail "status of a pager that quits"
