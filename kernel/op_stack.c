// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies of stacks: how much of them, and with which registers. The bytes themselves go from the process straight into a ring
 * (op_ring_copy_user()), with page faults off: a sample puts nobody to sleep and brings no page back.
 */
#include "op_stack.h"

#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/maple_tree.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "op_backtrace.h"
#include "op_exe.h"
#include "op_main.h"
#include "op_maps.h"
#include "op_place.h"

#ifdef CONFIG_X86_64
#include <asm/cpu_entry_area.h>
#endif

#if defined(CONFIG_X86_64)
static bool can_follow(const struct pt_regs *regs)
{
	return true;
}

/* Numbers: System V ABI for x86-64, "DWARF Register Number Mapping". */
void op_save_registers(struct op_registers *registers, const struct pt_regs *regs)
{
	u64 *value = registers->value;

	*registers = (struct op_registers){
		.value = { regs->ip, regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di, regs->bp, regs->sp,
			   regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15 },
		.is_32bit = op_is_32bit(regs),
	};
	if (!registers->is_32bit)
		return;
	value[0] = (u32)value[0];
	value[7] = (u32)value[7];
	value[OP_STACK_POINTER] = (u32)value[OP_STACK_POINTER];
}
#elif defined(CONFIG_ARM64)
/* Chains of 32-bit programs are followed here, by frame pointers. */
static bool can_follow(const struct pt_regs *regs)
{
	return !op_is_32bit(regs);
}

/* Numbers: AADWARF64, "DWARF register names". */
void op_save_registers(struct op_registers *registers, const struct pt_regs *regs)
{
	registers->value[0] = regs->pc;
	memcpy(registers->value + 1, regs->regs, sizeof(regs->regs));
	registers->value[OP_STACK_POINTER] = regs->sp;
	registers->is_32bit = false;
}
#else
static bool can_follow(const struct pt_regs *regs)
{
	return false;
}

void op_save_registers(struct op_registers *registers, const struct pt_regs *regs)
{
	*registers = (struct op_registers){};
}
#endif

#ifdef CONFIG_X86_64
/*
 * An NMI may come while the entry into the kernel saves the registers, on the task's stack or, before that, on the entry stack or
 * even the program's, or while the exit restores them.
 */
static bool are_saved(const struct pt_regs *user, const struct pt_regs *regs)
{
	unsigned long stack = (unsigned long)task_stack_page(current);

	if (regs->sp < TASK_SIZE_MAX || regs->sp - CPU_ENTRY_AREA_BASE < P4D_SIZE)
		return false;
	return regs->sp - stack >= THREAD_SIZE || regs->sp <= (unsigned long)user;
}
#else
static bool are_saved(const struct pt_regs *user, const struct pt_regs *regs)
{
	return true;
}
#endif

/* Threads that the kernel makes for a process, as for io_uring, have none. */
static bool has_user_mode(struct pt_regs *user)
{
	return instruction_pointer(user) && user_mode(user);
}

struct pt_regs *op_user_registers(struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (user_mode(regs))
		return regs;
	return !current->in_execve && are_saved(user, regs) && has_user_mode(user) ? user : NULL;
}

struct pt_regs *op_stack_registers(struct pt_regs *regs)
{
	struct pt_regs *user = op_is_process() ? op_user_registers(regs) : NULL;

	return user && can_follow(user) ? user : NULL;
}

/* The end of the memory in which the stack pointer is; UINT_MAX if that is not known. */
static u64 stack_end(struct mm_struct *mm, u64 pointer, bool locked)
{
	const struct vm_area_struct *vma = locked ? mtree_load(&mm->mm_mt, pointer) : NULL;
	u64 end = vma ? vma->vm_end : U64_MAX;

	/* Above are the program's arguments and its environment. */
	return pointer < mm->start_stack && mm->start_stack < end ? mm->start_stack : end;
}

static u32 find_maps(struct mm_struct *mm, bool *locked, bool *unlock)
{
	*unlock = !*locked && op_can_make_cookies() && mmap_read_trylock(mm);
	*locked = *locked || *unlock;
	return *locked ? op_maps_number(mm, current->tgid) : op_known_maps_number(mm, current->tgid);
}

void op_init_stack(struct op_stack *stack, const struct op_registers *registers, struct mm_struct *mm, bool locked)
{
	u64 pointer = registers->value[OP_STACK_POINTER];
	bool unlock;
	u32 maps = find_maps(mm, &locked, &unlock);
	u64 room = stack_end(mm, pointer, locked) - pointer;

	if (unlock)
		mmap_read_unlock(mm);
	stack->record = (struct op_user_stack){
		.maps = maps,
		.flags = (registers->is_32bit ? OP_STACK_32BIT : 0) | (room > op_settings.stack_size ? OP_STACK_IS_LONGER : 0),
		.registers = OP_STACK_REGISTERS,
		.wanted = round_down(min_t(u64, room, op_settings.stack_size), sizeof(u64)),
	};
	memcpy(stack->registers, registers->value, sizeof(stack->registers));
	stack->start = pointer;
}
