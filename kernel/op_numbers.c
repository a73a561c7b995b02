// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The number files of oprofilefs: what each is, what it accepts and when. They are put into directories by op_fs.c.
 */
#include "op_numbers.h"

#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <uapi/linux/perf_event.h>

#include "op_main.h"
#include "uapi/op_stream.h"

/* ---- settings that are fixed while the buffer is open ---- */

#define SETTING(field, low, high)                                                \
	static u64 get_##field(unsigned long index)                    \
	{                                                                        \
		return op_settings.field;                                        \
	}                                                                        \
	static int set_##field(unsigned long index, unsigned long value)         \
	{                                                                        \
		if (op_state != OP_STOPPED)                                      \
			return -EBUSY;                                           \
		if (value < (low) || value > (high))                             \
			return -EINVAL;                                          \
		op_settings.field = value;                                       \
		return 0;                                                        \
	}

SETTING(buffer_size, 1024UL, 1UL << 28)
SETTING(buffer_watershed, 0UL, 1UL << 28)
SETTING(cpu_buffer_size, 64UL, 1UL << 20)
SETTING(backtrace_depth, 0UL, (unsigned long)OP_MAX_DEPTH)
SETTING(stack_size, 0UL, OP_MAX_STACK)
SETTING(sample_times, 0UL, 1UL)

/* ---- settings that are fixed while sampling ---- */

#define FILTER(field)                                                            \
	static u64 get_##field(unsigned long index)                    \
	{                                                                        \
		return op_settings.field;                                        \
	}                                                                        \
	static int set_##field(unsigned long index, unsigned long value)         \
	{                                                                        \
		if (op_is_sampling())                                            \
			return -EBUSY;                                           \
		if (value > INT_MAX)                                             \
			return -EINVAL;                                          \
		op_settings.field = value;                                       \
		return 0;                                                        \
	}

FILTER(pid_filter)
FILTER(pgrp_filter)

#define COUNTER(field, limit)                                                    \
	static u64 get_counter_##field(unsigned long index)            \
	{                                                                        \
		return op_counters[index].field;                                 \
	}                                                                        \
	static int set_counter_##field(unsigned long index, unsigned long value) \
	{                                                                        \
		if (op_is_sampling())                                            \
			return -EBUSY;                                           \
		if (value > (limit))                                             \
			return -EINVAL;                                          \
		op_counters[index].field = value;                                \
		return 0;                                                        \
	}

COUNTER(enabled, 1UL)
COUNTER(event, (unsigned long)U32_MAX)
COUNTER(unit_mask, (unsigned long)U32_MAX)
COUNTER(kernel, 1UL)
COUNTER(user, 1UL)
COUNTER(extra, (unsigned long)U32_MAX)

static u64 get_counter_pmu(unsigned long index)
{
	return op_counters[index].pmu;
}

/* Smaller types are software events, or those of the CPU's counters. */
static int set_counter_pmu(unsigned long index, unsigned long value)
{
	if (op_is_sampling())
		return -EBUSY;
	if (value && (value < PERF_TYPE_MAX || value > S32_MAX))
		return -EINVAL;
	op_counters[index].pmu = value;
	return 0;
}

static u64 get_counter_raw_size(unsigned long index)
{
	return op_counters[index].raw_size;
}

static int set_counter_raw_size(unsigned long index, unsigned long value)
{
	if (op_state != OP_STOPPED)
		return -EBUSY;
	if (value > OP_MAX_RAW)
		return -EINVAL;
	op_counters[index].raw_size = value;
	return 0;
}

static u64 get_count(unsigned long index)
{
	return op_counters[index].count;
}

/* The count that the model uses for this one; 0 if it does not accept it. */
static unsigned long accepted_count(unsigned long count)
{
	if (count < op_model->min_count || count > S32_MAX)
		return 0;
	return op_model->check_count ? op_model->check_count(count) : count;
}

/* 0 = not set. */
static int set_count(unsigned long index, unsigned long value)
{
	unsigned long count = accepted_count(value);

	if (op_is_sampling())
		return -EBUSY;
	if (value && !count)
		return -EINVAL;
	op_counters[index].count = count;
	return 0;
}

static u64 get_min_count(unsigned long index)
{
	return op_model->min_count;
}

/* ---- switches that work while sampling ---- */

static u64 get_enable(unsigned long index)
{
	return op_is_sampling();
}

static int set_enable(unsigned long index, unsigned long value)
{
	if (value > 1)
		return -EINVAL;
	if (value)
		return op_start();
	op_stop();
	return 0;
}

static u64 get_timer_enabled(unsigned long cpu)
{
	return per_cpu(op_timer_switches, cpu).enabled;
}

static int set_timer_enabled(unsigned long cpu, unsigned long value)
{
	if (value > 1)
		return -EINVAL;
	per_cpu(op_timer_switches, cpu).enabled = value;
	op_update_timer(cpu);
	return 0;
}

