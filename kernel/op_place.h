/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placing of user samples: from an address in a process to an offset in an image.
 */
#ifndef OP_PLACE_H
#define OP_PLACE_H

#include <linux/sched.h>
#include <linux/types.h>

#include "op_stats.h"

struct irq_work;
struct op_mapped;
struct op_place;
struct op_registers;
struct op_slot;
struct op_stack;
struct vm_area_struct;
struct work_struct;

/* True if the current task runs user code: it is no kernel thread, not even one that uses a process' memory. Any context. */
static inline bool op_is_process(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

/*
 * From the handler: finds the place of an address of the current process; `failure` is OP_STATS, or why it has none. False, with
 * nothing done, if that is not possible at once: in NMI, or if the process' memory map is locked. `stack`, which may be NULL, is
 * made ready, too, as op_init_stack() does.
 */
bool op_place_now(u64 address, struct op_place *place, enum op_stat *failure, const struct op_registers *registers,
		  struct op_stack *stack);

/*
 * A mapping of the process tgid. `left` is how many images may be new ones, and gets less with each; without one the image is
 * OP_NO_COOKIE. The mmap lock is held; where op_can_make_cookies().
 */
void op_describe_mapping(struct vm_area_struct *vma, u32 tgid, struct op_mapped *mapped, unsigned int *left);

/*
 * Passes a slot of this CPU, which holds a sample of the current process, on to be placed. Called from the handler,
 * interrupts off, also in NMI.
 */
void op_hand_over(struct op_slot *slot);

/* True if a worker places all user samples: it may wait long for a CPU where real-time programs run. Any context. */
bool op_worker_places_all(void);

/* The functions of a store's nmi_work, work and retry. */
void op_hand_over_nmi_queue(struct irq_work *irq_work);
void op_place_work_queue(struct work_struct *work);
void op_place_retry_queue(struct work_struct *work);

/* Returns when no code of this module runs for a sampled process any more. Process context, while stopped. */
void op_quiesce(void);

#endif
