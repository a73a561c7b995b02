// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Taking a sample. It goes into the irq ring at once, unless it is of a user address that cannot be placed here, has callers
 * that are to be placed, or was taken in NMI and has a stack: then it goes into a slot (op_place.c).
 */
#include "op_pmu.h"

#include <linux/cpumask.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "op_backtrace.h"
#include "op_buffer.h"
#include "op_exe.h"
#include "op_main.h"
#include "op_place.h"
#include "op_slots.h"
#include "op_stack.h"
#include "op_stats.h"

/* Room for a sample that goes into the ring at once. */
struct op_sample_room {
	u64 address[OP_MAX_DEPTH]; /* of callers, before they are in the record */
	struct op_registers registers;
	struct op_stack stack;
	struct op_record_placed record;
	struct op_place caller[]; /* op_settings.backtrace_depth of them, then op_raw_words(); part of the record */
};

/* The state of a CPU's handler. Per-CPU, handler only; `busy` keeps out a handler that interrupts another. */
struct op_handler {
	bool busy;
	struct op_context context;
	struct op_sample_room *room; /* NULL: there was no memory for this CPU; constant while it samples */
};

static DEFINE_PER_CPU(struct op_handler, op_handlers);

/*
 * The registers of a sampler's sample are of two moments: the address and the mode are those of the sampled instruction, the rest
 * is the interrupt's. So there are no kernel callers, and the process' own are those of its last entry into the kernel.
 */
static bool is_sampler(unsigned int counter)
{
	return op_counters[counter].pmu;
}

/* Callers of a kernel sample: the kernel's, then the process' own unless its stack is copied, all as addresses. */
static void add_callers(struct op_sample_room *room, struct pt_regs *regs, bool with_stack)
{
	struct op_record_placed *record = &room->record;
	unsigned int depth = op_settings.backtrace_depth;
	unsigned int n = is_sampler(record->event) ? 0 : op_kernel_callers(regs, room->address, depth);
	struct pt_regs *user = op_is_process() && !with_stack ? op_user_registers(regs) : NULL;
	unsigned int i;
	bool aborted;

	record->kernel_frames = n;
	if (n < depth && user) {
		room->address[n++] = instruction_pointer(user);
		n += op_user_callers(user, room->address + n, depth - n, &aborted);
		if (aborted)
			op_count(smp_processor_id(), OP_STAT_TRACE_ABORTED);
	}
	for (i = 0; i < n; i++)
		room->caller[i] = (struct op_place){ .offset = room->address[i] };
	record->frames = n;
}

/* Puts the handler's record; mm, which may be NULL, is that of the executable, and `stack`, the same, is ready to be copied. */
static void put_record(struct op_handler *handler, struct mm_struct *mm, const struct op_raw *raw, struct op_stack *stack)
{
	struct op_record_placed *record = &handler->room->record;
	unsigned int cpu = smp_processor_id();

	if (raw)
		op_add_raw(record, raw);
	op_init_context(&handler->context, cpu, current->tgid, current->pid, current->comm);
	handler->context.time = op_sample_time();
	if (!op_put_irq_sample(&handler->context, mm, record, stack))
		op_count(cpu, OP_STAT_OVERFLOW);
}

static void init_slot(struct op_slot *slot, struct pt_regs *regs, unsigned int event)
{
	slot->task = current;
	slot->mm = NULL;
	slot->pc = instruction_pointer(regs);
	slot->time = op_sample_time();
	slot->tgid = current->tgid;
	slot->tid = current->pid;
	memcpy(slot->comm, current->comm, OP_COMM_SIZE);
	slot->event = event;
	slot->callers = 0;
	slot->has_raw = slot->wants_stack = slot->is_kernel = false;
}

/* The current process' registers in user mode; NULL if its stack is not to be copied with this sample. */
static struct pt_regs *registers_for_stack(struct pt_regs *regs, unsigned int event, const struct op_raw *raw)
{
	return op_settings.stack_size && !raw && !is_sampler(event) ? op_stack_registers(regs) : NULL;
}

/* A kernel sample with the stack of its process, which is not copied in NMI. False, with nothing done, if there is no slot. */
static bool take_kernel_later(struct pt_regs *regs, unsigned int event, const struct pt_regs *user)
{
	struct op_slot *slot = op_take_slot();

	if (!slot)
		return false;
	init_slot(slot, regs, event);
	slot->is_kernel = true;
	slot->app = op_find_exe_cookie(current->mm, NULL);
	slot->callers = is_sampler(event) ? 0 : op_kernel_callers(regs, slot->caller, op_settings.backtrace_depth);
	op_save_registers(op_registers_of(slot), user);
	op_hand_over(slot);
	return true;
}

/* How a kernel sample's stack ends if that of its process is not copied. `user`: NULL if it has none, or none that is copied. */
static u8 unfinished_stack(const struct op_record_placed *record, const struct pt_regs *user)
{
	if (user)
		return OP_STACK_END_NOT_COPIED;
	if (record->frames > record->kernel_frames || record->frames == op_settings.backtrace_depth)
		return 0; /* by frame pointers, or cut */
	return op_is_process() ? OP_STACK_END_NOT_COPIED : OP_STACK_END_ROOT;
}

