// SPDX-License-Identifier: GPL-2.0-or-later
// shares MILLISECONDS [CPU]: spends that much CPU time, three parts of it in one function and one in another, in turns of
// about a millisecond, no two alike, lest they keep step with the sampling; with a CPU it runs there alone, and what it
// spends before the turns counts as well, so that two of them spend alike. Prints "range NAME FIRST LAST": the functions'
// bytes in its file, for stream_stat's offsets. The functions are in sections of their own, so that linker symbols bound
// them.
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const char __start_three[], __stop_three[], __start_one[], __stop_one[], __ehdr_start[];

#define SPIN(name)                                                                    \
    __attribute__((noinline, section(#name))) uint64_t spin_##name(uint64_t rounds) { \
        uint64_t x = rounds;                                                          \
        for (uint64_t i = 0; i < rounds; i++)                                         \
            x = x * 6364136223846793005u + (x >> 33);                                 \
        return x;                                                                     \
    }
SPIN(three)
SPIN(one)

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void print_range(const char* name, const char* first, const char* last) {
    printf("range %s %td %td\n", name, first - __ehdr_start, last - __ehdr_start);
}

// Rounds that take about a quarter of a millisecond, fewer if the machine was busy with other things.
static uint64_t try_rounds(volatile uint64_t* sink) {
    uint64_t rounds = 250;
    for (;; rounds *= 2) {
        int64_t before = cpu_ns();
        *sink = spin_three(3 * rounds);
        *sink = spin_one(rounds);
        if (cpu_ns() - before > 2000000) return rounds / 2;
    }
}

// The most that is found, if it is found twice: with few rounds the clock takes a good part of the time.
static uint64_t calibrate(volatile uint64_t* sink) {
    uint64_t most = 0;
    int found = 0;
    for (int i = 0; i < 20 && found < 2; i++) {
        uint64_t rounds = try_rounds(sink);
        if (rounds > most) found = 0;
        if (rounds >= most) found++;
        if (rounds > most) most = rounds;
    }
    return most;
}

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) return 2;
    if (argc == 3) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        CPU_SET(atoi(argv[2]), &cpus);
        if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) return 1;
    }
    print_range("three", __start_three, __stop_three);
    print_range("one", __start_one, __stop_one);
    fflush(stdout);
    volatile uint64_t sink;
    uint64_t rounds = calibrate(&sink);
    int64_t begin = argc == 3 ? 0 : cpu_ns();
    int64_t end = begin + atoll(argv[1]) * 1000000;
    for (uint32_t random = 1; cpu_ns() < end; random = random * 1664525u + 1013904223u) {
        uint64_t turn = rounds / 2 + (rounds * (random >> 16) >> 16); // half to one and a half
        sink = spin_three(3 * turn);
        sink = spin_one(turn);
    }
    return 0;
}
