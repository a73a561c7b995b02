/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared code of the register-level x86 models. op_x86_probe.c: finds the registers; op_x86_cpu.c: one CPU's registers and NMI
 * handler; op_pmu_x86.c: the life cycle over all CPUs. A model describes its registers in struct op_x86_pmu.
 */
#ifndef OP_PMU_X86_H
#define OP_PMU_X86_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "op_x86_encode.h"

struct op_pmu_model;
struct pt_regs;

#define OP_X86_MIN_COUNT 500

/*
 * Access to registers of the CPU this runs on. Any context.
 *
 * read, write: model specific registers; 0, or -EIO if there is no such register.
 * set_vector: writes LVTPC of the local APIC.
 */
struct op_msr_ops {
	int (*read)(u32 msr, u64 *value);
	int (*write)(u32 msr, u64 value);
	void (*set_vector)(u32 value);
};

extern const struct op_msr_ops op_msr;

/* The registers of a model. Filled in by its init, constant from op_x86_probe() on. */
struct op_x86_pmu {
	unsigned int counters;
	unsigned int width; /* bits of a counter */
	u64 max_count; /* largest that can be written */
	u32 select; /* event select register of counter 0 */
	u32 counter; /* counter 0 */
	u32 stride; /* from one counter's registers to the next counter's */
	u32 global_ctrl; /* one bit per counter: it may run; 0 = this register and the next do not exist */
	u32 global_clear; /* one bit per counter: writing 1 clears its overflow */
	bool masks_vector; /* an interrupt masks LVTPC */
	bool shared_enable; /* ENABLE of counter 0 is that of all counters; the others have none */
	struct op_x86_layout layout;
};

/* The identification of a processor. */
struct op_x86_identity {
	u8 vendor; /* X86_VENDOR_... */
	unsigned int family;
	unsigned int model;
	u32 perfmon; /* Intel: CPUID 0xA EAX of the CPU that has the fewest counters, with the highest version; 0 = none */
	bool core_ext; /* AMD: six counters at 0xC0010200 */
	bool hybrid; /* Intel: cores of several kinds */
	unsigned int core_v2; /* AMD: counters with global control; 0 = none */
};

void op_x86_identify(struct op_x86_identity *identity);

/*
 * Makes this the PMU of the functions below, if its registers read back on this CPU; else -ENODEV and a line in the log. A counter
 * that another user has reserved is taken to exist. `pmu` must stay valid.
 */
int op_x86_probe(struct op_pmu_model *model, const struct op_x86_pmu *pmu, const char *cpu_type);

/* The functions of struct op_pmu_model, for both models. */
bool op_x86_proved(void);
void op_x86_exit(void);
unsigned long op_x86_check_count(unsigned long count);
int op_x86_setup(void);
void op_x86_shutdown(void);
int op_x86_start(void);
void op_x86_stop(void);

/* The registers in use; NULL before op_x86_probe(). Written under op_mutex while no handler is registered. */
extern const struct op_x86_pmu *op_x86_pmu;

static inline u32 op_x86_select_msr(unsigned int i)
{
	return op_x86_pmu->select + i * op_x86_pmu->stride;
}

static inline u32 op_x86_counter_msr(unsigned int i)
{
	return op_x86_pmu->counter + i * op_x86_pmu->stride;
}

/* Reserves counter i; false if another user has it. op_x86_release() releases the first `count` counters. */
bool op_x86_reserve(unsigned int i);
void op_x86_release(unsigned int count);

/*
 * This CPU (op_x86_cpu.c), called on it with interrupts off. save: saves its registers and sets LVTPC to NMI. start: programs the
 * enabled counters and starts them; does nothing if they count. stop: stops them and takes samples of overflows that have happened;
 * does nothing if they do not count. restore: writes back what was saved.
 */
void op_x86_cpu_save(void);
void op_x86_cpu_start(void *unused);
void op_x86_cpu_stop(void *unused);
void op_x86_cpu_restore(void);

/* The NMI handler: returns how many counters had overflowed; NMI_HANDLED or NMI_DONE if none had. */
int op_x86_nmi(unsigned int type, struct pt_regs *regs);

/* Register writes that were refused since the start; atomic, any context. */
extern atomic_t op_x86_faults;

#ifdef OP_MSR_DOUBLE
/* op_msr_double.c, test builds only: registers are arrays in memory, shown in debugfs with a log of writes. */
void op_msr_double_init(void);
void op_msr_double_exit(void);
bool op_msr_double_identity(struct op_x86_identity *identity);
#else
static inline void op_msr_double_init(void)
{
}

static inline void op_msr_double_exit(void)
{
}

static inline bool op_msr_double_identity(struct op_x86_identity *identity)
{
	return false;
}
#endif

#endif
