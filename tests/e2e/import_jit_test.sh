#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# opimport names code made at run time: from the jitdump that a recording of perf names, and from the files of a directory. A file of
# another process, or one that is not found, gives no names.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v perf >/dev/null || { echo "skipped: no perf here"; exit 77; }
cd "$work"
program=$tests/e2e/jit_code
export PERF_BUILDID_DIR="$work/buildid"
clock="-k mono"
# Recordings of build-ids for the reason that opimport_test.sh has.
perf record -h 2>&1 | grep -q buildid-mmap && ids=--buildid-mmap || ids=

# recorded NAME COMMAND...: NAME.data, and the program's process number in $pid
recorded() {
	name=$1
	shift
	perf record -N -q $ids $clock -e cpu-clock -c 100000 -o "$name.data" "$@" >"$name.out" 2>perf.log ||
		{ echo "skipped: perf cannot record here: $(tail -1 perf.log)"; exit 77; }
	pid=$(head -n1 "$name.out")
	at_exit rm -rf "/tmp/perf-$pid.map"
}
# imported SESSION OPTION... FILE
imported() {
	session=$1
	shift
	rm -rf "$session"
	"$build/opimport" --session-dir="$session" "$@" 2>"$session.log" || fail "$session: $(cat "$session.log")"
}
# functions SESSION: those in code made at run time
functions() {
	"$build/opreport" --session-dir="$1" --symbols --no-header 2>report.log |
		awk '$3 == "[jit]" && $NF !~ /^[0-9]+$/ { print $NF }' | sort | tr '\n' ' '
}

# A jitdump in the directory where the program ran.
recorded dump "$program" dump f@0:300 g@1:300
imported dump dump.data
[ "$(functions dump)" = "f g " ] || fail "at its recorded path: $(functions dump)"
mkdir away
mv "jit-$pid.dump" away
imported gone dump.data
[ -z "$(functions gone)" ] || fail "without the file: $(functions gone)"
grep -q "jit-$pid.dump, which is not here.*--jit-dir" gone.log || fail "no word of the file: $(cat gone.log)"
imported named --jit-dir=away dump.data
[ "$(functions named)" = "f g " ] || fail "--jit-dir: $(functions named)"
cp dump.data away
imported beside away/dump.data
[ "$(functions beside)" = "f g " ] || fail "beside the recording: $(functions beside)"
# Another file of that name is not the one that was mapped.
mkdir elsewhere
mv dump.data elsewhere
cp "away/jit-$pid.dump" .
imported other elsewhere/dump.data
[ -z "$(functions other)" ] || fail "of another file: $(functions other)"
# Cut off and damaged.
mkdir cut
head -c 150 "away/jit-$pid.dump" >"cut/jit-$pid.dump"
imported short --jit-dir=cut elsewhere/dump.data
mkdir noise
head -c 5000 /dev/urandom >"noise/jit-$pid.dump"
imported damaged --jit-dir=noise elsewhere/dump.data
[ -z "$(functions damaged)" ] || fail "of noise: $(functions damaged)"
# No file, in the place of dump and map.
for kind in 'mkfifo' 'mkdir' 'ln -s /dev/zero'; do
	rm -rf odd
	mkdir odd
	$kind "odd/jit-$pid.dump"
	$kind "odd/perf-$pid.map"
	in_time 20 "$build/opimport" --session-dir=odd_session --jit-dir=odd elsewhere/dump.data 2>odd.log || fail "$kind: $(cat odd.log)"
	[ -z "$(functions odd_session)" ] || fail "$kind: $(functions odd_session)"
done

