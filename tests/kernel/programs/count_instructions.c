// SPDX-License-Identifier: GPL-2.0-or-later
// count_instructions COMMAND...: runs it and prints how many instructions CPU 0 executed meanwhile, the
// kernel's too.
#include <linux/perf_event.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

int main(int argc, char** argv) {
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof attr, .config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1};
    uint64_t count = 0;
    pid_t pid;
    int status = 0;
    if (argc < 2) return 2;
    int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
    if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) return 1;
    if (posix_spawnp(&pid, argv[1], NULL, NULL, argv + 1, environ) != 0) return 1;
    waitpid(pid, &status, 0);
    if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) != 0 || read(fd, &count, sizeof count) != sizeof count) return 1;
    printf("instructions %llu\n", (unsigned long long)count);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
