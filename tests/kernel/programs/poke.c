// SPDX-License-Identifier: GPL-2.0-or-later
// poke FILE [OFFSET] TEXT: one write of TEXT (printf escapes are not known) at OFFSET; prints the number of
// bytes taken or the name of the error. poke FILE: one read instead; prints what is there. What a shell
// cannot distinguish.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int report_error(void) {
    puts(strerrorname_np(errno));
    return 1;
}

static int read_file(const char* path) {
    char text[4096];
    int fd = open(path, O_RDONLY);
    if (fd < 0) return report_error();
    ssize_t n = read(fd, text, sizeof text);
    if (n < 0) return report_error();
    return fwrite(text, 1, n, stdout) != (size_t)n;
}

int main(int argc, char** argv) {
    if (argc < 2 || argc > 4) return 2;
    if (argc == 2) return read_file(argv[1]);
    const char* text = argv[argc - 1];
    int fd = open(argv[1], O_WRONLY);
    if (fd < 0) return report_error();
    ssize_t n = pwrite(fd, text, strlen(text), argc == 4 ? atoll(argv[2]) : 0);
    if (n < 0) return report_error();
    printf("%zd\n", n);
    return 0;
}
