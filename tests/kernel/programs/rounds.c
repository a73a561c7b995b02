// SPDX-License-Identifier: GPL-2.0-or-later
// rounds COUNT MODULE: loads the driver, mounts its files, samples for some milliseconds, reads to the end,
// unmounts and unloads, COUNT times. Prints the number of rounds done and of bytes read.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char root[] = "/dev/oprofile";
static long round_number;

static void must(int done, const char* what) {
    if (done) return;
    printf("error in round %ld: %s: %s\n", round_number, what, strerrorname_np(errno));
    exit(1);
}

static int open_file(const char* name, int flags) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    int fd = open(path, flags | O_CLOEXEC);
    must(fd >= 0, name);
    return fd;
}

static void put(const char* name, const char* value) {
    int fd = open_file(name, O_WRONLY);
    must(write(fd, value, strlen(value)) == (ssize_t)strlen(value), name);
    close(fd);
}

static void load(const char* module) {
    int fd = open(module, O_RDONLY | O_CLOEXEC);
    must(fd >= 0, module);
    must(syscall(SYS_finit_module, fd, "timer=1", 0) == 0, "load");
    close(fd);
    must(mount("nodev", root, "oprofilefs", 0, NULL) == 0, "mount");
}

static void unload(void) {
    must(umount(root) == 0, "unmount");
    must(syscall(SYS_delete_module, "oprofile", O_NONBLOCK) == 0, "unload");
}

// Bytes read.
static long sample(long milliseconds) {
    static char bytes[1 << 20];
    long total = 0;
    ssize_t n;
    put("0/count", "500000");
    put("0/kernel", "1");
    put("0/user", "1");
    put("0/enabled", "1");
    int buffer = open_file("buffer", O_RDONLY);
    put("enable", "1");
    usleep(milliseconds * 1000);
    put("enable", "0");
    while ((n = read(buffer, bytes, sizeof bytes)) > 0)
        total += n;
    must(n == 0, "read");
    close(buffer);
    return total;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    long total = 0;
    for (round_number = 1; round_number <= atol(argv[1]); round_number++) {
        load(argv[2]);
        total += sample(round_number % 10);
        unload();
    }
    printf("rounds %ld\nbytes %ld\n", round_number - 1, total);
    return 0;
}
