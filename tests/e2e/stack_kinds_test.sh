#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Call stacks are exact however a program is linked and whatever it does with its stacks, files and libraries. What a stack
# has of a known chain is that chain or its inner part, with the reason; nothing is made up.
. "$(dirname "$0")/lib.sh"
need_profiling
need_walked_stacks
cd "$work" || exit

cat >chain.c <<'END_OF_CHAIN'
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
static char what;
#define APART __attribute__((noinline, noclone))
static long own_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
APART void leaf(int ms)
{
	struct timespec t;
	for (long end = own_ms() + ms; own_ms() < end;)
		for (int i = 0; i < 20000; i++) {
			sink += i;
			if (what == 'v' && i % 50 == 0)
				clock_gettime(CLOCK_MONOTONIC, &t);
		}
}
APART void handler(int n) { leaf(300); sink += n; }
APART void third(void)
{
	if (what == 's' || what == 'S')
		raise(SIGUSR1);
	else
		leaf(300);
	sink++;
}
APART void second(unsigned long n) { char *room = alloca(16 + n % 64); memset(room, 1, 16); third(); sink += room[3]; }
APART void first(unsigned long n) { second(n); sink++; }
APART void *thread(void *p) { first((uintptr_t)p); sink++; return p; }
static char stack[65536];
// Two libraries in turn, at one address.
APART void load(const char *path)
{
#ifdef WITH_LIBRARIES
	void *library = dlopen(path, RTLD_NOW);
	if (!library)
		exit(9);
	printf("%p\n", dlsym(library, "outer"));
	((void (*)(void (*)(int)))dlsym(library, "outer"))(leaf);
	dlclose(library);
#endif
	sink += *path;
}
int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler };
	stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
	pthread_t t;
	what = argc > 1 ? *argv[1] : 'p';
	if (what == 'S') {
		sigaltstack(&other, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGUSR1, &action, NULL);
	switch (what) {
	case 't':
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
		break;
	case 'f':
		if (vfork() == 0) {
			first(argc);
			_exit(0);
		}
		wait(NULL);
		break;
	case 'l':
		for (int i = 0; i < 60; i++)
			load(argv[2 + i % 2]);
		break;
	case 'd':
		unlink(argv[0]);
		first(argc);
		break;
	case 'e':
		first(argc);
		rename(argv[2], argv[0]);
		execl(argv[0], argv[0], "p", NULL);
		break;
	default:
		first(argc);
	}
	return sink == 0;
}
END_OF_CHAIN
plain="-O2 -fomit-frame-pointer -fno-optimize-sibling-calls"
inner="first;second;third;leaf"

# exact NAME CHAIN [REASON]: of the samples in leaf, 999 of 1000 have the frames CHAIN, an extended regular expression, below
# those that start a program or a thread; with a reason, they are cut for it, and CHAIN is what they have. No stack that
# goes on to its start has other frames, and what a cut one has is the inner part of the chain.
exact() {
	"$build/opreport" --session-dir "$work/$1" --format=folded >"$1.folded" 2>"$1.report.log" || fail "$1: opreport"
	awk -v chain="$2" -v reason="${3-}" '
		{ count = $NF; sub(/ [0-9]+$/, "") }
		!match($0, /;leaf(;|$)/) { next }
		{
			$0 = substr($0, 1, RSTART + 4)
			sub(/^[^;]*;/, "") # the application
			all += count
			if (match($0, /^\[truncated: [a-z_]*\];/)) {
				why = substr($0, 13, RLENGTH - 14)
				if (why == reason && substr($0, RLENGTH + 1) ~ "^" chain "$") good += count
				else if (reason || !is_inner(substr($0, RLENGTH + 1))) bad += count
			} else if (!reason && $0 ~ "^[^;]+(;[^;]+)?(;[^;]+)?;" chain "$") good += count
			else bad += count
		}
		function is_inner(frames,    n, part, inner) {
			n = split(chain, part, ";")
			for (inner = part[n]; --n > 0 && inner != frames;) inner = part[n] ";" inner
			return inner == frames
		}
		END {
			print all + 0 " samples in leaf, " good + 0 " exact, " bad + 0 " wrong"
			exit !(all >= 200 && bad * 10000 < all && good * 1000 >= all * 999)
		}' "$1.folded" >"$1.exact.log" || {
		cat "$1.folded" >>"$1.exact.log"
		fail "$1: stacks"
	}
	echo "$1: $(cat "$1.exact.log")"
}

