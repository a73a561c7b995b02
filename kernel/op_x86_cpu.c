// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One CPU of the register-level x86 models: its counter registers and its NMI handler.
 *
 * A counter starts at -count and interrupts when it passes 0, as an NMI through the local APIC's LVTPC. The NMI
 * handler looks at every counter in use: one that has overflowed makes a sample and is started again. The model's scheme
 * (op_pmu_x86.h) reads and writes the counters' registers.
 *
 * The order of the handler: all counters off, counters read and started again, status cleared, LVTPC unmasked, counters checked
 * again, counters on. From Haswell on, LVTPC that is unmasked before the status is clear makes an NMI that nobody claims.
 */
#include "op_pmu_x86.h"

#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include <asm/apic.h>
#include <asm/msr-index.h>
#include <asm/nmi.h>

#include "compat.h"
#include "op_pmu.h"

#define OP_X86_LATE_WAIT_US 20 /* an interrupt arrives within this time */
#define OP_X86_WATCH_MS 100
#define OP_X86_MOST_SAVED 72 /* of a CPU; the most has NetBurst */

/*
 * A CPU's state. Per-CPU: saved values in the hot-plug callbacks with interrupts off, the rest also in NMI.
 */
struct op_x86_cpu {
	bool counting; /* NMIs take samples */
	u64 running; /* content of global_ctrl: the counters in use; 0 while stopped */
	bool host_only; /* counters do not count in guests */
	u64 selects[OP_MAX_COUNTERS]; /* as they read back while they count, of counters in use; valid if there is a watch */
	struct hrtimer watch;
	u64 saved[OP_X86_MOST_SAVED]; /* registers' values, in the order of the scheme */
	u64 global_ctrl;
	u32 lvtpc;
	unsigned int late; /* NMIs that may still come for overflows that are handled already */
	unsigned long late_until; /* jiffies */
};

static DEFINE_PER_CPU(struct op_x86_cpu, op_x86_cpus);

atomic_t op_x86_faults;

u64 op_x86_read(u32 msr)
{
	u64 value;

	return op_msr.read(msr, &value) ? 0 : value;
}

void op_x86_write(u32 msr, u64 value)
{
	if (op_msr.write(msr, value))
		atomic_inc(&op_x86_faults);
}

static void op_x86_allow(u64 running)
{
	if (op_x86_pmu->global_ctrl)
		op_x86_write(op_x86_pmu->global_ctrl, running);
}

static void op_x86_clear_status(void)
{
	if (op_x86_pmu->global_clear)
		op_x86_write(op_x86_pmu->global_clear, GENMASK_ULL(op_x86_pmu->counters - 1, 0));
}

static void op_x86_sample(struct pt_regs *regs, unsigned int i)
{
	u64 began = op_handler_begin();

	op_sample(regs, i);
	op_x86_pmu->scheme->arm(i, op_next_count(regs, i, began, op_x86_pmu->max_count));
}

/* Takes a sample of each counter that has overflowed, and starts it again. Returns how many. */
static unsigned int op_x86_take(struct pt_regs *regs)
{
	unsigned int taken = 0;
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++) {
		if (!op_counter_used(i) || !op_x86_pmu->scheme->overflowed(i))
			continue;
		op_x86_sample(regs, i);
		taken++;
	}
	return taken;
}

/* Opens the vector. A counter that overflowed while it was masked has not interrupted: its sample is taken now. */
static unsigned int op_x86_open_vector(struct pt_regs *regs)
{
	unsigned int taken;

	op_msr.set_vector(APIC_DM_NMI);
	taken = op_x86_take(regs);
	if (taken)
		op_x86_clear_status();
	return taken;
}

/*
 * Counters run again at the end whoever stopped them: perf's handler, which is called before, may have done so for a user that
 * needs no counter (PT, BTS).
 */
static unsigned int op_x86_collect(const struct op_x86_cpu *cpu, struct pt_regs *regs)
{
	unsigned int taken;

	op_x86_allow(0);
	taken = op_x86_take(regs);
	op_x86_clear_status();
	if (op_x86_pmu->masks_vector)
		taken += op_x86_open_vector(regs);
	op_x86_allow(READ_ONCE(cpu->running));
	return taken;
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

/* False while KVM has put a guest's own counters, selects and LVTPC into the registers. Then no NMI is theirs. */
static bool op_x86_has_registers(void)
{
	return (op_msr.vector() & APIC_DM_FIXED_MASK) == APIC_DM_NMI;
}

int op_x86_nmi(unsigned int type, struct pt_regs *regs)
{
	struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);
	unsigned int handled = 0;

	if (READ_ONCE(cpu->counting) && op_x86_has_registers())
		handled = op_x86_collect(cpu, regs);
	if (!handled)
		return op_x86_claim_late(cpu) ? NMI_HANDLED : NMI_DONE;
	op_x86_expect_late(cpu, handled - 1);
	return handled;
}
NOKPROBE_SYMBOL(op_x86_nmi);

/* All counters off and far from overflow. */
static void op_x86_clear(void)
{
	op_x86_allow(0);
	op_x86_pmu->scheme->clear();
	op_x86_clear_status();
}

static void op_x86_program(const struct op_x86_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++) {
		if (!op_counter_used(i))
			continue;
		op_x86_pmu->scheme->arm(i, op_counters[i].count);
		op_x86_pmu->scheme->program(i, cpu->host_only);
	}
}

static u64 op_x86_used(void)
{
	u64 used = 0;
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++)
		used |= op_counter_used(i) ? BIT_ULL(i) : 0;
	return used;
}

