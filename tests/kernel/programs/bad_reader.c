// SPDX-License-Identifier: GPL-2.0-or-later
// bad_reader: opens the driver's buffer, starts sampling, reads what comes first to memory that nobody may
// write to, and prints the error, whether a reader would have to wait after that ("ready" or "waits"), and what the
// next read to a good address returns ("records", or an error).
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { room_size = 1 << 20 };

static int give_up(const char* what) {
    printf("%s: %s\n", what, strerrorname_np(errno));
    return 1;
}

int main(void) {
    static char room[room_size];
    int buffer = open("/dev/oprofile/buffer", O_RDONLY);
    int enable = open("/dev/oprofile/enable", O_WRONLY);
    if (buffer < 0 || enable < 0 || write(enable, "1", 1) != 1) return give_up("start");
    void* nowhere = mmap(NULL, room_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (nowhere == MAP_FAILED) return give_up("mmap");
    struct pollfd wanted = {buffer, POLLIN, 0};
    int looks = 0;
    while (poll(&wanted, 1, 0) != 1)  // this process is sampled meanwhile
        if (++looks == 10000000) return give_up("nothing is sampled");
    if (read(buffer, nowhere, room_size) >= 0) return give_up("no error");
    puts(strerrorname_np(errno));
    puts(poll(&wanted, 1, 0) == 1 ? "ready" : "waits");
    puts(read(buffer, room, room_size) > 0 ? "records" : strerrorname_np(errno));
    return 0;
}
