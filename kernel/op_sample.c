// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way of a sample. A handler finds the CPU in the kernel: the address goes into the irq ring at once. It finds it in user
 * mode: the address waits in a preallocated slot for the sampled process, which places it itself on its way back to user mode
 * (task work; from NMI through an irq_work, which runs before that way is taken), when it may take its mmap lock and the
 * mapping is still there. Where modules may not add task work, or could not be unloaded safely after it, a worker does it with
 * the memory pinned.
 */
#include "op_sample.h"

#include <linux/file.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "op_backtrace.h"
#include "op_buffer.h"
#include "op_image.h"
#include "op_main.h"
#include "op_stats.h"

/*
 * A process may be preempted on the last instructions of our task work, when nothing counts it any more: only RCU tasks
 * waits for that.
 */
#if defined(OP_HAVE_TASK_WORK) && (!defined(CONFIG_PREEMPTION) || defined(CONFIG_TASKS_RCU))
#define OP_USE_TASK_WORK
#endif

#ifdef OP_USE_TASK_WORK
static bool place_by_worker;
module_param(place_by_worker, bool, 0444);
MODULE_PARM_DESC(place_by_worker, "place user samples in a worker instead of the sampled process");
#else
static const bool place_by_worker = true;
#endif

/* A user sample that waits to be placed. */
struct op_waiting {
	struct callback_head work; /* task work of the sampled process */
	struct llist_node node; /* in the store, or in one of the queues */
	const struct task_struct *task; /* only compared */
	struct mm_struct *mm; /* in work_queue: a reference; else NULL */
	u64 pc;
	u32 cpu; /* that took the sample, and whose slot this is */
	u32 epoch;
	u32 tgid;
	u32 tid;
	char comm[OP_COMM_SIZE];
	u16 event;
	u16 callers;
	u64 caller[]; /* op_settings.backtrace_depth of them */
};

/* A CPU's slots. */
struct op_store {
	void *slots;
	struct llist_head free; /* taken from by this CPU's handler alone, given back to from anywhere */
	atomic_t out; /* slots not in `free` */
	u64 taken; /* slots taken since start; this CPU's handler */
	atomic64_t settled; /* of these, samples that are in a ring or counted as lost */
	struct llist_head nmi_queue; /* NMI -> irq_work */
	struct irq_work nmi_work;
	struct llist_head work_queue; /* handler, or irq_work after NMI -> worker */
	struct work_struct work;
	/* What the handler works with; `busy` keeps a handler that interrupts another out. */
	bool busy;
	struct op_context context;
	u64 caller[OP_MAX_DEPTH];
	struct {
		struct op_record_placed record;
		struct op_place caller[OP_MAX_DEPTH];
	} kernel_sample;
};

static DEFINE_PER_CPU(struct op_store, op_stores);
static u32 op_epoch; /* written under op_mutex while no handler runs */

/* Gives a slot back. Any context but NMI. */
static void give_back(struct op_waiting *w)
{
	struct op_store *store = per_cpu_ptr(&op_stores, w->cpu);

	llist_add(&w->node, &store->free); /* a full barrier: the slot is not touched after the count */
	atomic_dec(&store->out);
}

/*
 * Does the sample still count? False once op_settle() has counted it as lost. Preemption is off from the look that decides to
 * settle(), so that op_settle() can wait.
 */
static bool is_live(const struct op_waiting *w)
{
	return w->epoch == READ_ONCE(op_epoch);
}

/* The sample, which is_live(), is in a ring or lost by that cause (OP_STATS = in a ring). */
static void settle(struct op_waiting *w, enum op_stat loss)
{
	if (loss != OP_STATS)
		op_count(w->cpu, loss);
	atomic64_inc(&per_cpu_ptr(&op_stores, w->cpu)->settled);
}

static void lose(struct op_waiting *w, enum op_stat loss)
{
	preempt_disable();
	if (is_live(w))
		settle(w, loss);
	give_back(w);
	preempt_enable();
}

/* The mapping that holds an address, or NULL. The mmap lock is held. */
static struct vm_area_struct *mapping_of(struct mm_struct *mm, u64 address)
{
	struct vm_area_struct *vma = find_vma(mm, address);

	return vma && vma->vm_start <= address ? vma : NULL;
}

