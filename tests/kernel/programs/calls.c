// SPDX-License-Identifier: GPL-2.0-or-later
// calls MILLISECONDS: spends that much CPU time, nearly all of it in the kernel.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char** argv) {
    static char bytes[65536];
    if (argc != 2) return 2;
    int zero = open("/dev/zero", O_RDONLY);
    int64_t end = cpu_ns() + atoll(argv[1]) * 1000000;
    while (cpu_ns() < end)
        for (int i = 0; i < 20; i++)
            if (read(zero, bytes, sizeof bytes) < 0) return 1;
    return 0;
}
