// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Models timer and rtc: a timer on each CPU. Event 0 of `timer` is TIMER, its count nanoseconds; event 0 of `rtc` is
 * RTC_INTERRUPTS, its count a rate: on current kernels the real-time clock's periodic interrupt is made by such a timer itself.
 * Code that runs with interrupts off is not sampled.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/smp.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "op_main.h"
#include "op_pmu.h"

#define MIN_PERIOD_NS 10000
#define MIN_RATE 2
#define MAX_RATE 4096

/* A CPU's timer. */
struct op_timer {
	struct hrtimer timer;
	u64 period; /* ns; written while the timer does not run */
};

static DEFINE_PER_CPU(struct op_timer, op_timers); /* per-CPU: its timer's handler and hot-plug callbacks */
static enum cpuhp_state online_state; /* while sampling; op_mutex */

static u64 counter_period(void)
{
	unsigned long count = op_counters[0].count;

	return op_model == &op_pmu_rtc ? div_u64(NSEC_PER_SEC, count) : count;
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct op_timer *t = container_of(timer, struct op_timer, timer);
	struct pt_regs *regs = get_irq_regs();
	u64 began = op_handler_begin();

	if (regs)
		op_sample(regs, 0);
	op_next_expiry(timer, began, t->period);
	return HRTIMER_RESTART;
}

/* On the CPU itself. */
static void start_timer(void *unused)
{
	const struct op_timer_switch *s = this_cpu_ptr(&op_timer_switches);
	struct op_timer *t = this_cpu_ptr(&op_timers);

	if (!s->enabled)
		return;
	t->period = s->period_us ? (u64)s->period_us * NSEC_PER_USEC : counter_period();
	hrtimer_start(&t->timer, ns_to_ktime(t->period), HRTIMER_MODE_REL_PINNED_HARD);
}

static int timer_online(unsigned int cpu)
{
	op_hrtimer_setup(&per_cpu(op_timers, cpu).timer, timer_fired);
	smp_call_function_single(cpu, start_timer, NULL, 1);
	return 0;
}

static int timer_offline(unsigned int cpu)
{
	hrtimer_cancel(&per_cpu(op_timers, cpu).timer);
	return 0;
}

static int timer_start(void)
{
	int state;

	if (!op_counter_used(0))
		return -EINVAL;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile/timer:online", timer_online, timer_offline);
	if (state < 0)
		return state;
	online_state = state;
	return 0;
}

static void timer_stop(void)
{
	cpuhp_remove_state(online_state);
}

static void timer_update(unsigned int cpu)
{
	cpus_read_lock();
	if (cpu_online(cpu)) {
		hrtimer_cancel(&per_cpu(op_timers, cpu).timer);
		smp_call_function_single(cpu, start_timer, NULL, 1);
	}
	cpus_read_unlock();
}

static int timer_init(struct op_pmu_model *model)
{
	model->cpu_type = model->name;
	model->counters = 1;
	return 0;
}

/* The nearest power of two; 2^n to 1.5 * 2^n counts as 2^n. */
static unsigned long check_rate(unsigned long rate)
{
	unsigned long rounded = MIN_RATE;

	if (rate > MAX_RATE)
		return 0;
	while (2 * rate > 3 * rounded)
		rounded *= 2;
	return rounded;
}

struct op_pmu_model op_pmu_timer = {
	.name = "timer",
	.init = timer_init,
	.start = timer_start,
	.stop = timer_stop,
	.update = timer_update,
	.min_count = MIN_PERIOD_NS,
};

struct op_pmu_model op_pmu_rtc = {
	.name = "rtc",
	.init = timer_init,
	.check_count = check_rate,
	.start = timer_start,
	.stop = timer_stop,
	.update = timer_update,
	.min_count = MIN_RATE,
};
