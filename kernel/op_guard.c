// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guard against too many samples: handlers may use a quarter of each CPU's time (doc/adr/0017-the-budget-of-handlers.md).
 *
 * A CPU has an account in nanoseconds. It earns a quarter of the time that passes, each handler pays what it took, and while the
 * account is overdrawn the CPU rests from sampling. Nothing here waits or takes a lock; tests/unit/guard_test.cpp compiles this
 * file under a clock of its own.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "op_buffer.h"
#include "op_main.h"
#include "op_pmu.h"
#include "op_stats.h"

#define SHARE 2 /* time >> SHARE is the handlers' */
#define MAX_CREDIT_NS (2500 * NSEC_PER_USEC) /* kept for a burst of samples */
#define MAX_REST_NS (100 * NSEC_PER_MSEC)
#define MAX_DEBT_NS (MAX_REST_NS >> SHARE)
/*
 * What an interrupt costs outside its handler, and the placing of its sample: an estimate, or how late a timer's handler began,
 * which shows what entering it costs, but may have other reasons.
 */
#define MIN_OVERHEAD_NS (5 * NSEC_PER_USEC)
#define MAX_OVERHEAD_NS (20 * NSEC_PER_USEC)

/*
 * A handler that took longer may have lost its CPU to a hypervisor meanwhile. What is above is paid from a second account, which
 * earns time >> DOUBT_SHARE; but only after a handler that was not slow.
 */
#define SLOW_NS (500 * NSEC_PER_USEC)
#define DOUBT_SHARE 3
#define MAX_DOUBT_NS (25 * NSEC_PER_MSEC)

/* No handler counts for more: it takes all credit and makes the greatest debt. */
#define MAX_TOOK_NS NSEC_PER_SEC
/* Periods have not been lengthened for so long: the stream records the end of it. */
#define CALM_NS NSEC_PER_SEC

/*
 * A period in which the interrupted code did not move was too short, even if the account has credit: the counter's next one
 * is to last twice as long. Longer ones are left alone, as an idle CPU may be found at one place each time. An emulated
 * machine on a busy host takes 16 to 64 us for an interrupt outside its handlers.
 */
#define MAX_LEAST_NS (200 * NSEC_PER_USEC)
#define LEAST_DECAY 4 /* once the code moves, each handler takes least >> LEAST_DECAY off what the next period has to last */

/* Words at the start of pt_regs that are the interrupted code's registers. On arm64 the kernel's own fields follow them. */
#ifdef CONFIG_ARM64
#define REGISTERS (sizeof(struct user_pt_regs) / sizeof(unsigned long))
#else
#define REGISTERS (sizeof(struct pt_regs) / sizeof(unsigned long))
#endif

/* A counter's period is lengthened eightfold at once at most: its events may become rare meanwhile. */
#define MAX_GROWTH 3
#define MAX_SHIFT 20

/* The periods of one counter. */
struct op_pace {
	u64 ended; /* when the last handler for this counter had ended */
	unsigned int shift; /* the period that runs is count << shift */
	unsigned int chosen; /* the shift chosen last; `shift` follows later in models with late_count */
	unsigned long registers; /* hash of the registers that the last handler for this counter was given; 0: not looked at */
	u64 least; /* ns that the next period has to last, so that the interrupted code moves */
};

/* Per-CPU, handlers of that CPU only, but `owed`, to which its interrupts add; reset under op_mutex while stopped. */
struct op_guard {
	u64 last; /* when the last handler ended */
	s64 credit; /* ns that handlers may take; less than 0: a debt */
	u64 doubt; /* ns that slow handlers may take more */
	atomic64_t owed; /* ns that handlers' work took after their end: the next handler pays it */
	bool slow; /* the last handler took more than SLOW_NS */
	unsigned int pending; /* bit per counter: its periods are lengthened, and the ring has no record of it yet */
	unsigned int reported; /* bit per counter: the ring has a record of that, and none of its end yet */
	u64 lengthened; /* when a period last was */
	struct op_pace pace[OP_MAX_COUNTERS];
};

static DEFINE_PER_CPU(struct op_guard, op_guards);

