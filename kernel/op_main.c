// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load and unload, the choice of the model, and the states: stopped, set up (the buffer is open), running.
 */
#include "op_main.h"

#include <linux/init.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "op_buffer.h"
#include "op_image.h"
#include "op_memory.h"
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
MODULE_PARM_DESC(model, "take this model or none: intel, p4, amd, perf, rtc, timer");

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

static bool is_proved(const struct op_pmu_model *candidate)
{
	return !candidate->proved || candidate->proved();
}

static bool is_candidate(const struct op_pmu_model *candidate, const char *wanted)
{
	if (wanted)
		return !strcmp(wanted, candidate->name);
	return candidate != &op_pmu_rtc && is_proved(candidate);
}

static int choose_model(void)
{
	const char *wanted = wanted_model();
	int i, error = -ENODEV;

	for (i = 0; i < ARRAY_SIZE(models) && !op_model; i++) {
		if (!is_candidate(models[i], wanted))
			continue;
		error = models[i]->init(models[i]);
		if (!error)
			op_model = models[i];
	}
	if (!op_model && wanted)
		pr_err("model %s is not possible here (error %d)\n", wanted, error);
	if (op_model && !is_proved(op_model))
		pr_warn("model %s has not been proved on this processor; please run make check-hardware\n", op_model->name);
	return op_model ? 0 : error;
}

unsigned long op_raw_words(void)
{
	unsigned long most = 0;
	int i;

	for (i = 0; i < OP_MAX_COUNTERS; i++)
		most = max(most, op_counters[i].raw_size);
	return DIV_ROUND_UP(most, sizeof(u64));
}

static void free_all(void)
{
	op_free_memory();
	op_forget_images();
}

static void log_stuck(void)
{
	pr_warn("a process sampled before still has not run\n");
	op_log_unplaced();
}

/* Leaves OP_STUCK if the process that had not run for so long has run; else false. op_mutex is held. */
static bool leave_stuck(void)
{
	if (!op_wait_for_slots(0))
		return false;
	free_all();
	WRITE_ONCE(op_state, OP_STOPPED);
	module_put(THIS_MODULE);
	return true;
}

static void look_after_stuck(struct work_struct *work);
static DECLARE_DELAYED_WORK(stuck_work, look_after_stuck);

static void look_after_stuck(struct work_struct *work)
{
	mutex_lock(&op_mutex);
	if (op_state == OP_STUCK && !leave_stuck())
		schedule_delayed_work(&stuck_work, HZ);
	mutex_unlock(&op_mutex);
}

int op_set_up(void)
{
	int error;

	if (op_state == OP_STUCK && !leave_stuck())
		log_stuck();
	if (op_state != OP_STOPPED)
		return -EBUSY;
	if (op_settings.buffer_watershed >= op_settings.buffer_size)
		return -EINVAL;
	error = op_alloc_memory();
	if (error)
		return error;
	error = op_watch_modules();
	if (error)
		goto no_modules;
	error = op_model->setup ? op_model->setup() : 0;
	if (error)
		goto no_model;
	WRITE_ONCE(op_state, OP_SET_UP);
	return 0;

no_model:
	op_unwatch_modules();
no_modules:
	op_free_memory();
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

static DECLARE_WAIT_QUEUE_HEAD(ended_wait); /* for op_state to leave OP_ENDING */

/* The sources are stopped. op_mutex is released while the last samples are placed. */
static void end_run(void)
{
	WRITE_ONCE(op_state, OP_ENDING);
	mutex_unlock(&op_mutex);
	op_drain_slots();
	mutex_lock(&op_mutex);
	WRITE_ONCE(op_state, OP_SET_UP);
	wake_up_all(&ended_wait);
	op_wake_reader();
}

/* Waits while another caller ends a run. */
static void wait_for_end(void)
{
	while (op_state == OP_ENDING) {
		mutex_unlock(&op_mutex);
		wait_event(ended_wait, READ_ONCE(op_state) != OP_ENDING);
		mutex_lock(&op_mutex);
	}
}

int op_start(void)
{
	int error;

	wait_for_end();
	if (op_state == OP_RUNNING)
		return 0;
	if (op_state == OP_STUCK) {
		log_stuck();
		return -EBUSY;
	}
	if (op_state != OP_SET_UP || !any_counter())
		return -EINVAL;
	op_restart_stats();
	op_start_epoch();
	op_reset_guards();
	error = op_model->start();
	if (error)
		end_run(); /* some CPUs may have taken samples: they count, and can be read */
	else
		WRITE_ONCE(op_state, OP_RUNNING);
	return error;
}

void op_stop(void)
{
	wait_for_end();
	if (op_state != OP_RUNNING)
		return;
	op_model->stop();
	end_run();
}

void op_shut_down(void)
{
	bool back;

	if (op_model->shutdown)
		op_model->shutdown();
	op_unwatch_modules();
	WRITE_ONCE(op_state, OP_CLOSING);
	mutex_unlock(&op_mutex);
	back = op_wait_for_slots(OP_CLOSE_TIMEOUT_S);
	mutex_lock(&op_mutex);
	if (back) {
		free_all();
		WRITE_ONCE(op_state, OP_STOPPED);
		return;
	}
	/* A process still has our task work: its slots and this code must stay. */
	WRITE_ONCE(op_state, OP_STUCK);
	__module_get(THIS_MODULE);
	pr_warn("a sampled process has not run for %d seconds: no profiling until it has\n", OP_CLOSE_TIMEOUT_S);
	op_log_unplaced();
	schedule_delayed_work(&stuck_work, HZ);
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
	if (op_worker_places_all())
		pr_info("a worker places all samples of user code: their stacks are not copied\n");
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
	cancel_delayed_work_sync(&stuck_work); /* it may still run when it has given up the last reference */
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
