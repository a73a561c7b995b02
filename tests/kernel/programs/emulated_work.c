// SPDX-License-Identifier: GPL-2.0-or-later
// emulated_work: a program for an emulated PC without an operating system (Multiboot). It executes a fixed amount of work of the
// kinds that take an emulator's time: translated code, accesses to many pages, and code that is written and has to be translated.
// Ends the emulator with status 33 through its device isa-debug-exit at port 0xf4.
#include <stdint.h>

enum { multiboot_magic = 0x1BADB002, memory = 0x1000000, memory_bytes = 0x2000000 };

__attribute__((section(".multiboot"), used)) static const uint32_t header[3] = {multiboot_magic, 0, -multiboot_magic};

// Code that is copied and executed elsewhere: short blocks, some 4 KiB of them.
__asm__(".pushsection .text\n"
        "blocks: .rept 400\n"
        "addl $3, %eax; xorl %eax, %edx; jc 1f; 1: roll $5, %edx\n"
        ".endr\n"
        "ret\n"
        "blocks_end: .popsection\n");
extern const char blocks[], blocks_end[];

static uint32_t compute(uint32_t rounds, uint32_t seed) {
    for (uint32_t i = 0; i < rounds; i++) {
        seed = seed * 1664525 + 1013904223;
        if (seed & 0x10000) seed ^= seed >> 7;
    }
    return seed;
}

static uint32_t access_memory(uint32_t rounds, uint32_t seed) {
    volatile uint32_t* words = (volatile uint32_t*)memory;
    for (uint32_t i = 0; i < rounds; i++) {
        seed = seed * 1664525 + 1013904223;
        words[(seed >> 4) % (memory_bytes / 4)] += i;
    }
    return seed;
}

static void translate(uint32_t rounds) {
    char* copy = (char*)(memory + memory_bytes);
    for (uint32_t i = 0; i < rounds; i++) {
        for (int at = 0; at < blocks_end - blocks; at++) copy[at] = blocks[at];
        __asm__ volatile("call *%0" : : "r"(copy) : "eax", "edx", "cc", "memory");
    }
}

void work(void) {
    uint32_t seed = compute(200000000, 1);
    access_memory(2000000, seed);
    translate(40);
    __asm__ volatile("outl %0, %1" : : "a"(16), "Nd"((uint16_t)0xf4));
    for (;;) __asm__ volatile("hlt");
}

__asm__(".globl _start\n_start: movl $0x90000, %esp; cld; call work\n");
