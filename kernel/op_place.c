// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Placing of user samples. The interrupt does it at once, after an NMI an irq_work, which runs before the process returns to
 * user mode. If the mmap lock is held, or there are callers to place, too, the sampled process does it on its way back to user
 * mode, by task work; or a worker does, if a sampler's interrupt came in kernel code. The mapping is still there then. Where modules may not add task work, or could not be unloaded safely
 * after it, the interrupt does it all. On real-time kernels interrupts place nothing. Nobody waits for the mmap lock: if it is
 * held still, a worker places the sample, with a reference to the process' memory, which it gives up after a second at most.
 */
#include "op_place.h"

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "op_buffer.h"
#include "op_exe.h"
#include "op_identity.h"
#include "op_image.h"
#include "op_main.h"
#include "op_maps.h"
#include "op_slots.h"
#include "op_stack.h"

/*
 * A process may be preempted on the last instructions of our task work, when its slot is already back: only RCU tasks waits for
 * that.
 */
#if defined(OP_HAVE_TASK_WORK) && (!defined(CONFIG_PREEMPTION) || defined(CONFIG_TASKS_RCU))
#define OP_USE_TASK_WORK
#endif

#ifdef OP_USE_TASK_WORK
static bool place_by_worker;
module_param(place_by_worker, bool, 0444);
MODULE_PARM_DESC(place_by_worker, "place user samples in the interrupt or a worker, never in the sampled process");
static bool place_by_task;
module_param(place_by_task, bool, 0444);
MODULE_PARM_DESC(place_by_task, "place user samples in the sampled process, never in the interrupt");
#else
static const bool place_by_worker = true;
static const bool place_by_task;
#endif

#define OP_PATIENCE HZ /* jiffies that a sample waits for the mmap lock; a quarter while a run ends */

/* The memo of this CPU's handler. */
static DEFINE_PER_CPU(struct op_memo, handler_memo);

/*
 * The mapping that contains an address, or NULL. The mmap lock is held. Half the work of find_vma(), which finds the next one, too.
 */
static struct vm_area_struct *mapping_of(struct mm_struct *mm, u64 address)
{
	return mtree_load(&mm->mm_mt, address);
}

/* Memory that only looks like a file: memfd, System V, /dev/zero. A program that was started from such memory is a file. */
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

/* The cookie of what is mapped, and where in it the mapping begins. The mmap lock is held. */
static u64 image_of(struct vm_area_struct *vma, u32 tgid, u32 *cookie, struct op_memo *memo)
{
	if (vma->vm_file && !is_memory(vma->vm_mm, vma->vm_file)) {
		*cookie = op_file_cookie(vma->vm_file, memo);
		return (u64)vma->vm_pgoff << PAGE_SHIFT;
	}
	*cookie = op_region_cookie(vma, tgid);
	return 0;
}

void op_describe_mapping(struct vm_area_struct *vma, u32 tgid, struct op_mapped *mapped, unsigned int *left)
{
	bool is_file = vma->vm_file && !is_memory(vma->vm_mm, vma->vm_file);

	*mapped = (struct op_mapped){
		.start = vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
		.offset = is_file ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0,
		.image = is_file ? op_inode_cookie(op_inode_of(vma->vm_file), NULL) : op_find_region_cookie(vma, tgid),
	};
	if (mapped->image != OP_NO_COOKIE || !*left)
		return;
	--*left;
	image_of(vma, tgid, &mapped->image, NULL);
}

/* Fills in the place of a user address; OP_STATS, or why it has none. The mmap lock is held. */
static enum op_stat place_address(struct mm_struct *mm, u64 address, u32 tgid, struct op_place *place, struct op_memo *memo)
{
	struct vm_area_struct *vma = mapping_of(mm, address);

	if (!vma)
		return OP_STAT_NO_MAPPING;
	place->reserved = 0;
	place->offset = address - vma->vm_start + image_of(vma, tgid, &place->image, memo);
	return place->image == OP_NO_COOKIE ? OP_STAT_OVERFLOW : OP_STATS;
}

