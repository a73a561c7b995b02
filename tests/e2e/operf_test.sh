#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# operf with programs that fail, are interrupted, fork, are attached to; sessions one after the other; refusals. Parts
# that need root are skipped for other users, with a message.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling
s=$work/s
mkdir "$s"

# expect STATUS LOG operf-words: operf ends with that status
expect() {
	wanted=$1 name=$2
	shift 2
	status=0
	profile "$name" "$@" || status=$?
	[ "$status" = "$wanted" ] || fail "$name: status $status, not $wanted"
}
# log_has LOG PATTERN
log_has() {
	grep -Eq -- "$2" "$work/$1.log" || fail "$1 does not contain: $2"
}
# the last line of a log is the summary, and nothing was lost
nothing_lost() {
	tail -n 1 "$work/$1.log" | grep -Eq '^operf: [1-9][0-9]* samples, data in ' || fail "$1: samples were lost, or none taken"
}

# The program's end
expect 1 exit_status --session-dir "$s" sh -c 'exit 3'
log_has exit_status 'sh exited with status 3'
expect 1 crash --session-dir "$s" sh -c 'kill -SEGV $$'
log_has crash 'sh was killed by signal 11'
expect 0 execs --session-dir "$s" --events TIMER:100000 sh -c "exec $tests/e2e/shares plain 100"
nothing_lost execs
log_has execs '; CPU time [0-9]+\.[0-9]{2} s, wall time [0-9]+\.[0-9]{2} s, [0-9]+ samples a second$'
[ "$(samples_of "$s" three_parts)" -gt 100 ] || fail "execs: the program behind exec is not in the report"
grep -q '"recorder_cpu"' "$s/samples/current/manifest.json" || fail "execs: what recording cost is not in the manifest"
"$build/opreport" --session-dir "$s" >"$work/account.log" 2>&1
log_has account 'Note: recorded: [0-9]+ samples, .*; the recorder used .* s of CPU time, .* % of the .* s that was sampled$'

# While the kernel starts a program, that is what it works for: no sample is of the kernel alone
expect 0 starts --session-dir "$s" --events TIMER:20000 "$tests/e2e/shares" plain 50
[ ! -e "$s/samples/current/{root}/proc" ] || fail "starts: $(find "$s/samples/current/{root}/proc")"

# Commands too short for a sample are noted with a count that sees them; a long one is not
expect 0 swarm --session-dir "$s" --events TIMER:10000000 \
	sh -c 'n=0; while [ $n -lt 500 ]; do /bin/true; n=$((n + 1)); done'
log_has swarm 'only [0-9.]+ s of [0-9.]+ s of CPU time was sampled: .*--events TIMER:[0-9]+ samples nearly all'
! grep -q 'of CPU time was sampled' "$work/execs.log" || fail "execs: a long program is taken for short ones"

# A program that waits is noted, with what samples where it does, unless it may have waited for a CPU. Each line that comes late is
# one wait. Whether the CPUs that it may use were idle is looked up: a machine that has others to serve may be neither idle nor busy.
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
idle_ticks() {
	awk -v allowed="$allowed" '
		BEGIN {
			n = split(allowed, parts, ",")
			for (i = 1; i <= n; i++) {
				if (split(parts[i], ends, "-") == 1) ends[2] = ends[1]
				for (cpu = ends[1] + 0; cpu <= ends[2] + 0; cpu++) counts["cpu" cpu] = 1
			}
		}
		$1 in counts { ticks += $5 + $6 }
		END { print ticks + 0 }' /proc/stat
}
waits() {
	idle=$(idle_ticks) n=0
	while [ $n -lt 200 ]; do
		echo
		sleep 0.01
		n=$((n + 1))
	done | expect 0 "$1" --session-dir "$s" cat
	idle=$(($(idle_ticks) - idle))
	wall=$(sed -n 's/.*wall time \([0-9]*\)[.]\([0-9][0-9]\) s.*/\1\2/p' "$work/$1.log") # hundredths of a second
	[ -n "$wall" ] || fail "$1: no wall time"
	idle_share=$((idle * 10000 / wall / $(getconf CLK_TCK)))                             # per cent of one CPU
}
waits waits
if [ $idle_share -ge 100 ]; then
	log_has waits 'the program waited [0-9]+ % of the time; to see where(, as root)?: operf --events context-switches:1 --callgraph PROGRAM'
else
	echo "waits: no CPU was idle all the time ($idle_share %)"
fi
spinners=
for cpu in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
	sh -c 'while :; do :; done' &
	spinners="$spinners $!"
done
waits busy
kill $spinners
wait $spinners || :
if [ $idle_share -le 20 ]; then
	! grep -q 'the program waited' "$work/busy.log" || fail "busy: a wait is noted though the CPUs were busy ($idle_share % idle)"
