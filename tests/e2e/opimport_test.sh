#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# opimport of what perf records here: each symbol has the samples that perf report -n counts. perf reads the made-up files
# of the unit tests, too: what both count is the same.
. "${srcdir:-.}/tests/e2e/lib.sh"
source=${srcdir:-.}
case $source in /*) ;; *) source=$PWD/$source ;; esac
for tool in perf python3 cc; do
	command -v $tool >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done
met perf "$(perf --version | sed 's/^perf version //')"
cd "$work"

# imported NAME [OPTION...]: a session of NAME.data; the notes are in NAME.log
imported() {
	name=$1
	shift
	"$build/opimport" --session-dir="$name" "$@" "$name.data" 2>"$name.log" || fail "opimport $name.data"
}

# of_perf OUT WORD...: perf's output in OUT. Where another profiler, of a test beside this one, asks for build-ids, the kernel
# marks them in perf's records of inodes, too, and perf dies of such records (6.1: its stack is overwritten): it is asked
# again then. The recordings below are of build-ids for that reason, but for one.
of_perf() {
	out=$1
	shift
	for attempt in 1 2 3; do
		status=0
		perf "$@" >"$out" 2>perf.log || status=$?
		[ $status -ge 128 ] || return $status
	done
	echo "not compared: perf $1 dies of signal $((status - 128))"
	return $status
}
# perf_report FILE FIELDS: rows in perf_rows, without their headers
perf_report() {
	of_perf perf_report report -i "$1" --stdio -n -F "$2" --no-children -g none || {
		[ $status -ge 128 ] || fail "perf report of $1 ends with status $status"
		return $status
	}
	awk '!/^#/ && $1 > 0' perf_report >perf_rows
	[ -s perf_rows ] || fail "perf counts nothing in $1"
	compared=$((compared + 1))
}
compared=0

# of_ours SESSION: "samples symbol"
of_ours() {
	"$build/opreport" --session-dir="$1" --symbols --no-header 2>report.log |
		awk '$1 > 0 { print $1, $NF }' | LC_ALL=C sort
}
# compare NAME: of each symbol of the program, and of each image as a whole. Which of several names at one address a function of
# a library gets, and what stubs are called, is not the same here and in perf.
compare() {
	perf_report "$1.data" sample,dso,sym || return 0
	program_symbols "$1" perf_rows
	awk '$2 != "[unknown]" { n[$2] += $1 } END { for (image in n) print n[image], image }' perf_rows |
		sed 's/ \[kernel\.kallsyms\]$/ kallsyms/' | LC_ALL=C sort >images_of_perf
	"$build/opreport" --session-dir="$1" --merge all --no-header 2>report.log | awk '/^ *[0-9]/ { print $1, $NF }' |
		LC_ALL=C sort >our_images
	grep -vxFf our_images images_of_perf >only_perf && { cat only_perf; echo 'here:'; cat our_images; fail "$1: perf counts images otherwise"; }
	echo "$1: $(wc -l <of_perf) symbols and $(wc -l <images_of_perf) images with equal counts"
}
# program_symbols NAME ROWS: those that perf counts of the program, in of_perf, are those of the session
program_symbols() {
	awk '$2 == "spin" && !/ _init$|@plt|\[unknown\]| 0x/ { print $1, $4 }' "$2" | LC_ALL=C sort >of_perf
	"$build/opreport" --session-dir="$1" --symbols --format=csv 2>report.log |
		awk -F, -v program="$work/spin" '$1 == program && $3 !~ /^_init$|@plt|\.plt/ { print $5, $3 }' | LC_ALL=C sort >of_ours
	[ -s of_perf ] && cmp -s of_perf of_ours || { cat of_perf; echo 'here:'; cat of_ours; fail "$1: perf counts otherwise"; }
}

# Until it has used so many milliseconds of CPU time.
cat >spin.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile double sink;
__attribute__((noinline)) static void inner(int n) { for (int i = 0; i < n; i++) sink += i * 0.5; }
__attribute__((noinline)) static void outer(int n) { for (int i = 0; i < n; i++) inner(1000), sink += 1; sink += 2; }
__attribute__((noinline)) static void spin(int n) { for (int i = 0; i < n; i++) sink += i; sink += 2; }
int main(int argc, char **argv) { clock_t end = atoi(argv[1]) * (CLOCKS_PER_SEC / 1000); while (clock() < end) outer(30), spin(50000); return 0; }
END
cc -O2 -g -o spin spin.c

unable() {
	echo "skipped: perf cannot record here: $(tail -1 perf.log)"
	exit 77
}
# recorded NAME [OPTION...]: NAME.data of the program, and its session
recorded() {
	name=$1
	shift
	of_perf record.out record -N -q -e cpu-clock "$@" -o "$name.data" ./spin 200 || {
		[ $status -ge 128 ] && [ "$name" = inodes ] && return 0
		unable
	}
	imported "$name"
	compare "$name"
	balanced "$name"
}
perf record -h 2>&1 | grep -q buildid-mmap && ids=--buildid-mmap || ids=
recorded plain $ids -c 1000000
recorded frequency $ids -F 999
grep -q 'not periods' frequency.log || fail "sampling by frequency is not noted"
grep -q 'warning.*not periods' frequency.log && fail "sampling by frequency is no fault"
recorded chains $ids -g -c 1000000
recorded monotonic $ids -k mono -c 1000000
recorded packed $ids -z -c 1000000
recorded inodes -c 1000000
of_perf pipe.data record -N -q $ids -e cpu-clock -c 1000000 -o - ./spin 200 || unable
imported pipe
compare pipe

# Two events, each with its own counts. perf has a table for each.
of_perf record.out record -N -q $ids -e cpu-clock -e task-clock -c 1000000 -o two.data ./spin 200 || unable
imported two
if perf_report two.data sample,dso,sym; then
	awk '/^# Samples:/ { event++ }
		!/^#/ && $1 > 0 && / (inner|outer|spin|main)[^ ]*$/ { n[$4, event] += $1; names[$4] }
		END { for (name in names) print n[name, 1] + 0, n[name, 2] + 0, name }' perf_report | LC_ALL=C sort >of_perf
	"$build/opreport" --session-dir=two --symbols --no-header 2>report.log |
		awk '/ (inner|outer|spin|main)[^ ]*$/ { print $1, $3, $NF }' | LC_ALL=C sort >of_ours
	[ -s of_perf ] && cmp -s of_perf of_ours || { cat of_perf of_ours; fail "two: perf counts otherwise"; }
	echo "two: $(wc -l <of_perf) symbols with equal counts of two events"
fi

# System wide: the program's own symbols, and all samples. What else runs has names of other kinds in both.
if of_perf record.out record -N -q $ids -a -e cpu-clock -c 1000000 -o wide.data ./spin 200; then
	imported wide
	balanced wide
	if perf_report wide.data sample,dso,sym; then
		program_symbols wide perf_rows
		echo "wide: $(wc -l <of_perf) symbols of the program with equal counts"
	fi
fi

# The pprof export of an import: the program's functions are perf's.
if perf_report plain.data sample,dso,sym; then
	awk '$2 == "spin" && !/ _init$|@plt|\[unknown\]| 0x/ { print $1, $4 }' perf_rows | LC_ALL=C sort >of_perf
	"$build/opreport" --session-dir=plain --format=pprof --output-file=plain.pb.gz 2>report.log || fail "plain: pprof"
	python3 - plain.pb.gz of_perf <<'END' || fail "plain: pprof has other counts than perf"
import gzip, sys
def fields(data):
    at = 0
    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = number()
        value = number()
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value
def numbers(data):  # packed
    return [value for _, value in fields(b''.join(b'\x08' + part for part in varints(data)))]
def varints(data):
    begin = 0
    for at, byte in enumerate(data):
        if byte < 128:
            yield data[begin:at + 1]
            begin = at + 1
profile = list(fields(gzip.decompress(open(sys.argv[1], 'rb').read())))
texts = [value.decode() for number, value in profile if number == 6]
functions = {dict(fields(value))[1]: texts[dict(fields(value))[2]] for number, value in profile if number == 5}
places = {}
for number, value in profile:
    if number == 4:
        parts = list(fields(value))
        lines = [dict(fields(part))[1] for which, part in parts if which == 4]
        places[dict(parts)[1]] = functions[lines[-1]] if lines else ''
counts = {}
for number, value in profile:
    if number == 2:
        sample = dict(fields(value))
        leaf = sample[1] if isinstance(sample[1], int) else numbers(sample[1])[0]
        count = sample[2] if isinstance(sample[2], int) else numbers(sample[2])[0]
        counts[places[leaf]] = counts.get(places[leaf], 0) + count
rows = [line.split() for line in open(sys.argv[2])]
wrong = [row for row in rows if counts.get(row[1]) != int(row[0])]
print('plain: %d symbols with equal counts in pprof' % (len(rows) - len(wrong)))
sys.exit(bool(wrong and print(wrong, counts)) or bool(wrong) or not rows)
END
fi

# chains_agree NAME: from main on, perf script walks the same copies to the same stacks, in 99 of 100 samples. It gives
# symbols without their version. A perf that was built without an unwinder shows no callers.
chains_agree() {
	of_perf script.out script -i "$1.data" --no-inline -F ip,sym || return 0
	awk 'function out() { if (chain != "") print chain; chain = "" }
		NF == 0 { out(); next }
		{ sub(/@.*/, "", $2); chain = $2 (chain == "" ? "" : ";" chain) }
		END { out() }' script.out | sed -n 's/.*;main;/main;/p' | LC_ALL=C sort >perf_chains
	[ -s perf_chains ] || { echo "not compared: perf script shows no callers"; return 0; }
	"$build/opreport" --session-dir="$1" --format=folded 2>report.log |
		sed -n 's/@@*[^; ]*//g; s/.*;main;/main;/p' |
		awk '{ for (n = $NF; n > 0; n--) print $1 }' | LC_ALL=C sort >our_chains
	equal=$(LC_ALL=C comm -12 perf_chains our_chains | wc -l)
	all=$(wc -l <perf_chains)
	echo "$1: $equal of $all stacks are those of perf script"
	[ "$all" -gt 50 ] && [ $((equal * 100)) -ge $((all * 99)) ] ||
		fail "$1: other stacks than perf script's: $(LC_ALL=C comm -3 perf_chains our_chains)"
}

