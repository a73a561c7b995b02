// SPDX-License-Identifier: GPL-2.0-or-later
// call_chain_32 arm|gcc|thumb FILE: writes a 32-bit Arm program that runs for ever in c, called by b, called by a;
// prints "range NAME FIRST LAST" for a, b and c, their bytes in the file. As machine code, as no other test
// needs a compiler for such programs.
//   arm    the frame pointer r11 points at the caller's, below the return address (AAPCS32, clang)
//   gcc    it points at the return address, above the caller's (gcc -marm)
//   thumb  the same as arm, with r7 (clang -mthumb)
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define A32(word) (uint16_t)(word), (word) >> 16

enum { load_address = 0x10000, max_code = 64 };

struct variant {
    const char* name;
    uint16_t code[max_code / 2];
    unsigned at[4];  ///< where a, b and c begin, and the end of c; in bytes
};

// clang-format off
#define A32_FUNCTION(frame) A32(0xe92d4800) /* push {r11, lr} */, A32(frame)
#define A32_CALL A32(0xeb000000) /* bl . + 8 */, A32(0xe320f000) /* nop */
#define A32_PROGRAM(frame) {A32_CALL, A32_FUNCTION(frame), A32_CALL, A32_FUNCTION(frame), A32_CALL, \
                            A32_FUNCTION(frame), A32(0xeafffffe) /* b . */}
#define T32_FUNCTION 0xb580 /* push {r7, lr} */, 0x466f /* mov r7, sp */
#define T32_CALL 0xf000, 0xf801 /* bl . + 6 */, 0xbf00 /* nop */
// clang-format on

static const struct variant variants[] = {
    {"arm", A32_PROGRAM(0xe1a0b00d) /* mov r11, sp */, {8, 24, 40, 52}},
    {"gcc", A32_PROGRAM(0xe28db004) /* add r11, sp, #4 */, {8, 24, 40, 52}},
    {"thumb",
     {A32(0xfa000000) /* blx . + 8 */, A32(0xe320f000) /* nop */, T32_FUNCTION, T32_CALL, T32_FUNCTION, T32_CALL,
      T32_FUNCTION, 0xe7fe /* b . */},
     {8, 18, 28, 34}},
};

struct program {
    Elf32_Ehdr header;
    Elf32_Phdr segment;
    uint16_t code[max_code / 2];
};

static struct program make_program(const struct variant* variant) {
    struct program p = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_ARM,
                   .e_version = EV_CURRENT,
                   .e_entry = load_address + offsetof(struct program, code),
                   .e_phoff = offsetof(struct program, segment),
                   .e_flags = EF_ARM_EABI_VER5,
                   .e_ehsize = sizeof(Elf32_Ehdr),
                   .e_phentsize = sizeof(Elf32_Phdr),
                   .e_phnum = 1},
        .segment = {.p_type = PT_LOAD,
                    .p_vaddr = load_address,
                    .p_filesz = sizeof p,
                    .p_memsz = sizeof p,
                    .p_flags = PF_R | PF_X,
                    .p_align = 0x1000},
    };
    memcpy(p.code, variant->code, sizeof p.code);
    return p;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const struct variant* v = &variants[i];
        if (strcmp(v->name, argv[1]) != 0) continue;
        struct program program = make_program(v);
        int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0755);
        if (fd < 0 || write(fd, &program, sizeof program) != sizeof program) return 1;
        for (int f = 0; f < 3; f++)
            printf("range %c %zu %zu\n", 'a' + f, offsetof(struct program, code) + v->at[f],
                   offsetof(struct program, code) + v->at[f + 1]);
        return 0;
    }
    return 2;
}
