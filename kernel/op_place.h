/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placing of user samples: from an address in a process to an offset in an image.
 */
#ifndef OP_PLACE_H
#define OP_PLACE_H

struct irq_work;
struct op_slot;
struct work_struct;

/*
 * Passes a slot of this CPU, which holds a sample of the current process, on to be placed. Called from the handler,
 * interrupts off, also in NMI.
 */
void op_hand_over(struct op_slot *slot);

/* The functions of a store's nmi_work, work and retry. */
void op_hand_over_nmi_queue(struct irq_work *irq_work);
void op_place_work_queue(struct work_struct *work);
void op_place_retry_queue(struct work_struct *work);

/* Returns when no code of this module runs for a sampled process any more. Process context, while stopped. */
void op_quiesce(void);

#endif
