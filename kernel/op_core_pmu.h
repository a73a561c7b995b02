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
 * False if `pmu` is that of another kind of core than the machine's first, and the event is not architectural: the code may mean
 * another event there.
 */
bool op_means_same(const struct op_counter *counter, int pmu);

#endif