/* A sample as it goes into the task ring. */
struct placed_sample {
	struct op_record_placed record;
	struct op_place caller[OP_MAX_DEPTH]; /* record.frames of them, then the raw data */
	u64 raw_room[OP_MAX_RAW / sizeof(u64)];
};

static void place_callers(struct op_slot *slot, struct mm_struct *mm, struct placed_sample *sample)
{
	enum op_stat failure = OP_STATS;
	unsigned int i;

	for (i = 0; i < slot->callers; i++) {
		if (!is_code(mapping_of(mm, slot->caller[i])))
			break; /* not a frame: code without frame pointers */
		failure = place_address(mm, slot->caller[i], slot->tgid, &sample->caller[i], NULL);
		if (failure != OP_STATS)
			break;
	}
	if (failure != OP_STATS)
		op_count(slot->cpu, failure == OP_STAT_NO_MAPPING ? OP_STAT_TRACE_NO_MAPPING : OP_STAT_TRACE_ABORTED);
	sample->record.frames = i;
	sample->record.header.size = sizeof(sample->record) + i * sizeof(struct op_place);
}

static enum op_stat find_place(const struct op_slot *slot, struct mm_struct *mm, struct op_record_placed *record)
{
	op_init_placed(record, slot->event, OP_MODE_USER);
	return place_address(mm, slot->pc, slot->tgid, &record->place, NULL);
}

/* `stack`: of the current process, or NULL. */
static void keep(struct op_slot *slot, u32 app, struct op_record_placed *record, struct op_stack *stack)
{
	struct op_context context;
	unsigned long flags;

	op_init_context(&context, slot->cpu, slot->tgid, slot->tid, slot->comm);
	context.record.app = app;
	context.time = slot->time;
	local_irq_save(flags);
	if (op_slot_counts(slot))
		op_settle_slot(slot, op_put_task_sample(&context, record, stack) ? OP_STATS : OP_STAT_OVERFLOW);
	op_return_slot(slot);
	local_irq_restore(flags);
}

/* The mmap lock is held by the three that follow; they release it. */
static void place_alone(struct op_slot *slot, struct mm_struct *mm)
{
	struct op_record_placed record;
	enum op_stat failure = find_place(slot, mm, &record);

	mmap_read_unlock(mm);
	if (failure == OP_STATS)
		keep(slot, op_exe_cookie(mm), &record, NULL);
	else
		op_lose_slot(slot, failure);
}

/* With callers or raw data. Apart, as it costs to have so much on the stack: kernels clear it. */
static noinline void place_with_more(struct op_slot *slot, struct mm_struct *mm)
{
	struct placed_sample sample;
	enum op_stat failure = find_place(slot, mm, &sample.record);

	if (failure == OP_STATS)
		place_callers(slot, mm, &sample);
	mmap_read_unlock(mm);
	if (slot->has_raw)
		op_add_raw(&sample.record, &(struct op_raw){ op_raw_of(slot), slot->raw_size });
	if (failure == OP_STATS)
		keep(slot, op_exe_cookie(mm), &sample.record, NULL);
	else
		op_lose_slot(slot, failure);
}

/* The stack is copied if this is the process: what a worker would find is not what was sampled. */
static noinline void place_with_stack(struct op_slot *slot, struct mm_struct *mm)
{
	struct op_record_placed record;
	struct op_stack stack;
	enum op_stat failure = find_place(slot, mm, &record);
	bool own = slot->task == current;

	if (failure == OP_STATS && own)
		op_init_stack(&stack, op_registers_of(slot), mm, true);
	mmap_read_unlock(mm);
	record.stack_end = OP_STACK_END_NOT_COPIED;
	if (failure == OP_STATS)
		keep(slot, op_exe_cookie(mm), &record, own ? &stack : NULL);
	else
		op_lose_slot(slot, failure);
}

/* The program of the current process; OP_NO_COOKIE if it has none and cannot get one here. */
static u32 own_program(void)
{
	return op_can_make_cookies() ? op_exe_cookie(current->mm) : op_find_exe_cookie(current->mm, NULL);
}

