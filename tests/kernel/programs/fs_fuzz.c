// SPDX-License-Identifier: GPL-2.0-or-later
// fs_fuzz OPERATIONS [SEED]: random opens, closes, writes, reads, seeks, polls, maps and control calls on
// random files below /dev/oprofile, a few of them open at any time; now and then the settings are made good
// and sampling is started, so that the operations meet the driver in that state too. Prints the seed first;
// last how often each result came, and how often the buffer was opened, sampling was started, and a read gave
// samples. No result is a failure here; the kernel's log shows failures.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { max_files = 1024, pool = 12, errors = 140 };
static const size_t room = 1 << 18;  // what a read needs where stacks are copied
static const char root[] = "/dev/oprofile";

static char* files[max_files];
static int file_count;
static uint64_t state;
static unsigned long results[errors];
static unsigned long opened, started, reads;

static uint64_t random_number(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

static int add_file(const char* path, const struct stat* status, int type, struct FTW* place) {
    (void)status, (void)type, (void)place;
    if (file_count < max_files) files[file_count++] = strdup(path);
    return 0;
}

static void count(long result) {
    results[result < 0 && errno < errors ? errno : 0]++;
}

// Every size is as likely; those that would have the driver clear gigabytes are rare.
static uint64_t random_size(void) {
    return state >> (random_number(256) ? 40 + random_number(24) : random_number(64));
}

// A text that a number file may or may not take.
static size_t random_text(char* text) {
    static const char* const odd[] = {
        "",           "\n",   "0x",    "-1",  "1 2", "18446744073709551616",
        "4294967296", "0777", "1\n\n", "1e3", " 1",  "99999999999999999999999999999999999999999999999999999"};
    switch (random_number(8)) {
        case 0:
            return strlen(strcpy(text, odd[random_number(sizeof odd / sizeof *odd)]));
        case 1:
            for (int i = 0; i < 64; i++)
                text[i] = (char)random_number(256);
            return random_number(65);
        case 2:
            return sprintf(text, "0x%llx", (unsigned long long)random_size());
        case 3:
            return sprintf(text, "%llu\n", (unsigned long long)random_size());
        case 4:
            return sprintf(text, "%llu", 1ULL << random_number(24));
        default:
            return sprintf(text, "%llu", (unsigned long long)random_number(4));
    }
}

static int is_buffer(int fd) {
    struct stat file, buffer;
    return fd >= 0 && fstat(fd, &file) == 0 && stat("/dev/oprofile/buffer", &buffer) == 0 &&
           file.st_ino == buffer.st_ino;
}

static int put(const char* name, const char* value) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, value, strlen(value));
    count(n);
    close(fd);
    return n > 0;
}

static void random_open(int* fd) {
    static const int modes[] = {O_RDONLY,
                                O_WRONLY,
                                O_RDWR,
                                O_RDONLY | O_NONBLOCK,
                                O_RDWR | O_TRUNC,
                                O_WRONLY | O_APPEND,
                                O_RDONLY | O_DIRECTORY,
                                O_RDWR | O_CREAT,
                                O_RDONLY | O_DIRECT};
    const char* path = files[random_number(4) ? random_number(file_count)
                                              : random_number(file_count < 16 ? file_count : 16)];
    if (*fd >= 0) close(*fd);
    *fd = open(path, modes[random_number(sizeof modes / sizeof *modes)] | O_CLOEXEC, 0644);
    count(*fd);
    opened += is_buffer(*fd);
}

static void random_write(int fd) {
    char text[128];
    size_t n = random_text(text);
    count(random_number(4) ? pwrite(fd, text, n, 0) : write(fd, text, n));
}

static void random_read(int fd, char* bytes) {
    size_t n = random_number(3) == 0   ? room
               : random_number(2) == 0 ? random_number(room)
                                       : room >> random_number(18);
    ssize_t got = random_number(2) ? pread(fd, bytes, n, random_number(8) ? 0 : (off_t)random_number(1 << 20))
                                   : read(fd, bytes, n);
    count(got);
    reads += got > 0 && is_buffer(fd);
}

