/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's state and settings, and the calls that change them.
 */
#ifndef OP_MAIN_H
#define OP_MAIN_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "op_pmu.h"

#define OP_MAX_DEPTH 64
#define OP_MAX_STACK (128UL * 1024)

/* Settings of oprofilefs. Written under op_mutex; constant while the buffer is open (depth, sizes, times) or sampling (filters). */
struct op_settings {
	unsigned long buffer_size; /* 8-byte words, all CPUs together */
	unsigned long buffer_watershed; /* words */
	unsigned long cpu_buffer_size; /* samples waiting to be placed, per CPU */
	unsigned long backtrace_depth; /* callers */
	unsigned long stack_size; /* bytes of a stack that are copied at most; 0 = none are: callers by frame pointers */
	unsigned long sample_times; /* 1: the stream has times of samples */
	unsigned long pid_filter; /* tgid; 0 = all */
	unsigned long pgrp_filter; /* process group; 0 = all */
};

/* A CPU's timer switch; models timer and rtc. Written under op_mutex; its CPU reads it when the timer is started. */
struct op_timer_switch {
	unsigned long enabled;
	unsigned long period_us; /* 0 = by counter 0's count */
};

enum op_state {
	OP_STOPPED, /* nothing is allocated, no hardware is reserved */
	OP_SET_UP, /* the buffer is open */
	OP_RUNNING, /* sampling */
	OP_ENDING, /* no more samples are taken; the last ones are placed */
	OP_CLOSING, /* the buffer is closed; waiting for processes that still have our task work */
	OP_STUCK, /* closed, but a process still has our task work: everything is kept until it has run */
};

/*
 * Everything below, and all calls into the model. Not held while waiting for sampled processes: OP_ENDING and OP_CLOSING keep
 * others out then.
 */
extern struct mutex op_mutex;
extern enum op_state op_state; /* op_mutex; the reader and the workers also read it without, to see whether to wait */
extern struct op_settings op_settings; /* op_mutex */
extern struct op_pmu_model *op_model; /* constant after load */

DECLARE_PER_CPU(struct op_timer_switch, op_timer_switches); /* op_mutex */

/* 8-byte words of the longest raw data that goes with a sample; constant while the buffer is open. Under op_mutex. */
unsigned long op_raw_words(void);

/* True until the last sample of a run is in a ring or lost. */
static inline bool op_is_sampling(void)
{
	enum op_state state = READ_ONCE(op_state);

	return state == OP_RUNNING || state == OP_ENDING;
}

/*
 * Opening, enabling, stopping and closing, in this order. Called with op_mutex held; the last three release it while they wait.
 * Opening: -EBUSY if the buffer is open, or if a process sampled before has not run since.
 */
int op_set_up(void);
int op_start(void);
void op_stop(void);
void op_shut_down(void);

/* Makes a change of a CPU's timer switch take effect. Called with op_mutex held. */
void op_update_timer(unsigned int cpu);

/*
 * The end of work for samples that their handler left to an interrupt of the same CPU, which began when op_handler_begin() returned
 * `began`: the guard counts its time as the next handler's.
 */
void op_end_late_work(u64 began);
/* Puts what this CPU's guard has to report into the ring. From a handler, as op_put_irq_sample(). */
void op_report_guard(void);

/*
 * op_alloc_handler() allocates the room of a CPU's handler if it has none; before that CPU samples. op_free_handlers() frees all;
 * while nothing samples. Process context.
 */
int op_alloc_handler(unsigned int cpu);
void op_free_handlers(void);

/* Resets the guards against too many samples. Under op_mutex, while stopped. */
void op_reset_guards(void);

/* Register and unregister the file system. */
int op_fs_register(void);
void op_fs_unregister(void);

#endif
