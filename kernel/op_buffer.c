// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rings of the CPUs: their memory, and their writers, who put contexts, samples and throttle records into them. The reader is
 * op_reader.c.
 */
#include "op_buffer.h"

#include <linux/align.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm_types.h>
#include <linux/sched/mm.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "compat.h"
#include "op_exe.h"
#include "op_main.h"
#include "op_reader.h"
#include "op_stack.h"
#include "op_stats.h"

#define OP_MIN_RING (64UL * 1024)
#define OP_MIN_STACK_RING (1024UL * 1024)
#define OP_MAX_STACK_RING (4096UL * 1024)
#define OP_STACK_MEMORY (256UL * 1024 * 1024) /* of all rings, if they have stacks and that is enough for the least size */
#define OP_PLAIN_SHARE 8 /* of a ring: a part of it is for samples without their stacks, which are better than none */
#define OP_STACK_WAKE_LEVEL (256 * 1024) /* what a read returns, and what second-level caches hold */
#define OP_MIN_SHARE (8 * 1024) /* room in a ring, at least, when it wakes the reader */

DEFINE_PER_CPU(struct op_cpu_rings, op_rings);

DECLARE_WAIT_QUEUE_HEAD(op_read_wait);
bool op_read_ready;

static size_t ring_size; /* bytes; op_mutex, constant while the buffer is open */
static size_t wake_level; /* bytes in use at which a ring wakes the reader; op_mutex, constant while the buffer is open */
static struct irq_work wake_work; /* wakes the reader for a handler; queued from any CPU, no lock */

static void wake_from_irq(struct irq_work *work)
{
	wake_up_interruptible(&op_read_wait);
}

void op_wake_reader(void)
{
	WRITE_ONCE(op_read_ready, true);
	wake_up_interruptible(&op_read_wait);
}

static void wake(void)
{
	smp_mb(); /* behind the record; pairs with the one of deliver() */
	if (READ_ONCE(op_read_ready))
		return;
	WRITE_ONCE(op_read_ready, true);
	irq_work_queue(&wake_work);
}

static void wake_if_full(const struct op_ring *ring)
{
	if (op_ring_used(ring) >= wake_level)
		wake();
}

void op_init_context(struct op_context *context, u32 cpu, u32 tgid, u32 tid, const char *comm)
{
	context->record = (struct op_record_context){
		.header = { .type = OP_RECORD_CONTEXT, .size = sizeof(context->record) },
		.cpu = cpu,
		.tgid = tgid,
		.tid = tid,
	};
	memcpy(context->record.comm, comm, OP_COMM_SIZE);
	context->time = 0;
	context->unknown = NULL;
}

u64 op_sample_time(void)
{
	return op_settings.sample_times ? ktime_get_mono_fast_ns() : 0;
}

void op_init_placed(struct op_record_placed *sample, unsigned int event, enum op_cpu_mode mode)
{
	*sample = (struct op_record_placed){
		.header = { .type = OP_RECORD_PLACED, .size = sizeof(*sample) },
		.event = event,
		.mode = mode,
	};
}

void op_add_raw(struct op_record_placed *sample, const struct op_raw *raw)
{
	void *end = (void *)sample + sample->header.size;
	size_t padded = ALIGN(raw->size, sizeof(u64));

	memset(end, 0, padded);
	memcpy(end, raw->data, raw->size);
	sample->header.type = OP_RECORD_PLACED_RAW;
	sample->header.flags = raw->size;
	sample->header.size += padded;
}

/*
 * Puts the time of a sample, unless the last one holds for it. Times may go back: samples that wait are placed in any order. False
 * if there is no room.
 */
static bool put_time(struct op_ring *ring, u64 *written, u64 time)
{
	struct op_record_sample_time record = {
		.header = { .type = OP_RECORD_SAMPLE_TIME, .size = sizeof(record) },
		.time = time,
	};
	struct op_piece piece = { &record, sizeof(record) };

	if (!time || time - *written < OP_SAMPLE_TIME_SPAN)
		return true;
	if (!op_ring_write(ring, &piece, 1, 0))
		return false;
	*written = time;
	return true;
}

