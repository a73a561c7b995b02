// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains: user code by its frame pointers (System V ABI for x86-64, "The Stack Frame"; AAPCS64, "The Frame Pointer":
 * both keep the caller's frame pointer and the return address side by side; AAPCS32: see read_frame32()), kernel code by the
 * kernel's own unwinder where a module may call it (x86), else by frame pointers within the task's stack.
 */
#include "op_backtrace.h"

#include <linux/compat.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86
#include <asm/unwind.h>
#endif

#include "compat.h"

struct frame64 {
	u64 next;
	u64 return_address;
};

struct frame32 {
	u32 next;
	u32 return_address;
};

static bool copy_user(void *to, u64 from, size_t size)
{
	return op_copy_user(to, from, size) == size;
}

#ifdef CONFIG_X86
size_t op_copy_user(void *to, u64 from, size_t size)
{
	/* Checks the range itself and may be called from NMI. */
	return size - copy_from_user_nmi(to, (const void __user *)(unsigned long)from, size);
}

static u64 frame_pointer_of(const struct pt_regs *regs)
{
	return regs->bp;
}

bool op_is_32bit(const struct pt_regs *regs)
{
	return !user_64bit_mode((struct pt_regs *)regs);
}

unsigned int op_kernel_callers(struct pt_regs *regs, u64 *callers, unsigned int depth)
{
	struct unwind_state state;
	unsigned int n = 0;
	unsigned long address;

	unwind_start(&state, current, regs, NULL);
	unwind_next_frame(&state); /* the first frame is the sampled address itself */
	for (; n < depth && !unwind_done(&state); unwind_next_frame(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		callers[n++] = address;
	}
	return n;
}
#else
size_t op_copy_user(void *to, u64 from, size_t size)
{
	const void __user *place = (const void __user *)(unsigned long)from;
	size_t left;

	if (!access_ok(place, size))
		return 0;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, place, size);
	pagefault_enable();
	return size - left;
}

#ifdef CONFIG_ARM64
bool op_is_32bit(const struct pt_regs *regs)
{
	return compat_user_mode(regs);
}

static u64 frame_pointer_of(const struct pt_regs *regs)
{
	if (op_is_32bit(regs))
		return compat_thumb_mode(regs) ? regs->regs[7] : regs->compat_fp;
	return regs->regs[29];
}

/* Whether a word can be the frame pointer of the caller of the frame at `at`; 0 in the outermost frame. */
static bool can_be_frame(u32 word, u64 at)
{
	return !word || (word > at && word - at < SZ_1M && !(word & 3));
}

/*
 * 32-bit Arm code. The frame pointer points at the caller's, with the return address above it (AAPCS32, clang); in gcc's code,
 * other than Thumb, at the return address, with the caller's below it. Bit 0 of a return address means that the caller is Thumb
 * code.
 */
static bool read_frame32(u64 at, struct frame32 *frame)
{
	struct frame32 gcc;

	if (!copy_user(frame, at, sizeof(*frame)))
		return false;
	if (!can_be_frame(frame->next, at) && copy_user(&gcc, at - sizeof(u32), sizeof(gcc)) && can_be_frame(gcc.next, at))
		*frame = gcc;
	frame->return_address &= ~1u;
	return true;
}

/* A chain ends where it leaves the task's stack: interrupts run on another. */
unsigned int op_kernel_callers(struct pt_regs *regs, u64 *callers, unsigned int depth)
{
	unsigned long low = (unsigned long)task_stack_page(current);
	unsigned long high = low + THREAD_SIZE - sizeof(struct frame64);
	unsigned long at = regs->regs[29];
	unsigned int n = 0;

	while (n < depth && at >= low && at <= high && !(at & 7)) {
		const struct frame64 *frame = (const struct frame64 *)at;
		u64 address = op_strip_kernel_pac(READ_ONCE(frame->return_address));

		if (!address)
			break;
		callers[n++] = address;
		low = at + sizeof(*frame);
		at = READ_ONCE(frame->next);
	}
	return n;
}
#else
static u64 frame_pointer_of(const struct pt_regs *regs)
{
	return 0; /* unknown for this architecture: chains are empty */
}

bool op_is_32bit(const struct pt_regs *regs)
{
	return false;
}

unsigned int op_kernel_callers(struct pt_regs *regs, u64 *callers, unsigned int depth)
{
	return 0;
}
#endif
#endif

#ifndef CONFIG_ARM64
static bool read_frame32(u64 at, struct frame32 *frame)
{
	return copy_user(frame, at, sizeof(*frame));
}
#endif

static bool read_frame(u64 at, bool narrow, struct frame64 *frame)
{
	struct frame32 small;

	if (!narrow)
		return copy_user(frame, at, sizeof(*frame));
	if (!read_frame32(at, &small))
		return false;
	frame->next = small.next;
	frame->return_address = small.return_address;
	return true;
}

unsigned int op_user_callers(struct pt_regs *regs, u64 *callers, unsigned int depth, bool *aborted)
{
	bool narrow = op_is_32bit(regs);
	u64 at = frame_pointer_of(regs);
	struct frame64 frame;
	unsigned int n = 0;
	u64 address;

	*aborted = false;
	while (n < depth && at && !(at & 3)) {
		if (!read_frame(at, narrow, &frame)) {
			*aborted = true;
			break;
		}
		address = op_strip_user_pac(frame.return_address);
		if (!address || address >= TASK_SIZE_MAX) /* not a frame: code without frame pointers */
			break;
		callers[n++] = address;
		if (frame.next <= at) /* stacks grow downwards: callers are at higher addresses */
			break;
		at = frame.next;
	}
	return n;
}
