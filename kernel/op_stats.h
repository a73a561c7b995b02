/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of samples per CPU: every sample taken is in a ring, is lost by a counted cause, or waits to be placed.
 */
#ifndef OP_STATS_H
#define OP_STATS_H

#include <linux/atomic.h>
#include <linux/percpu.h>

enum op_stat {
	OP_STAT_RECEIVED, /* samples taken, whatever became of them, but for the nested */
	OP_STAT_NESTED, /* samples taken while another was being taken: received and lost */
	OP_STAT_OVERFLOW, /* lost: ring, store of unplaced samples or list of new images full, or no memory for an image */
	OP_STAT_NO_MM, /* lost: the process had ended */
	OP_STAT_NO_MAPPING, /* lost: address in no mapping */
	OP_STAT_PENDING, /* lost: not placed when sampling stopped, or within a second */
	OP_STAT_TRACE_ABORTED, /* call chains cut short */
	OP_STAT_TRACE_NO_MAPPING, /* callers in no mapping */
	OP_STAT_STACK_LOST, /* samples without the stack that they should have */
	OP_STAT_THROTTLED, /* periods left out by the guard */
	OP_STAT_OVERRUN, /* periods of a timer that ended before the handler of an earlier one */
	OP_STAT_FILTERED, /* not taken: filters */
	OP_STATS,
};

/* The statistics of the CPU that took the sample. */
struct op_stats {
	atomic64_t count[OP_STATS]; /* since load; added to in any context, on any CPU */
	u64 before[OP_STATS]; /* of `count`: before the last start; op_mutex */
};

DECLARE_PER_CPU(struct op_stats, op_stats);

static inline void op_count(unsigned int cpu, enum op_stat stat)
{
	atomic64_inc(&per_cpu(op_stats, cpu).count[stat]);
}

static inline void op_add(unsigned int cpu, enum op_stat stat, u64 n)
{
	atomic64_add(n, &per_cpu(op_stats, cpu).count[stat]);
}

/* Since load. */
static inline u64 op_stat_total(unsigned int cpu, enum op_stat stat)
{
	return atomic64_read(&per_cpu(op_stats, cpu).count[stat]);
}

/* Since the last op_restart_stats(), of a CPU and of all. Under op_mutex, as op_restart_stats(). */
u64 op_stat(unsigned int cpu, enum op_stat stat);
u64 op_stat_sum(enum op_stat stat);
void op_restart_stats(void);

#endif
