// SPDX-License-Identifier: GPL-2.0-or-later
// short_lived COUNT RATE: starts COUNT processes one after the other, RATE a second if the machine can; each
// executes this program again, computes for about two milliseconds of CPU time and ends. Prints the rate
// reached.
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static int64_t now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compute(void) {
    volatile uint64_t x = 1;
    int64_t end = now_ns(CLOCK_PROCESS_CPUTIME_ID) + 2000000;
    while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
        for (int i = 0; i < 2000; i++)
            x = x * 6364136223846793005u + i;
    return 0;
}

static void sleep_until(int64_t when) {
    struct timespec t = {when / 1000000000, when % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void reap(int options) {
    while (waitpid(-1, NULL, options) > 0)
        continue;
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "child") == 0) return compute();
    if (argc != 3) return 2;
    int count = atoi(argv[1]);
    int64_t start = now_ns(CLOCK_MONOTONIC);
    char* child[] = {argv[0], "child", NULL};
    for (int i = 0; i < count; i++) {
        sleep_until(start + i * 1000000000LL / atoi(argv[2]));
        if (posix_spawn(&(pid_t){0}, "/proc/self/exe", NULL, NULL, child, NULL) != 0) return 1;
        reap(WNOHANG);
    }
    reap(0);
    printf("rate %lld\n", (long long)(count * 1000000000LL / (now_ns(CLOCK_MONOTONIC) - start)));
    return 0;
}
