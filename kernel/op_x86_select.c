// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters with one event select register each, at equal distances: P6 to today's Intel processors, and AMD's. Values:
 * op_x86_encode.h.
 */
#include "op_pmu.h"
#include "op_pmu_x86.h"

static u32 select_msr(unsigned int i)
{
	return op_x86_pmu->select + i * op_x86_pmu->stride;
}

static u32 counter_msr(unsigned int i)
{
	return op_x86_pmu->counter + i * op_x86_pmu->stride;
}

static u32 nth_counter(unsigned int n)
{
	return n < op_x86_pmu->counters ? counter_msr(n) : 0;
}

static u32 nth_select(unsigned int n)
{
	return n < op_x86_pmu->counters ? select_msr(n) : 0;
}

static u32 nth_saved(unsigned int n)
{
	return n & 1 ? nth_select(n / 2) : nth_counter(n / 2);
}

/* The select word without ENABLE. That of a counter that is not in use counts nothing. */
static u64 select_word(unsigned int i, bool host_only)
{
	const struct op_counter *counter = &op_counters[i];
	const struct op_x86_settings settings = {
		.event = counter->event,
		.unit_mask = counter->unit_mask,
		.extra = counter->extra,
		.kernel = counter->kernel,
		.user = counter->user,
		.host_only = host_only,
	};

	return op_counter_used(i) ? op_x86_select_word(&op_x86_pmu->layout, &settings) : 0;
}

static void select_clear(void)
{
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++)
		op_x86_write(select_msr(i), 0);
	for (i = 0; i < op_x86_pmu->counters; i++)
		op_x86_write(counter_msr(i), op_x86_counter_mask(op_x86_pmu->width));
}

static void select_program(unsigned int i, bool host_only)
{
	op_x86_write(select_msr(i), select_word(i, host_only));
}

/* True if counting begins and ends by the ENABLE of select register i. */
static bool is_switch(unsigned int i)
{
	return op_x86_pmu->shared_enable ? i == 0 : op_counter_used(i);
}

static void select_run(bool on, bool host_only)
{
	unsigned int i;

	for (i = 0; i < op_x86_pmu->counters; i++) {
		if (is_switch(i))
			op_x86_write(select_msr(i), select_word(i, host_only) | (on ? OP_X86_ENABLE : 0));
	}
}

/* A counter that cannot be read has not overflowed. */
static bool select_overflowed(unsigned int i)
{
	u64 value;

	return !op_msr.read(counter_msr(i), &value) && op_x86_counter_overflowed(value, op_x86_pmu->width);
}

static void select_arm(unsigned int i, u64 count)
{
	op_x86_write(counter_msr(i), op_x86_counter_start(count, op_x86_pmu->width));
}

const struct op_x86_scheme op_x86_select_scheme = {
	.counter = nth_counter,
	.select = nth_select,
	.saved = nth_saved,
	.trial = OP_X86_USR | 0x76,
	.clear = select_clear,
	.program = select_program,
	.run = select_run,
	.overflowed = select_overflowed,
	.arm = select_arm,
};