/* Memory that only looks like a file: memfd, System V, /dev/zero. But a program started from it is one. */
static bool is_memory(struct mm_struct *mm, struct file *file)
{
	bool memory;

	if (!(op_user_path(file)->mnt->mnt_flags & MNT_INTERNAL))
		return false;
	rcu_read_lock();
	memory = op_exe_inode(mm) != file_inode(file);
	rcu_read_unlock();
	return memory;
}

static bool is_code(const struct vm_area_struct *vma)
{
	return !vma || (vma->vm_flags & VM_EXEC);
}

/* OP_STATS: placed; else why not. */
static enum op_stat place_address(struct mm_struct *mm, u64 address, u32 tgid, struct op_place *place)
{
	struct vm_area_struct *vma = mapping_of(mm, address);

	if (!vma)
		return OP_STAT_NO_MAPPING;
	place->reserved = 0;
	place->offset = address - vma->vm_start;
	if (vma->vm_file && !is_memory(mm, vma->vm_file)) {
		place->offset += (u64)vma->vm_pgoff << PAGE_SHIFT;
		place->image = op_file_cookie(vma->vm_file);
	} else {
		place->image = op_region_cookie(vma, tgid);
	}
	return place->image == OP_NO_COOKIE ? OP_STAT_OVERFLOW : OP_STATS;
}

static u32 app_cookie(struct mm_struct *mm)
{
	struct file *file;
	u32 cookie;

	rcu_read_lock();
	cookie = op_find_exe_cookie(mm);
	file = cookie ? NULL : op_get_file_rcu(&mm->exe_file);
	rcu_read_unlock();
	if (file) {
		cookie = op_file_cookie(file);
		fput(file);
	}
	return cookie;
}

/* A sample as it goes into the task ring. */
struct placed_sample {
	struct op_record_placed record;
	struct op_place caller[OP_MAX_DEPTH];
};

static void place_callers(struct op_waiting *w, struct mm_struct *mm, struct placed_sample *sample)
{
	enum op_stat failure = OP_STATS;
	unsigned int i;

	for (i = 0; i < w->callers; i++) {
		if (!is_code(mapping_of(mm, w->caller[i])))
			break; /* not a frame: code without frame pointers */
		failure = place_address(mm, w->caller[i], w->tgid, &sample->caller[i]);
		if (failure != OP_STATS)
			break;
	}
	if (failure != OP_STATS)
		op_count(w->cpu, failure == OP_STAT_NO_MAPPING ? OP_STAT_TRACE_NO_MAPPING : OP_STAT_TRACE_ABORTED);
	sample->record.frames = i;
	sample->record.header.size = sizeof(sample->record) + i * sizeof(struct op_place);
}

static enum op_stat find_places(struct op_waiting *w, struct mm_struct *mm, struct placed_sample *sample,
				struct op_context *context)
{
	enum op_stat failure;

	mmap_read_lock(mm);
	failure = place_address(mm, w->pc, w->tgid, &sample->record.place);
	if (failure == OP_STATS)
		place_callers(w, mm, sample);
	mmap_read_unlock(mm);
	context->record.app = app_cookie(mm);
	return failure;
}

static void keep(struct op_waiting *w, struct op_context *context, const struct placed_sample *sample)
{
	preempt_disable();
	if (is_live(w))
		settle(w, op_put_task_sample(context, &sample->record) ? OP_STATS : OP_STAT_OVERFLOW);
	give_back(w);
	preempt_enable();
}

static void place(struct op_waiting *w, struct mm_struct *mm)
{
	struct placed_sample sample;
	struct op_context context;
	enum op_stat failure;

	if (!is_live(w) || !mm) {
		lose(w, OP_STAT_NO_MM);
		return;
	}
	memset(&sample.record, 0, sizeof(sample.record));
	sample.record.header.type = OP_RECORD_PLACED;
	sample.record.event = w->event;
	sample.record.mode = OP_MODE_USER;
	op_init_context(&context, w->cpu, w->tgid, w->tid, w->comm);
	failure = find_places(w, mm, &sample, &context);
	if (failure == OP_STATS)
		keep(w, &context, &sample);
	else
		lose(w, failure);
}

/* In the worker, the memory is pinned. */
static void place_queued(struct work_struct *work)
{
	struct op_store *store = container_of(work, struct op_store, work);
	struct llist_node *queue = llist_reverse_order(llist_del_all(&store->work_queue));
	struct op_waiting *w, *next;
	struct mm_struct *mm;

	llist_for_each_entry_safe(w, next, queue, node) {
		mm = w->mm;
		place(w, mm);
		mmput(mm);
	}
}