/* Room is there. */
static void take_kernel_now(struct op_handler *handler, struct pt_regs *regs, unsigned int event, const struct op_raw *raw,
			    const struct pt_regs *user)
{
	struct op_sample_room *room = handler->room;
	struct op_record_placed *record = &room->record;
	bool can_copy = user && !in_nmi();

	op_init_placed(record, event, OP_MODE_KERNEL);
	record->place.offset = instruction_pointer(regs);
	if (op_settings.backtrace_depth)
		add_callers(room, regs, user);
	record->header.size += record->frames * sizeof(struct op_place);
	if (op_settings.stack_size)
		record->stack_end = unfinished_stack(record, user);
	if (can_copy) {
		op_save_registers(&room->registers, user);
		op_init_stack(&room->stack, &room->registers, current->mm, false);
	}
	put_record(handler, op_is_process() ? current->mm : NULL, raw, can_copy ? &room->stack : NULL);
}

static void take_kernel(struct op_handler *handler, struct pt_regs *regs, unsigned int event, const struct op_raw *raw)
{
	const struct pt_regs *user = registers_for_stack(regs, event, raw);

	if (!handler->room)
		op_count(smp_processor_id(), OP_STAT_OVERFLOW);
	else if (!user || !in_nmi() || !take_kernel_later(regs, event, user))
		take_kernel_now(handler, regs, event, raw, user);
}

/* False, with nothing done, if the address has to be placed later. `user`: NULL if there is no stack to be copied. */
static bool take_user_now(struct op_handler *handler, struct pt_regs *regs, unsigned int event, const struct op_raw *raw,
			  const struct pt_regs *user)
{
	struct op_sample_room *room = handler->room;
	struct op_stack *stack = user ? &room->stack : NULL;
	enum op_stat failure;

	if (!room || (op_settings.backtrace_depth && !user))
		return false;
	op_init_placed(&room->record, event, OP_MODE_USER);
	if (user)
		op_save_registers(&room->registers, user);
	if (!op_place_now(instruction_pointer(regs), &room->record.place, &failure, &room->registers, stack))
		return false;
	if (user)
		room->record.stack_end = OP_STACK_END_NOT_COPIED;
	if (failure == OP_STATS)
		put_record(handler, current->mm, raw, stack);
	else
		op_count(smp_processor_id(), failure);
	return true;
}

static void keep_raw(struct op_slot *slot, const struct op_raw *raw)
{
	slot->has_raw = raw;
	if (!raw)
		return;
	slot->raw_size = raw->size;
	memcpy(op_raw_of(slot), raw->data, raw->size);
}

/* Callers of a user sample, by frame pointers. */
static void add_user_callers(struct op_slot *slot, struct pt_regs *regs)
{
	struct pt_regs *user = is_sampler(slot->event) ? task_pt_regs(current) : regs;
	bool aborted;

	slot->callers = op_user_callers(user, slot->caller, op_settings.backtrace_depth, &aborted);
	if (aborted)
		op_count(slot->cpu, OP_STAT_TRACE_ABORTED);
}

static void take_user_later(struct pt_regs *regs, unsigned int event, const struct op_raw *raw, const struct pt_regs *user)
{
	struct op_slot *slot = op_take_slot();

	if (!slot) {
		op_count(smp_processor_id(), OP_STAT_OVERFLOW);
		return;
	}
	init_slot(slot, regs, event);
	keep_raw(slot, raw);
	slot->wants_stack = user;
	if (user)
		op_save_registers(op_registers_of(slot), user);
	else if (op_settings.backtrace_depth && op_is_process())
		add_user_callers(slot, regs);
	op_hand_over(slot);
}

static void take_user(struct op_handler *handler, struct pt_regs *regs, unsigned int event, const struct op_raw *raw)
{
	const struct pt_regs *user = registers_for_stack(regs, event, raw);

	if (!take_user_now(handler, regs, event, raw, user))
		take_user_later(regs, event, raw, user);
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

void op_sample_raw(struct pt_regs *regs, unsigned int counter, const struct op_raw *raw)
{
	struct op_handler *handler = this_cpu_ptr(&op_handlers);
	unsigned int cpu = smp_processor_id();

	if (handler->busy) {
		op_count(cpu, OP_STAT_NESTED);
		return;
	}
	handler->busy = true;
	barrier(); /* a handler that interrupts this one sees busy */
	op_report_guard();
	if (!is_wanted(regs, counter)) {
		op_count(cpu, OP_STAT_FILTERED);
	} else {
		op_count(cpu, OP_STAT_RECEIVED);
		if (user_mode(regs))
			take_user(handler, regs, counter, raw);
		else
			take_kernel(handler, regs, counter, raw);
	}
	barrier();
	handler->busy = false;
}

int op_alloc_handler(unsigned int cpu)
{
	struct op_handler *handler = per_cpu_ptr(&op_handlers, cpu);
	size_t size = struct_size(handler->room, caller, op_settings.backtrace_depth) + op_raw_words() * sizeof(u64);

	if (!handler->room)
		handler->room = kzalloc_node(size, GFP_KERNEL, cpu_to_node(cpu));
	return handler->room ? 0 : -ENOMEM;
}

void op_free_handlers(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kfree(per_cpu(op_handlers, cpu).room);
		per_cpu(op_handlers, cpu).room = NULL;
	}
}
