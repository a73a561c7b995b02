// SPDX-License-Identifier: GPL-2.0-or-later
// map_run ROUNDS: maps its own file again, runs code in that mapping for a millisecond of CPU time and unmaps
// it, ROUNDS times. The addresses are gone by the time anybody could look them up.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern const char __start_code[], __stop_code[], __ehdr_start[];

// Calls nothing and touches no data, so that it runs wherever it is mapped.
__attribute__((noinline, section("code"))) uint64_t spin(uint64_t rounds) {
    uint64_t x = rounds;
    for (uint64_t i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + (x >> 33);
    return x;
}

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int run_once(int fd, size_t size) {
    char* base = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    if (base == MAP_FAILED) return 1;
    uint64_t (*code)(uint64_t);
    char* address = base + ((const char*)(uintptr_t)spin - __ehdr_start);
    memcpy(&code, &address, sizeof code);
    volatile uint64_t sink;
    int64_t end = cpu_ns() + 1000000;
    do
        sink = code(20000);
    while (cpu_ns() < end);
    (void)sink;
    return munmap(base, size);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    struct stat status;
    int fd = open("/proc/self/exe", O_RDONLY);
    if (fd < 0 || fstat(fd, &status) != 0) return 1;
    printf("range code %td %td\n", __start_code - __ehdr_start, __stop_code - __ehdr_start);
    fflush(stdout);
    for (int i = 0; i < atoi(argv[1]); i++)
        if (run_once(fd, status.st_size) != 0) return 1;
    return 0;
}