#ifdef OP_USE_TASK_WORK
static void place_own(struct callback_head *work)
{
	place(container_of(work, struct op_waiting, work), current->mm);
}

static void give_to_task(struct op_waiting *w)
{
	init_task_work(&w->work, place_own);
	if (task_work_add(current, &w->work, TWA_RESUME))
		lose(w, OP_STAT_NO_MM);
}
#else
static void give_to_task(struct op_waiting *w)
{
}
#endif

/* Interrupts are off, the sampled process is current and was in user mode. */
static void hand_over(struct op_store *store, struct op_waiting *w)
{
	if (!place_by_worker) {
		give_to_task(w);
		return;
	}
	w->mm = current->mm;
	mmget(w->mm);
	if (llist_add(&w->node, &store->work_queue))
		queue_work_on(w->cpu, system_highpri_wq, &store->work);
}

/* After NMIs: they cannot hand over themselves. */
static void hand_over_queued(struct irq_work *irq_work)
{
	struct op_store *store = container_of(irq_work, struct op_store, nmi_work);
	struct llist_node *queue = llist_reverse_order(llist_del_all(&store->nmi_queue));
	struct op_waiting *w, *next;

	llist_for_each_entry_safe(w, next, queue, node) {
		if (w->task == current && current->mm)
			hand_over(store, w);
		else
			lose(w, OP_STAT_NO_MM);
	}
}

static void take_user(struct op_store *store, struct pt_regs *regs, unsigned int event)
{
	struct llist_node *node = llist_del_first(&store->free);
	unsigned int cpu = smp_processor_id();
	struct op_waiting *w;
	bool aborted;

	if (!node) {
		op_count(cpu, OP_STAT_OVERFLOW);
		return;
	}
	w = llist_entry(node, struct op_waiting, node);
	atomic_inc(&store->out);
	store->taken++;
	w->task = current;
	w->mm = NULL;
	w->pc = instruction_pointer(regs);
	w->cpu = cpu;
	w->epoch = op_epoch;
	w->tgid = current->tgid;
	w->tid = current->pid;
	memcpy(w->comm, current->comm, OP_COMM_SIZE);
	w->event = event;
	w->callers = 0;
	if (op_settings.backtrace_depth) {
		w->callers = op_user_callers(regs, w->caller, op_settings.backtrace_depth, &aborted);
		if (aborted)
			op_count(cpu, OP_STAT_TRACE_ABORTED);
	}
	if (in_nmi()) {
		llist_add(&w->node, &store->nmi_queue);
		irq_work_queue(&store->nmi_work);
	} else {
		hand_over(store, w);
	}
}

