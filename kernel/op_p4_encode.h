/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of NetBurst's counters (Pentium 4, Xeon) and their values: tables and pure functions, tested on the host
 * (tests/unit/p4_encode_test.cpp). Intel SDM volume 3, "Performance monitoring, processors based on NetBurst microarchitecture". No
 * register is touched here.
 *
 * An event is chosen by an ESCR and counted by a counter, which has a CCCR that selects one of a few ESCRs. Of the 18 counters
 * eight are used, two of each unit. The first four and the ESCRs of even address are half 0, the others half 1; an ESCR can be
 * counted only by its half.
 */
#ifndef OP_P4_ENCODE_H
#define OP_P4_ENCODE_H

#ifdef __KERNEL__
#include <linux/stddef.h>
#else
#include <stddef.h>
#endif

#include "uapi/op_stream.h"

#define OP_P4_WIDTH 40 /* bits of a counter */
#define OP_P4_MAX_COUNT 0x7fffffffULL /* an overflow shows in bit 31 */

#define OP_P4_ESCR_T1_USR 0x1ULL /* bit 0: counts in user mode of the second logical processor */
#define OP_P4_ESCR_T1_OS 0x2ULL
#define OP_P4_ESCR_USR 0x4ULL /* bit 2: of the first, or only one */
#define OP_P4_ESCR_OS 0x8ULL
#define OP_P4_ESCR_MASK_SHIFT 9 /* bits 9-24: unit mask */
#define OP_P4_ESCR_EVENT_SHIFT 25 /* bits 25-30 */

#define OP_P4_CCCR_ENABLE 0x1000ULL /* bit 12 */
#define OP_P4_CCCR_ESCR_SHIFT 13 /* bits 13-15: which of the ESCRs that this counter can count */
#define OP_P4_CCCR_REQUIRED 0x30000ULL /* bits 16-17 */
#define OP_P4_CCCR_PMI_T0 0x4000000ULL /* bit 26: overflows interrupt the first logical processor */
#define OP_P4_CCCR_PMI_T1 0x8000000ULL /* bit 27: the second */
#define OP_P4_CCCR_OVF 0x80000000ULL /* bit 31 */

/* The units of the counters used: counter n is of unit n % 4, and of half n / 4. */
enum op_p4_unit { OP_P4_BPU, OP_P4_MS, OP_P4_FLAME, OP_P4_IQ };
#define OP_P4_UNITS 4
#define OP_P4_COUNTERS 8

/* Where an event can be counted. */
struct op_p4_event {
	op_u8 unit;
	op_u8 escr_select; /* for the CCCR */
	op_u8 event_select; /* for the ESCR */
	op_u16 escr[2]; /* of each half; 0 = it cannot be counted there */
};

