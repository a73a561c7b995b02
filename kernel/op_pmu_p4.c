// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Model "p4": counters of NetBurst processors (Pentium 4, Xeon and Pentium D of family 15), with up to two logical processors in a
 * core. Not supported: tagged and precise events, thresholds, ten of the 18 counters.
 *
 * Odd: the logical processors of a core share its registers, so each uses one half; an event that can be counted by only one half
 * is counted only there, for the core. An event has a number in op_p4_encode.h that no register has.
 */
#include <linux/errno.h>
#include <linux/percpu.h>

#include <asm/msr-index.h>
#include <asm/processor.h>

#include "compat.h"
#include "op_p4_encode.h"
#include "op_pmu.h"
#include "op_pmu_x86.h"

/* Filled in by init under op_mutex, constant afterwards. */
static struct op_p4_processor p4_processor;
static struct op_p4_list p4_escrs; /* of both halves */
static struct op_p4_list p4_own[2]; /* of each logical processor of a core */

/* 1 on the second logical processor of a core. Per-CPU: written when the CPU comes. */
static DEFINE_PER_CPU(unsigned int, p4_threads);

static u32 p4_nth(const struct op_p4_list *list, unsigned int n)
{
	return n < list->length ? list->msrs[n] : 0;
}

/* All eight are reserved, whatever the CPU. */
static u32 p4_counter(unsigned int n)
{
	return n < OP_P4_COUNTERS ? op_p4_counter(n) : 0;
}

static u32 p4_select(unsigned int n)
{
	return p4_nth(&p4_escrs, n);
}

static u32 p4_saved(unsigned int n)
{
	return p4_nth(&p4_own[this_cpu_read(p4_threads)], n);
}

/* The processor's own number: the kernel's first sibling is another one once a CPU is offline. */
static void p4_online(void)
{
	unsigned int apic_id = cpuid_ebx(1) >> 24;

	this_cpu_write(p4_threads, p4_processor.siblings > 1 ? apic_id & 1 : 0);
}

/* Counter i of this CPU, as a number of op_p4_counter(). */
static unsigned int p4_number(unsigned int i)
{
	return i + this_cpu_read(p4_threads) * OP_P4_UNITS;
}

/* CCCRs first, which stops the counters: in the order of restoring they are last. */
static void p4_clear(void)
{
	const struct op_p4_list *own = &p4_own[this_cpu_read(p4_threads)];
	unsigned int counters = op_p4_cpu_counters(&p4_processor);
	unsigned int n = own->length;

	while (n--)
		op_x86_write(own->msrs[n], n < counters ? op_x86_counter_mask(OP_P4_WIDTH) : 0);
}

/* The event of counter i; NULL if the counter's unit does not have it, or if it would count nothing. */
static const struct op_p4_event *p4_event(unsigned int i)
{
	u64 code = op_counters[i].event;
	const struct op_p4_event *event = op_p4_needs_tags(code) ? NULL : op_p4_find_event(code);

	return event && event->unit == i % OP_P4_UNITS ? event : NULL;
}

/* The ESCR by which counter i counts its event on this CPU; 0: it does not count here. */
static u32 p4_escr(unsigned int i, const struct op_p4_event *event)
{
	return event ? event->escr[p4_number(i) / OP_P4_UNITS] : 0;
}

/* The counter does not run yet: what it counts comes before the CCCR's ENABLE. */
static void p4_program(unsigned int i, bool host_only)
{
	const struct op_counter *counter = &op_counters[i];
	const struct op_p4_event *event = p4_event(i);
	unsigned int thread = this_cpu_read(p4_threads);
	u32 escr = p4_escr(i, event);

	if (!escr) {
		if (!event || p4_processor.siblings == 1)
			atomic_inc(&op_x86_faults);
		return;
	}
	op_x86_write(escr, op_p4_escr_word(event, counter->unit_mask, !!counter->kernel, !!counter->user, thread));
	op_x86_write(op_p4_cccr(p4_number(i)), op_p4_cccr_word(event, thread));
}

