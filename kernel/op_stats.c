// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics of samples.
 */
#include "op_stats.h"

#include <linux/cpumask.h>

DEFINE_PER_CPU(struct op_stats, op_stats);

u64 op_stat_sum(enum op_stat stat)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += op_stat(cpu, stat);
	return sum;
}

void op_clear_stats(void)
{
	unsigned int cpu;
	int i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < OP_STATS; i++)
			atomic64_set(&per_cpu(op_stats, cpu).count[i], 0);
}