# Copied stacks are walked by the tables of the program that was recorded.
case $(uname -m) in
x86_64 | aarch64)
	recorded stacks $ids --call-graph dwarf,8192 -c 1000000
	"$build/opreport" --session-dir=stacks --call-tree --no-header >tree 2>tree.log
	grep -q main tree && grep -q inner tree || fail "the stacks have no callers: $(cat tree)"
	chains_agree stacks

	# Through the kernel's vDSO: with its tables where the recording is of this kernel, else by frame pointers, which x86's has.
	cat >clock.c <<'END'
#include <time.h>
static volatile long sink;
__attribute__((noinline)) static void ask(int n) { struct timespec t; while (n--) clock_gettime(CLOCK_MONOTONIC, &t), sink += t.tv_nsec; }
__attribute__((noinline)) static void inner(int n) { ask(n); sink += 1; }
int main(void) { for (int i = 0; i < 60; i++) inner(200000); return 0; }
END
	cc -O2 -g -o clock clock.c
	of_perf record.out record -N -q $ids -e cpu-clock -c 1000000 --call-graph dwarf,8192 -o vdso.data ./clock || unable
	imported vdso
	# Not of this host: nothing is known of its vDSO but what the recording names.
	python3 - <<'END'
import os
data, name = open('vdso.data', 'rb').read(), os.uname().nodename.encode()
open('away.data', 'wb').write(data.replace(name + b'\0', b'x' * len(name) + b'\0'))
END
	imported away
	for name in vdso away; do
		"$build/opreport" --session-dir=$name --format=folded 2>report.log >folded
		awk -v name=$name '/(\[\[vdso\]\]|;__(vdso|kernel)_clock_gettime[^; ]*) [0-9]+$/ { all += $NF; if (/;main;inner[^;]*;ask[^;]*;/) whole += $NF } END {
			print name ": " whole + 0 " of " all + 0 " stacks through [vdso] are whole"
			exit all > 20 && whole < 0.95 * all }' folded || fail "$name: $(cat folded)"
	done
	# Functions of the vDSO have names by its build-id alone. A recording that has none may be of another kernel.
	for name in vdso away; do
		"$build/opreport" --session-dir=$name --symbols --no-header 2>report.log >symbols.out
		grep -q ' __vdso_clock_gettime\| __kernel_clock_gettime' symbols.out && named=1 || named=0
		grep -q '"build_id": "[0-9a-f]' "$name/samples/current/manifest.json" && [ -d "$name/samples/current/images" ] && kept=1 || kept=0
		echo "$name: vDSO named $named, kept $kept"
		[ $named = $kept ] || fail "$name: names of [vdso] without its build: $(cat symbols.out)"
	done
	;;
