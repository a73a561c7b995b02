// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A double of AMD's samplers (instruction-based sampling) for guests, whose emulated processor has none: the kernel's PMUs ibs_fetch
 * and ibs_op, and a PMU "cpu", without which nothing looks for them. An event that counts "overflows" by a timer (pmu_double.h), or
 * with nmi=1 whenever an NMI comes. Each overflow has the words of the next row below, as the kernel's PMUs give them
 * (PERF_SAMPLE_RAW: capabilities, then registers). It tests what is made of such words; it does not show that processors give them.
 *
 * debugfs, ibs_double/delivered: a line for each row, "fetch|op ROW ALL OWN": overflows, and those in user mode of process `pid`.
 * Those are put at `address`, if that is not 0. Overflows in kernel mode of that process are put at `late_address`, if that is not 0,
 * as of user mode, and are not among OWN: as by a sampler that interrupts when the process has entered the kernel. The kernel's PMUs
 * too replace just the address and the segment.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <asm/nmi.h>
#include <asm/segment.h>

#include "pmu_double.h"

#define ROWS 4
#define WORDS 7
#define CNT_CTL (1ULL << 19) /* IBS_OP_CTL: counts dispatched ops, not cycles */

static bool nmi;
module_param(nmi, bool, 0444);
MODULE_PARM_DESC(nmi, "overflow when an NMI comes, not by a timer");
static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "process whose overflows in user mode are counted by themselves");
static unsigned long address;
module_param(address, ulong, 0644);
MODULE_PARM_DESC(address, "where these are; 0: where they are taken");
static unsigned long late_address;
module_param(late_address, ulong, 0644);
MODULE_PARM_DESC(late_address, "where overflows in its kernel mode are, as of user mode; 0: where they are taken");
static bool counts_ops;
module_param(counts_ops, bool, 0444);
MODULE_PARM_DESC(counts_ops, "last event of ibs_op: counts dispatched ops");

/* What the kernel's PMUs hand over: capabilities, then registers. */
struct words {
	u32 before; /* so that the registers are aligned */
	u32 caps;
	u64 registers[WORDS];
};

struct sampler {
	const char *name;
	unsigned int registers;
	u64 config; /* bits that an event may set */
	u64 rows[ROWS][WORDS]; /* the first is the control register */
	struct pmu pmu;
	atomic_t all[ROWS], own[ROWS];
	struct perf_event *__percpu *active; /* that CPU's event, while it counts */
	unsigned int __percpu *next; /* that CPU's next row; its handler only */
};

#define BIT_AT(n) (1ULL << (n))

static struct sampler samplers[] = {
	{
		.name = "ibs_fetch",
		.registers = 3,
		.rows = {
			{ 0 }, /* killed */
			{ BIT_AT(50) | BIT_AT(52) | 7ULL << 32 }, /* completed; translated by a page of 4 KiB; 7 cycles */
			{ BIT_AT(50) | BIT_AT(51) | BIT_AT(52) | BIT_AT(53) | 300ULL << 32 }, /* missed the cache; 2 MiB; 300 cycles */
			{ BIT_AT(55) | BIT_AT(56) | 40ULL << 32 }, /* aborted; in neither TLB; 40 cycles */
		},
	},
	{
		.name = "ibs_op",
		.registers = 7,
		.config = CNT_CTL,
		.rows = {
			{ 0, 0, 100 << 16 | 20 }, /* 100 cycles from tag to retirement, 20 from completion */
			{ 0, 0, BIT_AT(37) | BIT_AT(36) | BIT_AT(35) }, /* a taken branch, mispredicted */
			{ 0, 0, 0, 3, BIT_AT(17) | BIT_AT(7) | BIT_AT(0) | 200ULL << 32 }, /* a load from local DRAM, 200 cycles */
			{ 0, 0, 0, 0, BIT_AT(17) | BIT_AT(2) | BIT_AT(1) }, /* a store that hits the second TLB */
		},
	},
	{ .name = "cpu" },
};

static struct sampler *sampler_of(const struct perf_event *event)
{
	return container_of(event->pmu, struct sampler, pmu);
}

static bool is_own(struct pt_regs *regs)
{
	return user_mode(regs) && current->tgid == READ_ONCE(pid);
}

static bool is_late(struct pt_regs *regs)
{
	return READ_ONCE(late_address) && !user_mode(regs) && current->tgid == READ_ONCE(pid);
}