static void p4_run(bool on, bool host_only)
{
	unsigned int thread = this_cpu_read(p4_threads);
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++) {
		const struct op_p4_event *event = op_counter_used(i) ? p4_event(i) : NULL;

		if (p4_escr(i, event))
			op_x86_write(op_p4_cccr(p4_number(i)), op_p4_cccr_word(event, thread) | (on ? OP_P4_CCCR_ENABLE : 0));
	}
}

/* A counter that cannot be read has not overflowed. */
static bool p4_overflowed(unsigned int i)
{
	unsigned int number = p4_number(i);
	u64 value;

	return !op_msr.read(op_p4_counter(number), &value) && op_p4_overflowed(value, op_x86_read(op_p4_cccr(number)));
}

/* A single write of the counter did not always hold. */
static void p4_arm(unsigned int i, u64 count)
{
	unsigned int number = p4_number(i);
	u64 start = op_x86_counter_start(count, OP_P4_WIDTH);

	op_x86_write(op_p4_counter(number), start);
	op_x86_write(op_p4_cccr(number), op_x86_read(op_p4_cccr(number)) & ~OP_P4_CCCR_OVF);
	op_x86_write(op_p4_counter(number), start);
}

static const struct op_x86_scheme p4_scheme = {
	.counter = p4_counter,
	.select = p4_select,
	.trial = 0x3fULL << OP_P4_ESCR_EVENT_SHIFT | 0x55ULL << OP_P4_ESCR_MASK_SHIFT | OP_P4_ESCR_USR,
	.online = p4_online,
	.saved = p4_saved,
	.clear = p4_clear,
	.program = p4_program,
	.run = p4_run,
	.overflowed = p4_overflowed,
	.arm = p4_arm,
};

/* Filled in by init under op_mutex, constant afterwards. */
static struct op_x86_pmu p4_pmu = {
	.scheme = &p4_scheme,
	.max_count = OP_P4_MAX_COUNT,
	.masks_vector = true,
};

static bool p4_is_known(const struct op_x86_identity *identity)
{
	return identity->vendor == X86_VENDOR_INTEL && identity->family == 15 && identity->model <= 6 && identity->model != 5 &&
	       identity->siblings <= 2;
}

static void p4_describe(const struct op_x86_identity *identity)
{
	unsigned int thread;

	p4_processor = (struct op_p4_processor){ identity->model, identity->siblings };
	p4_pmu.counters = op_p4_cpu_counters(&p4_processor);
	p4_escrs.length = 0;
	op_p4_append_escrs(&p4_escrs, &p4_processor, 2);
	for (thread = 0; thread < 2; thread++) {
		p4_own[thread].length = 0;
		op_p4_append_own(&p4_own[thread], &p4_processor, thread);
	}
}

static int op_p4_init(struct op_pmu_model *model)
{
	struct op_x86_identity identity;

	op_x86_identify(&identity);
	if (!p4_is_known(&identity))
		return -ENODEV;
	if (!(op_x86_read(MSR_IA32_MISC_ENABLE) & MSR_IA32_MISC_ENABLE_EMON)) {
		pr_info("the processor's counters are switched off (a virtual machine without PMU?)\n");
		return -ENODEV;
	}
	p4_describe(&identity);
	return op_x86_probe(model, &p4_pmu, identity.siblings > 1 ? "i386/p4-ht" : "i386/p4");
}

struct op_pmu_model op_pmu_p4 = {
	.name = "p4",
	.proved = op_x86_proved,
	.init = op_p4_init,
	.exit = op_x86_exit,
	.check_count = op_x86_check_count,
	.setup = op_x86_setup,
	.shutdown = op_x86_shutdown,
	.start = op_x86_start,
	.stop = op_x86_stop,
};