/* A kernel sample that was taken in NMI: with the stack, if its process still runs here. Interrupts are off. */
static noinline void place_kernel(struct op_slot *slot)
{
	bool own = slot->task == current && op_is_process();
	struct placed_sample sample;
	struct op_stack stack;
	unsigned int i;

	op_init_placed(&sample.record, slot->event, OP_MODE_KERNEL);
	sample.record.place = (struct op_place){ .offset = slot->pc };
	for (i = 0; i < slot->callers; i++)
		sample.caller[i] = (struct op_place){ .offset = slot->caller[i] };
	sample.record.frames = sample.record.kernel_frames = slot->callers;
	sample.record.header.size += slot->callers * sizeof(struct op_place);
	sample.record.stack_end = OP_STACK_END_NOT_COPIED;
	if (own)
		op_init_stack(&stack, op_registers_of(slot), current->mm, false);
	keep(slot, slot->app ?: (own ? own_program() : OP_NO_COOKIE), &sample.record, own ? &stack : NULL);
}

/* False, with nothing done, if the mmap lock is held. Does not sleep: process context, or where op_can_make_cookies(). */
static bool place(struct op_slot *slot, struct mm_struct *mm)
{
	if (!op_slot_counts(slot) || !mm) {
		op_lose_slot(slot, OP_STAT_NO_MM);
		return true;
	}
	if (!mmap_read_trylock(mm))
		return false;
	if (slot->wants_stack)
		place_with_stack(slot, mm);
	else if (slot->callers || slot->has_raw)
		place_with_more(slot, mm);
	else
		place_alone(slot, mm);
	return true;
}

static bool can_place_now(void)
{
	return !place_by_task && op_can_make_cookies();
}

bool op_place_now(u64 address, struct op_place *place, enum op_stat *failure, const struct op_registers *registers,
		  struct op_stack *stack)
{
	struct mm_struct *mm = current->mm;

	if (!can_place_now() || !mm || (stack && op_maps_need_task(mm, current->tgid)) || !mmap_read_trylock(mm))
		return false;
	*failure = place_address(mm, address, current->tgid, place, this_cpu_ptr(&handler_memo));
	if (stack)
		op_init_stack(stack, registers, mm, true);
	mmap_read_unlock(mm);
	return true;
}

/* To any CPU's worker; the slot holds a reference to the mm then. Any context but NMI. */
static void give_to_worker(struct op_slot *slot, struct mm_struct *mm)
{
	struct op_store *store = raw_cpu_ptr(&op_stores);

	slot->mm = mm;
	slot->given = jiffies;
	mmget(mm);
	if (llist_add(&slot->node, &store->work_queue))
		queue_work(system_highpri_wq, &store->work);
}

static bool may_wait(const struct op_slot *slot)
{
	unsigned long patience = READ_ONCE(op_state) == OP_ENDING ? OP_PATIENCE / 4 : OP_PATIENCE;

	return op_slot_counts(slot) && time_before(jiffies, slot->given + patience);
}

/* The mmap lock was held for so long that the sample is given up. */
static void give_up(struct op_slot *slot)
{
	/* Without a message of its own about what it left out. */
	static struct ratelimit_state limit = RATELIMIT_STATE_INIT_FLAGS(limit, 10 * HZ, 1, RATELIMIT_MSG_ON_RELEASE);

	if (op_slot_counts(slot) && __ratelimit(&limit))
		pr_warn("process %u (%.*s) keeps its memory map locked: samples are lost\n", slot->tgid, OP_COMM_SIZE, slot->comm);
	op_lose_slot(slot, OP_STAT_PENDING);
}

/*
 * Places what can be placed now, in the order of the queue; the rest is tried again. The last reference to an mm is given up
 * elsewhere, as that may take long.
 */
