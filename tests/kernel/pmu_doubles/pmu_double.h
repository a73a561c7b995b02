/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Common code of the doubles of the kernel's PMUs, in the kernel's style: an event "overflows" every 20 ns of its count, by a timer, or
 * as slowly as ns_per_count asks.
 */
#ifndef PMU_DOUBLE_H
#define PMU_DOUBLE_H

#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#include <asm/irq_regs.h>

static unsigned int ns_per_count = 20;
module_param(ns_per_count, uint, 0444);
MODULE_PARM_DESC(ns_per_count, "nanoseconds between two counts");

/* Each double's own. */
static void overflow(struct perf_event *event, struct pt_regs *regs);

/* As in the kernel's PMUs, a period that the handler sets applies after the one that begins now. */
static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);

	event->hw.last_period = event->hw.sample_period;
	hrtimer_forward_now(timer, ns_to_ktime(event->hw.sample_period * ns_per_count));
	if (get_irq_regs())
		overflow(event, get_irq_regs());
	return HRTIMER_RESTART;
}

/* For event_init. */
static void set_up_timer(struct perf_event *event)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&event->hw.hrtimer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&event->hw.hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	event->hw.hrtimer.function = expired;
#endif
}

static void start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	hrtimer_start(&event->hw.hrtimer, ns_to_ktime(event->hw.sample_period * ns_per_count), HRTIMER_MODE_REL_PINNED_HARD);
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
		event->pmu->start(event, flags);
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	event->pmu->stop(event, flags);
}

static void read(struct perf_event *event)
{
}

/* A PMU whose events overflow by the timer; for perf_pmu_register(). */
static struct pmu timer_pmu(int (*event_init)(struct perf_event *event), int capabilities)
{
	return (struct pmu){
		.module = THIS_MODULE,
		.capabilities = capabilities,
		.task_ctx_nr = perf_invalid_context,
		.event_init = event_init,
		.add = add,
		.del = del,
		.start = start,
		.stop = stop,
		.read = read,
	};
}

#endif