/* By words: every sample is compared. */
static bool same_context(const struct op_context *a, const struct op_context *b)
{
	const u64 *first = (const u64 *)&a->record, *second = (const u64 *)&b->record;
	u64 difference = 0;
	unsigned int i;

	for (i = 0; i < sizeof(a->record) / sizeof(u64); i++)
		difference |= first[i] ^ second[i];
	return !difference && a->unknown == b->unknown;
}

/*
 * Writes a sample with its stack, behind a context, which may be NULL. False, with nothing done, if there is no room or if the
 * mappings are not known. Not inline: kernels clear the stack of every call otherwise.
 */
static noinline bool write_with_stack(struct op_ring *ring, const struct op_context *context, struct op_record_placed *sample,
				      struct op_stack *stack)
{
	size_t head = sizeof(stack->record) + sizeof(stack->registers);
	struct op_piece pieces[] = {
		{ context, context ? sizeof(context->record) : 0 },
		{ sample, sample->header.size },
		{ &stack->record, head },
	};
	size_t skip = pieces[0].size + pieces[1].size + head;

	if (!stack->record.maps || op_ring_room(ring) < skip + stack->record.wanted + ring->size / OP_PLAIN_SHARE)
		return false;
	stack->record.bytes = op_ring_copy_user(ring, skip, stack->start, stack->record.wanted);
	sample->header.type = OP_RECORD_PLACED_STACK;
	sample->header.size += head + stack->record.bytes;
	sample->stack_end = 0;
	return op_ring_write(ring, pieces, ARRAY_SIZE(pieces), stack->record.bytes);
}

static bool write_sample(struct op_ring *ring, const struct op_context *context, const struct op_record_placed *sample)
{
	struct op_piece pieces[] = {
		{ context, sizeof(context->record) },
		{ sample, sample->header.size },
	};
	bool alone = !context;

	return op_ring_write(ring, pieces + alone, ARRAY_SIZE(pieces) - alone, 0);
}

/* With a context, which may be NULL. `cpu` took the sample. */
static bool put_sample(struct op_ring *ring, const struct op_context *context, struct op_record_placed *sample,
		       struct op_stack *stack, unsigned int cpu)
{
	if (stack && write_with_stack(ring, context, sample, stack))
		return true;
	if (!write_sample(ring, context, sample))
		return false;
	if (sample->stack_end == OP_STACK_END_NOT_COPIED)
		op_count(cpu, OP_STAT_STACK_LOST);
	return true;
}

bool op_put_task_sample(struct op_context *context, struct op_record_placed *sample, struct op_stack *stack)
{
	struct op_cpu_rings *rings = this_cpu_ptr(&op_rings);
	struct op_ring *ring = &rings->ring[OP_RING_TASK];
	bool same = same_context(context, &rings->written[OP_RING_TASK]);

	if (!put_time(ring, &rings->time_written[OP_RING_TASK], context->time) ||
	    !put_sample(ring, same ? NULL : context, sample, stack, context->record.cpu))
		return false;
	if (!same)
		rings->written[OP_RING_TASK] = *context;
	wake_if_full(ring);
	return true;
}

/* Adds the executable to the context of a handler's sample. Interrupts are off. */
static void find_app(struct op_context *context, struct mm_struct *mm, struct op_memo *memo)
{
	u32 app;

	if (!mm)
		return;
	app = op_find_exe_cookie(mm, memo);
	if (!app && op_can_make_cookies())
		app = op_exe_cookie(mm);
	if (!app && op_exe_inode(mm))
		context->unknown = mm;
	context->record.app = app;
}

