// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PMU of each CPU's core. On hybrid Intel processors raw events without a PMU go to that of the first kind of core only;
 * generic ones find the CPU's own. Tested with PMUs of a double.
 */
#include "op_core_pmu.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "op_pmu.h"

static void never(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

int op_core_pmu(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1UL << 30,
		.disabled = 1,
		.exclude_guest = 1, /* as create() does: events that count guests are refused while a guest has the counters */
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, never, NULL);
	int type;

	if (IS_ERR(event))
		return PTR_ERR(event);
	type = event->pmu->type;
	perf_event_release_kernel(event);
	return type;
}

/* Event and unit mask, in bits 8-15, of the events of CPUID leaf 0xA. */
static bool is_architectural(const struct op_counter *counter)
{
	static const u16 codes[] = { 0x003c, 0x013c, 0x00c0, 0x4f2e, 0x412e, 0x00c4, 0x00c5 };
	int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		if ((counter->unit_mask << 8 | counter->event) == codes[i])
			return true;
	}
	return false;
}

bool op_means_same(const struct op_counter *counter, int pmu)
{
	return !IS_ENABLED(CONFIG_X86) || pmu == PERF_TYPE_RAW || is_architectural(counter);
}