else
	echo "busy: CPUs were idle nevertheless ($idle_share %)"
fi

# However it is started: with SIGCHLD ignored, without standard descriptors, into a pipe that nobody reads
status=0
in_time 60 env --ignore-signal=CHLD "$build/operf" --session-dir "$s" sh -c 'exit 3' 2>"$work/no_status.log" || status=$?
[ "$status" = 1 ] || fail "no_status: status $status, not 1"
log_has no_status 'sh exited with status 3'
mkdir "$work/closed" "$work/unread"
"$build/operf" --session-dir "$work/closed" --events TIMER:100000 "$tests/e2e/shares" plain 100 <&- >&- 2>&- ||
	fail "closed: status $?"
[ ! -e "$work/closed/lock" ] || fail "closed: the lock is still there"
balanced "$work/closed"
{
	status=0
	"$build/operf" --session-dir "$work/unread" --events TIMER:100000 \
		sh -c "trap '' PIPE; while echo; do :; done 2>/dev/null; exec $tests/e2e/shares plain 100" || status=$?
	echo $status >"$work/unread.status"
} 2>&1 | true
[ "$(cat "$work/unread.status")" = 0 ] || fail "unread: status $(cat "$work/unread.status"), not 0"
[ ! -e "$work/unread/lock" ] || fail "unread: the lock is still there"
balanced "$work/unread"

# Nothing to run, nothing to count, nowhere to write: nothing recorded is touched
before=$(find "$s" | sort)
expect 1 no_program --session-dir "$s" no-such-program
log_has no_program 'no-such-program: no such program in PATH'
expect 1 not_executable --session-dir "$s" "$s/abi"
expect 1 no_event --session-dir "$s" --events NO_SUCH:100000 true
log_has no_event 'NO_SUCH.*not an event of'
expect 1 low_count --session-dir "$s" --events TIMER:9999 true
log_has low_count '10000'
expect 1 unknown_event --session-dir "$s" --events NO_SUCH true
log_has unknown_event 'not an event of'
expect 1 empty_events --session-dir "$s" --events '' true
log_has empty_events 'empty'
expect 1 no_mode --session-dir "$s"
expect 1 two_modes --session-dir "$s" --pid 1 true
expect 1 bad_option --no-such-option true
expect 1 no_process --session-dir "$s" --pid 4194303
log_has no_process 'process 4194303'
expect 1 no_vmlinux --session-dir "$s" --vmlinux "$s/abi" true
expect 1 no_kernel --session-dir "$s" --vmlinux "$tests/e2e/shares" true
log_has no_kernel 'not an uncompressed kernel image'
[ "$before" = "$(find "$s" | sort)" ] || fail "a refused run changed the session"
expect 1 no_directory --session-dir "$work/none" true
log_has no_directory 'none'
for log in no_directory no_process; do
	! grep -q 'no hardware counter' "$work/$log.log" || fail "$log: a fallback is reported before an unrelated error"
done

# The line on the clock comes once a day, by the date of its stamp, and where no stamp can be left every time
stamp=$XDG_STATE_HOME/oprofile/operf-no-hardware-counter
line='^warning: no hardware counter here: sampling by the CPU clock, event TIMER:1000000$'
expect 0 homeless --session-dir "$s" true
event=$(awk '/"events": *\[/ { inside = 1 } inside && /"name": / { gsub(/[",]/, "", $2); print $2; exit }' "$s/samples/current/manifest.json")
[ -n "$event" ] || fail "homeless: the manifest names no event"
if [ "$event" = TIMER ]; then
	log_has homeless "$line"
	expect 0 still_homeless --session-dir "$s" true
	log_has still_homeless "$line"
	mkdir "$XDG_STATE_HOME"
	expect 0 first_today --session-dir "$s" true
	log_has first_today "$line"
	"$build/ocount" --brief-format true >"$work/count_today.out" 2>"$work/count_today.log" || fail "count_today: status $?"
	log_has count_today '^warning: no hardware counter here: counting the CPU clock'
	day=$(cat "$stamp")
	expect 0 second_today --session-dir "$s" true
	! grep -q "$line" "$work/second_today.log" || [ "$day" != "$(cat "$stamp")" ] || fail "the line comes twice a day"
	echo 2001-01-01 >"$stamp"
	expect 0 next_day --session-dir "$s" true
	log_has next_day "$line"
	expect 0 named --session-dir "$s" --events CPU_CLK_UNHALTED:2000000 true
	log_has named '^warning: event CPU_CLK_UNHALTED: no hardware counter here: .* TIMER:1000000; the count 2000000 is dropped$'
else
	! grep "$line" "$work/homeless.log" || fail "homeless: the line is printed for $event"
	echo "line on the clock: skipped, $event is counted by hardware"
fi