/* By code, from 1 on. */
static const struct op_p4_event op_p4_events[] = {
	{ OP_P4_IQ, 5, 0x06, { 0x3cc, 0x3cd } }, /* 0x01 BRANCH_RETIRED */
	{ OP_P4_IQ, 4, 0x03, { 0x3b8, 0x3b9 } }, /* 0x02 MISPRED_BRANCH_RETIRED */
	{ OP_P4_MS, 1, 0x01, { 0x3c4, 0x3c5 } }, /* 0x03 TC_DELIVER_MODE */
	{ OP_P4_BPU, 0, 0x03, { 0x3b2, 0x3b3 } }, /* 0x04 BPU_FETCH_REQUEST */
	{ OP_P4_BPU, 3, 0x18, { 0x3b6, 0x3b7 } }, /* 0x05 ITLB_REFERENCE */
	{ OP_P4_FLAME, 5, 0x02, { 0x3a8, 0x3a9 } }, /* 0x06 MEMORY_CANCEL */
	{ OP_P4_FLAME, 2, 0x08, { 0x3ae, 0x3af } }, /* 0x07 MEMORY_COMPLETE */
	{ OP_P4_FLAME, 2, 0x04, { 0x3ae, 0x3af } }, /* 0x08 LOAD_PORT_REPLAY */
	{ OP_P4_FLAME, 2, 0x05, { 0x3ae, 0x3af } }, /* 0x09 STORE_PORT_REPLAY */
	{ OP_P4_BPU, 2, 0x03, { 0x3aa, 0x3ab } }, /* 0x0a MOB_LOAD_REPLAY */
	{ OP_P4_BPU, 4, 0x01, { 0x3ac, 0x3ad } }, /* 0x0b PAGE_WALK_TYPE */
	{ OP_P4_BPU, 7, 0x0c, { 0x3a0, 0x3a1 } }, /* 0x0c BSQ_CACHE_REFERENCE */
	{ OP_P4_BPU, 6, 0x03, { 0x3a2, 0 } }, /* 0x0d IOQ_ALLOCATION */
	{ OP_P4_BPU, 6, 0x1a, { 0, 0x3a3 } }, /* 0x0e IOQ_ACTIVE_ENTRIES */
	{ OP_P4_BPU, 6, 0x17, { 0x3a2, 0x3a3 } }, /* 0x0f FSB_DATA_ACTIVITY */
	{ OP_P4_BPU, 7, 0x05, { 0x3a0, 0 } }, /* 0x10 BSQ_ALLOCATION */
	{ OP_P4_BPU, 7, 0x06, { 0, 0x3a1 } }, /* 0x11 BSQ_ACTIVE_ENTRIES */
	{ OP_P4_IQ, 5, 0x03, { 0x3cc, 0x3cd } }, /* 0x12 X87_ASSIST */
	{ OP_P4_FLAME, 1, 0x34, { 0x3a4, 0x3a5 } }, /* 0x13 SSE_INPUT_ASSIST */
	{ OP_P4_FLAME, 1, 0x08, { 0x3a4, 0x3a5 } }, /* 0x14 PACKED_SP_UOP */
	{ OP_P4_FLAME, 1, 0x0c, { 0x3a4, 0x3a5 } }, /* 0x15 PACKED_DP_UOP */
	{ OP_P4_FLAME, 1, 0x0a, { 0x3a4, 0x3a5 } }, /* 0x16 SCALAR_SP_UOP */
	{ OP_P4_FLAME, 1, 0x0e, { 0x3a4, 0x3a5 } }, /* 0x17 SCALAR_DP_UOP */
	{ OP_P4_FLAME, 1, 0x02, { 0x3a4, 0x3a5 } }, /* 0x18 64BIT_MMX_UOP */
	{ OP_P4_FLAME, 1, 0x1a, { 0x3a4, 0x3a5 } }, /* 0x19 128BIT_MMX_UOP */
	{ OP_P4_FLAME, 1, 0x04, { 0x3a4, 0x3a5 } }, /* 0x1a X87_FP_UOP */
	{ OP_P4_FLAME, 1, 0x2e, { 0x3a4, 0x3a5 } }, /* 0x1b X87_SIMD_MOVES_UOP */
	{ OP_P4_IQ, 5, 0x02, { 0x3cc, 0x3cd } }, /* 0x1c MACHINE_CLEAR */
	{ OP_P4_BPU, 6, 0x13, { 0x3a2, 0x3a3 } }, /* 0x1d GLOBAL_POWER_EVENTS */
	{ OP_P4_MS, 0, 0x05, { 0x3c0, 0x3c1 } }, /* 0x1e TC_MS_XFER */
	{ OP_P4_MS, 0, 0x09, { 0x3c0, 0x3c1 } }, /* 0x1f UOP_QUEUE_WRITES */
	{ OP_P4_IQ, 5, 0x08, { 0x3cc, 0x3cd } }, /* 0x20 FRONT_END_EVENT */
	{ OP_P4_IQ, 5, 0x0c, { 0x3cc, 0x3cd } }, /* 0x21 EXECUTION_EVENT */
	{ OP_P4_IQ, 5, 0x09, { 0x3cc, 0x3cd } }, /* 0x22 REPLAY_EVENT */
	{ OP_P4_IQ, 4, 0x02, { 0x3b8, 0x3b9 } }, /* 0x23 INSTR_RETIRED */
	{ OP_P4_IQ, 4, 0x01, { 0x3b8, 0x3b9 } }, /* 0x24 UOPS_RETIRED */
	{ OP_P4_IQ, 2, 0x02, { 0x3bc, 0x3bd } }, /* 0x25 UOP_TYPE */
	{ OP_P4_MS, 2, 0x05, { 0x3c2, 0x3c3 } }, /* 0x26 RETIRED_MISPRED_BRANCH_TYPE */
	{ OP_P4_MS, 2, 0x04, { 0x3c2, 0x3c3 } }, /* 0x27 RETIRED_BRANCH_TYPE */
};

#define OP_P4_EVENTS (sizeof(op_p4_events) / sizeof(op_p4_events[0]))

/* The event of a code, or NULL. */
static inline const struct op_p4_event *op_p4_find_event(op_u64 code)
{
	return code >= 1 && code <= OP_P4_EVENTS ? &op_p4_events[code - 1] : NULL;
}

/* FRONT_END_EVENT, EXECUTION_EVENT and REPLAY_EVENT count micro-ops that other ESCRs have to tag, which nothing sets up: never one. */
static inline int op_p4_needs_tags(op_u64 code)
{
	return code >= 0x20 && code <= 0x22;
}

