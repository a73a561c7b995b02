// SPDX-License-Identifier: GPL-2.0-or-later
// fixed_work MILLIONS [FRAMES]: executes that many million rounds of a loop, the same instructions every time, and
// prints the nanoseconds that went by. Under an emulator that counts instructions these are instructions, of
// everything that ran. With FRAMES the loop is called through that many functions with 256 bytes of stack each.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noipa)) static uint64_t work(uint64_t rounds) {
    uint64_t x = rounds;
    for (uint64_t i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + (x >> 33);
    return x;
}

__attribute__((noipa)) static uint64_t call(unsigned long frames, uint64_t rounds) {
    volatile char room[232];
    room[0] = 1;
    uint64_t x = frames > 1 ? call(frames - 1, rounds) : work(rounds);
    return x + room[0];
}

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) return 2;
    uint64_t rounds = strtoull(argv[1], NULL, 10) * 1000000;
    unsigned long frames = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    int64_t begin = now_ns();
    uint64_t x = frames > 0 ? call(frames, rounds) : work(rounds);
    printf("elapsed %lld %d\n", (long long)(now_ns() - begin), (int)(x & 1));
    return 0;
}