static u64 get_timer_period(unsigned long cpu)
{
	return per_cpu(op_timer_switches, cpu).period_us;
}

static int set_timer_period(unsigned long cpu, unsigned long value)
{
	if (value > 10000000)
		return -EINVAL;
	per_cpu(op_timer_switches, cpu).period_us = value;
	op_update_timer(cpu);
	return 0;
}

/* ---- constants and statistics ---- */

static u64 get_pointer_size(unsigned long index)
{
	return sizeof(u64);
}

static u64 get_stream_version(unsigned long index)
{
	return OP_STREAM_VERSION;
}

#define STAT(name, stat)                                                         \
	static u64 get_##name(unsigned long cpu)                       \
	{                                                                        \
		return op_stat(cpu, stat);                                       \
	}

static u64 get_received(unsigned long cpu)
{
	return op_stat(cpu, OP_STAT_RECEIVED) + op_stat(cpu, OP_STAT_NESTED);
}

STAT(overflow, OP_STAT_OVERFLOW)
STAT(no_mm, OP_STAT_NO_MM)
STAT(no_mapping, OP_STAT_NO_MAPPING)
STAT(nested, OP_STAT_NESTED)
STAT(pending, OP_STAT_PENDING)
STAT(aborted, OP_STAT_TRACE_ABORTED)
STAT(stack_lost, OP_STAT_STACK_LOST)
STAT(throttled, OP_STAT_THROTTLED)
STAT(overruns, OP_STAT_OVERRUN)
STAT(filtered, OP_STAT_FILTERED)

static u64 get_sum(unsigned long stat)
{
	return op_stat_sum(stat);
}

const struct op_number op_setting_files[] = {
	{ "enable", 0600, get_enable, set_enable },
	{ "buffer_size", 0600, get_buffer_size, set_buffer_size },
	{ "buffer_watershed", 0600, get_buffer_watershed, set_buffer_watershed },
	{ "cpu_buffer_size", 0600, get_cpu_buffer_size, set_cpu_buffer_size },
	{ "backtrace_depth", 0600, get_backtrace_depth, set_backtrace_depth },
	{ "stack_size", 0600, get_stack_size, set_stack_size },
	{ "sample_times", 0600, get_sample_times, set_sample_times },
	{ "pid_filter", 0600, get_pid_filter, set_pid_filter },
	{ "pgrp_filter", 0600, get_pgrp_filter, set_pgrp_filter },
	{ "pointer_size", 0400, get_pointer_size, NULL },
	{ "stream_version", 0400, get_stream_version, NULL },
	{}
};

const struct op_number op_counter_files[] = {
	{ "enabled", 0600, get_counter_enabled, set_counter_enabled },
	{ "event", 0600, get_counter_event, set_counter_event },
	{ "count", 0600, get_count, set_count },
	{ "unit_mask", 0600, get_counter_unit_mask, set_counter_unit_mask },
	{ "kernel", 0600, get_counter_kernel, set_counter_kernel },
	{ "user", 0600, get_counter_user, set_counter_user },
	{ "extra", 0600, get_counter_extra, set_counter_extra },
	{ "min_count", 0400, get_min_count, NULL },
	{}
};

const struct op_number op_pmu_files[] = {
	{ "pmu", 0600, get_counter_pmu, set_counter_pmu },
	{ "raw_size", 0600, get_counter_raw_size, set_counter_raw_size },
	{}
};

const struct op_number op_timer_files[] = {
	{ "enabled", 0600, get_timer_enabled, set_timer_enabled },
	{ "period_us", 0600, get_timer_period, set_timer_period },
	{}
};

const struct op_number op_cpu_stat_files[] = {
	{ "sample_received", 0400, get_received, NULL },
	{ "sample_lost_overflow", 0400, get_overflow, NULL },
	{ "sample_lost_no_mm", 0400, get_no_mm, NULL },
	{ "sample_lost_no_mapping", 0400, get_no_mapping, NULL },
	{ "sample_lost_nested", 0400, get_nested, NULL },
	{ "sample_lost_pending", 0400, get_pending, NULL },
	{ "backtrace_aborted", 0400, get_aborted, NULL },
	{ "stack_lost", 0400, get_stack_lost, NULL },
	{ "throttled", 0400, get_throttled, NULL },
	{ "timer_overruns", 0400, get_overruns, NULL },
	{ "sample_filtered", 0400, get_filtered, NULL },
	{}
};

const struct op_sum_file op_sum_files[] = {
	{ { "event_lost_overflow", 0400, get_sum, NULL }, OP_STAT_OVERFLOW },
	{ { "sample_lost_no_mm", 0400, get_sum, NULL }, OP_STAT_NO_MM },
	{ { "sample_lost_no_mapping", 0400, get_sum, NULL }, OP_STAT_NO_MAPPING },
	{ { "bt_lost_no_mapping", 0400, get_sum, NULL }, OP_STAT_TRACE_NO_MAPPING },
	{}
};