# Sessions
expect 0 first --session-dir "$s" --events TIMER:100000 "$tests/e2e/shares" plain 100
first=$(samples_of "$s" three_parts)
ran_all_the_time "$s"
! grep "took turns" "$work/first.log" || fail "first: a software event took turns"
expect 0 appended --session-dir "$s" --append --events TIMER:100000 "$tests/e2e/shares" plain 100
both=$(samples_of "$s" three_parts)
ran_all_the_time "$s"
[ "$both" -gt "$first" ] || fail "append: $both samples after $first"
expect 0 rotated --session-dir "$s" --events TIMER:100000 "$tests/e2e/shares" plain 100
previous=$("$build/opreport" --session-dir "$s" --symbols session:previous 2>/dev/null |
	awk '$NF == "three_parts" { print $1 }')
[ "$previous" = "$both" ] || fail "previous: $previous samples, not $both"

# Another count is warned of and has files of its own
mkdir "$work/other"
expect 0 one_count --session-dir "$work/other" --events TIMER:100000 "$tests/e2e/shares" plain 100
expect 0 other_count --session-dir "$work/other" --append --separate-cpu --events TIMER:200000 "$tests/e2e/shares" plain 100
log_has other_count 'holds TIMER:100000, this run counts TIMER:200000'
log_has other_count 'is not separated by CPU, this run is'
! grep -q "this run" "$work/appended.log" || fail "append: a difference is reported between equal runs"

# A program that is rebuilt between two runs: each build has its own names, from the session. Without its copy of the first, as of a
# program that is too large, that one has none
mkdir "$work/rebuilt"
run_rebuilt() {
	echo "volatile unsigned long n; void $2(void) { while (n < 100000000 + ${#2}) n++; } int main(void) { $2(); return 0; }" >"$work/rebuilt.c"
	cc -O0 -o "$work/rebuilt/program" "$work/rebuilt.c"
	expect 0 "$1" --session-dir "$work/rebuilt" --append --events TIMER:100000 "$work/rebuilt/program"
}
run_rebuilt rebuilt_first spin
run_rebuilt rebuilt_same spin
run_rebuilt rebuilt_other turn_on
"$build/opreport" --session-dir "$work/rebuilt" --symbols --long-filenames >"$work/rebuilt.out" 2>&1 || fail "rebuilt: opreport"
grep -q 'rebuilt/program  *spin$' "$work/rebuilt.out" || fail "rebuilt: the first build has no names: $(cat "$work/rebuilt.out")"
grep -q 'rebuilt/program@[0-9a-f]*  *turn_on$' "$work/rebuilt.out" || fail "rebuilt: the other build has no names: $(cat "$work/rebuilt.out")"
rm -r "$work/rebuilt/samples/current/images"
"$build/opreport" --session-dir "$work/rebuilt" --symbols --long-filenames >"$work/rebuilt.out" 2>"$work/rebuilt.log" || fail "rebuilt: opreport"
grep -q 'rebuilt/program .* is another build than the one' "$work/rebuilt.log" || fail "rebuilt: opreport is silent"
! grep -q 'rebuilt/program  *turn_on$' "$work/rebuilt.out" || fail "rebuilt: opreport uses the symbols of one build for another"
grep -q 'rebuilt/program@[0-9a-f]*  *turn_on$' "$work/rebuilt.out" || fail "rebuilt: the new build has no names"
"$build/opreport" --session-dir "$work/rebuilt" --symbols --long-filenames --trust-path >"$work/rebuilt.out" 2>"$work/rebuilt.log"
grep -q 'rebuilt/program is not the build' "$work/rebuilt.log" || fail "rebuilt: --trust-path is silent"
grep -q 'rebuilt/program  *turn_on$' "$work/rebuilt.out" || fail "rebuilt: --trust-path uses no symbols"

# A program that was replaced since it was profiled, and that the session does not keep: no report uses the new one's symbols, unless paths are trusted
mkdir "$work/replaced"
cp "$work/rebuilt/program" "$work/replaced/program"
expect 0 replaced --session-dir "$work/replaced" --events TIMER:100000 "$work/replaced/program"
rm -r "$work/replaced/samples/current/images"
echo 'volatile unsigned long n; int other(void) { return n++ > 5; } int main(void) { return other(); }' >"$work/replaced.c"
cc -O0 -o "$work/replaced/new" "$work/replaced.c"
mv "$work/replaced/new" "$work/replaced/program"
"$build/opreport" --session-dir "$work/replaced" --symbols >"$work/replaced.out" 2>"$work/replaced.log" || fail "replaced: opreport"
grep -q 'replaced/program .* is another build than the one that was profiled' "$work/replaced.log" || fail "replaced: opreport is silent"
! grep -E ' program[^ ]*  *(main|other|_start|_init)$' "$work/replaced.out" || fail "replaced: opreport uses the new file's symbols"
for report in "opreport --symbols" "opannotate --assembly" \
	"opgprof --output-filename $work/replaced.gmon $work/replaced/program"; do # there may be samples in the kernel, too
	"$build/"$report --session-dir "$work/replaced" --trust-path >/dev/null 2>"$work/replaced.log" || fail "replaced: $report"
	grep -q 'replaced/program is not the build that was profiled' "$work/replaced.log" || fail "replaced: $report is silent"
