#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# go tool pprof reads what opreport --format=pprof writes, and counts what opreport counts, to the last sample.
. "${srcdir:-.}/tests/e2e/clients.sh"
need_client go golang-go
make_sessions

# pprof WORDS: what it prints, of the first values, which are samples; it looks for no names itself
pprof() {
	HOME=$work PPROF_TMPDIR=$work go tool pprof -symbolize=none -sample_index=0 "$@" 2>"$work/pprof.log" || fail "pprof $*"
}

# raw_totals FILE UNIT: the sums of the values of samples that have that unit, one for each event
raw_totals() {
	pprof -raw "$1" | sed 's/ time\/nanoseconds/_time\/nanoseconds/g' | awk -v unit="$2" '
		/^Locations/ { exit_now = 1 } exit_now { next } /^Samples:/ { on = 1; next }
		on == 1 { for (i = 1; i <= NF; i++) wanted[i] = index($i "/", "/" unit "/") || index($i, "/" unit "["); on = 2; next }
		on && /^ *[0-9]+( +[0-9]+)*: / { sub(/:.*/, ""); for (i = 1; i <= NF; i++) sum[i] += $i; n = NF }
		END { for (i = 1; i <= n; i++) if (wanted[i]) printf "%s%d", (found++ ? " " : ""), sum[i]; print "" }'
}

# top FILE COLUMN [WORDS]: "COUNT NAME" a line; column 1 is flat, 4 with what was called
top() {
	file=$1 column=$2
	shift 2
	pprof -top -nodecount=1000000 -nodefraction=0 -edgefraction=0 "$@" "$file" |
		awk -v c="$column" 'on { n = $c; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, ""); print n, $0 } /flat%/ { on = 1 }' | by_name
}

for session in $sessions separate; do
	report "$session" --format=pprof --output-file="$work/$session.pb.gz"
	wanted=$(totals "$session")
	found=$(raw_totals "$work/$session.pb.gz" count)
	echo "$session: opreport $wanted, pprof $found"
	[ "$wanted" = "$found" ] || fail "$session: pprof counts otherwise"
	functions "$session" >"$work/functions"
	top "$work/$session.pb.gz" 1 -noinlines >"$work/every"
	# It gives what is in no symbol its image's name.
	sed -E 's#^([0-9]+) \[(demo|program)\]$#\1 [no symbol]#' "$work/every" >"$work/top"
	same "$session: the functions" "$work/functions" "$work/top"
done

# Of a clock there are nanoseconds, too, which readers show first
found=$(raw_totals "$work/demo.pb.gz" nanoseconds)
[ "$found" = "$(($(totals demo) * 1000000))" ] || fail "demo: $found nanoseconds"
HOME=$work PPROF_TMPDIR=$work go tool pprof -symbolize=none -top "$work/demo.pb.gz" 2>"$work/pprof.log" | grep -q '^Type: cpu$' ||
	fail "demo: the first values shown are no CPU time"

# Labels select samples; here those of thread 101 of process 100
found=$(HOME=$work pprof -top -tagfocus=tid=101 "$work/separate.pb.gz" | sed -nE 's/^Showing nodes accounting for ([0-9]+), .*/\1/p')
echo "separate, tid 101: $found"
[ "$found" = 5 ] || fail "separate: the label tid does not choose thread 101"

# CPU 0 is one as any other
pprof -tags "$work/separate.pb.gz" | sed -n '/ cpu:/,/^$/p' >"$work/tags"
grep -q ': 0$' "$work/tags" || fail "separate: the label cpu 0 is not shown: $(cat "$work/tags")"
found=$(HOME=$work pprof -top -tagfocus=cpu=0 "$work/separate.pb.gz" | sed -nE 's/^Showing nodes accounting for ([0-9]+), .*/\1/p')
echo "separate, cpu 0: $found"
[ "$found" = 8 ] || fail "separate: the label cpu does not choose CPU 0"

for session in $sessions; do
	[ "$session" = real ] || continue
	# The first caller of every sample is known, so outer has what was sampled in inner; where the kernel interrupted inner,
	# here and there, stacks end in it.
	wanted=$(report real -c --format=csv --no-header | without_bounds |
		awk -F, '{ block = $1 } $2 == "function" { is_outer = /shop::Counter::outer/ } is_outer && ($2 == "callee" || $2 == "self") { n += $NF }
			END { print n }')
	found=$(top "$work/real.pb.gz" 4 | sed -nE 's/^([0-9]+) shop::Counter::outer.*/\1/p')
	least=$(top "$work/real.pb.gz" 1 -noinlines | sed -nE 's/^([0-9]+) shop::Counter::inner.*/\1/p')
	echo "real, in outer and what it called: opreport $wanted, pprof $found, of these $least in inner"
	[ "$found" -le "$wanted" ] && [ "$found" -ge $((least * 9 / 10)) ] || fail "real: pprof does not know what outer called"
	build_id=$(readelf -n "$work/program" | sed -n 's/.*Build ID: //p')
	pprof -raw "$work/real.pb.gz" | sed -n '/^Mappings/,$p' >"$work/mappings"
	cat "$work/mappings"
	grep -q "^1: .* $work/program $build_id " "$work/mappings" || fail "real: the first mapping is not the program with its build-id"
	pprof -raw "$work/real.pb.gz" >"$work/raw"
	grep -A 1 'void add_square<unsigned long>(.*calls\.h:[1-9]' "$work/raw" | grep -q '^ *shop::Counter::inner(unsigned long) .*calls\.cpp:[1-9]' ||
		fail "real: add_square is not known to be inlined into inner"
done