/* The clock may step back a little when it is read in NMI. */
static u64 elapsed(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

static void earn(struct op_guard *guard, u64 time)
{
	guard->credit = min_t(s64, guard->credit + (s64)(time >> SHARE), MAX_CREDIT_NS);
	guard->doubt = min_t(u64, guard->doubt + (time >> DOUBT_SHARE), MAX_DOUBT_NS);
}

/* What a handler has to pay from the first account. */
static u64 price(struct op_guard *guard, u64 took)
{
	bool alone = !guard->slow;
	u64 excused;

	guard->slow = took > SLOW_NS;
	if (!guard->slow || !alone)
		return took;
	excused = min_t(u64, took - SLOW_NS, guard->doubt);
	guard->doubt -= excused;
	return took - excused;
}

/* What the handler took, and the work that earlier ones left for later. */
static u64 time_taken(struct op_guard *guard, u64 began, u64 now)
{
	u64 owed = atomic64_read(&guard->owed) ? atomic64_xchg(&guard->owed, 0) : 0;

	return min_t(u64, elapsed(began, now) + owed, MAX_TOOK_NS);
}

/* Returns for how long this CPU should not be interrupted again: until the debt is paid. */
static u64 end_handler(struct op_guard *guard, u64 began, u64 overhead)
{
	u64 now = ktime_get_mono_fast_ns();
	u64 took = time_taken(guard, began, now);

	earn(guard, elapsed(guard->last, now));
	guard->credit = max_t(s64, guard->credit - (s64)(price(guard, took) + overhead), -MAX_DEBT_NS);
	guard->last = now;
	return guard->credit < 0 ? (u64)-guard->credit << SHARE : 0;
}

static void leave_out(struct op_guard *guard, unsigned int counter, u64 periods)
{
	if (!periods)
		return;
	op_add(smp_processor_id(), OP_STAT_THROTTLED, periods);
	guard->lengthened = guard->last;
	guard->pending |= BIT(counter) & ~guard->reported;
}

u64 op_handler_begin(void)
{
	return ktime_get_mono_fast_ns();
}

void op_end_late_work(u64 began)
{
	atomic64_add(elapsed(began, ktime_get_mono_fast_ns()), &this_cpu_ptr(&op_guards)->owed);
}

void op_next_expiry(struct hrtimer *timer, u64 began, u64 period)
{
	struct op_guard *guard = this_cpu_ptr(&op_guards);
	u64 late = elapsed(ktime_to_ns(hrtimer_get_expires(timer)), began);
	u64 rest = end_handler(guard, began, clamp_t(u64, late, MIN_OVERHEAD_NS, MAX_OVERHEAD_NS));
	/* The clock of a moment ago; seen to have passed the expiry, as that has happened. */
	ktime_t now = max_t(ktime_t, ns_to_ktime(guard->last), hrtimer_get_expires(timer));
	u64 passed = hrtimer_forward(timer, now, ns_to_ktime(period));

	if (passed > 1)
		op_add(smp_processor_id(), OP_STAT_OVERRUN, passed - 1);
	if (rest)
		leave_out(guard, 0, hrtimer_forward(timer, ktime_add_ns(now, rest), ns_to_ktime(period)));
}

/*
 * The smallest shift with which the counter's next period, count << shift and at most `most`, lasts as long as the rest, if its
 * events come as fast as before; but no period is lengthened beyond MAX_REST_NS.
 */
static unsigned int choose_shift(const struct op_pace *pace, u64 began, u64 rest, u64 count, u64 most)
{
	unsigned int limit = min_t(unsigned int, pace->chosen + MAX_GROWTH, MAX_SHIFT);
	u64 period = elapsed(pace->ended, began) >> pace->shift;
	unsigned int shift = 0;

	while (period < rest && period <= MAX_REST_NS / 2 && shift < limit && count <= most >> (shift + 1)) {
		period *= 2;
		shift++;
	}
	return shift;
}

/*
 * The program counter alone does not show that code moves: a loop may be interrupted at the same instruction each time. Nor does a
 * sum: a loop may add to one register what it subtracts from another.
 */
static unsigned long hash_registers(const struct pt_regs *regs)
{
	const unsigned long *word = (const unsigned long *)regs;
	unsigned long hash = 0;
	unsigned int i;

	for (i = 0; i < REGISTERS; i++)
		hash = hash * 31 + word[i];
	return hash;
}

/*
 * Returns how long (ns) the counter's next period has to last, so that the interrupted code moves. Samples with long periods do not
 * pay for the hash.
 */
static u64 least_period(struct op_pace *pace, const struct pt_regs *regs, u64 began)
{
	u64 period = elapsed(pace->ended, began);
	bool may_be_held = period < MAX_LEAST_NS || pace->least >> LEAST_DECAY;
	unsigned long registers = may_be_held ? hash_registers(regs) : 0;

	if (registers && registers == pace->registers)
		pace->least = min_t(u64, period, MAX_LEAST_NS / 2) * 2;
	else
		pace->least -= pace->least >> LEAST_DECAY;
	pace->registers = registers;
	return pace->least;
}

u64 op_next_count(const struct pt_regs *regs, unsigned int counter, u64 began, u64 most)
{
	struct op_guard *guard = this_cpu_ptr(&op_guards);
	struct op_pace *pace = &guard->pace[counter];
	u64 rest = max_t(u64, end_handler(guard, began, MIN_OVERHEAD_NS), least_period(pace, regs, began));
	u64 count = op_counters[counter].count;
	unsigned int shift = choose_shift(pace, began, rest, count, most);

	pace->shift = op_model->late_count ? pace->chosen : shift;
	pace->chosen = shift;
	pace->ended = guard->last;
	leave_out(guard, counter, BIT_ULL(shift) - 1);
	return count << shift;
}

/* Puts a record for each counter of the mask; returns those whose record did not fit. */
static unsigned int put_records(unsigned int counters, bool on)
{
	unsigned int i;

	for (i = 0; i < OP_MAX_COUNTERS; i++)
		if ((counters & BIT(i)) && op_put_throttle(i, on))
			counters &= ~BIT(i);
	return counters;
}

void op_report_guard(void)
{
	struct op_guard *guard = this_cpu_ptr(&op_guards);
	unsigned int left;

	if (guard->pending) {
		left = put_records(guard->pending, true);
		guard->reported |= guard->pending & ~left;
		guard->pending = left;
	}
	if (guard->reported && elapsed(guard->lengthened, guard->last) > CALM_NS)
		guard->reported = put_records(guard->reported, false);
}

void op_reset_guards(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(&per_cpu(op_guards, cpu), 0, sizeof(struct op_guard));
}