// Whatever the settings were. Some of them are refused if the buffer is open or sampling goes on.
static void start_sampling(int* fd, char* bytes) {
    static const char* const good[][2] = {{"enable", "0"},
                                          {"buffer_size", "65536"},
                                          {"buffer_watershed", "16384"},
                                          {"cpu_buffer_size", "512"},
                                          {"pid_filter", "0"},
                                          {"pgrp_filter", "0"},
                                          {"0/count", "50000"},
                                          {"0/kernel", "1"},
                                          {"0/user", "1"},
                                          {"0/enabled", "1"},
                                          {"timer/cpu0/enabled", "1"}};
    if (*fd >= 0) close(*fd);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        put(good[i][0], good[i][1]);
    *fd = open("/dev/oprofile/buffer", O_RDONLY | O_CLOEXEC | (random_number(2) ? O_NONBLOCK : 0));
    count(*fd);
    opened += *fd >= 0;
    started += put("enable", "1");
    usleep(1000);
    for (int i = 0; i < 3; i++)
        random_read(*fd, bytes);
}

static void random_map(int fd) {
    void* memory =
        mmap(NULL, 4096 << random_number(4), PROT_READ, random_number(2) ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    count(memory == MAP_FAILED ? -1 : 0);
    if (memory != MAP_FAILED) munmap(memory, 4096);
}

static void random_path_operation(void) {
    const char* path = files[random_number(file_count)];
    struct stat status;
    switch (random_number(4)) {
        case 0:
            count(stat(path, &status));
            break;
        case 1:
            count(truncate(path, (off_t)random_number(100)));
            break;
        case 2:
            count(rename(path, "/dev/oprofile/other"));
            break;
        default:
            count(access(path, W_OK));
            break;
    }
}

static void random_operation(int* fds, char* bytes) {
    int* fd = &fds[random_number(pool)];
    if (random_number(100) == 0) return start_sampling(fd, bytes);
    struct pollfd polled = {*fd, POLLIN | POLLOUT, 0};
    switch (*fd < 0 ? 0 : random_number(16)) {
        case 0:
        case 1:
            random_open(fd);
            break;
        case 3:
            count(close(*fd)), *fd = -1;
            break;
        case 4:
        case 5:
        case 6:
        case 7:
        case 8:
            random_write(*fd);
            break;
        case 9:
        case 10:
        case 11:
            random_read(*fd, bytes);
            break;
        case 12:
            count(lseek(*fd, (off_t)random_number(200) - 100, (int)random_number(6)));
            break;
        case 13:
            count(poll(&polled, 1, (int)random_number(2)));
            break;
        case 14:
            random_map(*fd), count(ioctl(*fd, (unsigned)random_number(1 << 16), bytes));
            break;
        default:
            random_path_operation();
            break;
    }
}

static void on_alarm(int signal) {
    (void)signal;
}

// Blocking reads end after some milliseconds.
static void start_alarm(void) {
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval every = {{0, 5000}, {0, 5000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) return 2;
    int fds[pool];
    char* bytes = malloc(room);
    memset(fds, -1, sizeof fds);
    state = argc == 3 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
    printf("seed %llu\n", (unsigned long long)state);
    fflush(stdout);
    state |= 1;
    if (nftw(root, add_file, 16, FTW_PHYS) != 0 || bytes == NULL) return 1;
    time_t begin = time(NULL);
    start_alarm();
    for (long i = 0; i < atol(argv[1]); i++) {
        if (i % 10000 == 0) printf("operation %ld, %ld s\n", i, (long)(time(NULL) - begin)), fflush(stdout);
        random_operation(fds, bytes);
    }
    printf("opened %lu\nstarted %lu\nread %lu\n", opened, started, reads);
    for (int i = 0; i < errors; i++)
        if (results[i]) printf("%s %lu\n", i ? strerrorname_np(i) : "done", results[i]);
    return 0;
}
