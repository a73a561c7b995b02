// SPDX-License-Identifier: GPL-2.0-or-later
// known_instructions WORD...: executes 31 + 8000000 * WORDS instructions in user mode, no more and no fewer: what
// counts them can be checked. It makes one child; each of the two goes through a loop of four instructions a million times
// for each word. Without a C library, whose start would be counted too. The number behind an instruction is how often
// it is executed besides the loop, by parent and child together.
__asm__(
#ifdef __aarch64__
    ".globl _start\n"
    "_start:\n"
    "    ldr x19, [sp]\n"                    // 1: the number of words, and one
    "    sub x19, x19, #1\n"                 // 1
    "    mov x0, #17\n"                      // 1: SIGCHLD
    "    mov x1, #0\n"                       // 1
    "    mov x2, #0\n"                       // 1
    "    mov x3, #0\n"                       // 1
    "    mov x4, #0\n"                       // 1
    "    mov x8, #220\n"                     // 1: clone
    "    svc #0\n"                           // 1
    "    mov x20, x0\n"                      // 2: 0 in the child
    "    movz x21, #0x4240\n"                // 2
    "    movk x21, #0xf, lsl #16\n"          // 2: a million
    "    mul x21, x21, x19\n"                // 2
    "1:  nop\n"
    "    nop\n"
    "    subs x21, x21, #1\n"
    "    b.ne 1b\n"
    "    cbz x20, 2f\n"                      // 2
    "    mov x0, #-1\n"                      // 1
    "    mov x1, #0\n"                       // 1
    "    mov x2, #0\n"                       // 1
    "    mov x3, #0\n"                       // 1
    "    mov x8, #260\n"                     // 1: wait4
    "    svc #0\n"                           // 1
    "2:  mov x0, #0\n"                       // 2
    "    mov x8, #94\n"                      // 2: exit_group
    "    svc #0\n"                           // 2
#elif defined(__powerpc64__)
    ".globl _start\n"
    "_start:\n"
    "    ld 14, 0(1)\n"                     // 1: the number of words, and one
    "    addi 14, 14, -1\n"                 // 1
    "    li 3, 17\n"                        // 1: SIGCHLD
    "    li 4, 0\n"                         // 1
    "    li 5, 0\n"                         // 1
    "    li 0, 120\n"                       // 1: clone
    "    sc\n"                              // 1
    "    mr 15, 3\n"                        // 2: 0 in the child
    "    lis 16, 0xf\n"                     // 2
    "    ori 16, 16, 0x4240\n"              // 2: a million
    "    mulld 16, 16, 14\n"                // 2
    "1:  nop\n"
    "    nop\n"
    "    addic. 16, 16, -1\n"
    "    bne 1b\n"
    "    cmpdi 15, 0\n"                     // 2
    "    beq 2f\n"                          // 2
    "    li 3, -1\n"                        // 1
    "    li 4, 0\n"                         // 1
    "    li 5, 0\n"                         // 1
    "    li 6, 0\n"                         // 1
    "    li 0, 114\n"                       // 1: wait4
    "    sc\n"                              // 1
    "2:  li 3, 0\n"                         // 2
    "    li 0, 234\n"                       // 2: exit_group
    "    sc\n"                              // 2
#else
#error "the instructions of this architecture have not been counted"
#endif
);