done

# A program without a build-id whose inode, too, the next file of its path got: it has none of that one's names
for name in gone next; do
	echo "volatile unsigned long n; void $name(void) { while (n < 50000000) n++; } int main(void) { $name(); }" >"$work/$name.c"
	cc -O0 -Wl,--build-id=none -o "$work/of_$name" "$work/$name.c"
done
mkdir "$work/reused"
expect 0 reused --session-dir "$work/reused" --events TIMER:100000 sh -c "cp '$work/of_gone' '$work/reused/program'
	'$work/reused/program'; rm '$work/reused/program'; cp '$work/of_next' '$work/reused/program'"
"$build/opreport" --session-dir "$work/reused" --symbols >"$work/reused.out" 2>&1 || fail "reused: opreport"
! grep -qw next "$work/reused.out" || fail "reused: names of a file that did not run: $(cat "$work/reused.out")"

# Another build of the size and time of the profiled one: its content differs. Other times and modes are no other file
for name in ran fed; do
	echo "volatile unsigned long n; void $name(void) { while (n < 50000000) n++; } int main(void) { $name(); }" >"$work/program.c"
	cc -O0 -Wl,--build-id=none -o "$work/of_$name" "$work/program.c"
done
mkdir "$work/sized"
cp "$work/of_ran" "$work/sized/program"
recorded=$(stat -c %Y "$work/sized/program")
expect 0 sized --session-dir "$work/sized" --events TIMER:100000 "$work/sized/program"
chmod 700 "$work/sized/program"
touch -d 2001-02-03 "$work/sized/program"
"$build/opreport" --session-dir "$work/sized" --symbols "$work/sized/program" >"$work/sized.out" 2>&1 || fail "sized: opreport"
grep -qw ran "$work/sized.out" || fail "sized: a file of another time and mode has no names: $(cat "$work/sized.out")"
cp "$work/of_fed" "$work/sized/program"
[ "$(stat -c %s "$work/of_fed")" = "$(stat -c %s "$work/of_ran")" ] || fail "sized: the two programs differ in size"
touch -d "@$recorded" "$work/sized/program"
"$build/opreport" --session-dir "$work/sized" --symbols "$work/sized/program" >"$work/sized.out" 2>&1 || fail "sized: opreport"
! grep -qw fed "$work/sized.out" || fail "sized: names of a file that did not run: $(cat "$work/sized.out")"
grep -q 'the contents differ' "$work/sized.out" || fail "sized: no reason is given: $(cat "$work/sized.out")"
"$build/oparchive" --session-dir "$work/sized" -o "$work/sized.archive" 2>"$work/sized.log" || fail "sized: oparchive"
grep -q 'program has another content than the file that was profiled' "$work/sized.log" || fail "sized: oparchive is silent"
cp "$work/of_ran" "$work/sized/program"
# Trusted, for root archives no private file without a build-id.
"$build/oparchive" --session-dir "$work/sized" --trust-path -o "$work/sized.archive" 2>"$work/sized.log" || fail "sized: oparchive"
rm "$work/sized/program"
"$build/opreport" --symbols "archive:$work/sized.archive" "$work/sized/program" >"$work/sized.out" 2>&1 || fail "sized: archive"
grep -qw ran "$work/sized.out" || fail "sized: an archive has no names: $(cat "$work/sized.out")"

# A program that was replaced before it is attached to: the names are those of the file that runs, which no other program has
mkdir "$work/upgraded" "$work/attached"
program() { # NAME FILE: a program that runs in the function NAME until it is ended
	echo "volatile unsigned long n; void $1(void) { for (;;) n++; } int main(void) { $1(); }" >"$work/program.c"
	cc -O0 -o "$2" "$work/program.c"
}
program before_upgrade_$$ "$work/upgraded/program"
program after_upgrade_$$ "$work/upgraded/new"
"$work/upgraded/program" &
upgraded=$!
# Links in map_files may be read by root only, and not in every container.
may_open_mappings=
for mapping in "/proc/$$/map_files/"*; do head -c 1 "$mapping" >/dev/null 2>&1 && may_open_mappings=yes; done
runs() { [ "$(readlink "/proc/$1/exe")" = "$2" ]; }
wait_beside $upgraded 60 "upgraded: it is the program" runs $upgraded "$work/upgraded/program"
mv "$work/upgraded/new" "$work/upgraded/program"
"$build/operf" --session-dir "$work/attached" --events TIMER:1000000 --pid $upgraded >"$work/upgraded.log" 2>&1 &
attached=$!
wait_beside $attached 60 "upgraded: operf is attached" grep -q 'Press Ctl-c' "$work/upgraded.log"
wait_beside $upgraded 60 "upgraded: the program computes" has_used $upgraded $(($(cpu_ms $upgraded) + 200))
[ -z "$may_open_mappings" ] || wait_beside $upgraded 60 "upgraded: its file is kept" has_file "$work/attached" '*/images/*'
kill $upgraded
wait_end $attached 60 "upgraded: operf" || fail "upgraded: operf: $(cat "$work/upgraded.log")"
"$build/opreport" --session-dir "$work/attached" --symbols >"$work/upgraded.out" 2>"$work/upgraded.err" || fail "upgraded: opreport"
! grep -q after_upgrade_$$ "$work/upgraded.out" || fail "upgraded: names of a file that did not run: $(cat "$work/upgraded.out")"
if [ -n "$may_open_mappings" ]; then
	grep -q before_upgrade_$$ "$work/upgraded.out" || fail "upgraded: the deleted file gives no names: $(cat "$work/upgraded.err")"
