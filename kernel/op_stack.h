/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes with the copy of a process' stack: registers, and the mappings to which its return addresses belong.
 */
#ifndef OP_STACK_H
#define OP_STACK_H

#include <linux/types.h>

#include "uapi/op_stream.h"

struct mm_struct;
struct pt_regs;

#ifdef CONFIG_ARM64
#define OP_STACK_REGISTERS 33
#define OP_STACK_POINTER 32
#else
#define OP_STACK_REGISTERS 17
#define OP_STACK_POINTER 8
#endif

/* The registers in user mode, as a record has them. */
struct op_registers {
	u64 value[OP_STACK_REGISTERS]; /* the stack pointer at OP_STACK_POINTER */
	bool is_32bit;
};

struct op_stack {
	struct op_user_stack record; /* `registers` and `wanted` as far as they are known */
	u64 registers[OP_STACK_REGISTERS]; /* behind the record in memory, too */
	u64 start; /* user address */
};

/*
 * The registers in user mode of the current process, which is one; NULL if they are not all saved, if the process is about to get
 * another program, or if it never is in user mode. `regs`: of the interrupted code. Any context.
 */
struct pt_regs *op_user_registers(struct pt_regs *regs);

/* The same; NULL also if the reader cannot follow stacks of this kind of program, or if this is no process. */
struct pt_regs *op_stack_registers(struct pt_regs *regs);

void op_save_registers(struct op_registers *registers, const struct pt_regs *regs);

/*
 * Makes the stack ready to be copied: record.maps is OP_NO_MAPS if the process' mappings are not known and cannot be looked
 * at. Of the current process; any context but NMI. `locked`: the mmap lock is held, and op_can_make_cookies().
 */
void op_init_stack(struct op_stack *stack, const struct op_registers *registers, struct mm_struct *mm, bool locked);

#endif
