// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One CPU of the register-level x86 models: its counter registers and its NMI handler.
 *
 * A counter starts at -count and interrupts when it passes 0, as an NMI through the local APIC's LVTPC. The NMI
 * handler reads every counter in use: one whose top bit is clear has overflowed; it makes a sample and is started again.
 */
#include "op_pmu_x86.h"

#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "op_pmu.h"

#define OP_X86_LATE_WAIT_US 20 /* an interrupt arrives within this time */

/*
 * A CPU's state. Per-CPU: saved values in the hot-plug callbacks with interrupts off, the rest also in NMI.
 */
struct op_x86_cpu {
	bool counting; /* NMIs take samples */
	u64 selects[OP_MAX_COUNTERS]; /* saved registers */
	u64 counters[OP_MAX_COUNTERS];
	u64 global_ctrl;
	u32 lvtpc;
	unsigned int late; /* NMIs that may still come for overflows that are handled already */
	unsigned long late_until; /* jiffies */
};

static DEFINE_PER_CPU(struct op_x86_cpu, op_x86_cpus);

atomic_t op_x86_faults;

static u64 op_x86_read(u32 msr)
{
	u64 value;

	return op_msr.read(msr, &value) ? 0 : value;
}

static void op_x86_write(u32 msr, u64 value)
{
	if (op_msr.write(msr, value))
		atomic_inc(&op_x86_faults);
}

/* A counter that cannot be read has not overflowed. */
static bool op_x86_overflowed(unsigned int i)
{
	u64 value;

	if (op_msr.read(op_x86_counter_msr(i), &value))
		return false;
	return op_x86_counter_overflowed(value, op_x86_pmu->width);
}

static void op_x86_arm(unsigned int i, u64 count)
{
	op_x86_write(op_x86_counter_msr(i), op_x86_counter_start(count, op_x86_pmu->width));
}

static void op_x86_sample(struct pt_regs *regs, unsigned int i)
{
	u64 began = op_handler_begin();
	u64 count;

	op_sample(regs, i);
	count = op_next_count(i, began, op_x86_pmu->max_count);
	/* In this order, so that an overflow right after the arming interrupts again. */
	if (op_x86_pmu->global_clear)
		op_x86_write(op_x86_pmu->global_clear, BIT_ULL(i));
	op_x86_arm(i, count);
}

/*
 * Counters are read after the vector was opened: one that overflowed while it was masked is found now, one that overflows from
 * now on interrupts again.
 */
static unsigned int op_x86_collect(struct pt_regs *regs)
{
	unsigned int handled = 0;
	unsigned int i;

	if (op_x86_pmu->masks_vector) {
		if (op_x86_pmu->global_clear)
			op_x86_write(op_x86_pmu->global_clear, GENMASK_ULL(op_x86_pmu->counters - 1, 0));
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	}
	for (i = 0; i < op_x86_pmu->counters; i++) {
		if (!op_counter_used(i) || !op_x86_overflowed(i))
			continue;
		op_x86_sample(regs, i);
		handled++;
	}
	return handled;
}

static unsigned int op_x86_late(const struct op_x86_cpu *cpu)
{
	return time_after(jiffies, cpu->late_until) ? 0 : cpu->late;
}

/*
 * As many NMIs without an overflow may come soon, because an earlier NMI handled their counters. An NMI that found only its own
 * counter does not change how many are expected.
 */
static void op_x86_expect_late(struct op_x86_cpu *cpu, unsigned int count)
{
	if (!count)
		return;
	cpu->late = max(op_x86_late(cpu), count);
	cpu->late_until = jiffies + 2;
}

static bool op_x86_claim_late(struct op_x86_cpu *cpu)
{
	if (!op_x86_late(cpu))
		return false;
	cpu->late--;
	return true;
}

int op_x86_nmi(unsigned int type, struct pt_regs *regs)
{
	struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);
	unsigned int handled = 0;

	if (READ_ONCE(cpu->counting))
		handled = op_x86_collect(regs);
	if (!handled)
		return op_x86_claim_late(cpu) ? NMI_HANDLED : NMI_DONE;
	op_x86_expect_late(cpu, handled - 1);
	return handled;
}
NOKPROBE_SYMBOL(op_x86_nmi);

static u64 op_x86_word(const struct op_x86_cpu *cpu, unsigned int i)
{
	const struct op_counter *counter = &op_counters[i];
	const struct op_x86_settings settings = {
		.event = counter->event,
		.unit_mask = counter->unit_mask,
		.extra = counter->extra,
		.kernel = counter->kernel,
		.user = counter->user,
	};

	return op_x86_select_word(&op_x86_pmu->layout, cpu->selects[i], &settings);
}

