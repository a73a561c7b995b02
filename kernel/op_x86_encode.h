/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of the x86 event select registers and counters: pure functions, tested on the host
 * (tests/unit/x86_encode_test.cpp). Layouts: Intel SDM volume 3, "Performance monitoring"; AMD APM volume 2, "Core
 * performance-monitoring counters". No register is touched here.
 */
#ifndef OP_X86_ENCODE_H
#define OP_X86_ENCODE_H

#include "uapi/op_stream.h"

#define OP_X86_UNIT_MASK_SHIFT 8 /* bits 8-15 */
#define OP_X86_USR 0x00010000ULL /* bit 16: counts in user mode */
#define OP_X86_OS 0x00020000ULL /* bit 17: counts in kernel mode */
#define OP_X86_EDGE 0x00040000ULL /* bit 18 */
#define OP_X86_PIN 0x00080000ULL /* bit 19: pin control, never set */
#define OP_X86_INT 0x00100000ULL /* bit 20: interrupt on overflow */
#define OP_X86_ENABLE 0x00400000ULL /* bit 22 */
#define OP_X86_INVERT 0x00800000ULL /* bit 23 */
#define OP_X86_CMASK 0xff000000ULL /* bits 24-31: counter mask */
#define OP_X86_HOST_ONLY 0x20000000000ULL /* bit 41, AMD: does not count in guests; with SVM off, does not count at all */
#define OP_X86_EXTRA (OP_X86_EDGE | OP_X86_INVERT | OP_X86_CMASK) /* the bits that `extra` may have */

/* The differences between vendors' select registers. */
struct op_x86_layout {
	op_u64 event_mask; /* bits of an event code; its bits 8-11 go to bits 32-35 */
	op_u64 host_only; /* the bit by which a counter stops in guests; 0 = it does not exist */
};

/* The settings of a select register. */
struct op_x86_settings {
	op_u64 event;
	op_u64 unit_mask;
	op_u64 extra;
	op_u64 kernel; /* not 0: in kernel mode */
	op_u64 user;
	op_u64 host_only; /* not 0: not in guests, where there is a bit for that */
};

static inline struct op_x86_layout op_x86_layout_intel(void)
{
	struct op_x86_layout layout = { 0xff, 0 };

	return layout;
}

/* The bits for guests came with family 0x10. */
static inline struct op_x86_layout op_x86_layout_amd(unsigned int family)
{
	struct op_x86_layout layout = { 0xfff, family >= 0x10 ? OP_X86_HOST_ONLY : 0 };

	return layout;
}

/*
 * The select word for counting, without ENABLE. Bits of the settings that the register does not have are ignored. All other bits
 * are 0, whatever the register held: what an earlier user left there (ANY, IN_TX, UMASK2, EQ ...) would change what is counted.
 */
static inline op_u64 op_x86_select_word(const struct op_x86_layout *layout, const struct op_x86_settings *settings)
{
	op_u64 event = settings->event & layout->event_mask;
	op_u64 word = OP_X86_INT;

	word |= (event & 0xff) | (event >> 8) << 32;
	word |= (settings->unit_mask & 0xff) << OP_X86_UNIT_MASK_SHIFT;
	word |= settings->extra & OP_X86_EXTRA;
	word |= settings->user ? OP_X86_USR : 0;
	word |= settings->kernel ? OP_X86_OS : 0;
	word |= settings->host_only ? layout->host_only : 0;
	return word;
}

/* All ones in a counter of `width` (1 to 64) bits. */
static inline op_u64 op_x86_counter_mask(unsigned int width)
{
	return ~0ULL >> (64 - width);
}

/* The value from which a counter overflows after `count` events. */
static inline op_u64 op_x86_counter_start(op_u64 count, unsigned int width)
{
	return (0 - count) & op_x86_counter_mask(width);
}

/* A counter starts with its top bit set; an overflow clears it. */
static inline int op_x86_counter_overflowed(op_u64 value, unsigned int width)
{
	return !(value >> (width - 1) & 1);
}

#endif
