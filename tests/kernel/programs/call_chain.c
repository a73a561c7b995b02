// SPDX-License-Identifier: GPL-2.0-or-later
// call_chain MILLISECONDS: spends that much CPU time in chain_c, called by chain_b, called by chain_a: part
// of it computing, part of it in page faults, that is in the kernel. Prints "range NAME FIRST LAST" for a, b
// and c, the functions' bytes in its file, and "base ADDRESS": where its file starts in memory. To be built
// with frame pointers in every function.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

extern const char __start_part_a[], __stop_part_a[], __start_part_b[], __stop_part_b[];
extern const char __start_part_c[], __stop_part_c[], __ehdr_start[];

enum { pages = 256, page_size = 4096 };

// Called by c, so that c has a frame.
__attribute__((noipa)) void leaf(void) {}

__attribute__((noipa, section("part_c"))) uint64_t chain_c(volatile char* memory) {
    uint64_t x = 1;
    for (int page = 0; page < pages; page++) {
        memory[page * page_size] = 1;
        for (int i = 0; i < 5000; i++)
            x = x * 6364136223846793005u + (x >> 33);
        leaf();
    }
    return x;
}

__attribute__((noipa, section("part_b"))) uint64_t chain_b(volatile char* memory) {
    return chain_c(memory) + 1;
}

__attribute__((noipa, section("part_a"))) uint64_t chain_a(volatile char* memory) {
    return chain_b(memory) + 1;
}

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void print_range(const char* name, const char* first, const char* last) {
    printf("range %s %td %td\n", name, first - __ehdr_start, last - __ehdr_start);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    print_range("a", __start_part_a, __stop_part_a);
    print_range("b", __start_part_b, __stop_part_b);
    print_range("c", __start_part_c, __stop_part_c);
    printf("base %llu\n", (unsigned long long)(uintptr_t)__ehdr_start);
    fflush(stdout);
    char* memory = mmap(NULL, pages * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    madvise(memory, pages * page_size, MADV_NOHUGEPAGE);
    volatile uint64_t sink;
    int64_t end = cpu_ns() + atoll(argv[1]) * 1000000;
    while (cpu_ns() < end) {
        sink = chain_a(memory);
        if (madvise(memory, pages * page_size, MADV_DONTNEED) != 0) return 1;
    }
    (void)sink;
    return 0;
}
