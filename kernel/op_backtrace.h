/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains by stack walking. Any context up to NMI; nothing here waits or faults.
 */
#ifndef OP_BACKTRACE_H
#define OP_BACKTRACE_H

#include <linux/types.h>

struct pt_regs;

/* Stores the callers of the kernel code with these registers, innermost first; returns how many, at most depth. */
unsigned int op_kernel_callers(struct pt_regs *regs, u64 *callers, unsigned int depth);

/*
 * Stores the callers of the current process' user code with these registers, found by frame pointers; returns how many. `aborted`:
 * the stack could not be read to its end.
 */
unsigned int op_user_callers(struct pt_regs *regs, u64 *callers, unsigned int depth, bool *aborted);

/* True if these are the registers of a 32-bit program. */
bool op_is_32bit(const struct pt_regs *regs);

/* Copies memory of the current process. Returns the bytes copied: less than `size` if a page is not in memory. */
size_t op_copy_user(void *to, u64 from, size_t size);

#endif
