/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources of samples: the table of models and the functions that a model may call. A model programs a source of interrupts and
 * calls op_sample() from its handler; it does not know where samples go.
 */
#ifndef OP_PMU_H
#define OP_PMU_H

#include <linux/types.h>

struct hrtimer;
struct pt_regs;

#define OP_MAX_COUNTERS 8

/* Settings of one counter. Written under op_mutex while stopped, constant while sampling. */
struct op_counter {
	unsigned long enabled;
	unsigned long event;
	unsigned long count;
	unsigned long unit_mask;
	unsigned long kernel;
	unsigned long user;
	unsigned long extra;
	unsigned long pmu; /* model perf: type of the kernel's PMU; 0 = the CPU's counters */
	/* Model perf: bytes of the PMU's raw data that go with a sample, at most OP_MAX_RAW; constant while the buffer is open. */
	unsigned long raw_size;
};

extern struct op_counter op_counters[OP_MAX_COUNTERS];

/* True if the counter shall count. Everything that programs or reads counters calls this. */
static inline bool op_counter_used(unsigned int i)
{
	return op_counters[i].enabled && op_counters[i].count;
}

/*
 * A model. All functions are called in process context under op_mutex.
 *
 * proved: true if it may be used without being asked for, once init succeeds. NULL: always. May be called before init.
 * init: checks that this machine has it and fills in the three fields below the functions; -ENODEV if it has not.
 * exit: undoes init. May be NULL.
 * check_count: returns the count that the model uses for the given one, which is at least min_count; 0 if it accepts none. May be
 *	NULL.
 * setup: reserves and saves the hardware when the buffer is opened; -EBUSY if another user has it. May be NULL.
 * shutdown: undoes setup. May be NULL.
 * start: programs the enabled counters and starts them on every CPU, and on CPUs that come online later.
 * stop: when it returns, no handler of the model runs or will run on any CPU.
 * update: makes a change of a CPU's timer switch take effect while sampling. May be NULL.
 */
struct op_pmu_model {
	const char *name;
	bool (*proved)(void);
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
	bool late_count; /* constant: a count from op_next_count() applies to the period after the next */
	bool has_pmus; /* constant: counters may be of other PMUs of the kernel */
};

/*
 * The models, in the order they are tried. The last works everywhere. rtc, and a model that is not proved on this machine, are used
 * only if a parameter names them.
 */
#ifdef OP_X86_MODELS
#define OP_X86_MODEL_LIST(row) row(op_pmu_intel) row(op_pmu_p4) row(op_pmu_amd)
#else
#define OP_X86_MODEL_LIST(row)
#endif
#define OP_MODELS(row) OP_X86_MODEL_LIST(row) row(op_pmu_perf) row(op_pmu_rtc) row(op_pmu_timer)

#define OP_DECLARE_MODEL(name) extern struct op_pmu_model name;
OP_MODELS(OP_DECLARE_MODEL)

/* What a PMU recorded about a sample: bytes of op_counter.raw_size at most. */
struct op_raw {
	const void *data;
	u16 size;
};

/* As op_sample(), with raw data that goes with the sample; NULL for counters without. */
void op_sample_raw(struct pt_regs *regs, unsigned int counter, const struct op_raw *raw);

/*
 * Takes one sample of the code that was interrupted with these registers, for a counter. Any context up to NMI, with preemption
 * off. It never waits and never fails: a sample that cannot be kept is counted.
 */
static inline void op_sample(struct pt_regs *regs, unsigned int counter)
{
	op_sample_raw(regs, counter, NULL);
}

/*
 * The guard against too many samples. A handler calls op_handler_begin() before its work, and one of the others, with what that
 * returned, as its end; same context as op_sample(). They lengthen the next period if handlers take too much time, and count the
 * periods left out; the stream records when that begins and ends.
 *
 * op_next_expiry: from a timer's function: sets its next expiry, a multiple of the period (ns) after the last.
 * op_next_count: returns the count of the counter's next period: the configured one times a power of two, at most `most`.
 *   `regs` are those of op_sample(): after a short period in which they stayed the same, the next one is longer, too.
 */
u64 op_handler_begin(void);
void op_next_expiry(struct hrtimer *timer, u64 began, u64 period);
u64 op_next_count(const struct pt_regs *regs, unsigned int counter, u64 began, u64 most);

#endif
