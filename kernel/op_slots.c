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
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "op_place.h"

DEFINE_PER_CPU(struct op_store, op_stores);

static u32 op_epoch; /* written by op_drain_slots(); read anywhere */
static unsigned long slot_count, slot_bytes; /* of each store; op_mutex */

struct op_slot *op_take_slot(void)
{
	struct op_store *store = this_cpu_ptr(&op_stores);
	struct llist_node *node = llist_del_first(&store->free);
	struct op_slot *slot;

	if (!node)
		return NULL;
	slot = llist_entry(node, struct op_slot, node);
	atomic_inc(&store->out);
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

static size_t slot_size(unsigned long depth)
{
	return sizeof(struct op_slot) + depth * sizeof(u64);
}

u64 op_stores_size(unsigned long samples, unsigned long depth)
{
	return (u64)samples * slot_size(depth) * num_possible_cpus();
}

static int fill_store(struct op_store *store, unsigned int cpu, unsigned long samples, unsigned long depth)
{
	unsigned long i;

	init_llist_head(&store->free);
	init_llist_head(&store->nmi_queue);
	init_llist_head(&store->work_queue);
	init_llist_head(&store->retry_queue);
	/* Hard: in the interrupt itself also on real-time kernels, where `current` is still the sampled process. */
	store->nmi_work = IRQ_WORK_INIT_HARD(op_hand_over_nmi_queue);
	INIT_WORK(&store->work, op_place_work_queue);
	INIT_DELAYED_WORK(&store->retry, op_place_retry_queue);
	atomic_set(&store->out, 0);
	store->slots = vzalloc_node(array_size(samples, slot_size(depth)), cpu_to_node(cpu));
	if (!store->slots)
		return -ENOMEM;
	for (i = 0; i < samples; i++) {
		struct op_slot *slot = store->slots + i * slot_size(depth);

		llist_add(&slot->node, &store->free);
	}
	return 0;
}

int op_alloc_stores(unsigned long samples, unsigned long depth)
{
	unsigned int cpu;

	slot_count = samples;
	slot_bytes = slot_size(depth);
	for_each_possible_cpu(cpu) {
		if (fill_store(per_cpu_ptr(&op_stores, cpu), cpu, samples, depth)) {
			op_free_stores();
			return -ENOMEM;
		}
	}
	return 0;
}

static bool all_back(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (atomic_read(&per_cpu(op_stores, cpu).out))
			return false;
	return true;
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
		if (per_cpu(op_stores, cpu).slots)
			irq_work_sync(&per_cpu(op_stores, cpu).nmi_work);
	while (!all_back()) {
		if (time_after(jiffies, end))
			return false;
		schedule_timeout_uninterruptible(msecs_to_jiffies(10));
	}
	return true;
}

#define OP_LOGGED 4 /* threads that are named */

void op_log_unplaced(void)
{
	unsigned long i;
	unsigned int cpu, logged = 0;
	u32 last = 0;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < slot_count; i++) {
			const struct op_slot *slot = per_cpu(op_stores, cpu).slots + i * slot_bytes;

			if (!slot->out || slot->tid == last)
				continue;
			last = slot->tid;
			pr_warn("waiting for process %u (%.*s), thread %u\n", slot->tgid, OP_COMM_SIZE, slot->comm, slot->tid);
			if (++logged == OP_LOGGED)
				return;
		}
	}
}

void op_free_stores(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct op_store *store = per_cpu_ptr(&op_stores, cpu);

		if (!store->slots)
			continue;
		flush_work(&store->work); /* it may still hold a reference to an mm */
		cancel_delayed_work_sync(&store->retry);
		vfree(store->slots);
		store->slots = NULL;
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
