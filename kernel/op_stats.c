// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics of samples.
 */
#include "op_stats.h"

#include <linux/cpumask.h>

DEFINE_PER_CPU(struct op_stats, op_stats);

u64 op_stat(unsigned int cpu, enum op_stat stat)
{
	return op_stat_total(cpu, stat) - per_cpu(op_stats, cpu).before[stat];
}

u64 op_stat_sum(enum op_stat stat)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += op_stat(cpu, stat);
	return sum;
}

void op_restart_stats(void)
{
	unsigned int cpu;
	int i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < OP_STATS; i++)
			per_cpu(op_stats, cpu).before[i] = op_stat_total(cpu, i);
}