/* All counters off and far from overflow. */
static void op_x86_clear(const struct op_x86_cpu *cpu)
{
	unsigned int i;

	if (op_x86_pmu->global_ctrl)
		op_x86_write(op_x86_pmu->global_ctrl, 0);
	for (i = 0; i < op_x86_pmu->counters; i++)
		op_x86_write(op_x86_select_msr(i), op_x86_select_off(&op_x86_pmu->layout, cpu->selects[i]));
	for (i = 0; i < op_x86_pmu->counters; i++)
		op_x86_write(op_x86_counter_msr(i), op_x86_counter_mask(op_x86_pmu->width));
	if (op_x86_pmu->global_clear)
		op_x86_write(op_x86_pmu->global_clear, GENMASK_ULL(op_x86_pmu->counters - 1, 0));
}

static void op_x86_program(const struct op_x86_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++) {
		if (!op_counter_used(i))
			continue;
		op_x86_arm(i, op_counters[i].count);
		op_x86_write(op_x86_select_msr(i), op_x86_word(cpu, i));
	}
}

/* Starts (enable = OP_X86_ENABLE) or stops (0) the programmed counters. */
static void op_x86_switch(const struct op_x86_cpu *cpu, u64 enable)
{
	u64 used = 0;
	unsigned int i;

	if (op_x86_pmu->global_ctrl && !enable)
		op_x86_write(op_x86_pmu->global_ctrl, 0);
	for (i = 0; i < op_x86_pmu->counters; i++) {
		if (!op_counter_used(i))
			continue;
		op_x86_write(op_x86_select_msr(i), op_x86_word(cpu, i) | enable);
		used |= BIT_ULL(i);
	}
	if (op_x86_pmu->global_ctrl && enable)
		op_x86_write(op_x86_pmu->global_ctrl, used);
}

static unsigned int op_x86_pending(void)
{
	unsigned int pending = 0;
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++)
		pending += op_counter_used(i) && op_x86_overflowed(i);
	return pending;
}

void op_x86_cpu_start(void *unused)
{
	struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);

	if (cpu->counting)
		return;
	op_x86_clear(cpu);
	op_x86_program(cpu);
	/* An NMI that came while nothing counted may have left the vector masked. */
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	WRITE_ONCE(cpu->counting, true);
	op_x86_switch(cpu, OP_X86_ENABLE);
}

/*
 * An overflow just before the counters were switched off may still arrive as an NMI: it still makes its sample; an NMI that takes
 * too long is only claimed.
 */
void op_x86_cpu_stop(void *unused)
{
	struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);
	unsigned int pending;
	int tries;

	if (!cpu->counting)
		return;
	op_x86_switch(cpu, 0);
	pending = op_x86_pending();
	for (tries = OP_X86_LATE_WAIT_US; pending && tries; tries--) {
		udelay(1);
		pending = op_x86_pending();
	}
	op_x86_expect_late(cpu, pending);
	WRITE_ONCE(cpu->counting, false);
}

void op_x86_cpu_save(void)
{
	struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++) {
		cpu->selects[i] = op_x86_read(op_x86_select_msr(i));
		cpu->counters[i] = op_x86_read(op_x86_counter_msr(i));
	}
	if (op_x86_pmu->global_ctrl)
		cpu->global_ctrl = op_x86_read(op_x86_pmu->global_ctrl);
	cpu->late = 0;
	cpu->lvtpc = apic->read(APIC_LVTPC);
	apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/* LVTPC may have had the invalid vector 0, which raises the APIC's error interrupt: that is masked while LVTPC is restored. */
static void op_x86_restore_vector(const struct op_x86_cpu *cpu)
{
	u32 error = apic->read(APIC_LVTERR);

	apic->write(APIC_LVTERR, error | APIC_LVT_MASKED);
	apic->write(APIC_LVTPC, cpu->lvtpc);
	apic->write(APIC_LVTERR, error);
}

void op_x86_cpu_restore(void)
{
	const struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);
	unsigned int i;

	op_x86_restore_vector(cpu);
	for (i = 0; i < op_x86_pmu->counters; i++) {
		op_x86_write(op_x86_counter_msr(i), cpu->counters[i]);
		op_x86_write(op_x86_select_msr(i), cpu->selects[i]);
	}
	/* Our overflows must not interrupt the next user of the counters. */
	if (op_x86_pmu->global_clear)
		op_x86_write(op_x86_pmu->global_clear, GENMASK_ULL(op_x86_pmu->counters - 1, 0));
	if (op_x86_pmu->global_ctrl)
		op_x86_write(op_x86_pmu->global_ctrl, cpu->global_ctrl);
}
