/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared code of the register-level x86 models. op_x86_probe.c: finds the registers; op_x86_cpu.c: one CPU's registers and NMI
 * handler; op_x86_select.c: counters with one select register each; op_pmu_x86.c: the life cycle over all CPUs. A model describes
 * its registers in struct op_x86_pmu.
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
 * vector, set_vector: LVTPC of the local APIC.
 */
struct op_msr_ops {
	int (*read)(u32 msr, u64 *value);
	int (*write)(u32 msr, u64 value);
	u32 (*vector)(void);
	void (*set_vector)(u32 value);
};

extern const struct op_msr_ops op_msr;

/*
 * How a kind of processor's counters are programmed.
 *
 * counter, select: the registers to reserve: the nth counter, the nth event select register; 0: there are no more. Any context.
 * trial: a value that the first select register takes if it is there.
 * The rest is for this CPU: called on it with interrupts off, overflowed and arm also in NMI. counters[i] is op_counters[i].
 * online: the CPU comes; before all others. May be NULL.
 * saved: the nth register to save and restore, in the order of restoring, that of counter 0 first; 0: there are no more.
 * clear: all counters off and far from overflow, and all that decides what they count 0.
 * program: the counter counts what its settings ask for once it runs; a fault if that is not possible.
 * run: starts or stops the programmed counters.
 * overflowed: true if the counter has passed 0 since arm.
 * arm: the counter overflows after `count` events. It stays on or off.
 */
struct op_x86_scheme {
	u32 (*counter)(unsigned int n);
	u32 (*select)(unsigned int n);
	u64 trial;
	void (*online)(void);
	u32 (*saved)(unsigned int n);
	void (*clear)(void);
	void (*program)(unsigned int i, bool host_only);
	void (*run)(bool on, bool host_only);
	bool (*overflowed)(unsigned int i);
	void (*arm)(unsigned int i, u64 count);
};

extern const struct op_x86_scheme op_x86_select_scheme;

/* The registers of a model. Filled in by its init, constant from op_x86_probe() on. */
struct op_x86_pmu {
	const struct op_x86_scheme *scheme;
	unsigned int counters;
	u64 max_count; /* largest that can be written */
	/* The next four are op_x86_select_scheme's. */
	unsigned int width; /* bits of a counter */
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
	unsigned int siblings; /* Intel, family 15: logical processors of a core */
};

void op_x86_identify(struct op_x86_identity *identity);

/*
 * Makes this the PMU of the functions below, if its registers read back on this CPU; else -ENODEV and a line in the log. Counters
 * that another user has reserved are taken to exist. `pmu` must stay valid.
 */
int op_x86_probe(struct op_pmu_model *model, const struct op_x86_pmu *pmu, const char *cpu_type);

/* The functions of struct op_pmu_model, for all of these models. */
bool op_x86_proved(void);
void op_x86_exit(void);
unsigned long op_x86_check_count(unsigned long count);
int op_x86_setup(void);
void op_x86_shutdown(void);
int op_x86_start(void);
void op_x86_stop(void);

/* The registers in use; NULL before op_x86_probe(). Written under op_mutex while no handler is registered. */
extern const struct op_x86_pmu *op_x86_pmu;

/* Reserves all registers of the scheme; false, and none is reserved, if another user has one. */
bool op_x86_reserve(void);
void op_x86_release(void);

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

/* Register writes that were refused since the start, and events that the processor does not have; atomic, any context. */
extern atomic_t op_x86_faults;

/* A register of this CPU, 0 if it cannot be read; a write that is refused is a fault. Any context. */
u64 op_x86_read(u32 msr);
void op_x86_write(u32 msr, u64 value);

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