# whole NAME: 99 of 100 stacks are complete, whatever their functions are called.
whole() {
	awk '/"stacks": *\{/ { inside = 1 }
		inside && /"complete":/ { complete = all = $2 + 0 }
		inside && /"incomplete":/ { reasons = 1; next }
		reasons { all += $2 }
		reasons && /\}/ { exit }
		END {
			print complete + 0 " of " all + 0 " stacks complete"
			exit !(all >= 200 && complete * 100 >= all * 99)
		}' "$1/samples/current/manifest.json" >"$1.complete.log" || fail "$1: incomplete stacks"
	echo "$1: $(cat "$1.complete.log")"
}

# run NAME COMMAND...: profiles it into a session of that name.
run() {
	name=$1
	shift
	mkdir -p "$work/$name"
	profile "$name" --session-dir "$work/$name" --callgraph --events TIMER:200000 "$@" || fail "$name: operf"
}

compiler=cc
# linked NAME [words for the compiler]: built so, its stacks are exact; left out where that cannot be built.
linked() {
	name=$1
	shift
	# shellcheck disable=SC2086 # words
	if ! $compiler $plain -o "$name.program" chain.c "$@" 2>/dev/null || ! "./$name.program" 2>/dev/null; then
		echo "$name: cannot be built here"
		return
	fi
	run "$name" "./$name.program"
	exact "$name" "main;$inner"
}
linked dynamic
linked static -static -no-pie
linked static_pie -static-pie
linked lld -fuse-ld=lld
linked gold -fuse-ld=gold
compiler=musl-gcc
linked musl # the C library has no tables
linked musl_static -static
compiler=cc
# Unwind tables in debugging information alone, beside an .eh_frame of start files.
linked debug_frame -g -fno-asynchronous-unwind-tables
linked compressed -g -gz -fno-asynchronous-unwind-tables

run vdso ./dynamic.program v
exact vdso "main;$inner"
run thread ./dynamic.program t
exact thread "thread;$inner"
run vfork ./dynamic.program f
exact vfork "main;$inner"
run signal ./dynamic.program s
exact signal "main;first;second;third;raise(;[^;]+){1,3};handler;leaf"
# A copy has one stack: the walk ends where the handler's does.
run other_stack ./dynamic.program S
exact other_stack "([^;]+;){0,3}handler;leaf" stack_switch

# The file is gone, replaced by another one, or another one at its path for everybody else.
cp dynamic.program deleted.program
run deleted ./deleted.program d
whole deleted
cp dynamic.program replaced.program
cp compressed.program successor
run replaced ./replaced.program e ./successor
whole replaced
if unshare -m true 2>/dev/null; then
	cp dynamic.program here.program
	cp debug_frame.program there.program
	run elsewhere unshare -m sh -c 'mount --bind there.program here.program && exec ./here.program'
	whole elsewhere
else
	echo "elsewhere: no mount namespaces here"
fi

# Two libraries in turn at one address, with frames of different sizes.
cat >library.c <<'END'
static volatile int sink;
#ifdef BEFORE
void before(void) { char room[BEFORE]; for (int i = 0; i < BEFORE; i++) room[i] = sink; sink += room[sink]; }
#endif
__attribute__((noinline, noclone)) void INNER(void (*leaf)(int))
{
	volatile char room[ROOM];
	room[0] = 1;
	leaf(5);
	sink += room[0];
}
void outer(void (*leaf)(int)) { INNER(leaf); sink++; }
END
# shellcheck disable=SC2086 # words
{
	cc $plain -shared -fPIC -DINNER=inner_of_a -DROOM=40 -o a.so library.c
	cc $plain -shared -fPIC -DINNER=inner_of_b -DROOM=400 -DBEFORE=99 -o b.so library.c
	cc $plain -DWITH_LIBRARIES -o loads.program chain.c
}
run libraries ./loads.program l ./a.so ./b.so
exact libraries "main;load;outer;inner_of_[ab];leaf"
for each in a b; do
	grep -q ";outer;inner_of_$each;leaf" libraries.folded || fail "libraries: no samples of $each.so"
done
echo "libraries: at $(sort -u libraries.log.out | wc -l) addresses"
