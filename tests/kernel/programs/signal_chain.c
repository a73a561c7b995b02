// SPDX-License-Identifier: GPL-2.0-or-later
// signal_chain MILLISECONDS: spends that much CPU time in read_clock, which asks the vDSO for the time, called by handler,
// a signal handler that runs while interrupted() sends itself the signal.
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t end;
static volatile int64_t now;

__attribute__((noipa)) void read_clock(void) {
    struct timespec t;
    for (int i = 0; i < 1000; i++)
        clock_gettime(CLOCK_MONOTONIC, &t);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    now = t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noipa)) void handler(int signal) {
    (void)signal;
    while (now < end)
        read_clock();
}

__attribute__((noipa)) int interrupted(void) {
    return raise(SIGUSR1) + 1;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    end = atoll(argv[1]) * 1000000;
    signal(SIGUSR1, handler);
    return interrupted() - 1;
}