esac

# Several files are one session.
"$build/opimport" --session-dir=both plain.data chains.data 2>both.log || fail "two recordings"
"$build/opimport" --session-dir=added plain.data 2>added.log
"$build/opimport" --session-dir=added --append chains.data 2>>added.log || fail "--append"
of_ours both >both.rows
of_ours added >added.rows
cmp -s both.rows added.rows || fail "two files give another session than two runs"

# What is made up: perf counts the same in files of both byte orders. It does not read pipes of the other one, and perf 6.1 no
# attributes of 136 bytes.
for words in "attr=64" "attr=96" "attr=112" "attr=128" "big attr=64" "big attr=96" "big attr=112" "big attr=128" "pipe" "pipe attr=64" \
	"zstd" "big zstd" "pipe zstd"; do
	name=made$(echo "$words" | tr ' =' '__')
	# shellcheck disable=SC2086
	python3 "$source/tests/fixtures/make_perf_data.py" "$name.data" $words
	imported "$name"
	perf_report "$name.data" sample,dso || continue
	awk '{ sum[$2] += $1 } END { for (dso in sum) print sum[dso], dso }' perf_rows | LC_ALL=C sort >of_perf
	"$build/opreport" --session-dir="$name" --merge all --no-header 2>report.log |
		awk '{ n = 0; for (i = 1; i < NF; i += 2) n += $i; print n, $NF }' | sed 's/ kallsyms/ [kernel.kallsyms]/; s/ made_up/ [made_up]/' |
		LC_ALL=C sort >of_ours
	sed '/unknown/d; /guest/d' of_perf >of_perf.known
	cmp -s of_perf.known of_ours || { cat of_perf.known of_ours; fail "$name: perf counts otherwise"; }
done
[ $compared -gt 0 ] || fail "perf report read none of the files"
echo "$compared files compared with perf report"

# No file, or none that may be read.
mkfifo fifo
for file in fifo . /dev/null absent; do
	in_time 10 "$build/opimport" --session-dir=none "$file" 2>none.log && fail "opimport takes $file"
	[ -s none.log ] || fail "opimport does not explain what is wrong with $file"
done
[ ! -e none ] || fail "a session was made of nothing"
