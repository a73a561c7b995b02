/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the kernel's PMUs counts for a CPU: machines with cores of several kinds have one for each kind.
 */
#ifndef OP_CORE_PMU_H
#define OP_CORE_PMU_H

#include <linux/types.h>

struct op_counter;

/*
 * Returns the number of the PMU that counts this CPU's cycles: the type of raw events there. A negative error without one,
 * or if it cannot interrupt. Process context.
 */
int op_core_pmu(unsigned int cpu);

/*
 * True if a raw event has the same code on this PMU as on the machine's others. Intel's cores of several kinds share the
 * architectural events only.
 */
bool op_means_same(const struct op_counter *counter, int pmu);

#endif