else
	echo "skipped: names of a deleted file that is attached to: only root may open /proc/PID/map_files"
fi

# A program that is replaced while it is sampled: the names are those of the file that runs
replaced_while_sampled() { # NAME [operf words]
	name=$1
	shift
	mkdir "$work/$name"
	program before_upgrade_$$ "$work/upgraded/program"
	program after_upgrade_$$ "$work/upgraded/new"
	rm -f "$work/pid"
	"$build/operf" --session-dir "$work/$name" --events TIMER:1000000 "$@" \
		sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec "$1"' "$work/pid" "$work/upgraded/program" >"$work/$name.log" 2>&1 &
	recorder=$!
	wait_beside $recorder 60 "$name: the program's process" [ -s "$work/pid" ]
	running=$(cat "$work/pid")
	wait_beside $recorder 60 "$name: the program computes" has_used $running 500
	mv "$work/upgraded/new" "$work/upgraded/program"
	wait_beside $recorder 60 "$name: the program computes on" has_used $running $(($(cpu_ms $running) + 1500))
	kill -INT $recorder
	wait_end $recorder 60 "$name: operf" || fail "$name: operf: $?"
	kill $running 2>/dev/null || :
	"$build/opreport" --session-dir "$work/$name" --symbols >"$work/$name.out" 2>"$work/$name.err" || fail "$name: opreport"
	! grep -q after_upgrade_$$ "$work/$name.out" || fail "$name: names of a file that did not run: $(cat "$work/$name.out")"
	grep -q before_upgrade_$$ "$work/$name.out" || fail "$name: the replaced file gives no names: $(cat "$work/$name.err")"
}
replaced_while_sampled replaced_in_run
if may_profile system-wide; then
	replaced_while_sampled replaced_system_wide --system-wide
else
	echo "a program that is replaced, system-wide: skipped, $refusal"
fi

# A program of another root whose path this one has, too: each has its own names
if may_profile system-wide && refusal="chroot is not permitted here" && chroot / true 2>/dev/null; then
	root=$work/otherroot
	mkdir -p "$root$work/both" "$work/both" "$work/roots"
	program of_this_root "$work/both/program"
	cc -O0 -static -o "$root$work/both/program" -x c - <<'END'
volatile unsigned long n;
void of_other_root(void) { for (;;) n++; }
int main(void) { of_other_root(); }
END
	expect 0 roots --session-dir "$work/roots" --events TIMER:1000000 --system-wide \
		sh -c "ulimit -t 3; '$work/both/program'; chroot '$root' '$work/both/program'; true" # records are read once a second
	"$build/opreport" --session-dir "$work/roots" --symbols --long-filenames >"$work/roots.out" 2>"$work/roots.err" || fail "roots: opreport"
	awk '/of_this_root|of_other_root/ { print $NF, $(NF - 1) }' "$work/roots.out" | sort >"$work/roots.rows"
	grep -q "^of_this_root $work/both/program$" "$work/roots.rows" || fail "roots: this one's names: $(cat "$work/roots.out" "$work/roots.err")"
	grep -q "^of_other_root $work/both/program@" "$work/roots.rows" || fail "roots: the other's names: $(cat "$work/roots.out" "$work/roots.err")"
	grep -q "files of another root, $root: " "$work/roots.out" || fail "roots: the root is not named"
	# The archive has the kept binary at its name
	"$build/oparchive" --session-dir "$work/roots" --output-directory "$work/roots_archive" >"$work/roots_archive.log" 2>&1 ||
		fail "roots: oparchive: $(cat "$work/roots_archive.log")"
	grep -q of_other_root "$work/roots_archive$work/both/program@"* || fail "roots: the archive lacks the kept binary"
	"$build/opreport" "archive:$work/roots_archive" --symbols 2>/dev/null | grep -q of_other_root ||
		fail "roots: the archive's report lacks its names"