# Code is named by the times of samples: another function at an address, and one that moved.
# share SESSION NAME: percent of the samples in code made at run time
share() {
	"$build/opreport" --session-dir="$1" --symbols --no-header 2>report.log |
		awk -v name="$2" '$3 == "[jit]" { sum += $1; if ($NF == name) of += $1 } END { printf "%.1f", sum ? 100 * of / sum : 0 }'
}
# near SESSION NAME PERCENT: within 3 points. Of 10,000 samples that are taken at random, as those of 1 s here, the share is off by 2.5
# points or more once in 10^6 times.
near() {
	awk -v a="$(share "$1" "$2")" -v b="$3" 'BEGIN { exit !(a - b < 3 && b - a < 3) }' ||
		fail "$1: $2 has $(share "$1" "$2") % of the code, not $3: $("$build/opreport" --session-dir="$1" --symbols 2>&1)"
}
recorded reused "$program" dump f@0:500 g@0:1500
imported reused reused.data
near reused f 25
near reused g 75
recorded moved -g "$program" dump f@0:500 '0>1:500' g@0:1000
imported moved moved.data
near moved f 50
near moved g 50
# Samples with times of another clock.
clock=
recorded unclocked "$program" dump f@0:300 g@0:300
imported unclocked unclocked.data
[ -z "$(functions unclocked)" ] || fail "times of another clock: $(functions unclocked)"
[ "$(grep -c 'perf record -k mono' unclocked.log)" = 1 ] || fail "no word of the clock: $(cat unclocked.log)"
clock='-k mono'

# What a process number runs later has none of the names before, nor has what another recording has.
if setarch -R true 2>setarch.log; then
	export JIT_PREPARE=true
	recorded again setarch -R "$program" dump f@0:500 exec prepared x@0:500
	imported again again.data
	[ "$(functions again)" = "f " ] || fail "after exec: $(functions again)"
	near again f 50
	recorded both setarch -R "$program" dump f@0:500 exec dump g@0:500
	imported both both.data
	[ -z "$(share both f | grep -v '^0')" ] || fail "a dump that was overwritten has names: $(share both f)"
	near both g 50
	near_both=$(share both g)
	"$build/opimport" --session-dir=both --append both.data 2>both.log || fail "appended: $(cat both.log)"
	near both g "$near_both"
fi

# A perf map, which no recording names.
recorded map "$program" map f@0:300 h@1:300
mkdir maps
cp -p "/tmp/perf-$pid.map" maps
imported unnamed map.data
[ -z "$(functions unnamed)" ] || fail "a map that nobody named: $(functions unnamed)"
imported map --jit-dir=maps map.data
[ "$(functions map)" = "f h " ] || fail "a map: $(functions map)"
touch -d '1 hour ago' "maps/perf-$pid.map"
imported stale --jit-dir=maps map.data
[ -z "$(functions stale)" ] || fail "a map older than the recording: $(functions stale)"
grep -q 'older than the recording' stale.log || fail "no word of an old map: $(cat stale.log)"
"$build/opimport" --session-dir=none --jit-dir=absent map.data 2>none.log && fail "an absent directory is taken"

# The share of the hot function is that of perf. V8's names have JS: from Node 20 on, before that LazyCompile:.
if command -v node >/dev/null && node --perf-prof -e 0 2>/dev/null; then
	met node "$(node --version | tr -d v)"
	rm -f jit-*.dump
	cat >fib.js <<'END'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const spent = () => process.cpuUsage().user;
const end = spent() + 1500000;
while (spent() < end) fib(25);
END
	recorded node node --perf-prof fib.js
	imported node node.data
	ours=$("$build/opreport" --session-dir=node --symbols --no-header 2>report.log | awk '/(JS|LazyCompile):\*fib/ { sum += $2 } END { print sum + 0 }')
	perf inject --jit -i node.data -o injected.data >inject.log 2>&1 &&
		perf report -i injected.data --stdio -n -F overhead,sym 2>/dev/null >report || : >report
	theirs=$(awk '/(JS|LazyCompile):\*fib/ { sum += $1 } END { print sum + 0 }' report)
	echo "node: fib has $ours % here, $theirs % in perf report after perf inject --jit"
	awk -v a="$ours" 'BEGIN { exit !(a > 50) }' || fail "node: fib has $ours %"
	# Some versions of perf cannot read these dumps.
	awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(b == 0 || (a - b < 2 && b - a < 2)) }' || fail "node: $ours % here, $theirs % there"
fi
