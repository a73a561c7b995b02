#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Call stacks of programs without frame pointers are exact, and no copy of a stack reaches a file.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling
need_walked_stacks

cat >"$work/chain.c" <<'END'
#include <stdlib.h>
#include <string.h>
static volatile unsigned long sink;
#define APART __attribute__((noinline, noclone))
APART void leaf(unsigned long n) { while (n--) sink += n; }
APART void third(unsigned long n) { leaf(n); sink++; }
APART void second(unsigned long n) { char *room = alloca(16 + n % 64); memset(room, 1, 16); third(n); sink += room[3]; }
APART void first(unsigned long n) { second(n); sink++; }
APART void deep(int levels, unsigned long n)
{
	volatile char frame[1000];
	frame[0] = 1;
	if (levels == 0)
		first(n);
	else
		deep(levels - 1, n);
	sink += frame[0];
}
int main(int argc, char **argv)
{
	char secret[32];
	for (int i = 0; i < 31; i++)
		secret[i] = "GURDHNYVGLBSZREPLVFABGFGENVARQ1"[i] ^ 1; // it is in no file
	secret[31] = 0;
	for (int i = 0; i < 300; i++)
		deep(argc > 1 ? atoi(argv[1]) : 0, argc * 1000000ul);
	return secret[sink % 31] == 0;
}
END
cc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$work/chain" "$work/chain.c" || fail "chain.c cannot be compiled"
secret=$(printf GURDHNYVGLBSZREPLVFABGFGENVARQ1 | tr 'ABCDEFGHIJKLMNOPQRSTUVWXYZ1' '@CBEDGFIHKJMLONQPSRUTWVYX[0')

period=200000
longer= # words of any kind, of which each makes the program run longer
# chain NAME LEVELS [operf words]: profiles it into a session of that name.
chain() {
	name=$1
	levels=$2
	shift 2
	mkdir -p "$work/$name"
	profile "$name" --session-dir "$work/$name" --callgraph --events "TIMER:$period" "$@" "$work/chain" "$levels" $longer || fail "operf"
	! grep -rqF "$secret" "$work/$name" || fail "$name: what was on the stack is in a file"
}

# callers NAME FUNCTION: those that opreport lists, with their samples.
callers() {
	"$build/opreport" --session-dir "$work/$1" --callgraph "$work/chain" 2>/dev/null |
		awk -v function_name="$2" '/^-+$/ { n = 0; next } /^ / { n++; line[n] = $1 " " $NF; next }
			$NF == function_name { for (i = 1; i <= n; i++) print line[i] }'
}

# only_caller NAME FUNCTION CALLER: it has no other, and at least 200 samples came by it.
only_caller() {
	callers "$1" "$2" >"$work/callers.txt"
	awk -v caller="$3" '$2 == caller { good += $1; next } { bad += $1 } END { exit !(good >= 200 && bad + 0 == 0) }' \
		"$work/callers.txt" || {
		cat "$work/callers.txt" "$work/$1.log"
		fail "$1: callers of $2"
	}
}

for name in tables lazy; do
	if [ $name = lazy ]; then chain lazy 0 --lazy-conversion; else chain tables 0; fi
	only_caller $name leaf third
	only_caller $name third second
	only_caller $name second first
	only_caller $name first deep
	only_caller $name deep main
	only_caller $name main __libc_start_call_main
	balanced "$work/$name"
done

# by_main NAME: the samples that came by main.
by_main() {
	callers "$1" main | awk '{ n += $1 } END { print n + 0 }'
}

# A copy that holds a part of the stack gives that part.
chain deep 100 --stack-size=32768
only_caller deep first deep
[ "$(by_main deep)" -lt 100 ] || fail "deep: main was beyond the copy"
grep -q '"dump_short": [1-9]' "$work/deep/samples/current/manifest.json" || fail "deep: the manifest has no short stacks"

# Where nobody asks for a size, the copy grows until it holds the stack.
# Not so often that a busy machine loses samples: then the copies become smaller for good.
period=1000000
longer='1 2 3 4'
chain grown 50
period=200000
longer=
[ "$(by_main grown)" -gt 200 ] || fail "grown: few stacks lead to main"

chain pointers 0 --unwind=frame-pointers
balanced "$work/pointers"

# While the kernel frees the memory of a program that called exec there is no stack, and none that is not complete.
build_replaced
mkdir "$work/exec"
profile exec --session-dir "$work/exec" --callgraph --events "TIMER:$period" "$work/replaced" 30 || fail "operf"
"$build/opreport" --session-dir "$work/exec" --format=folded 2>/dev/null | grep 'begin_new_exec;.*exit_mmap' >"$work/exec.txt" || :
if grep -q ' T begin_new_exec$' /proc/kallsyms; then
	[ "$(wc -l <"$work/exec.txt")" -gt 5 ] || echo "few samples of memory being freed, if any: the kernel's are not seen"
	! grep truncated "$work/exec.txt" || fail "exec: a stack that is not complete"
fi

# The largest copies at 4 kHz: what rings have no room for is counted, and no stack is of another program.
programs="alpha beta gamma delta"
for program in $programs; do
	sed "s/\\(leaf\\|third\\|second\\|first\\|deep\\)(/${program}_&/g" "$work/chain.c" >"$work/$program.c"
	cc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$work/$program" "$work/$program.c" || fail "$program.c"
done
mkdir "$work/pressure"
profile pressure --session-dir "$work/pressure" --callgraph --stack-size=65528 --events TIMER:250000 \
	sh -c "cd $work; for program in $programs; do ./\$program 40 & done; wait" || fail "operf"
balanced "$work/pressure" >"$work/pressure.account"
cat "$work/pressure.account"
"$build/opreport" --session-dir "$work/pressure" --format=folded >"$work/pressure.txt" 2>"$work/pressure.report.log" || fail "opreport"
lost=$(sed -n 's/^account: .* stored, \([0-9]*\) lost.*/\1/p' "$work/pressure.account")
awk -v programs="$programs" -v lost="$lost" 'BEGIN { n = split(programs, names, " ") }
	{ app = substr($0, 1, index($0, ";") - 1); samples[app] += $NF
		for (i = 1; i <= n; i++) if (index($0, names[i] "_") && app != names[i]) { print; foreign++ } }
	/truncated: (no_mapping|no_info)/ { unknown += $NF }
	{ all += $NF }
	END { for (i = 1; i <= n; i++) { print names[i] ": " samples[names[i]] + 0 " stacks"; missing += samples[names[i]] < (lost ? 1 : 20) }
		print unknown + 0 " of " all " without mapping or rules"
		exit foreign || missing || unknown * 50 > all }' "$work/pressure.txt" || fail "pressure: stacks of other programs, or none"

# refused TEXT [operf words]
refused() {
	text=$1
	shift
	if profile refused --session-dir "$work/tables" "$@" true; then fail "$*: accepted"; fi
	grep -q -- "$text" "$work/refused.log" || fail "$*: no word of '$text'"
}
refused 'not one of tables, frame-pointers' --callgraph --unwind=dwarf
refused 'not a multiple of 8' --callgraph --stack-size=1001
refused 'from 1024 to 65528' --callgraph --stack-size=65536
refused '--stack-size needs --callgraph' --stack-size=8192
