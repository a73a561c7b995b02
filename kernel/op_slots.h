/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots: preallocated per-CPU room for user samples from the handler that takes them until they are placed (op_place.c),
 * and the count of those that are not in a ring or lost yet.
 */
#ifndef OP_SLOTS_H
#define OP_SLOTS_H

#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "op_main.h"
#include "op_stack.h"
#include "op_stats.h"
#include "uapi/op_stream.h"

struct mm_struct;
struct task_struct;

/* A user sample that waits to be placed. Owned by the context that took it out of the store or a queue; no lock. */
struct op_slot {
	struct callback_head work; /* task work of the sampled process */
	struct llist_node node; /* in the store, or in one of the queues */
	const struct task_struct *task; /* only compared */
	struct mm_struct *mm; /* in work_queue and retry_queue: a reference; else NULL */
	unsigned long given; /* the same: since when, jiffies */
	u64 pc;
	u64 time; /* as op_context.time */
	u32 cpu; /* that took the sample, and whose slot this is */
	u32 epoch; /* of the run that took it, see op_slot_counts() */
	u32 tgid;
	u32 tid;
	u32 app; /* with is_kernel: cookie of the program, if it has one */
	char comm[OP_COMM_SIZE];
	u16 event;
	u16 callers;
	bool out; /* not in the store; only for the log */
	bool has_raw;
	bool wants_stack; /* it has registers */
	bool is_kernel; /* a sample of the kernel, taken in NMI: its callers are the kernel's, and it has registers */
	u16 raw_size;
	u64 caller[]; /* op_settings.backtrace_depth of them, then the raw data, then the registers */
};

static inline void *op_raw_of(struct op_slot *slot)
{
	return slot->caller + op_settings.backtrace_depth;
}

static inline struct op_registers *op_registers_of(struct op_slot *slot)
{
	return op_raw_of(slot) + op_raw_words() * sizeof(u64);
}

/* Slots that were allocated at once. */
struct op_chunk;

/* A CPU's slots. It has few at first, and gets more when half of them are out, up to the limit of the settings. */
struct op_store {
	unsigned int cpu; /* constant */
	/* Added to when the CPU comes online and by `grow`, which come one after the other; freed under op_mutex. */
	struct op_chunk *chunks;
	unsigned long total; /* slots in the chunks; the same */
	unsigned long limit; /* of `total`; constant while the buffer is open */
	unsigned long too_few; /* `total` when half of it was out; written by the handler */
	unsigned long retry_at; /* jiffies: none are asked for before; written by `grow` */
	bool warned; /* the log reports that there was no memory; `grow` only */
	struct irq_work grow_irq; /* handler -> grow */
	struct work_struct grow;
	struct llist_head free; /* lockless: only this CPU's handler takes, any CPU gives back */
	atomic_t out; /* slots not in `free`; atomic */
	u64 taken; /* slots taken since the start; per-CPU, handler only */
	atomic64_t settled; /* of these, samples that are in a ring or counted as lost; atomic */
	struct llist_head nmi_queue; /* NMI -> irq_work; lockless */
	struct irq_work nmi_work;
	struct llist_head work_queue; /* any context but NMI -> worker; lockless */
	struct work_struct work;
	struct llist_head retry_queue; /* worker -> worker, a jiffy later; lockless */
	struct delayed_work retry;
};

DECLARE_PER_CPU(struct op_store, op_stores);

/* Takes a slot of this CPU, with cpu and epoch set; NULL if none is free. From the handler, one at a time on a CPU. */
struct op_slot *op_take_slot(void);

/* Returns a slot to its CPU. Any context but NMI. */
void op_return_slot(struct op_slot *slot);

/*
 * False once op_drain_slots() has counted the sample as lost. Preemption stays off from this call until op_settle_slot(), as
 * op_drain_slots() waits for that.
 */
bool op_slot_counts(const struct op_slot *slot);

/* The sample, for which op_slot_counts() is true, is in a ring (loss = OP_STATS) or lost by that cause. */
void op_settle_slot(const struct op_slot *slot, enum op_stat loss);

/* Counts a sample as lost, if it still counts, and returns its slot. Any context but NMI. */
void op_lose_slot(struct op_slot *slot, enum op_stat loss);

/* The rest: process context. The two that wait: while nothing else calls any of them, as of the driver's state. */

/*
 * Sampling has stopped: waits up to a second for samples that are not placed yet, then counts the rest as lost; what is
 * placed later is dropped.
 */
void op_drain_slots(void);

/* Waits until all slots are back; false if that did not happen in time. Then the processes can be logged that have not run. */
bool op_wait_for_slots(unsigned int seconds);
void op_log_unplaced(void);

/* Opening, under op_mutex: the stores are empty, and of the size that the settings now ask for. */
void op_init_stores(void);
u64 op_store_limit(void); /* bytes of a CPU's store that cannot grow any more */
/* The first slots of a CPU, unless it has some. Before it samples. */
int op_alloc_store(unsigned int cpu);
/* Under op_mutex, when all slots are back. */
void op_free_stores(void);

/* Sampling is about to start: the counts of slots start from 0. */
void op_start_epoch(void);

#endif
