// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Detects which counter registers this machine has, and whether they work, for the register-level x86 models when the driver is
 * loaded.
 */
#include <linux/cpu.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "compat.h"
#include "op_pmu.h"
#include "op_pmu_x86.h"
#include "op_x86_proved.h"

const struct op_x86_pmu *op_x86_pmu;

#ifndef OP_MSR_DOUBLE
static u32 op_x86_vector(void)
{
	return apic->read(APIC_LVTPC);
}

static void op_x86_set_vector(u32 value)
{
	apic->write(APIC_LVTPC, value);
}

const struct op_msr_ops op_msr = {
	.read = op_rdmsr_safe,
	.write = op_wrmsr_safe,
	.vector = op_x86_vector,
	.set_vector = op_x86_set_vector,
};
#endif

/* Writes a register; true if it then reads back. */
static bool op_x86_takes(u32 msr, u64 value)
{
	u64 after;

	return !op_msr.write(msr, value) && !op_msr.read(msr, &after) && after == value;
}

/* True if the first registers exist on this CPU. They are reserved for us. Preemption is off. */
static bool op_x86_reads_back(void)
{
	const struct op_x86_scheme *scheme = op_x86_pmu->scheme;
	u32 select_msr = scheme->select(0), counter_msr = scheme->counter(0);
	u64 select, counter;
	bool there;

	if (op_msr.read(select_msr, &select) || op_msr.read(counter_msr, &counter))
		return false;
	there = op_x86_takes(select_msr, scheme->trial) && op_x86_takes(counter_msr, 0x2aa55aa5);
	op_msr.write(counter_msr, counter);
	op_msr.write(select_msr, select);
	return there;
}

static bool op_x86_present(void)
{
	bool there;

	if (!op_x86_reserve())
		return true;
	preempt_disable();
	there = op_x86_reads_back();
	preempt_enable();
	op_x86_release();
	return there;
}

int op_x86_probe(struct op_pmu_model *model, const struct op_x86_pmu *pmu, const char *cpu_type)
{
	if (!boot_cpu_has(X86_FEATURE_APIC))
		return -ENODEV;
	op_msr_double_init();
	op_x86_pmu = pmu;
	if (!op_x86_present()) {
		pr_info("counter registers do not read back (a virtual machine without PMU?)\n");
		op_x86_exit();
		return -ENODEV;
	}
	model->cpu_type = cpu_type;
	model->counters = pmu->counters;
	model->min_count = OP_X86_MIN_COUNT;
	return 0;
}

void op_x86_exit(void)
{
	op_msr_double_exit();
	op_x86_pmu = NULL;
}

static void op_x86_leaf_here(void *leaf)
{
	*(u32 *)leaf = cpuid_eax(0xa);
}

/* CPUs of one machine may differ: the leaf with the fewest counters, and the highest version of all. */
static u32 op_x86_perfmon(void)
{
	u32 fewest = ~0U, version = 0;
	unsigned int cpu;

	if (boot_cpu_data.cpuid_level < 0xa)
		return 0;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		u32 leaf = 0;

		smp_call_function_single(cpu, op_x86_leaf_here, &leaf, 1);
		if ((leaf >> 8 & 0xff) < (fewest >> 8 & 0xff))
			fewest = leaf;
		version = max(version, leaf & 0xff);
	}
	cpus_read_unlock();
	return (fewest & ~0xffU) | version;
}

/* Logical processors of a core; of a package that has no leaf 4, which has one core. */
static unsigned int op_x86_siblings(void)
{
	unsigned int threads = cpuid_edx(1) >> 28 & 1 ? cpuid_ebx(1) >> 16 & 0xff : 1;
	unsigned int cores = boot_cpu_data.cpuid_level >= 4 ? (cpuid_eax(4) >> 26) + 1 : 1;

	return max(1U, threads / cores);
}

/* Fills in the fields that ask no other CPU. True if the identity is a double's, which is whole. */
static bool op_x86_name(struct op_x86_identity *identity)
{
	if (op_msr_double_identity(identity))
		return true;
	*identity = (struct op_x86_identity){
		.vendor = boot_cpu_data.x86_vendor,
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.hybrid = boot_cpu_has(X86_FEATURE_HYBRID_CPU),
		.core_ext = boot_cpu_has(X86_FEATURE_PERFCTR_CORE),
	};
	return false;
}

void op_x86_identify(struct op_x86_identity *identity)
{
	if (op_x86_name(identity))
		return;
	if (identity->vendor == X86_VENDOR_INTEL && identity->family == 15)
		identity->siblings = op_x86_siblings();
	else if (identity->vendor == X86_VENDOR_INTEL)
		identity->perfmon = op_x86_perfmon();
	else if (boot_cpu_data.extended_cpuid_level >= 0x80000022 && (cpuid_eax(0x80000022) & 1))
		identity->core_v2 = cpuid_ebx(0x80000022) & 0xf;
}

bool op_x86_proved(void)
{
	struct op_x86_identity identity;

	op_x86_name(&identity);
	return op_x86_is_listed(op_x86_proved_list, identity.vendor, identity.family, identity.model);
}
