// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load and unload, the choice of the model, and the states: stopped, set up (the buffer is open), running.
 */
#include "op_main.h"

#include <linux/init.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "op_buffer.h"
#include "op_image.h"
#include "op_modules.h"
#include "op_place.h"
#include "op_reader.h"
#include "op_slots.h"
#include "op_stats.h"

#define OP_CLOSE_TIMEOUT_S 10 /* seconds that a sampled process may wait for a CPU when the buffer is closed */

static bool timer;
module_param(timer, bool, 0444);
MODULE_PARM_DESC(timer, "sample by a timer even if there are counters");
static bool force_rtc;
module_param(force_rtc, bool, 0444);
MODULE_PARM_DESC(force_rtc, "sample at real-time clock rates: event RTC_INTERRUPTS");
static char *model;
module_param(model, charp, 0444);
MODULE_PARM_DESC(model, "take this model or none: intel, amd, perf, rtc, timer");

DEFINE_MUTEX(op_mutex);
enum op_state op_state = OP_STOPPED;
struct op_pmu_model *op_model;
struct op_counter op_counters[OP_MAX_COUNTERS];
struct op_settings op_settings = {
	.buffer_size = 131072,
	.buffer_watershed = 32768,
	.cpu_buffer_size = 8192,
};

DEFINE_PER_CPU(struct op_timer_switch, op_timer_switches) = { .enabled = 1 };

#define OP_MODEL_ROW(name) &name,
static struct op_pmu_model *const models[] = { OP_MODELS(OP_MODEL_ROW) };

static const char *wanted_model(void)
{
	if (timer)
		return "timer";
	return force_rtc ? "rtc" : model;
}

static int choose_model(void)
{
	const char *wanted = wanted_model();
	int i, error = -ENODEV;

	for (i = 0; i < ARRAY_SIZE(models) && !op_model; i++) {
		if (wanted ? strcmp(wanted, models[i]->name) : models[i] == &op_pmu_rtc)
			continue;
		error = models[i]->init(models[i]);
		if (!error)
			op_model = models[i];
	}
	if (!op_model && wanted)
		pr_err("model %s is not possible here (error %d)\n", wanted, error);
	return op_model ? 0 : error;
}

/* Buffers may take half of the free memory at most: no process may be killed for them. */
static bool fits_memory(void)
{
	u64 size = op_rings_size() + op_stores_size(op_settings.cpu_buffer_size, op_settings.backtrace_depth);
	long available = si_mem_available();

	return available > 0 && size >> PAGE_SHIFT <= available / 2;
}

/* Frees everything, unless a process still has task work of ours after that time. */
static bool free_all(unsigned int seconds)
{
	if (!op_free_stores(seconds))
		return false;
	op_free_rings();
	op_forget_images();
	return true;
}

/* Leaves OP_STUCK if the process that had not run for so long has run. */
static int recover_stuck(void)
{
	if (!free_all(0)) {
		pr_warn("a process sampled before still has not run\n");
		return -EBUSY;
	}
	op_state = OP_STOPPED;
	module_put(THIS_MODULE);
	return 0;
}

int op_set_up(void)
{
	int error = 0;

	if (op_state == OP_STUCK)
		error = recover_stuck();
	if (error)
		return error;
	if (op_state != OP_STOPPED)
		return -EBUSY;
	if (op_settings.buffer_watershed >= op_settings.buffer_size)
		return -EINVAL;
	if (!fits_memory())
		return -ENOMEM;
	error = op_alloc_rings();
	if (error)
		return error;
	error = op_alloc_stores(op_settings.cpu_buffer_size, op_settings.backtrace_depth);
	if (error)
		goto no_stores;
	error = op_watch_modules();
	if (error)
		goto no_modules;
	error = op_model->setup ? op_model->setup() : 0;
	if (error)
		goto no_model;
	op_state = OP_SET_UP;
	return 0;

no_model:
	op_unwatch_modules();
no_modules:
	op_free_stores(0);
no_stores:
	op_free_rings();
	return error;
}

static bool any_counter(void)
{
	int i;

	for (i = 0; i < op_model->counters; i++)
		if (op_counter_used(i))
			return true;
	return false;
}

int op_start(void)
{
	int error;

	if (op_state == OP_RUNNING)
		return 0;
	if (op_state == OP_STUCK) {
		pr_warn("a process sampled before still has not run\n");
		return -EBUSY;
	}
	if (op_state != OP_SET_UP || !any_counter())
		return -EINVAL;
	op_restart_stats();
	op_start_epoch();
	op_reset_guards();
	error = op_model->start();
	if (error)
		op_drain_slots(); /* some CPUs may have taken samples: they count, and can be read */
	else
		WRITE_ONCE(op_state, OP_RUNNING);
	return error;
}

void op_stop(void)
{
	op_model->stop();
	op_drain_slots();
	WRITE_ONCE(op_state, OP_SET_UP);
	op_wake_reader();
}

void op_shut_down(void)
{
	if (op_model->shutdown)
		op_model->shutdown();
	op_unwatch_modules();
	if (free_all(OP_CLOSE_TIMEOUT_S)) {
		op_state = OP_STOPPED;
		return;
	}
	/* A process still has our task work: its slots and this code must stay. */
	op_state = OP_STUCK;
	__module_get(THIS_MODULE);
	pr_warn("a sampled process has not run for %d seconds: no profiling until it has\n", OP_CLOSE_TIMEOUT_S);
}

void op_update_timer(unsigned int cpu)
{
	if (op_state == OP_RUNNING && op_model->update)
		op_model->update(cpu);
}

static int __init oprofile_init(void)
{
	int error = choose_model();

	if (error)
		return error;
	error = op_images_init();
	if (error)
		goto no_images;
	error = op_fs_register();
	if (error)
		goto no_fs;
	pr_info("using model %s, CPU type %s\n", op_model->name, op_model->cpu_type);
	return 0;

no_fs:
	op_images_exit();
no_images:
	if (op_model->exit)
		op_model->exit();
	return error;
}

static void __exit oprofile_exit(void)
{
	op_fs_unregister();
	if (op_model->exit)
		op_model->exit();
	op_images_exit();
	op_quiesce();
}

module_init(oprofile_init);
module_exit(oprofile_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("system-wide profiler");
MODULE_AUTHOR("the oprofile-ng authors");
