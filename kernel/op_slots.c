// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The slots of user samples that wait to be placed: taken by handlers, returned from anywhere, counted on the way.
 */
#include "op_slots.h"

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "op_main.h"
#include "op_memory.h"
#include "op_place.h"

#define OP_FIRST_SHARE 64 /* of the limit: slots that a store begins with */
#define OP_LEAST_SLOTS 16UL

DEFINE_PER_CPU(struct op_store, op_stores);

static u32 op_epoch; /* written by op_drain_slots(); read anywhere */
static unsigned long slot_limit; /* of a store, and below: the size of a slot; op_mutex, constant while the buffer is open */
static unsigned long slot_bytes;

struct op_chunk {
	struct op_chunk *next;
	unsigned long count; /* of slots */
	u64 slots[]; /* struct op_slot, slot_bytes each */
};

/* From the handler: half of `total` slots are out. */
static void want_more(struct op_store *store, unsigned long total)
{
	if (total >= store->limit || time_before(jiffies, READ_ONCE(store->retry_at)))
		return;
	WRITE_ONCE(store->too_few, total);
	irq_work_queue(&store->grow_irq);
}

struct op_slot *op_take_slot(void)
{
	struct op_store *store = this_cpu_ptr(&op_stores);
	struct llist_node *node = llist_del_first(&store->free);
	unsigned long total = READ_ONCE(store->total);
	struct op_slot *slot;

	if (!node)
		return NULL;
	slot = llist_entry(node, struct op_slot, node);
	if (2 * (unsigned int)atomic_inc_return(&store->out) > total)
		want_more(store, total);
	store->taken++;
	slot->out = true;
	slot->cpu = smp_processor_id();
	slot->epoch = op_epoch;
	return slot;
}

void op_return_slot(struct op_slot *slot)
{
	struct op_store *store = per_cpu_ptr(&op_stores, slot->cpu);

	slot->out = false;
	llist_add(&slot->node, &store->free); /* a full barrier: the slot is not touched after the count */
	atomic_dec(&store->out);
}

bool op_slot_counts(const struct op_slot *slot)
{
	return slot->epoch == READ_ONCE(op_epoch);
}

void op_settle_slot(const struct op_slot *slot, enum op_stat loss)
{
	if (loss != OP_STATS)
		op_count(slot->cpu, loss);
	atomic64_inc(&per_cpu_ptr(&op_stores, slot->cpu)->settled);
}

void op_lose_slot(struct op_slot *slot, enum op_stat loss)
{
	preempt_disable();
	if (op_slot_counts(slot))
		op_settle_slot(slot, loss);
	op_return_slot(slot);
	preempt_enable();
}

u64 op_store_limit(void)
{
	return (u64)slot_limit * slot_bytes;
}

static struct op_slot *slot_of(struct op_chunk *chunk, unsigned long i)
{
	return (void *)chunk->slots + i * slot_bytes;
}

/* Adds slots. The CPU may take slots meanwhile. */
static int add_chunk(struct op_store *store, unsigned long count, int node)
{
	struct op_chunk *chunk = vzalloc_node(sizeof(*chunk) + count * slot_bytes, node);
	unsigned long i;

	if (!chunk)
		return -ENOMEM;
	chunk->count = count;
	chunk->next = store->chunks;
	store->chunks = chunk;
	for (i = 0; i < count; i++)
		llist_add(&slot_of(chunk, i)->node, &store->free);
	WRITE_ONCE(store->total, store->total + count);
	return 0;
}

/*
 * Twice as many slots, unless the store has grown since that was asked for: handlers also ask while it grows. If there is no memory
 * for them, the store stays as it is for a second.
 */
static void grow(struct work_struct *work)
{
	struct op_store *store = container_of(work, struct op_store, grow);
	unsigned long count = min(store->total, store->limit - store->total);

	if (READ_ONCE(store->too_few) < store->total)
		return;
	if (op_fits_memory((u64)count * slot_bytes) && !add_chunk(store, count, cpu_to_node(store->cpu)))
		return;
	WRITE_ONCE(store->retry_at, jiffies + HZ);
	if (!store->warned)
		pr_warn("no memory for more than %lu samples of CPU %u that wait to be placed: others may be lost\n", store->total,
			store->cpu);
	store->warned = true;
}

static void grow_from_irq(struct irq_work *work)
{
	queue_work(system_highpri_wq, &container_of(work, struct op_store, grow_irq)->grow);
}