static void place_queue(struct op_store *store, struct llist_node *queue)
{
	const struct mm_struct *locked = NULL;
	struct op_slot *slot, *next;
	struct mm_struct *mm;

	llist_for_each_entry_safe(slot, next, llist_reverse_order(queue), node) {
		mm = slot->mm;
		if (mm == locked || !place(slot, mm)) {
			locked = mm;
			if (may_wait(slot)) {
				llist_add(&slot->node, &store->retry_queue);
				continue;
			}
			give_up(slot);
		}
		mmput_async(mm);
	}
	if (!llist_empty(&store->retry_queue))
		queue_delayed_work(system_highpri_wq, &store->retry, 1);
}

void op_place_work_queue(struct work_struct *work)
{
	struct op_store *store = container_of(work, struct op_store, work);

	place_queue(store, llist_del_all(&store->work_queue));
}

void op_place_retry_queue(struct work_struct *work)
{
	struct op_store *store = container_of(to_delayed_work(work), struct op_store, retry);

	place_queue(store, llist_del_all(&store->retry_queue));
}

#ifdef OP_USE_TASK_WORK
static void place_own(struct callback_head *work)
{
	struct op_slot *slot = container_of(work, struct op_slot, work);

	if (!place(slot, current->mm))
		give_to_worker(slot, current->mm);
}

static void give_to_task(struct op_slot *slot)
{
	init_task_work(&slot->work, place_own);
	if (task_work_add(current, &slot->work, TWA_RESUME))
		op_lose_slot(slot, OP_STAT_NO_MM);
}
#else
static void give_to_task(struct op_slot *slot)
{
}
#endif

bool op_worker_places_all(void)
{
	return place_by_worker && (place_by_task || IS_ENABLED(CONFIG_PREEMPT_RT));
}

/*
 * Whether the process is on its way back to user mode. A sampler's interrupt may come in kernel code, in which the process can then
 * sleep for any time, with task work that nobody does. NMIs hand over in the interrupt that follows at once, or when the kernel code
 * that they came in allows interrupts.
 */
static bool interrupted_user(void)
{
	struct pt_regs *regs = get_irq_regs();

	return regs && user_mode(regs);
}

/* It takes long to place the sample. */
static bool needs_task(const struct op_slot *slot)
{
	return slot->callers || (slot->wants_stack && op_maps_need_task(current->mm, slot->tgid));
}

/*
 * Interrupts are off, not in NMI; the sampled process is current. With a sampler the interrupt may have come in its kernel code,
 * with any lock held: the mmap lock is only tried here, and others are those that are taken with interrupts off everywhere.
 */
static void hand_over_now(struct op_slot *slot)
{
	if (!op_is_process()) {
		op_lose_slot(slot, OP_STAT_NO_MM);
		return;
	}
	if (can_place_now() && (place_by_worker || !needs_task(slot)) && place(slot, current->mm))
		return;
	if (place_by_worker || !interrupted_user())
		give_to_worker(slot, current->mm);
	else
		give_to_task(slot);
}

/* After an NMI, which cannot hand over itself. */
void op_hand_over_nmi_queue(struct irq_work *irq_work)
{
	struct op_store *store = container_of(irq_work, struct op_store, nmi_work);
	struct llist_node *queue = llist_reverse_order(llist_del_all(&store->nmi_queue));
	struct op_slot *slot, *next;
	u64 began = op_handler_begin();

	llist_for_each_entry_safe(slot, next, queue, node) {
		if (slot->is_kernel)
			place_kernel(slot);
		else if (slot->task == current)
			hand_over_now(slot);
		else
			op_lose_slot(slot, OP_STAT_NO_MM);
	}
	op_end_late_work(began);
}

void op_hand_over(struct op_slot *slot)
{
	struct op_store *store = this_cpu_ptr(&op_stores);

	if (in_nmi()) {
		llist_add(&slot->node, &store->nmi_queue);
		irq_work_queue(&store->nmi_work);
	} else {
		hand_over_now(slot);
	}
}

void op_quiesce(void)
{
	synchronize_rcu();
#if defined(OP_USE_TASK_WORK) && defined(CONFIG_TASKS_RCU)
	synchronize_rcu_tasks();
#endif
}
