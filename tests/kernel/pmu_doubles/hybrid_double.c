// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A double of the kernel's PMUs on a hybrid Intel processor, for guests, whose emulated processor has no PMU: cpu_core, which raw
 * events go to, of CPU 0, and cpu_atom of the other CPUs. It tests which PMU the driver asks for on which CPU. Events that would count
 * guests are refused, as by newer kernels where a guest has the counters.
 */
#include "pmu_double.h"

static struct pmu core_pmu, atom_pmu;

static void overflow(struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;

	perf_sample_data_init(&data, 0, event->hw.last_period);
	event->overflow_handler(event, &data, regs);
}

static int event_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != event->pmu->type)
		return -ENOENT;
	if ((event->pmu == &core_pmu) != (event->cpu == 0))
		return -ENOENT;
	if (!event->attr.exclude_guest)
		return -EOPNOTSUPP;
	set_up_timer(event);
	return 0;
}

static int add_pmu(struct pmu *pmu, const char *name, int type)
{
	*pmu = timer_pmu(event_init, PERF_PMU_CAP_EXTENDED_HW_TYPE);
	return perf_pmu_register(pmu, name, type);
}

static int __init hybrid_double_init(void)
{
	int error = add_pmu(&core_pmu, "cpu_core", PERF_TYPE_RAW);

	if (error)
		return error;
	error = add_pmu(&atom_pmu, "cpu_atom", -1);
	if (error)
		perf_pmu_unregister(&core_pmu);
	return error;
}

static void __exit hybrid_double_exit(void)
{
	perf_pmu_unregister(&atom_pmu);
	perf_pmu_unregister(&core_pmu);
}

module_init(hybrid_double_init);
module_exit(hybrid_double_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("test double of the PMUs of a hybrid processor");
