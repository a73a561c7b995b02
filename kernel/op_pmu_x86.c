// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life cycle of the register-level x86 models, over all CPUs.
 *
 * From setup to shutdown the counters are reserved, so that perf and the NMI watchdog do not use them at the same time, and each
 * CPU's registers are saved; shutdown restores them. So it is with CPUs that come online in between.
 */
#include "op_pmu_x86.h"

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/suspend.h>

#include <asm/nmi.h>

#include "op_pmu.h"

#define OP_X86_NMI_NAME "oprofile"

/* op_x86_wanted and op_x86_asleep. Taken inside op_mutex, and by the sleep notifier, which must not take op_mutex. */
static DEFINE_MUTEX(op_x86_lock);
static bool op_x86_wanted; /* between start and stop; op_x86_lock */
static bool op_x86_asleep; /* from before the machine is suspended until after it resumes, or until it ends; op_x86_lock */

/*
 * CPUs that come online shall count: wanted and not asleep. Written under op_x86_lock with the hot-plug lock held for reading, read
 * with that held for writing.
 */
static bool op_x86_running;

/* Our hot-plug state, from setup to shutdown; op_mutex. */
static int op_x86_hotplug;

/* Changes one of the two conditions, and starts or stops all CPUs accordingly. */
static void op_x86_set(bool *reason, bool value)
{
	mutex_lock(&op_x86_lock);
	cpus_read_lock();
	*reason = value;
	op_x86_running = op_x86_wanted && !op_x86_asleep;
	on_each_cpu(op_x86_running ? op_x86_cpu_start : op_x86_cpu_stop, NULL, 1);
	cpus_read_unlock();
	mutex_unlock(&op_x86_lock);
}

/* Hot-plug callbacks run on the CPU that comes or goes. */
static int op_x86_online(unsigned int number)
{
	unsigned long flags;

	local_irq_save(flags);
	op_x86_cpu_save();
	if (op_x86_running)
		op_x86_cpu_start(NULL);
	local_irq_restore(flags);
	return 0;
}

static int op_x86_offline(unsigned int number)
{
	unsigned long flags;

	local_irq_save(flags);
	op_x86_cpu_stop(NULL);
	op_x86_cpu_restore();
	local_irq_restore(flags);
	return 0;
}

/* Calls the function for the registers of a list, until it is false; returns for how many it was true. */
static unsigned int op_x86_each(u32 (*list)(unsigned int n), int (*function)(unsigned int msr))
{
	unsigned int n = 0;

	while (list(n) && function(list(n)))
		n++;
	return n;
}

static void op_x86_release_first(unsigned int counters, unsigned int selects)
{
	while (selects)
		release_evntsel_nmi(op_x86_pmu->scheme->select(--selects));
	while (counters)
		release_perfctr_nmi(op_x86_pmu->scheme->counter(--counters));
}

bool op_x86_reserve(void)
{
	const struct op_x86_scheme *scheme = op_x86_pmu->scheme;
	unsigned int counters = op_x86_each(scheme->counter, reserve_perfctr_nmi);
	unsigned int selects = scheme->counter(counters) ? 0 : op_x86_each(scheme->select, reserve_evntsel_nmi);

	if (!scheme->counter(counters) && !scheme->select(selects))
		return true;
	op_x86_release_first(counters, selects);
	return false;
}

static unsigned int op_x86_length(u32 (*list)(unsigned int n))
{
	unsigned int n = 0;

	while (list(n))
		n++;
	return n;
}

void op_x86_release(void)
{
	op_x86_release_first(op_x86_length(op_x86_pmu->scheme->counter), op_x86_length(op_x86_pmu->scheme->select));
}

/*
 * Registers lose their values in suspend. CPUs that are unplugged for it are saved and restored by the hot-plug callbacks; for the
 * last one, all CPUs stop before and start again afterwards.
 */
static int op_x86_sleep(struct notifier_block *block, unsigned long event, void *unused)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		op_x86_set(&op_x86_asleep, true);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		op_x86_set(&op_x86_asleep, false);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block op_x86_sleep_block = { .notifier_call = op_x86_sleep };

/* No counter runs, and none interrupts, in the kernel or firmware that comes next. */
static int op_x86_reboot(struct notifier_block *block, unsigned long event, void *unused)
{
	op_x86_set(&op_x86_asleep, true);
	return NOTIFY_DONE;
}

static struct notifier_block op_x86_reboot_block = { .notifier_call = op_x86_reboot };

int op_x86_setup(void)
{
	int result;

	if (!op_x86_reserve())
		return -EBUSY;
	result = register_nmi_handler(NMI_LOCAL, op_x86_nmi, 0, OP_X86_NMI_NAME);
	if (result)
		goto release;
	result = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile/x86:online", op_x86_online, op_x86_offline);
	if (result < 0)
		goto unregister;
	op_x86_hotplug = result;
	result = register_pm_notifier(&op_x86_sleep_block);
	if (result)
		goto unplug;
	result = register_reboot_notifier(&op_x86_reboot_block);
	if (result)
		goto no_reboot;
	return 0;

no_reboot:
	unregister_pm_notifier(&op_x86_sleep_block);
unplug:
	cpuhp_remove_state(op_x86_hotplug);
unregister:
	unregister_nmi_handler(NMI_LOCAL, OP_X86_NMI_NAME);
release:
	op_x86_release();
	return result;
}

void op_x86_shutdown(void)
{
	unregister_reboot_notifier(&op_x86_reboot_block);
	unregister_pm_notifier(&op_x86_sleep_block);
	op_x86_set(&op_x86_asleep, false);
	cpuhp_remove_state(op_x86_hotplug);
	unregister_nmi_handler(NMI_LOCAL, OP_X86_NMI_NAME);
	op_x86_release();
}

/* -EIO if a register did not take its value, for example an event that the processor does not have. */
int op_x86_start(void)
{
	atomic_set(&op_x86_faults, 0);
	op_x86_set(&op_x86_wanted, true);
	if (!atomic_read(&op_x86_faults))
		return 0;
	op_x86_stop();
	return -EIO;
}

void op_x86_stop(void)
{
	op_x86_set(&op_x86_wanted, false);
}

unsigned long op_x86_check_count(unsigned long count)
{
	return count <= op_x86_pmu->max_count ? count : 0;
}
