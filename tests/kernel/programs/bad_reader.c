// SPDX-License-Identifier: GPL-2.0-or-later
// bad_reader: opens the driver's buffer, starts sampling, reads what comes first to an address where no memory
// is, and prints the error, whether a reader would have to wait after that ("ready" or "waits"), and what the
// next read to a good address returns ("records", or an error).
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
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
    struct pollfd wanted = {buffer, POLLIN, 0};
    if (poll(&wanted, 1, 10000) != 1) return give_up("nothing is sampled");
    if (read(buffer, (void*)16, room_size) >= 0) return give_up("no error");
    puts(strerrorname_np(errno));
    puts(poll(&wanted, 1, 0) == 1 ? "ready" : "waits");
    puts(read(buffer, room, room_size) > 0 ? "records" : strerrorname_np(errno));
    return 0;
}
