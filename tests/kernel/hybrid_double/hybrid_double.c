// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A double of the kernel's PMUs on a hybrid Intel processor, for guests, whose emulated processor has no PMU: cpu_core, which raw
 * events go to, of CPU 0, and cpu_atom of the other CPUs. An event "overflows" every 20 ns of its count, by a timer. It tests which PMU
 * the driver asks for on which CPU. Events that would count guests are refused, as by newer kernels where a guest has the counters.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#include <asm/irq_regs.h>

#define NS_PER_COUNT 20

static struct pmu core_pmu, atom_pmu;

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);
	struct perf_sample_data data;

	hrtimer_forward_now(timer, ns_to_ktime(event->hw.sample_period * NS_PER_COUNT));
	perf_sample_data_init(&data, 0, event->hw.sample_period);
	if (get_irq_regs())
		event->overflow_handler(event, &data, get_irq_regs());
	return HRTIMER_RESTART;
}

static void start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	hrtimer_start(&event->hw.hrtimer, ns_to_ktime(event->hw.sample_period * NS_PER_COUNT), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop(struct perf_event *event, int flags)
{
	hrtimer_cancel(&event->hw.hrtimer);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		start(event, flags);
	return 0;
}

static void read(struct perf_event *event)
{
}

static int event_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != event->pmu->type)
		return -ENOENT;
	if ((event->pmu == &core_pmu) != (event->cpu == 0))
		return -ENOENT;
	if (!event->attr.exclude_guest)
		return -EOPNOTSUPP;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&event->hw.hrtimer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&event->hw.hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	event->hw.hrtimer.function = expired;
#endif
	return 0;
}

static int add_pmu(struct pmu *pmu, const char *name, int type)
{
	*pmu = (struct pmu){
		.module = THIS_MODULE,
		.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE,
		.task_ctx_nr = perf_invalid_context,
		.event_init = event_init,
		.add = add,
		.del = stop,
		.start = start,
		.stop = stop,
		.read = read,
	};
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