static bool has_user_stack(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

/* Callers of a kernel sample: the kernel's as addresses, then the process' own, as addresses too. */
static void add_callers(struct op_store *store, struct pt_regs *regs)
{
	struct op_record_placed *record = &store->kernel_sample.record;
	unsigned int depth = op_settings.backtrace_depth;
	unsigned int n = op_kernel_callers(regs, store->caller, depth);
	unsigned int i;
	bool aborted;

	record->kernel_frames = n;
	if (n < depth && has_user_stack()) {
		struct pt_regs *user = task_pt_regs(current);

		store->caller[n++] = instruction_pointer(user);
		n += op_user_callers(user, store->caller + n, depth - n, &aborted);
		if (aborted)
			op_count(smp_processor_id(), OP_STAT_TRACE_ABORTED);
	}
	for (i = 0; i < n; i++)
		store->kernel_sample.caller[i] = (struct op_place){ .offset = store->caller[i] };
	record->frames = n;
}

static void take_kernel(struct op_store *store, struct pt_regs *regs, unsigned int event)
{
	struct op_record_placed *record = &store->kernel_sample.record;
	unsigned int cpu = smp_processor_id();

	memset(record, 0, sizeof(*record));
	record->header.type = OP_RECORD_PLACED;
	record->place.offset = instruction_pointer(regs);
	record->event = event;
	record->mode = OP_MODE_KERNEL;
	if (op_settings.backtrace_depth)
		add_callers(store, regs);
	record->header.size = sizeof(*record) + record->frames * sizeof(struct op_place);
	op_init_context(&store->context, cpu, current->tgid, current->pid, current->comm);
	if (!op_put_irq_sample(&store->context, has_user_stack() ? current->mm : NULL, record))
		op_count(cpu, OP_STAT_OVERFLOW);
}

static bool is_wanted(struct pt_regs *regs, unsigned int counter)
{
	const struct op_counter *c = &op_counters[counter];

	if (!(user_mode(regs) ? c->user : c->kernel))
		return false;
	if (op_settings.pid_filter && current->tgid != op_settings.pid_filter)
		return false;
	return !op_settings.pgrp_filter || task_pgrp_nr(current) == op_settings.pgrp_filter;
}

void op_sample(struct pt_regs *regs, unsigned int counter)
{
	struct op_store *store = this_cpu_ptr(&op_stores);
	unsigned int cpu = smp_processor_id();

	if (store->busy) {
		op_count(cpu, OP_STAT_NESTED);
		return;
	}
	store->busy = true;
	barrier(); /* a handler that interrupts this one sees busy */
	op_tell_guard();
	if (!is_wanted(regs, counter)) {
		op_count(cpu, OP_STAT_FILTERED);
	} else {
		op_count(cpu, OP_STAT_RECEIVED);
		if (user_mode(regs))
			take_user(store, regs, counter);
		else
			take_kernel(store, regs, counter);
	}
	barrier();
	store->busy = false;
}

static size_t slot_size(unsigned long depth)
{
	return sizeof(struct op_waiting) + depth * sizeof(u64);
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
	/* Hard: in the interrupt itself also on real-time kernels, where `current` is still the sampled process. */
	store->nmi_work = IRQ_WORK_INIT_HARD(hand_over_queued);
	INIT_WORK(&store->work, place_queued);
	atomic_set(&store->out, 0);
	store->busy = false;
	store->slots = vzalloc_node(array_size(samples, slot_size(depth)), cpu_to_node(cpu));
	if (!store->slots)
		return -ENOMEM;
	for (i = 0; i < samples; i++) {
		struct op_waiting *w = store->slots + i * slot_size(depth);

		llist_add(&w->node, &store->free);
	}
	return 0;
}

int op_alloc_stores(unsigned long samples, unsigned long depth)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (fill_store(per_cpu_ptr(&op_stores, cpu), cpu, samples, depth)) {
			op_free_stores(0);
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
 * A sampled process that waits for a CPU may take its time. Not for ever: this may be that process. Polled, as slots come back
 * in places that must not take the locks of a wait queue on real-time kernels.
 */
static bool wait_for_all_back(unsigned int seconds)
{
	unsigned long end = jiffies + seconds * HZ;

	while (!all_back()) {
		if (time_after(jiffies, end))
			return false;
		schedule_timeout_uninterruptible(msecs_to_jiffies(10));
	}
	return true;
}

bool op_free_stores(unsigned int seconds)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(op_stores, cpu).slots)
			irq_work_sync(&per_cpu(op_stores, cpu).nmi_work);
	if (!wait_for_all_back(seconds))
		return false;
	for_each_possible_cpu(cpu) {
		struct op_store *store = per_cpu_ptr(&op_stores, cpu);

		if (!store->slots)
			continue;
		flush_work(&store->work); /* it may still be putting an mm */
		vfree(store->slots);
		store->slots = NULL;
	}
	return true;
}

void op_start_epoch(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(op_stores, cpu).taken = 0;
		atomic64_set(&per_cpu(op_stores, cpu).settled, 0);
	}
}

static bool all_settled(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct op_store *store = per_cpu_ptr(&op_stores, cpu);

		if (store->taken != atomic64_read(&store->settled))
			return false;
	}
	return true;
}

void op_settle(void)
{
	unsigned int cpu;
	int i;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&op_stores, cpu)->nmi_work);
	for (i = 0; i < 100 && !all_settled(); i++)
		schedule_timeout_uninterruptible(msecs_to_jiffies(10));
	WRITE_ONCE(op_epoch, op_epoch + 1);
	synchronize_rcu(); /* who saw the old epoch has settled */
	for_each_possible_cpu(cpu) {
		struct op_store *store = per_cpu_ptr(&op_stores, cpu);

		atomic64_add(store->taken - atomic64_read(&store->settled), &per_cpu(op_stats, cpu).count[OP_STAT_PENDING]);
	}
}

void op_quiesce(void)
{
	synchronize_rcu();
#if defined(OP_USE_TASK_WORK) && defined(CONFIG_TASKS_RCU)
	synchronize_rcu_tasks();
#endif
}
