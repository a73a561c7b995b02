#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# opimport attributes what perf recorded as operf does while a program runs: forked and executed processes, threads, libraries in
# turn at one address, a program whose file is deleted, one that has no file.
. "${srcdir:-.}/tests/e2e/clients.sh"
need_profiling
need_client perf linux-perf
cd "$work" || exit

cat >kinds.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define APART __attribute__((noinline, noclone))
static volatile unsigned long sink;
static long own_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
#define WORK(name) \
	APART void name(int ms) { for (long end = own_ms() + ms; own_ms() < end;) for (int i = 0; i < 50000; i++) sink += i; }
WORK(in_parent) WORK(in_child) WORK(in_exec) WORK(in_thread) WORK(in_deleted) WORK(in_memory)
static void *thread(void *p) { in_thread(100); return p; }
// The libraries' work is counted in CPU time, too.
static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	if (!library)
		exit(9);
	for (long end = own_ms() + 10; own_ms() < end;)
		((void (*)(void))dlsym(library, "work"))();
	dlclose(library);
}
static int memory_file(const char *path)
{
	struct stat s;
	int from = open(path, O_RDONLY), to = memfd_create("made", 0);
	if (from < 0 || to < 0 || fstat(from, &s) != 0 || sendfile(to, from, NULL, s.st_size) != s.st_size)
		exit(9);
	return to;
}
static void execute(const char *path, char *what)
{
	char *words[] = { "program", what, NULL };
	if (fork() == 0) {
		if (*what == 'e')
			in_child(200);
		if (*what == 'm')
			fexecve(memory_file(path), words, environ);
		else
			execv(path, words);
		_exit(9);
	}
	wait(NULL);
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	switch (argc > 1 ? *argv[1] : 'p') {
	case 'e':
		in_exec(200);
		return 0;
	case 'd':
		unlink("deleted");
		in_deleted(200);
		return 0;
	case 'm':
		in_memory(200);
		return 0;
	}
	in_parent(200);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 40; i++)
		load(i % 2 ? "./b.so" : "./a.so");
	execute(argv[0], "e");
	execute("deleted", "d");
	execute(argv[0], "m");
	return 0;
}
END
cat >library.c <<'END'
static volatile unsigned long sink;
__attribute__((noinline, noclone)) void NAME(void) { for (int i = 0; i < 50000; i++) sink += i; }
void work(void) { NAME(); sink++; }
END
cc -O2 -pthread -o kinds kinds.c -ldl
for name in a b; do
	cc -O2 -shared -fPIC -DNAME=in_$name -o $name.so library.c
done

cp kinds deleted
mkdir live
profile live --session-dir "$work/live" --events TIMER:1000000 ./kinds || fail operf
cp kinds deleted
perf record -q -e cpu-clock -c 1000000 -o kinds.data ./kinds 2>perf.log || fail "perf record"
"$build/opimport" --session-dir=imported kinds.data 2>import.log || fail opimport

# rows SESSION: "samples image application symbol". What has no file any more has no names.
rows() {
	"$build/opreport" --session-dir="$1" --symbols --no-header 2>"$1.report.log" |
		awk '$3 != "kallsyms" { name = $3 == "deleted" || $3 ~ /^memfd/ ? "-" : $5; sum[$3 " " $4 " " name] += $1 }
			END { for (key in sum) print sum[key], key }' | LC_ALL=C sort -k 2 >"$1.rows"
}
rows live
rows imported
# As many, give or take a twentieth and four standard deviations; eight rows have a tenth of the samples each.
awk '{ key = $2 " " $3 " " $4; all[key] = 1; if (NR == FNR) a[key] = $1; else b[key] = $1 }
	END {
		for (key in all) {
			n = a[key] + b[key]
			apart = a[key] > b[key] ? a[key] - b[key] : b[key] - a[key]
			over = apart - 0.05 * n
			if (over > 0 && over * over > 4 * 4 * n) {
				print "different: " a[key] + 0, b[key] + 0, key
				bad = 1
			}
			if (a[key] > 100) rows++
		}
		print rows + 0 " rows of more than 100 samples"
		exit bad || rows != 8
	}' live.rows imported.rows >compared.log || fail "imported otherwise than recorded: $(cat compared.log live.rows imported.rows)"
cat compared.log
