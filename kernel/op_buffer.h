/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buffer: each CPU has one ring that its interrupt handlers write and one that processes on it write.
 */
#ifndef OP_BUFFER_H
#define OP_BUFFER_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "op_image.h"
#include "op_main.h"
#include "op_ring.h"
#include "uapi/op_stream.h"

struct mm_struct;
struct op_stack;

/* Whose samples follow in a ring, as a context record, and the time of the next one. */
struct op_context {
	struct op_record_context record;
	u64 time; /* when the sample was taken: CLOCK_MONOTONIC; 0 = the stream has no times */
	struct mm_struct *unknown; /* irq ring: the process' memory, if its executable has no cookie yet; only compared */
};

/*
 * The rings of a CPU. A ring has one producer: of `irq` the handlers of that CPU, one at a time (op_sample.c), of `task` the code
 * that runs on it with interrupts off, but NMIs. The consumer is the reader, who holds read_mutex (op_reader.c).
 */
enum op_ring_kind { OP_RING_IRQ, OP_RING_TASK, OP_RINGS };

/* What holds for the samples at a ring's tail, and what of it is to be written before the next one. */
struct op_read_state {
	struct op_record_context context;
	struct op_record_sample_time time; /* 0: there was none */
	bool context_due;
	bool time_due;
};

struct op_cpu_rings {
	struct op_ring ring[OP_RINGS]; /* lockless, see op_ring.h */
	struct op_context written[OP_RINGS]; /* last context in the ring; per-CPU, its producer only */
	u64 time_written[OP_RINGS]; /* of the last time record in the ring; the same */
	struct op_memo app; /* of the contexts in the irq ring; per-CPU, its producer only */
	struct op_read_state read[OP_RINGS]; /* read_mutex */
};

DECLARE_PER_CPU(struct op_cpu_rings, op_rings);

/*
 * A context in the irq ring whose executable has no cookie yet: the reader makes one, unless the process has ended. It holds the
 * mm_struct alone, not the memory or the files of the process: in NMI no reference to a file can be taken.
 */
#define OP_RECORD_IRQ_CONTEXT 0x8001
struct op_record_irq_context {
	struct op_record_context context;
	struct mm_struct *mm; /* a reference, mmgrab() */
};

/* Fills in everything but the place and the callers. */
void op_init_placed(struct op_record_placed *sample, unsigned int event, enum op_cpu_mode mode);

/* Makes a sample whose callers are in it one with raw data. Behind the callers is room for op_raw_words(). Any context. */
void op_add_raw(struct op_record_placed *sample, const struct op_raw *raw);

/* The time of a sample that is being taken, as op_context.time. Any context. */
u64 op_sample_time(void);

/* Fills in everything but the executable and the time. The name: OP_COMM_SIZE bytes; the reader clears what is behind its NUL. */
void op_init_context(struct op_context *context, u32 cpu, u32 tgid, u32 tid, const char *comm);

/*
 * Puts a sample, with a context if it is not that of the sample before, into this CPU's task ring. Interrupts off, not in NMI.
 * False if the ring is full. `stack`, which may be NULL, is of the current process; if its mappings are not known, or if there is
 * no room for it, the sample goes without it.
 */
bool op_put_task_sample(struct op_context *context, struct op_record_placed *sample, struct op_stack *stack);

/* The same for the irq ring, from a handler; mm, which may be NULL, is that of the executable. */
bool op_put_irq_sample(struct op_context *context, struct mm_struct *mm, struct op_record_placed *sample, struct op_stack *stack);

/* The guard of this CPU starts (on) or stops lengthening periods. From a handler, as above. False if the ring is full. */
bool op_put_throttle(unsigned int counter, bool on);

/*
 * Process context, while the CPUs concerned do not sample: the first makes all rings empty, without memory, and chooses their size
 * for as many CPUs as are online; the third allocates those of one CPU, unless it has them. A ring without memory is full.
 */
int op_init_rings(void);
u64 op_cpu_rings_size(void); /* bytes of a CPU's rings */
int op_alloc_cpu_rings(unsigned int cpu);
void op_free_rings(void);

/* Wakes the reader, even if nothing is there to be read: dump, stop. Process context. */
void op_wake_reader(void);

/*
 * The reader's wait queue, and the flag that the reader has a reason to wake: set by writers in any context, cleared by the
 * reader; no lock, READ_ONCE() and WRITE_ONCE().
 */
extern wait_queue_head_t op_read_wait;
extern bool op_read_ready;

#endif
