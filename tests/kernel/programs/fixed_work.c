// SPDX-License-Identifier: GPL-2.0-or-later
// fixed_work MILLIONS: executes that many million rounds of a loop, the same instructions every time, and
// prints the nanoseconds that went by. Under an emulator that counts instructions these are instructions, of
// everything that ran.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    uint64_t rounds = strtoull(argv[1], NULL, 10) * 1000000, x = rounds;
    int64_t begin = now_ns();
    for (uint64_t i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + (x >> 33);
    printf("elapsed %lld %d\n", (long long)(now_ns() - begin), (int)(x & 1));
    return 0;
}