/* True if a timer looks after the counters: only where another user of the registers can stop them. */
static bool op_x86_is_watched(void)
{
	return op_x86_pmu->global_ctrl || op_x86_pmu->layout.host_only;
}

/* Watched processors have one select register for each counter. */
static u64 op_x86_read_select(unsigned int i)
{
	return op_counter_used(i) ? op_x86_read(op_x86_pmu->scheme->select(i)) : 0;
}

/* Not what was written: a hypervisor may have dropped bits. */
static void op_x86_note_selects(struct op_x86_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++)
		cpu->selects[i] = op_x86_read_select(i);
}

static bool op_x86_selects_changed(const struct op_x86_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++)
		if (op_x86_read_select(i) != cpu->selects[i])
			return true;
	return false;
}

/* Starts or stops the programmed counters. An NMI in between finds what `running` is at that time. */
static void op_x86_switch(struct op_x86_cpu *cpu, bool on)
{
	if (!on) {
		WRITE_ONCE(cpu->running, 0);
		op_x86_allow(0);
	}
	op_x86_pmu->scheme->run(on, cpu->host_only);
	if (on) {
		if (op_x86_is_watched())
			op_x86_note_selects(cpu);
		WRITE_ONCE(cpu->running, op_x86_used());
		op_x86_allow(cpu->running);
	}
}

/* True if the host-only bit can be set: AMD's counters do not count with it while SVM is off. */
static bool op_x86_has_guests(void)
{
	return op_x86_pmu->layout.host_only && (op_x86_read(MSR_EFER) & EFER_SVME);
}

static unsigned int op_x86_pending(void)
{
	unsigned int pending = 0;
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++)
		pending += op_counter_used(i) && op_x86_pmu->scheme->overflowed(i);
	return pending;
}

/* Counters begin a new period. One that has overflowed just now has its NMI claimed, without a sample. */
static void op_x86_reprogram(struct op_x86_cpu *cpu)
{
	op_x86_switch(cpu, false);
	op_x86_expect_late(cpu, op_x86_pending());
	op_x86_program(cpu);
	op_x86_switch(cpu, true);
}

/*
 * What stops counters for good without an NMI is mended here: perf leaves global_ctrl 0 when it switches PT or BTS, KVM switches
 * SVM off with its last guest. After a guest that had the PMU for itself, KVM leaves selects and counters 0.
 */
static enum hrtimer_restart op_x86_watch(struct hrtimer *timer)
{
	struct op_x86_cpu *cpu = container_of(timer, struct op_x86_cpu, watch);
	bool was_host_only = cpu->host_only;

	cpu->host_only = op_x86_has_guests();
	if (op_x86_selects_changed(cpu)) {
		op_x86_reprogram(cpu);
	} else if (cpu->host_only != was_host_only) {
		op_x86_switch(cpu, true);
	} else if (op_x86_pmu->global_ctrl && op_x86_read(op_x86_pmu->global_ctrl) != cpu->running) {
		op_x86_allow(cpu->running);
	}
	hrtimer_forward_now(timer, ms_to_ktime(OP_X86_WATCH_MS));
	return HRTIMER_RESTART;
}

static void op_x86_start_watch(struct op_x86_cpu *cpu)
{
	if (op_x86_is_watched())
		hrtimer_start(&cpu->watch, ms_to_ktime(OP_X86_WATCH_MS), HRTIMER_MODE_REL_PINNED_HARD);
}

void op_x86_cpu_start(void *unused)
{
	struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);

	if (cpu->counting)
		return;
	cpu->host_only = op_x86_has_guests();
	op_x86_clear();
	op_x86_program(cpu);
	/* An NMI that came while nothing counted may have left the vector masked. */
	op_msr.set_vector(APIC_DM_NMI);
	WRITE_ONCE(cpu->counting, true);
	op_x86_switch(cpu, true);
	op_x86_start_watch(cpu);
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
	hrtimer_cancel(&cpu->watch);
	op_x86_switch(cpu, false);
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
	const struct op_x86_scheme *scheme = op_x86_pmu->scheme;
	unsigned int n;

	if (scheme->online)
		scheme->online();
	for (n = 0; n < OP_X86_MOST_SAVED && scheme->saved(n); n++)
		cpu->saved[n] = op_x86_read(scheme->saved(n));
	if (op_x86_pmu->global_ctrl)
		cpu->global_ctrl = op_x86_read(op_x86_pmu->global_ctrl);
	cpu->late = 0;
	cpu->lvtpc = apic->read(APIC_LVTPC);
	op_msr.set_vector(APIC_DM_NMI);
	op_hrtimer_setup(&cpu->watch, op_x86_watch);
}

/* LVTPC may have had the invalid vector 0, which raises the APIC's error interrupt: that is masked while LVTPC is restored. */
static void op_x86_restore_vector(const struct op_x86_cpu *cpu)
{
	u32 error = apic->read(APIC_LVTERR);

	apic->write(APIC_LVTERR, error | APIC_LVT_MASKED);
	op_msr.set_vector(cpu->lvtpc);
	apic->write(APIC_LVTERR, error);
}

void op_x86_cpu_restore(void)
{
	const struct op_x86_cpu *cpu = this_cpu_ptr(&op_x86_cpus);
	const struct op_x86_scheme *scheme = op_x86_pmu->scheme;
	unsigned int n;

	op_x86_restore_vector(cpu);
	for (n = 0; n < OP_X86_MOST_SAVED && scheme->saved(n); n++)
		op_x86_write(scheme->saved(n), cpu->saved[n]);
	/* Our overflows must not interrupt the next user of the counters. */
	op_x86_clear_status();
	if (op_x86_pmu->global_ctrl)
		op_x86_write(op_x86_pmu->global_ctrl, cpu->global_ctrl);
}