/* Counter n of OP_P4_COUNTERS, and its CCCR. */
static inline op_u32 op_p4_counter(unsigned int n)
{
	static const op_u16 counters[OP_P4_COUNTERS] = { 0x300, 0x304, 0x308, 0x310, 0x302, 0x306, 0x30a, 0x311 };

	return counters[n];
}

static inline op_u32 op_p4_cccr(unsigned int n)
{
	return op_p4_counter(n) + 0x60;
}

/* The processor, as far as its registers differ. */
struct op_p4_processor {
	unsigned int model;
	unsigned int siblings; /* logical processors of a core: 1, or 2, which have half of the registers each */
};

static inline unsigned int op_p4_cpu_counters(const struct op_p4_processor *processor)
{
	return processor->siblings > 1 ? OP_P4_COUNTERS / 2 : OP_P4_COUNTERS;
}

/* True if there is such an ESCR (0x3a0-0x3e1). On model 3 and later there are 43, before 45. */
static inline int op_p4_has_escr(const struct op_p4_processor *processor, op_u32 msr)
{
	if (msr == 0x3ba || msr == 0x3bb) /* IQ_ESCR0 and 1 */
		return processor->model < 3;
	return msr <= 0x3be || (msr >= 0x3c0 && msr <= 0x3c5) || (msr >= 0x3c8 && msr <= 0x3cd) || msr >= 0x3e0;
}

/* The half of an ESCR, a counter or a CCCR: of these, numbers of two bits but for IQ4 and IQ5 (0x310, 0x311, 0x370, 0x371). */
static inline unsigned int op_p4_half(op_u32 msr)
{
	int has_two_bits = msr < 0x3a0 && !(msr & 0x10);

	return has_two_bits ? msr >> 1 & 1 : msr & 1;
}

/* A list of registers, at first empty. */
struct op_p4_list {
	unsigned int length;
	op_u16 msrs[OP_P4_COUNTERS + 18 + 45];
};

static inline void op_p4_append(struct op_p4_list *list, op_u32 msr)
{
	list->msrs[list->length++] = (op_u16)msr;
}

/* Appends the ESCRs of one half, or of both (half = 2). */
static inline void op_p4_append_escrs(struct op_p4_list *list, const struct op_p4_processor *processor, unsigned int half)
{
	op_u32 msr;

	for (msr = 0x3a0; msr <= 0x3e1; msr++)
		if (op_p4_has_escr(processor, msr) && (half == 2 || op_p4_half(msr) == half))
			op_p4_append(list, msr);
}

/* Appends what a logical processor has: the counters that are used, its ESCRs, then all its CCCRs, which may start counters. */
static inline void op_p4_append_own(struct op_p4_list *list, const struct op_p4_processor *processor, unsigned int thread)
{
	unsigned int half = processor->siblings > 1 ? thread : 2;
	unsigned int n;
	op_u32 msr;

	for (n = 0; n < OP_P4_COUNTERS; n++)
		if (half == 2 || op_p4_half(op_p4_counter(n)) == half)
			op_p4_append(list, op_p4_counter(n));
	op_p4_append_escrs(list, processor, half);
	for (msr = 0x360; msr <= 0x371; msr++)
		if (half == 2 || op_p4_half(msr) == half)
			op_p4_append(list, msr);
}

/* The ESCR word of an event for a logical processor (0 or 1). Bits that are not named are 0. */
static inline op_u64 op_p4_escr_word(const struct op_p4_event *event, op_u64 unit_mask, int kernel, int user, unsigned int thread)
{
	op_u64 word = (op_u64)event->event_select << OP_P4_ESCR_EVENT_SHIFT;

	word |= (unit_mask & 0xffff) << OP_P4_ESCR_MASK_SHIFT;
	if (user)
		word |= thread ? OP_P4_ESCR_T1_USR : OP_P4_ESCR_USR;
	if (kernel)
		word |= thread ? OP_P4_ESCR_T1_OS : OP_P4_ESCR_OS;
	return word;
}

/* The CCCR word, without ENABLE. The bits between are 0: no threshold, no cascade, no forced overflow. */
static inline op_u64 op_p4_cccr_word(const struct op_p4_event *event, unsigned int thread)
{
	return OP_P4_CCCR_REQUIRED | (op_u64)event->escr_select << OP_P4_CCCR_ESCR_SHIFT |
	       (thread ? OP_P4_CCCR_PMI_T1 : OP_P4_CCCR_PMI_T0);
}

/* Some overflows do not set the CCCR's flag, and some counters have gone on since: either shows it. */
static inline int op_p4_overflowed(op_u64 counter, op_u64 cccr)
{
	return (cccr & OP_P4_CCCR_OVF) || !(counter & 0x80000000ULL);
}

#endif
