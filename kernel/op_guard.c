// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guard against too many samples: handlers may use a quarter of each tick. When they use more, the period is doubled, as often
 * as needed; when they have used little for some ticks, it is halved, down to the configured period.
 */
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/ktime.h>

#include "op_buffer.h"
#include "op_main.h"
#include "op_pmu.h"
#include "op_stats.h"

#define BUDGET_NS (TICK_NSEC / 4)
#define CALM_NS (BUDGET_NS / 4)
#define CALM_WINDOWS 25
#define MAX_SHIFT 24
/* An estimate of what an interrupt costs outside its handler, and of the placing of its sample. */
#define OVERHEAD_NS 5000
/* The most that a single slow handler counts for: a hypervisor may have taken the CPU meanwhile. Two in a row count in full. */
#define MAX_ALONE_NS (BUDGET_NS / 2)

/* Per-CPU, NMI and interrupt handlers of that CPU only; reset under op_mutex while stopped. */
struct op_guard {
	u64 window; /* when the current tick began, ns */
	u64 spent; /* in it, ns */
	unsigned int calm; /* ticks in a row with little spent */
	unsigned int shift;
	bool slow; /* the last handler took more than MAX_ALONE_NS */
	bool pending; /* the period was lengthened, and the ring has no record of it yet */
	bool reported; /* the ring has a record of that, and none of its end yet */
	unsigned int counter; /* in whose handler that happened; valid while pending or reported */
};

static DEFINE_PER_CPU(struct op_guard, op_guards);

static void close_window(struct op_guard *guard, u64 now)
{
	guard->calm = guard->spent < CALM_NS ? guard->calm + 1 : 0;
	if (guard->shift && guard->calm >= CALM_WINDOWS) {
		guard->calm = 0;
		guard->shift--;
	}
	guard->window = now;
	guard->spent = 0;
}

static void back_off(struct op_guard *guard, u64 now, unsigned int counter)
{
	if (!guard->pending && !guard->reported) {
		guard->pending = true;
		guard->counter = counter;
	}
	if (guard->shift < MAX_SHIFT)
		guard->shift++;
	guard->calm = 0;
	guard->window = now;
	guard->spent = 0;
}

/* The clock may step back a little when it is read in NMI. */
static u64 elapsed(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

static u64 cost(struct op_guard *guard, u64 took)
{
	bool alone = !guard->slow;

	guard->slow = took > MAX_ALONE_NS;
	return OVERHEAD_NS + (alone ? min_t(u64, took, MAX_ALONE_NS) : took);
}

u64 op_handler_begin(void)
{
	return ktime_get_mono_fast_ns();
}

unsigned int op_handler_end(u64 began, unsigned int counter)
{
	struct op_guard *guard = this_cpu_ptr(&op_guards);
	u64 now = ktime_get_mono_fast_ns();

	if (elapsed(guard->window, now) >= TICK_NSEC)
		close_window(guard, now);
	guard->spent += cost(guard, elapsed(began, now));
	if (guard->spent > BUDGET_NS)
		back_off(guard, now, counter);
	return guard->shift;
}

void op_skip_periods(u64 periods)
{
	if (periods)
		op_add(smp_processor_id(), OP_STAT_THROTTLED, periods);
}

void op_report_guard(void)
{
	struct op_guard *guard = this_cpu_ptr(&op_guards);

	if (guard->pending && op_put_throttle(guard->counter, true)) {
		guard->pending = false;
		guard->reported = true;
	}
	if (guard->reported && !guard->shift && op_put_throttle(guard->counter, false))
		guard->reported = false;
}

void op_reset_guards(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(op_guards, cpu) = (struct op_guard){};
}
