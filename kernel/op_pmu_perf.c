// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Model perf: counters of the kernel's own PMU driver, on every architecture that has one. Event codes are raw ones. The kernel's
 * own limits, of samples per second and of the time of its whole handler, apply besides the guard. A counter may be one of AMD's
 * samplers (instruction-based sampling), whose raw data then goes with each sample; what it means is the reader's business.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "op_core_pmu.h"
#include "op_main.h"
#include "op_pmu.h"

#define PERF_COUNTERS 8
#define PERF_MIN_COUNT 10000

static DEFINE_PER_CPU(struct perf_event *[PERF_COUNTERS], op_events); /* while sampling; that CPU's hot-plug callbacks only */
static enum cpuhp_state online_state; /* while sampling; op_mutex */
static bool starting; /* the callbacks run for CPUs that are online already; hot-plug lock */

/* The beginning of what the PMU recorded; empty if it recorded nothing. */
static struct op_raw raw_of(const struct perf_sample_data *data, u32 most)
{
	const struct perf_raw_frag *first = &data->raw->frag;

	if (!(data->sample_flags & PERF_SAMPLE_RAW) || !data->raw || first->copy)
		return (struct op_raw){};
	return (struct op_raw){ first->data, min(first->size, most) };
}

static void overflowed(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	unsigned int counter = (unsigned long)event->overflow_handler_context;
	u64 began = op_handler_begin();

	if (op_counters[counter].raw_size) {
		struct op_raw raw = raw_of(data, op_counters[counter].raw_size);

		op_sample_raw(regs, counter, &raw);
	} else {
		op_sample(regs, counter);
	}
	/* The kernel does the same here for events with a frequency: the PMU driver uses it at the next reload. */
	event->hw.sample_period = op_next_count(regs, counter, began, S64_MAX);
}

static u64 raw_config(const struct op_counter *c)
{
#ifdef CONFIG_X86
	/* Event bits 0-7, unit mask 8-15, further event bits at 32. */
	return (c->event & 0xff) | (c->unit_mask & 0xff) << 8 | (u64)(c->event & 0xf00) << 24 | c->extra;
#else
	return c->event;
#endif
}

/*
 * Of other PMUs only AMD's samplers are used: the kernel's PMUs of breakpoints and probes do not interrupt. Samplers record both
 * modes; op_sample() leaves out the one that is not wanted.
 */
static bool is_sampler(const struct perf_event *event)
{
	return strstarts(event->pmu->name, "ibs_");
}

static struct perf_event *create_sampler(unsigned int cpu, unsigned int i)
{
	const struct op_counter *c = &op_counters[i];
	struct perf_event_attr attr = {
		.type = c->pmu,
		.size = sizeof(attr),
		.config = c->event,
		.sample_period = c->count,
		.sample_type = c->raw_size ? PERF_SAMPLE_RAW : 0,
		.pinned = 1,
		.disabled = 1, /* until it is known whose it is */
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, overflowed, (void *)(unsigned long)i);

	if (IS_ERR(event)) /* ENOENT: no PMU has that type */
		return PTR_ERR(event) == -ENOENT ? ERR_PTR(-EINVAL) : event;
	if (is_sampler(event)) {
		perf_event_enable(event);
		return event;
	}
	perf_event_release_kernel(event);
	return ERR_PTR(-EINVAL);
}

/* Raw events go to `pmu`, that of the CPU's kind of core, if the code is for all kinds. */
static struct perf_event *create(unsigned int cpu, unsigned int i, int pmu)
{
	const struct op_counter *c = &op_counters[i];
	struct perf_event_attr attr = {
		.type = pmu,
		.size = sizeof(attr),
		.config = raw_config(c),
		.sample_period = c->count,
		.pinned = 1,
		.exclude_kernel = !c->kernel,
		.exclude_hv = !c->kernel,
		.exclude_user = !c->user,
		.exclude_guest = 1,
	};

	if (pmu < 0)
		return ERR_PTR(pmu);
	if (!op_means_same(c, pmu)) {
		pr_warn("CPUs are of several kinds here: counter %u is limited to architectural events\n", i);
		return ERR_PTR(-EINVAL);
	}
	return perf_event_create_kernel_counter(&attr, cpu, NULL, overflowed, (void *)(unsigned long)i);
}

static int perf_offline(unsigned int cpu)
{
	struct perf_event **events = per_cpu(op_events, cpu);
	int i;

	for (i = 0; i < PERF_COUNTERS; i++) {
		if (events[i])
			perf_event_release_kernel(events[i]);
		events[i] = NULL;
	}
	return 0;
}

/* Sampling does not start if a CPU has no counter. But a CPU that comes online later is not refused: it is not sampled. */
static int refusal(int error)
{
	return starting ? error : 0;
}

static int perf_online(unsigned int cpu)
{
	struct perf_event **events = per_cpu(op_events, cpu);
	int pmu = op_core_pmu(cpu);
	int i;

	for (i = 0; i < PERF_COUNTERS; i++) {
		struct perf_event *event;

		if (!op_counter_used(i))
			continue;
		event = op_counters[i].pmu ? create_sampler(cpu, i) : create(cpu, i, pmu);
		if (IS_ERR(event) || event->state != PERF_EVENT_STATE_ACTIVE) {
			pr_warn("counter %d is not available on CPU %u (error %ld)\n", i, cpu,
				IS_ERR(event) ? PTR_ERR(event) : -EBUSY);
			if (!IS_ERR(event))
				perf_event_release_kernel(event);
			perf_offline(cpu);
			return refusal(IS_ERR(event) ? PTR_ERR(event) : -EBUSY);
		}
		events[i] = event;
	}
	return 0;
}

static int perf_start(void)
{
	int state;

	cpus_read_lock();
	starting = true;
	state = cpuhp_setup_state_cpuslocked(CPUHP_AP_ONLINE_DYN, "oprofile/perf:online", perf_online, perf_offline);
	starting = false;
	cpus_read_unlock();
	if (state < 0)
		return state;
	online_state = state;
	return 0;
}

static void perf_stop(void)
{
	cpuhp_remove_state(online_state);
}

/* Succeeds if there is a PMU that counts cycles and interrupts when a counter overflows. */
static int perf_init(struct op_pmu_model *model)
{
	int pmu = op_core_pmu(raw_smp_processor_id());

	if (pmu < 0)
		return pmu;
	model->cpu_type = IS_ENABLED(CONFIG_ARM64) ? "arm/armv8-pmuv3-common" : "perf";
	model->counters = PERF_COUNTERS;
	return 0;
}

struct op_pmu_model op_pmu_perf = {
	.name = "perf",
	.init = perf_init,
	.start = perf_start,
	.stop = perf_stop,
	.min_count = PERF_MIN_COUNT,
	.late_count = true,
	.has_pmus = true,
};
