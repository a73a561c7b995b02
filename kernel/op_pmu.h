/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes samples: the table of models and what a model may call. A model programs a source of interrupts and
 * calls op_sample() from its handler; where samples go is not its business.
 */
#ifndef OP_PMU_H
#define OP_PMU_H

#include <linux/types.h>

struct pt_regs;

#define OP_MAX_COUNTERS 8

/* Settings of one counter. Written under op_mutex while stopped, constant while running. */
struct op_counter {
	unsigned long enabled;
	unsigned long event;
	unsigned long count;
	unsigned long unit_mask;
	unsigned long kernel;
	unsigned long user;
	unsigned long extra;
};

extern struct op_counter op_counters[OP_MAX_COUNTERS];

/* Is the counter to count? Everything that programs or looks at counters asks this. */
static inline bool op_counter_used(unsigned int i)
{
	return op_counters[i].enabled && op_counters[i].count;
}

/*
 * A model. All functions are called in process context under op_mutex.
 *
 * init: looks whether this machine has it; fills in the three fields below the functions; -ENODEV if not here.
 * exit: undoes init. May be NULL.
 * check_count: the count that stands for what was asked, which is min_count at least; 0 if it is not accepted. May be NULL.
 * setup: the buffer was opened; reserve and save the hardware. -EBUSY if somebody else has it. May be NULL.
 * shutdown: undoes setup. May be NULL.
 * start: programs the enabled counters and lets them run on every CPU, and on CPUs that come online later.
 * stop: when it returns no handler of the model runs or will run on any CPU.
 * update: a CPU's timer switch was changed while running. May be NULL.
 */
struct op_pmu_model {
	const char *name;
	int (*init)(struct op_pmu_model *model);
	void (*exit)(void);
	unsigned long (*check_count)(unsigned long count);
	int (*setup)(void);
	void (*shutdown)(void);
	int (*start)(void);
	void (*stop)(void);
	void (*update)(unsigned int cpu);

	const char *cpu_type; /* content of the file cpu_type */
	unsigned int counters; /* 1 to OP_MAX_COUNTERS */
	unsigned long min_count; /* smallest count accepted */
};

/* The models, in the order they are tried. The last works everywhere; rtc only when asked for. */
#ifdef OP_X86_MODELS
#define OP_X86_MODEL_LIST(row) row(op_pmu_intel) row(op_pmu_amd)
#else
#define OP_X86_MODEL_LIST(row)
#endif
#define OP_MODELS(row) OP_X86_MODEL_LIST(row) row(op_pmu_perf) row(op_pmu_rtc) row(op_pmu_timer)

#define OP_DECLARE_MODEL(name) extern struct op_pmu_model name;
OP_MODELS(OP_DECLARE_MODEL)

/*
 * Takes one sample of the code interrupted with these registers, for a counter. Any context up to NMI, with
 * preemption off; never waits and never fails: what cannot be kept is counted.
 */
void op_sample(struct pt_regs *regs, unsigned int counter);

/*
 * The guard against too many samples. A handler brackets its work with the first two; same context as op_sample().
 * op_handler_end() gives the number of bits by which the period is to be lengthened from now on: count << shift.
 * 0 = as asked for. The model then says by op_left_out() how many periods come to nothing by what it did: the next period,
 * in periods as asked for, less one. The reader is told when the guard sets in and lets go.
 */
u64 op_handler_begin(void);
unsigned int op_handler_end(u64 began, unsigned int counter);
void op_left_out(u64 periods);

#endif
