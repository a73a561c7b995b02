// SPDX-License-Identifier: GPL-2.0-or-later
// forks MEGABYTES COUNT: uses that much memory and forks COUNT times, while a thread computes without a
// system call or a page fault. Prints how often that thread slept meanwhile ("slept N"), and how long the
// forks took.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
    _Atomic int state;  ///< 1: the thread computes; 2: it should end
    volatile uint64_t sum;
};

// A fork makes the pages of its process read-only, except shared ones and those that the child does not get:
// this uses no others.
__attribute__((noinline)) static void compute(struct shared* shared) {
    while (atomic_load_explicit(&shared->state, memory_order_relaxed) == 1)
        shared->sum++;
}

static void* thread(void* argument) {
    struct shared* shared = argument;
    struct rusage before, after;
    shared->sum = 0;
    getrusage(RUSAGE_THREAD, &before);
    atomic_store(&shared->state, 1);
    compute(shared);
    getrusage(RUSAGE_THREAD, &after);
    printf("slept %ld\n", after.ru_nvcsw - before.ru_nvcsw);
    return NULL;
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

// Starts the thread with a stack that the child does not get: the kernel itself writes there (rseq).
static int start(pthread_t* id, struct shared* shared) {
    size_t size = 1 << 20;
    void* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    pthread_attr_t attributes;
    if (stack == MAP_FAILED || madvise(stack, size, MADV_DONTFORK) != 0) return 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, size);
    return pthread_create(id, &attributes, thread, shared);
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    size_t size = (size_t)atoi(argv[1]) << 20;
    int flags = MAP_ANONYMOUS | MAP_PRIVATE;
    char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    struct shared* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
    if (memory == MAP_FAILED || shared == MAP_FAILED) return 1;
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += 4096)
        memory[i] = 1;
    pthread_t id;
    if (start(&id, shared) != 0) return 1;
    while (atomic_load(&shared->state) == 0)
        usleep(1000);
    int64_t took = 0;
    for (int i = 0; i < atoi(argv[2]); i++) {
        int64_t begin = now_ms();
        pid_t child = _Fork();  // fork() would write to the thread's stack in the child
        if (child == 0) _exit(0);
        took += now_ms() - begin;
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
        usleep(100000);
    }
    atomic_store(&shared->state, 2);
    pthread_join(id, NULL);
    printf("forks_ms %lld\n", (long long)took);
    return 0;
}
