#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Call stacks are exact however a program is linked and whatever it does with its stacks, files and libraries. What a stack
# has of a known chain is that chain or its inner part, with the reason; nothing is made up.
. "${srcdir:-.}/tests/e2e/lib.sh"
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
#include <ucontext.h>
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
APART void big(unsigned long n) { char room[200000]; memset(room, 1, sizeof room); first(n); sink += room[n]; }
APART void coroutine(void) { first(1); sink++; }
static void run_coroutine(stack_t room)
{
#ifdef __GLIBC__
	ucontext_t here, there;
	getcontext(&there);
	there.uc_stack = room;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
#endif
	(void)room;
}
// A call that never returns is the last instruction of its function: it returns to the next one's code.
APART __attribute__((noreturn)) void last(void) { leaf(300); exit(sink == 0); }
APART __attribute__((noreturn)) void never(void) { last(); }
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
	case 'b':
		big(argc);
		break;
	case 'n':
		never();
	case 'c':
		run_coroutine(other);
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
# those that start a program or a thread; with a reason, another such expression, they are cut for it, and CHAIN is what they have. No stack that
# goes on to its start has other frames, and what a cut one has is the inner part of the chain.
exact() {
	"$build/opreport" --session-dir "$work/$1" --format=folded >"$1.folded" 2>"$1.report.log" || fail "$1: opreport"
	awk -v chain="$2" -v reason="${3-}" '
		{ count = $NF; sub(/ [0-9]+$/, "") }
		!match($0, /;(main[.])?leaf(;|$)/) { next }
		{
			$0 = substr($0, 1, RSTART + RLENGTH - 1)
			sub(/;$/, "")
			sub(/^[^;]*;/, "") # the application
			all += count
			if (match($0, /^\[truncated: [a-z_]*\];/)) {
				why = substr($0, 13, RLENGTH - 14)
				if (reason && why ~ "^(" reason ")$" && substr($0, RLENGTH + 1) ~ "^" chain "$") good += count
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
	complete_of "$1" >"$1.complete.log"
	awk '{ exit !($2 >= 200 && $1 * 100 >= $2 * 99) }' "$1.complete.log" || fail "$1: incomplete stacks"
	echo "$1: stacks complete, all: $(cat "$1.complete.log")"
}

# run NAME COMMAND...: profiles it into a session of that name, again and again until that has 400 samples: on a busy machine most
# of a run's are lost, for want of room for so many stacks. $prepare is done before each.
prepare=:
run() {
	name=$1 sampled=0 runs=0
	shift
	mkdir -p "$work/$name"
	while [ $sampled -lt 400 ] && [ $runs -lt 20 ]; do
		$prepare
		profile "$name" --append --session-dir "$work/$name" --callgraph --events TIMER:200000 "$@" || fail "$name: operf"
		sampled=$((sampled + $(sed -n 's/^operf: \([0-9]*\) samples*[ ,].*/\1/p' "$name.log"))) runs=$((runs + 1))
	done
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
linked realigned -mstackrealign # where compilers can
compiler=musl-gcc
linked musl # the C library has no tables
linked musl_static -static
compiler=cc
# Unwind tables in debugging information alone, beside an .eh_frame of start files.
linked debug_frame -g -fno-asynchronous-unwind-tables
linked compressed -g -gz -fno-asynchronous-unwind-tables
linked compressed_zstd -g -Wl,--compress-debug-sections=zstd -fno-asynchronous-unwind-tables

run vdso ./dynamic.program v
exact vdso "main;$inner"
# Its functions have names, from the copy in the session; in the archive, too.
cat >clock_loop.c <<'END_OF_LOOP'
#include <time.h>
int main(void)
{
	struct timespec t;
	for (int i = 0; i < 8000000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return 0;
}
END_OF_LOOP
cc -O2 -o clock_loop.program clock_loop.c
run clock ./clock_loop.program
named='__\(vdso\|kernel\)_clock_gettime'
if find "$work/clock" -path '*{anon:\[vdso\]}*' | grep -q .; then
	"$build/oparchive" --session-dir="$work/clock" --output-directory="$work/clock_archive" >archive.log 2>&1 || fail "oparchive"
	"$build/opreport" --session-dir="$work/clock" --symbols --no-header >clock.rows 2>clock.log || fail "clock: opreport"
	grep -q "\[vdso\]  *$named" clock.rows || fail "no names of [vdso]: $(cat clock.rows)"
	"$build/opreport" archive:"$work/clock_archive" --symbols --no-header >archive.rows 2>archive.log || fail "archive: opreport"
	grep -q "\[vdso\]  *$named" archive.rows || fail "no names of [vdso] in the archive: $(cat archive.rows)"
	"$build/opreport" --session-dir="$work/clock" --call-tree --no-header >clock.tree 2>clock.log || fail "clock: tree"
	grep -q "$named \[vdso\]" clock.tree || fail "no names of [vdso] in the tree: $(cat clock.tree)"
fi
run thread ./dynamic.program t
exact thread "thread;$inner"
run vfork ./dynamic.program f
exact vfork "main;$inner"
run signal ./dynamic.program s
exact signal "main;first;second;third;raise;[^;]+(;[^;]+)?(;[^;]+)?;handler;leaf"
# A copy has one stack: the walk ends where the handler's does.
run other_stack ./dynamic.program S
exact other_stack "([^;]+;)?([^;]+;)?([^;]+;)?handler;leaf" stack_switch

run noreturn ./dynamic.program n
exact noreturn "main([.]cold)?;never;last;leaf"

# No copy has the whole frame.
run big_frame ./dynamic.program b
exact big_frame "big;$inner" dump_short
# A stack that begins where no call returns to.
run context ./dynamic.program c
exact context "coroutine;$inner"
if [ -x static.program ]; then
	run static_context ./static.program c
	exact static_context "coroutine;$inner"
	# On each machine the C library has its own name for it.
	grep -qE '^static.program;_*start_?context;coroutine;' static_context.folded || fail "static_context: where it begins"
fi

# Hand-written code as in cryptographic libraries: a function whose frame only a register has that calls overwrite, and a subroutine
# that leaves it as it is.
cat >by_hand.c <<'END'
__asm__(".text\n.type by_register, @function\nby_register:\n.cfi_startproc\n"
	"mov %rsp, %rax\n.cfi_def_cfa_register %rax\npush %rbx\n.cfi_offset %rbx, -16\nsub $300, %rsp\nand $-128, %rsp\n"
	"call leaf\n"
	"mov -8(%rax), %rbx\n.cfi_restore %rbx\nmov %rax, %rsp\n.cfi_def_cfa_register %rsp\nret\n"
	".cfi_endproc\n.size by_register, . - by_register\n"
	".type leaf, @function\nleaf:\n.cfi_startproc\nmov $800000000, %ecx\n1: dec %ecx\njnz 1b\nret\n"
	".cfi_endproc\n.size leaf, . - leaf\n");
void by_register(void);
int main(void)
{
	__asm__ volatile("call by_register" ::: "rax", "rcx", "memory");
	return 0;
}
END
if cc -O2 -fno-omit-frame-pointer -mno-red-zone -o by_hand.program by_hand.c 2>/dev/null; then
	run by_hand ./by_hand.program
	exact by_hand "main;by_register;leaf"
else
	echo "by_hand: is for x86-64"
fi

# A 32-bit program, which is walked by its frame pointers: without them there are no callers, and none is made up. It has no C
# library, as few machines have one for it.
cat >narrow.c <<'END'
static volatile unsigned long sink;
#define APART __attribute__((noinline, noclone))
APART void leaf(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
APART void third(unsigned n) { leaf(n); sink++; }
APART void second(unsigned n) { third(n); sink++; }
void _start(void) { second(300000000); __asm__("int $0x80" ::"a"(1), "b"(0)); __builtin_unreachable(); }
END
for each in no-omit omit; do
	narrow="cc -m32 -O2 -f$each-frame-pointer -fno-optimize-sibling-calls -ffreestanding -fno-pic -no-pie -nostdlib -static"
	if ! $narrow -o "$each.program" narrow.c 2>/dev/null || ! "./$each.program" 2>/dev/null; then
		echo "32-bit, $each: cannot be built or run here"
		continue
	fi
	run "$each" "./$each.program"
	[ $each = omit ] && chain=leaf || chain="_start;second;third;leaf"
	exact "$each" "$chain" "no_mapping|frame_pointers"
done

# Go is walked to the start of its main goroutine, with and without its symbols. What C code that it calls has is the stack of a
# thread, without that of the goroutine.
if command -v go >/dev/null; then
	cat >main.go <<'END'
package main

/*
#cgo CFLAGS: -O2 -fomit-frame-pointer
static volatile unsigned long sink;
#define APART static __attribute__((noinline, noclone))
APART void leaf(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
APART void third(unsigned n) { leaf(n); sink++; }
APART void first(unsigned n) { third(n); sink++; }
*/
import "C"
import "os"

//go:noinline
func leaf(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i * s
	}
	return s + 1
}

//go:noinline
func third(n int) int { return leaf(n) + 1 }

//go:noinline
func first(n int) int { C.first(C.uint(n)); return n }

func main() {
	if len(os.Args) > 1 {
		os.Exit(first(300000000) & 1)
	}
	os.Exit(third(300000000) & 1)
}
END
	GODEBUG=asyncpreemptoff=1 # else some samples are of its own signal handler, which has another stack
	export GODEBUG
	for each in "go" "go_stripped -ldflags=-s"; do
		name=${each%% *}
		# shellcheck disable=SC2086 # words
		GOCACHE=$work/go-cache GO111MODULE=off go build ${each#"$name"} -o $name.program main.go || fail "$name: go build"
		run $name ./$name.program
		exact $name "runtime.main;main.main;main.third;main.leaf"
	done
	run cgo ./go.program c
	exact cgo "runtime.asmcgocall[^;]*;([^;]+;)?first;third;leaf" "no_mapping|stack_switch"
else
	echo "go: not installed here"
fi

# Code that runs while the dynamic linker binds a function at its first call.
cat >lazy.c <<'END'
#ifdef LIBRARY
static volatile unsigned long sink;
static __attribute__((noinline, noclone)) void leaf(void) { for (unsigned long i = 0; i < 900000000; i++) sink += i; }
static void chosen(void) {}
static void (*choose(void))(void) { leaf(); sink++; return chosen; }
void picked(void) __attribute__((ifunc("choose")));
#else
void picked(void);
static volatile int sink;
__attribute__((noinline, noclone)) void caller(void) { picked(); sink++; }
int main(void) { caller(); return sink == 0; }
#endif
END
# shellcheck disable=SC2086 # words
if cc $plain -shared -fPIC -DLIBRARY -o lazy.so lazy.c 2>/dev/null && cc $plain -Wl,-z,lazy -o lazy.program lazy.c ./lazy.so; then
	run lazy ./lazy.program
	exact lazy "main;caller;[^;]+;([^;]+;)?([^;]+;)?([^;]+;)?(choose|picked);leaf"
else
	echo "lazy: cannot be built here"
fi

# The file is gone, replaced by another one, or another one at its path for everybody else.
prepare='cp dynamic.program deleted.program'
run deleted ./deleted.program d
whole deleted
make_replaced() {
	cp dynamic.program replaced.program
	cp compressed.program successor
}
prepare=make_replaced
run replaced ./replaced.program e ./successor
whole replaced
prepare=:
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