else
	echo "a program of another root: skipped, $refusal"
fi

# A process that has ended is not attached to, and the reason is reported
make_zombie
expect 1 zombie --session-dir "$work/other" --pid "$zombie"
log_has zombie 'ended before profiling was started'

# A script is reported by its name, too; so is each thread where they are kept apart
printf '#!/bin/sh\nn=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done\n' >"$work/script.sh"
chmod +x "$work/script.sh"
mkdir "$work/named"
expect 0 script --session-dir "$work/named" --separate-thread --events TIMER:50000 "$work/script.sh"
"$build/opreport" --session-dir "$work/named" >"$work/script_report.log" 2>&1
grep -q ' ran as script.sh (' "$work/script_report.log" || fail "script: its name is not reported"
grep -q '"name": "script.sh"' "$work/named/samples/current/manifest.json" || fail "script: its thread has no name"

# Counts: the default where none is given; statistics of an appended run are of both
expect 0 default_count --session-dir "$s" --events TIMER "$tests/e2e/shares" plain 100
ls "$s"/samples/current/*/*/*/* -R | grep -q 'TIMER.1000000' || fail "default_count: not 1000000"
# The same on a machine whose CPU type is that of the clock
mkdir "$work/there"
export OPROFILE_MACHINE_DIR="${srcdir:-.}/tests/fixtures/machines/intel-no-counters"
expect 0 default_there --session-dir "$work/there" --events TIMER "$tests/e2e/shares" plain 100
unset OPROFILE_MACHINE_DIR
grep -q "^warning: the machine's description is taken from .*/intel-no-counters (OPROFILE_MACHINE_DIR)" "$work/default_there.log" ||
	fail "default_there: no warning of the made-up machine"