static void init_store(struct op_store *store, unsigned int cpu)
{
	memset(store, 0, sizeof(*store));
	store->cpu = cpu;
	store->limit = slot_limit;
	store->retry_at = jiffies;
	init_irq_work(&store->grow_irq, grow_from_irq);
	INIT_WORK(&store->grow, grow);
	/* Hard: in the interrupt itself also on real-time kernels, where `current` is still the sampled process. */
	store->nmi_work = IRQ_WORK_INIT_HARD(op_hand_over_nmi_queue);
	INIT_WORK(&store->work, op_place_work_queue);
	INIT_DELAYED_WORK(&store->retry, op_place_retry_queue);
}

void op_init_stores(void)
{
	unsigned int cpu;

	slot_limit = op_settings.cpu_buffer_size;
	slot_bytes = sizeof(struct op_slot) + (op_settings.backtrace_depth + op_raw_words()) * sizeof(u64);
	if (op_settings.stack_size)
		slot_bytes += sizeof(struct op_registers);
	for_each_possible_cpu(cpu)
		init_store(per_cpu_ptr(&op_stores, cpu), cpu);
}

int op_alloc_store(unsigned int cpu)
{
	struct op_store *store = per_cpu_ptr(&op_stores, cpu);
	unsigned long first = max(slot_limit / OP_FIRST_SHARE, OP_LEAST_SLOTS);

	/* What lets a store grow is a worker, too: it has no better chance of a CPU than the one that places samples. */
	if (op_worker_places_all())
		first = slot_limit;
	return store->chunks ? 0 : add_chunk(store, first, cpu_to_node(cpu));
}

static bool all_back(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (atomic_read(&per_cpu(op_stores, cpu).out))
			return false;
	return true;
}

/* Nothing samples: no interrupt hands over slots afterwards, and the store does not grow. */
static void settle_store(struct op_store *store)
{
	irq_work_sync(&store->nmi_work);
	irq_work_sync(&store->grow_irq);
	cancel_work_sync(&store->grow);
}

/*
 * A sampled process may wait long for a CPU, but not without limit: this may be that process. Polled, as slots come back in
 * places that must not take the locks of a wait queue on real-time kernels.
 */
bool op_wait_for_slots(unsigned int seconds)
{
	unsigned long end = jiffies + seconds * HZ;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		settle_store(per_cpu_ptr(&op_stores, cpu));
	while (!all_back()) {
		if (time_after(jiffies, end))
			return false;
		schedule_timeout_uninterruptible(msecs_to_jiffies(10));
	}
	return true;
}

#define OP_LOGGED 4 /* threads that are named */

/* The threads of a chunk's slots, after those that were logged before; returns how many that makes. */
static unsigned int log_chunk(struct op_chunk *chunk, unsigned int logged)
{
	unsigned long i;
	u32 last = 0;

	for (i = 0; i < chunk->count && logged < OP_LOGGED; i++) {
		const struct op_slot *slot = slot_of(chunk, i);

		if (!slot->out || slot->tid == last)
			continue;
		last = slot->tid;
		pr_warn("waiting for process %u (%.*s), thread %u\n", slot->tgid, OP_COMM_SIZE, slot->comm, slot->tid);
		logged++;
	}
	return logged;
}

void op_log_unplaced(void)
{
	unsigned int cpu, logged = 0;
	struct op_chunk *chunk;

	for_each_possible_cpu(cpu)
		for (chunk = per_cpu(op_stores, cpu).chunks; chunk; chunk = chunk->next)
			logged = log_chunk(chunk, logged);
}

static void free_chunks(struct op_store *store)
{
	struct op_chunk *chunk, *next;

	for (chunk = store->chunks; chunk; chunk = next) {
		next = chunk->next;
		vfree(chunk);
	}
	store->chunks = NULL;
	init_llist_head(&store->free);
}

void op_free_stores(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct op_store *store = per_cpu_ptr(&op_stores, cpu);

		flush_work(&store->work); /* it may still hold a reference to an mm */
		cancel_delayed_work_sync(&store->retry);
		free_chunks(store);
	}
}

void op_start_epoch(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(op_stores, cpu).taken = 0;
		atomic64_set(&per_cpu(op_stores, cpu).settled, 0);
	}
}

static u64 unsettled(unsigned int cpu)
{
	const struct op_store *store = per_cpu_ptr(&op_stores, cpu);

	return store->taken - atomic64_read(&store->settled);
}

static bool all_settled(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (unsettled(cpu))
			return false;
	return true;
}

void op_drain_slots(void)
{
	unsigned int cpu;
	int i;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&op_stores, cpu)->nmi_work);
	for (i = 0; i < 100 && !all_settled(); i++)
		schedule_timeout_uninterruptible(msecs_to_jiffies(10));
	WRITE_ONCE(op_epoch, op_epoch + 1);
	synchronize_rcu(); /* whoever saw the old epoch has settled its sample */
	for_each_possible_cpu(cpu)
		op_add(cpu, OP_STAT_PENDING, unsettled(cpu));
}
