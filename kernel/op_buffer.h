/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buffer: per CPU one ring written by interrupt handlers and one written by processes, and the reader of them all.
 */
#ifndef OP_BUFFER_H
#define OP_BUFFER_H

#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "op_ring.h"
#include "uapi/op_stream.h"

/* Whose samples a ring's writer wrote last, and a context record for it. */
struct op_context {
	struct op_record_context record;
	const void *app_identity; /* irq ring: the inode of the executable, only compared */
};

/*
 * The rings of a CPU. A ring has one producer: `irq` handlers of that CPU, one at a time (op_sample.c), `task` code that
 * runs on it with preemption off. The consumer is the reader, who holds read_mutex.
 */
enum op_ring_kind { OP_RING_IRQ, OP_RING_TASK, OP_RINGS };

struct op_cpu_rings {
	struct op_ring ring[OP_RINGS];
	struct op_context written[OP_RINGS]; /* last context in the ring; the producer's */
	struct op_record_context read[OP_RINGS]; /* last context read from it; the reader's */
};

DECLARE_PER_CPU(struct op_cpu_rings, op_rings);

/*
 * In the irq ring a context may hold a reference to the executable's file instead of a cookie: the reader gives it one.
 */
#define OP_RECORD_IRQ_CONTEXT 0x8001
struct op_record_irq_context {
	struct op_record_context context;
	struct file *exe; /* a reference, or NULL: context.app holds */
};

/* A context record with everything but the executable. */
void op_init_context(struct op_context *context, u32 cpu, u32 tgid, u32 tid, const char *comm);

/*
 * Puts a sample, with a context if it is not that of the sample before, into this CPU's task ring. Process context, preemption
 * off. False if the ring is full.
 */
bool op_put_task_sample(struct op_context *context, const struct op_record_placed *sample);

/* The same for the irq ring, from a handler; mm (may be NULL) tells the executable. */
bool op_put_irq_sample(struct op_context *context, struct mm_struct *mm, const struct op_record_placed *sample);

/* The guard set in or let go on this CPU. From a handler, as op_put_irq_sample(). False if the ring is full. */
bool op_put_throttle(unsigned int counter, bool on);

/* Losses not told yet are kept over op_clear_stats(), which is called here. Process context, while stopped. */
void op_restart_stats(void);

/* Process context, under op_mutex, while stopped. */
u64 op_rings_size(void); /* bytes that op_alloc_rings() will take */
int op_alloc_rings(void);
void op_free_rings(void);

/* Wakes the reader whatever is there: dump, stop. Process context. */
void op_wake_reader(void);

extern const struct file_operations op_buffer_fops;

#endif