grep -q OPROFILE_MACHINE_DIR "$work/default_count.log" && fail "default_count: a warning of a made-up machine"
# It is noted, too, where this kernel has no such PMU
cp -rL "${srcdir:-.}/tests/fixtures/machines/amd" "$work/absent"
chmod -R u+w "$work/absent"
echo 60000 >"$work/absent/sys/bus/event_source/devices/ibs_op/type"
export OPROFILE_MACHINE_DIR="$work/absent"
expect 1 absent --session-dir "$s" --events IBS_OP_ALL:250000 true
unset OPROFILE_MACHINE_DIR
log_has absent '^warning: .* unset OPROFILE_MACHINE_DIR$'
ls "$work"/there/samples/current/*/*/*/* -R | grep -q 'TIMER.1000000' || fail "default_there: not 1000000"

# The command has the limits it would have without us
(ulimit -S -n 64 && "$build/operf" --session-dir "$s" sh -c 'ulimit -n' >"$work/limit.out" 2>"$work/limit.log") || fail "limit: status $?"
[ "$(cat "$work/limit.out")" = 64 ] || fail "limit: the command may open $(cat "$work/limit.out") files, not 64"

# Few descriptors: files are closed and opened again, no sample is lost. Two for each CPU are those of its ring. Each of twice as many
# processes runs for ten times the count and more, and so has a file.
most=$((44 + 2 * $(getconf _NPROCESSORS_ONLN)))
(ulimit -n $most && "$build/operf" --session-dir "$s" --separate-thread --events TIMER:100000 "$tests/e2e/shares" forks $((most * 4))) \
	2>"$work/descriptors.log" || fail "descriptors: status $?"
nothing_lost descriptors
files=$(find "$s/samples/current" -name 'TIMER.*' | wc -l)
[ "$files" -gt $most ] || fail "descriptors: $files files, which may be open all at once"

# Lazily, by thread, by CPU, with call chains, two events
expect 0 lazy --session-dir "$s" --lazy-conversion --events TIMER:100000 "$tests/e2e/shares" threads 400
nothing_lost lazy
ran_all_the_time "$s"
[ ! -e "$s/samples/operf.data" ] || fail "lazy: the temporary file is still there"
expect 0 separate --session-dir "$s" --separate-thread --separate-cpu --events TIMER:100000 "$tests/e2e/shares" threads 400
[ "$(find "$s/samples/current" -path '*e2e/shares/TIMER.*' | grep -vc all)" -ge 4 ] || fail "separate: files by thread are missing"
expect 0 chains --session-dir "$s" --callgraph --callgraph-files --events TIMER:200000 "$tests/e2e/shares" plain 100
find "$s/samples/current" -path '*{cg}*' | grep -q . || fail "callgraph: no arcs"
expect 0 stacks --session-dir "$s" --callgraph --events TIMER:200000 "$tests/e2e/shares" plain 100
! find "$s/samples/current" -path '*{cg}*' | grep -q . || fail "callgraph: arcs nobody asked for"
expect 0 events --session-dir "$s" --events TIMER:100000 --events TIMER:200000:0:0:1 "$tests/e2e/shares" plain 200
"$build/opreport" --session-dir "$s" 2>/dev/null | grep -q 'TIMER:100000|.*TIMER:200000|' || fail "events: two columns are missing"

# A file that is recorded late is found though its name is gone
"$build/operf" --session-dir "$s" --lazy-conversion --events TIMER:100000 \
	sh -c "rm '$s/samples/operf.data'; exec $tests/e2e/shares plain 100" 2>"$work/nameless.log" || fail "nameless: status $?"
nothing_lost nameless

# works_until CONDITION: what a shell runs to compute until that holds, for at most a minute of CPU time
works_until() { echo "n=0; while ! $1 && [ \$n -lt 1200 ]; do n=\$((n + 1)); '$tests/e2e/shares' plain 50 >'$work/shares.out' || exit; done"; }

# A run that is killed leaves its recording: the next one keeps it and names it and the command that reads it
mkdir "$work/killed"
status=0
profile killed --session-dir "$work/killed" --lazy-conversion --events TIMER:100000 \
	sh -c "$(works_until "[ -s '$work/killed/samples/operf.data' ]")
		kill -9 \$PPID" || status=$?
[ "$status" = 137 ] || fail "killed: status $status, not 137"
cp "$work/killed/samples/operf.data" "$work/killed/recording"
expect 0 after_killed --session-dir "$work/killed" --lazy-conversion true
cmp "$work/killed/recording" "$work/killed/samples/operf.data.1" || fail "after_killed: the recording is not kept"
log_has after_killed 'killed/samples/operf.data.1 holds samples of a run before .* oprofiled --foreground --start --source=replay:'

# A run that is killed while it counts leaves what it stored, and reports say what that is; not so while it counts
mkdir "$work/half"
status=0
profile half --session-dir "$work/half" --events TIMER:100000 \
	sh -c "$(works_until "[ -n \"\$(find '$work/half/samples/current' -name 'TIMER.100000.*')\" ]")
		'$build/opreport' --session-dir '$work/half' >'$work/running' 2>&1
		kill -9 \$PPID" || status=$?
[ "$status" = 137 ] || fail "half: status $status, not 137"
! grep 'has not written its last account here' "$work/running" || fail "half: reported while it was recorded"
"$build/opreport" --session-dir "$work/half" >"$work/half.report" 2>"$work/half.log" || fail "half: no report"
[ "$(grep -c 'operf has not written its last account here: it was killed' "$work/half.log")" = 1 ] || fail "half: no note"
! grep 'it is damaged' "$work/half.log" || fail "half: called damaged"
expect 0 half_appended --session-dir "$work/half" --append --events TIMER:100000 "$tests/e2e/shares" plain 100
"$build/opreport" --session-dir "$work/half" 2>&1 | grep 'last account' && fail "half: noted after a run was appended"

# A sample file cut off, the session removed, while operf counts: reported, and no lock stays
expect 1 cut_off --session-dir "$s" --events TIMER:100000 sh -c "
	n=0; while [ -z \"\$(find '$s/samples/current' -name 'TIMER.100000.*')\" ] && [ \$n -lt 20000 ]; do n=\$((n + 1)); done
	find '$s/samples/current' -name 'TIMER.100000.*' | while read -r file; do : >\"\$file\"; done
	n=0; while [ \$n -lt 200000 ]; do n=\$((n + 1)); done"
log_has cut_off 'was cut off by another program'
[ ! -e "$s/lock" ] || fail "cut_off: the lock is still there"
mkdir "$work/gone"
expect 4 gone --session-dir "$work/gone" --events TIMER:100000 sh -c "n=0; while [ \$n -lt 50000 ]; do n=\$((n + 1)); done
	while ! rm -rf '$work/gone' 2>/dev/null && [ \$n -lt 60000 ]; do n=\$((n + 1)); done"
tail -n 1 "$work/gone.log" | grep -q 'was removed meanwhile' || fail "gone: the last line claims data"

# Ten thousand children
expect 0 forks --session-dir "$s" --events TIMER:100000 "$tests/e2e/shares" children 10000
nothing_lost forks
ran_all_the_time "$s"

# Attached to a running program with threads, which then ends
mkdir "$work/threads"
"$tests/e2e/shares" threads 1000000 &
busy=$!
profile attached --session-dir "$work/threads" --events TIMER:100000 --pid $busy &
operf=$!
wait_beside $operf 60 "attached: samples of the threads" has_samples "$work/threads" three_parts 1000
kill $busy
wait_end $operf 60 "attached: operf" || fail "attached: status $?"
nothing_lost attached
log_has attached 'has ended'

# Interrupted: the data stays
"$build/operf" --session-dir "$s" --events TIMER:1000000 "$tests/e2e/shares" plain 100000 2>"$work/interrupted.log" &
operf=$!
wait_beside $operf 60 "interrupted: samples of the program" has_file "$s/samples/current" '*e2e/shares/TIMER.1000000.*'
kill -INT $operf
status=0
wait_end $operf 60 "interrupted: operf" || status=$?
[ "$status" = 0 ] || fail "interrupted: status $status"
nothing_lost interrupted

# Impatient: the status of many signals is that of one
mkdir "$work/impatient"
"$build/operf" --session-dir "$work/impatient" --events TIMER:1000000 "$tests/e2e/shares" plain 100000 2>"$work/impatient.log" &
operf=$!
wait_beside $operf 60 "impatient: samples" has_file "$work/impatient" '*/TIMER.1000000.*'
n=0
while [ $n -lt 20000 ] && kill -TERM $operf 2>/dev/null; do n=$((n + 1)); done
status=0
wait_end $operf 60 "impatient: operf" || status=$?
[ "$status" = 0 ] || fail "impatient: status $status"