static void overflow(struct perf_event *event, struct pt_regs *interrupted)
{
	struct sampler *sampler = sampler_of(event);
	unsigned int row = __this_cpu_read(*sampler->next);
	struct pt_regs regs = *interrupted;
	struct perf_raw_record raw = {};
	struct perf_sample_data data;
	struct words words = { .caps = 0xff };

	__this_cpu_write(*sampler->next, (row + 1) % ROWS);
	atomic_inc(&sampler->all[row]);
	if (is_own(&regs)) {
		atomic_inc(&sampler->own[row]);
		if (READ_ONCE(address))
			regs.ip = READ_ONCE(address);
	} else if (is_late(&regs)) {
		regs.ip = READ_ONCE(late_address);
		regs.cs = __USER_CS;
	}
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (event->attr.sample_type & PERF_SAMPLE_RAW) {
		memcpy(words.registers, sampler->rows[row], sizeof(words.registers));
		words.registers[1] = regs.ip;
		raw.frag.size = sizeof(u32) + sampler->registers * sizeof(u64);
		raw.frag.data = &words.caps;
		data.raw = &raw;
		data.sample_flags |= PERF_SAMPLE_RAW;
	}
	event->overflow_handler(event, &data, &regs);
}

static int nmi_came(unsigned int type, struct pt_regs *regs)
{
	int i, taken = 0;

	for (i = 0; i < ARRAY_SIZE(samplers); i++) {
		struct perf_event *event = __this_cpu_read(*samplers[i].active);

		if (event) {
			overflow(event, regs);
			taken++;
		}
	}
	return taken;
}

static void start_by_nmi(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	__this_cpu_write(*sampler_of(event)->active, event);
}

static void stop_by_nmi(struct perf_event *event, int flags)
{
	__this_cpu_write(*sampler_of(event)->active, NULL);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/* What the kernel's PMUs refuse: modes, counts in other steps than 16, unknown bits. */
static bool is_refused(const struct sampler *sampler, const struct perf_event_attr *attr)
{
	if (!strcmp(sampler->name, "cpu"))
		return false;
	return attr->exclude_user || attr->exclude_kernel || attr->freq || attr->sample_period % 16 || attr->config & ~sampler->config;
}

static int event_init(struct perf_event *event)
{
	const struct sampler *sampler = sampler_of(event);
	bool is_cpu = !strcmp(sampler->name, "cpu");

	if (event->attr.type != event->pmu->type && !(is_cpu && event->attr.type == PERF_TYPE_HARDWARE))
		return -ENOENT;
	if (event->cpu < 0 || !event->attr.sample_period || is_refused(sampler, &event->attr))
		return -EINVAL;
	if (!strcmp(sampler->name, "ibs_op"))
		counts_ops = event->attr.config & CNT_CTL;
	set_up_timer(event);
	return 0;
}

static int delivered_show(struct seq_file *file, void *unused)
{
	int i, row;

	for (i = 0; i < 2; i++)
		for (row = 0; row < ROWS; row++)
			seq_printf(file, "%s %d %d %d\n", samplers[i].name + 4, row, atomic_read(&samplers[i].all[row]),
				   atomic_read(&samplers[i].own[row]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(delivered);

static int add_sampler(struct sampler *sampler, int type)
{
	sampler->active = alloc_percpu(struct perf_event *);
	sampler->next = alloc_percpu(unsigned int);
	if (!sampler->active || !sampler->next)
		return -ENOMEM;
	sampler->pmu = timer_pmu(event_init, 0);
	if (nmi) {
		sampler->pmu.start = start_by_nmi;
		sampler->pmu.stop = stop_by_nmi;
	}
	return perf_pmu_register(&sampler->pmu, sampler->name, type);
}

static struct dentry *dir;

static void remove_samplers(int count)
{
	while (count-- > 0) {
		perf_pmu_unregister(&samplers[count].pmu);
		free_percpu(samplers[count].active);
		free_percpu(samplers[count].next);
	}
}

static int __init ibs_double_init(void)
{
	int i, error = 0;

	for (i = 0; i < ARRAY_SIZE(samplers); i++) {
		error = add_sampler(&samplers[i], strcmp(samplers[i].name, "cpu") ? -1 : PERF_TYPE_RAW);
		if (error) {
			remove_samplers(i);
			return error;
		}
	}
	if (nmi)
		error = register_nmi_handler(NMI_LOCAL, nmi_came, 0, "ibs_double");
	if (error) {
		remove_samplers(ARRAY_SIZE(samplers));
		return error;
	}
	dir = debugfs_create_dir("ibs_double", NULL);
	debugfs_create_file("delivered", 0400, dir, NULL, &delivered_fops);
	return 0;
}

static void __exit ibs_double_exit(void)
{
	debugfs_remove_recursive(dir);
	if (nmi)
		unregister_nmi_handler(NMI_LOCAL, "ibs_double");
	remove_samplers(ARRAY_SIZE(samplers));
}

module_init(ibs_double_init);
module_exit(ibs_double_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("test double of AMD's samplers");
