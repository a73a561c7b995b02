// SPDX-License-Identifier: GPL-2.0-or-later
// counted_loop MILLIONS: executes four million instructions in user mode for each, and less than a million
// besides. x86-64 only.
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    uint64_t rounds = strtoull(argv[1], NULL, 10) * 1000000;
    if (rounds == 0) return 2;
    __asm__ volatile(
        "1: nop\n"
        "   nop\n"
        "   sub $1, %0\n"
        "   jnz 1b\n"
        : "+r"(rounds)
        :
        : "cc");
    return 0;
}