whole_system() {
	# Until it is interrupted
	mkdir "$work/system"
	"$build/operf" --session-dir "$work/system" --system-wide --events TIMER:100000 >"$work/system.out" 2>"$work/system.log" &
	operf=$!
	wait_beside $operf 60 "system: samples" has_file "$work/system" '*/TIMER.100000.*'
	"$tests/e2e/shares" plain 3000
	kill -INT $operf
	wait_end $operf 60 "system: operf" || fail "system: status $?"
	[ "$(samples_of "$work/system" three_parts)" -gt 1000 ] || fail "system: the busy program is missing"
	ran_all_the_time "$work/system"

	# While a command runs; its end is the recording's
	mkdir "$work/system_command"
	own_program
	"$program" plain 1000000 &
	busy=$!
	expect 0 system_command --session-dir "$work/system_command" --system-wide --events TIMER:100000 "$tests/e2e/shares" plain 1000
	expect 1 system_failure --session-dir "$s" --system-wide sh -c 'exit 3'
	log_has system_failure 'sh exited with status 3'
	kill $busy
	[ "$(samples_of "$work/system_command" three_parts "$tests/e2e/shares")" -gt 100 ] || fail "system_command: the command is missing"
	[ "$(samples_of "$work/system_command" three_parts "$program")" -gt 100 ] || fail "system_command: other programs are missing"
}
if may_profile system-wide; then whole_system; else echo "whole system: skipped, $refusal"; fi

# A full disk: samples that fit are kept, the loss of the others is reported
mkdir "$work/full"
page=$(getconf PAGESIZE) # of which a file there takes whole ones
if mount -t tmpfs -o size=$((256 * page)) none "$work/full" 2>/dev/null; then
	at_exit umount "$work/full"
	expect 4 full --session-dir "$work/full" --events TIMER:20000 \
		sh -c "cat /dev/zero >'$work/full/filler' 2>/dev/null; exec '$tests/e2e/shares' children 300"
	umount "$work/full"
	log_has full 'No space left on device'
	log_has full '[0-9]+ samples'
	# The same of a lazy recording: what there was room for is kept and named by the run itself
	mount -t tmpfs -o size=$((256 * page)) none "$work/full"
	expect 8 lazy_full --session-dir "$work/full" --lazy-conversion --events TIMER:20000 \
		sh -c "head -c $((220 * page)) /dev/zero >'$work/full/filler'; exec '$tests/e2e/shares' children 2000"
	[ -s "$work/full/samples/operf.data.1" ] || fail "lazy_full: the recording is not kept"
	log_has lazy_full 'full/samples/operf.data.1 holds samples of this run .* oprofiled --foreground --start --source=replay:'
else
	echo "full disk: skipped, tmpfs cannot be mounted here"
fi

# Another user profiles his own program
if may_act_as_another && another_may_profile; then
	mkdir "$work/user"
	install "$build/operf" "$tests/e2e/shares" "$work/user/"
	chown -R 65534 "$work/user"
	(cd "$work/user" && $another ./operf --events TIMER:100000 ./shares plain 200) 2>"$work/user.log" || fail "user: status $?"
	nothing_lost user
	if ! another_may_profile kernel; then
		"$build/opreport" --session-dir "$work/user/oprofile_data" 2>&1 | grep -q 'TIMER:100000 was counted in user mode only' ||
			fail "user: no report states that the kernel was not sampled"
	fi
	if ! another_may_profile system-wide; then
		(cd "$work/user" && in_time 20 $another ./operf --system-wide) 2>"$work/refused.log" && fail "user: may profile the whole system"
		log_has refused 'kernel.perf_event_paranoid'
	else
		echo "refusal: skipped, every user may profile the whole system here"
	fi
else
	echo "another user: skipped, $refusal"
fi