/* Puts the context into the irq ring, where there is room for it. Not inline: kernels clear the stack of every call otherwise. */
static noinline void put_irq_context(struct op_ring *ring, const struct op_context *context)
{
	struct op_record_irq_context c = { .context = context->record, .mm = context->unknown };
	struct op_piece piece = { &c, c.mm ? sizeof(c) : sizeof(c.context) };

	if (c.mm) {
		c.context.header = (struct op_record_header){ .type = OP_RECORD_IRQ_CONTEXT, .size = sizeof(c) };
		mmgrab(c.mm);
	}
	op_ring_write(ring, &piece, 1, 0);
}

bool op_put_irq_sample(struct op_context *context, struct mm_struct *mm, struct op_record_placed *sample, struct op_stack *stack)
{
	struct op_cpu_rings *rings = this_cpu_ptr(&op_rings);
	struct op_ring *ring = &rings->ring[OP_RING_IRQ];

	find_app(context, mm, &rings->app);
	/* Meanwhile only the reader changes the room, and it only grows. */
	if (op_ring_room(ring) < sizeof(struct op_record_sample_time) + sizeof(struct op_record_irq_context) + sample->header.size)
		return false;
	put_time(ring, &rings->time_written[OP_RING_IRQ], context->time);
	if (!same_context(context, &rings->written[OP_RING_IRQ])) {
		put_irq_context(ring, context);
		rings->written[OP_RING_IRQ] = *context;
	}
	put_sample(ring, NULL, sample, stack, context->record.cpu);
	wake_if_full(ring);
	if (context->unknown)
		wake(); /* before the process ends */
	return true;
}

bool op_put_throttle(unsigned int counter, bool on)
{
	struct op_record_throttle record = {
		.header = { .type = OP_RECORD_THROTTLE, .flags = on, .size = sizeof(record) },
		.time = ktime_get_mono_fast_ns(),
		.cpu = smp_processor_id(),
		.event = counter,
	};
	struct op_piece piece = { &record, sizeof(record) };

	return op_ring_write(&this_cpu_ptr(&op_rings)->ring[OP_RING_IRQ], &piece, 1, 0);
}

static size_t least_ring_size(void)
{
	if (!op_settings.stack_size)
		return OP_MIN_RING;
	return clamp(OP_STACK_MEMORY / (num_online_cpus() * OP_RINGS), OP_MIN_STACK_RING, OP_MAX_STACK_RING);
}

static size_t choose_ring_size(void)
{
	size_t words = op_settings.buffer_size / (num_online_cpus() * OP_RINGS);
	size_t least = least_ring_size();

	return roundup_pow_of_two(max(words * sizeof(u64), least));
}

u64 op_cpu_rings_size(void)
{
	return (u64)ring_size * OP_RINGS;
}

int op_init_rings(void)
{
	unsigned int cpu;
	size_t share;

	ring_size = choose_ring_size();
	/* The watershed is room left in the whole buffer; each ring has its share of it, but some room for further records. */
	share = div64_u64((u64)ring_size * op_settings.buffer_watershed, op_settings.buffer_size);
	wake_level = ring_size - max_t(size_t, share, OP_MIN_SHARE);
	if (op_settings.stack_size)
		wake_level = min_t(size_t, wake_level, OP_STACK_WAKE_LEVEL);
	init_irq_work(&wake_work, wake_from_irq);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&op_rings, cpu), 0, sizeof(struct op_cpu_rings));
	return op_alloc_read_room();
}

int op_alloc_cpu_rings(unsigned int cpu)
{
	struct op_ring *ring = per_cpu_ptr(&op_rings, cpu)->ring;
	int kind, error = 0;

	for (kind = 0; kind < OP_RINGS && !error; kind++)
		if (!ring[kind].data)
			error = op_ring_alloc(&ring[kind], ring_size, cpu_to_node(cpu));
	return error;
}

void op_free_rings(void)
{
	unsigned int cpu;
	int kind;

	irq_work_sync(&wake_work);
	for_each_possible_cpu(cpu) {
		for (kind = 0; kind < OP_RINGS; kind++) {
			struct op_ring *ring = &per_cpu_ptr(&op_rings, cpu)->ring[kind];

			op_drop_records(ring);
			op_ring_free(ring);
		}
	}
	op_free_read_room();
}
