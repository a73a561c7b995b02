// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory of each CPU while the buffer is open. CPUs that could be plugged in, but are not there, have none.
 */
#include "op_memory.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mm.h>

#include "op_buffer.h"
#include "op_main.h"
#include "op_maps.h"
#include "op_slots.h"

static enum cpuhp_state prepare_state; /* while there is memory; op_mutex */
static struct cpumask equipped; /* CPUs that have all of it; the hot-plug lock, or op_mutex while there are no callbacks */

bool op_fits_memory(u64 bytes)
{
	long available = si_mem_available();

	return available > 0 && bytes >> PAGE_SHIFT <= available / 2;
}

/* Bytes of one CPU, when its store has grown to its limit. */
static u64 cpu_size(void)
{
	return op_cpu_rings_size() + op_store_limit();
}

static int alloc_cpu(unsigned int cpu)
{
	int error = op_alloc_cpu_rings(cpu);

	error = error ?: op_alloc_store(cpu);
	error = error ?: op_alloc_handler(cpu);
	if (!error)
		cpumask_set_cpu(cpu, &equipped);
	return error;
}

/*
 * Before a CPU comes online. It is not kept from that: where memory is missing, samples are lost. A CPU that comes back has kept
 * its memory.
 */
static int prepare_cpu(unsigned int cpu)
{
	if (cpumask_test_cpu(cpu, &equipped))
		return 0;
	if (!op_fits_memory(cpu_size()) || alloc_cpu(cpu))
		pr_warn("no memory for samples of CPU %u: they are lost\n", cpu);
	return 0;
}

/* The hot-plug lock is held. */
static int alloc_online(void)
{
	unsigned int cpu;
	int error = op_init_rings() ?: op_alloc_maps();

	op_init_stores();
	if (!error && !op_fits_memory(cpu_size() * num_online_cpus()))
		error = -ENOMEM;
	for_each_online_cpu(cpu)
		error = error ?: alloc_cpu(cpu);
	return error;
}

static void free_cpus(void)
{
	op_free_handlers();
	op_free_stores();
	op_free_rings();
	op_free_maps();
	cpumask_clear(&equipped);
}

int op_alloc_memory(void)
{
	int state;

	cpus_read_lock();
	state = alloc_online();
	if (!state)
		state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN, "oprofile/memory:prepare", prepare_cpu, NULL);
	cpus_read_unlock();
	if (state < 0) {
		free_cpus();
		return state;
	}
	prepare_state = state;
	return 0;
}

void op_free_memory(void)
{
	cpuhp_remove_state_nocalls(prepare_state);
	free_cpus();
}
