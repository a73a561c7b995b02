// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test builds only (OP_MSR_DOUBLE=1): counter registers that are arrays in memory, so that a test can see what the register-level
 * models program where no processor counts. Registers read back. A counter that is enabled and read in an NMI has overflowed until
 * it is written, so each NMI is an overflow of every counter in use.
 *
 * debugfs, below oprofile_msr: log (every write; writing empties it), registers, lvtpc (of the APIC), lint1 (writing opens every
 * CPU's LINT1, by which an emulator injects NMIs), taken (select register N-1 is reserved for another user; 0: none), again (1:
 * counter 0 overflows a second time when LVTPC is opened), stolen (1: each NMI is another user's: no counter has overflowed, and
 * that user has stopped them all; writing stops them, too), zeroed (writing makes all selects and counters 0, as KVM leaves them),
 * guest (1: a guest has the registers for itself, with LVTPC that gives no NMI), svme (1: SVM is on), flagged (1: NetBurst's overflows show in the CCCR only, else in the counter only).
 *
 * When the machine is powered off or started again, the log has the number of CPUs that count, at first and after the model's
 * notifier.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/apic.h>
#include <asm/msr-index.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include "op_p4_encode.h"
#include "op_pmu_x86.h"

#define DOUBLE_NMI_NAME "oprofile_double"
#define DOUBLE_REGISTERS 80
#define P4_FIRST_COUNTER 0x300
#define P4_FIRST_CCCR 0x360
#define P4_COUNTERS 18
#define DOUBLE_LOG 65536
#define DOUBLE_LVTPC 0x834

/* The processor to imitate, a name of double_identities; empty: the real one. Constant after load. */
static char *double_cpu = "";
module_param(double_cpu, charp, 0444);
MODULE_PARM_DESC(double_cpu, "test build: the processor to imitate");

struct double_register {
	u32 msr;
	bool written; /* in this NMI */
	u64 value;
};

/* A CPU's registers, in the order of first use. Per-CPU: changed with interrupts off or in NMI only. */
struct double_cpu {
	unsigned int used;
	struct double_register registers[DOUBLE_REGISTERS];
	u32 lint1; /* value of LVT LINT1 before it was opened; valid if lint1_open */
	bool lint1_open;
};

static DEFINE_PER_CPU(struct double_cpu, double_cpus);

/* A write. An entry is filled in by the context that got its index; no lock. */
struct double_entry {
	u32 msr;
	u16 cpu;
	u16 nmi;
	u64 value;
};

static struct double_entry double_log[DOUBLE_LOG];
static atomic_t double_logged; /* writes since the log was emptied, also those that did not fit; atomic */

/* Valid between init and exit; op_mutex. */
static struct dentry *double_dir;

/* As their files; no lock. */
static bool double_again, double_stolen, double_guest, double_svme, double_flagged;

/* 1 + the select register that is reserved as if by another user; 0 = none. No lock: tests write the file one at a time. */
static unsigned int double_taken;

static const struct {
	const char *name;
	struct op_x86_identity identity;
} double_identities[] = {
	{ "intel", { .vendor = X86_VENDOR_INTEL, .family = 6, .model = 0x9e, .perfmon = 0x07300404 } },
	{ "proved", { .vendor = X86_VENDOR_INTEL, .family = 6, .model = 0xfe, .perfmon = 0x07300404 } },
	{ "perfmon5", { .vendor = X86_VENDOR_INTEL, .family = 6, .model = 0x6a, .perfmon = 0x07300805 } },
	{ "perfmon6", { .vendor = X86_VENDOR_INTEL, .family = 6, .model = 0xcf, .perfmon = 0x07300806 } },
	{ "hybrid", { .vendor = X86_VENDOR_INTEL, .family = 6, .model = 0x97, .perfmon = 0x07300605, .hybrid = true } },
	{ "ppro", { .vendor = X86_VENDOR_INTEL, .family = 6, .model = 1 } },
	{ "amd", { .vendor = X86_VENDOR_AMD, .family = 0x17, .model = 1, .core_ext = true } },
	{ "p4", { .vendor = X86_VENDOR_INTEL, .family = 15, .model = 2, .siblings = 1 } },
	{ "p4-ht", { .vendor = X86_VENDOR_INTEL, .family = 15, .model = 4, .siblings = 2 } },
	{ "p4-4", { .vendor = X86_VENDOR_INTEL, .family = 15, .model = 4, .siblings = 4 } },
	{ "k8", { .vendor = X86_VENDOR_AMD, .family = 0xf, .model = 5 } },
	{ "zen4", { .vendor = X86_VENDOR_AMD, .family = 0x19, .model = 0x61, .core_ext = true, .core_v2 = 6 } },
};

bool op_msr_double_identity(struct op_x86_identity *identity)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(double_identities); i++) {
		if (strcmp(double_identities[i].name, double_cpu))
			continue;
		*identity = double_identities[i].identity;
		return true;
	}
	return false;
}

static bool is_p4_counter(u32 msr)
{
	return msr >= P4_FIRST_COUNTER && msr < P4_FIRST_COUNTER + P4_COUNTERS;
}

static bool is_counter(u32 msr)
{
	return (msr >= 0xc1 && msr < 0xc9) || is_p4_counter(msr) || (msr >= 0xc0010004 && msr < 0xc0010008) ||
	       (msr >= 0xc0010200 && msr < 0xc0010210 && (msr & 1));
}

static bool is_cccr(u32 msr)
{
	return msr >= P4_FIRST_CCCR && msr < P4_FIRST_CCCR + P4_COUNTERS;
}

static bool is_select(u32 msr)
{
	return (msr >= 0x186 && msr < 0x18e) || is_cccr(msr) || (msr >= 0x3a0 && msr < 0x3e2) ||
	       (msr >= 0xc0010000 && msr < 0xc0010004) || (msr >= 0xc0010200 && msr < 0xc0010210 && !(msr & 1));
}

/* Registers whose writes change another register. */
static bool is_clear(u32 msr)
{
	return msr == 0x390 || msr == 0xc0000302;
}

static bool is_global_ctrl(u32 msr)
{
	return msr == 0x38f || msr == 0xc0000301;
}

/* First value of a register: another user has left bits in the selects that the models must not take over. */
static u64 first_value(u32 msr)
{
	if (is_counter(msr))
		return 0x1000 + (msr & 0xf);
	if (is_select(msr))
		return 0x1000200051ULL;
	return is_global_ctrl(msr) ? 0xf : 0;
}

static struct double_register *find_register(u32 msr)
{
	struct double_cpu *cpu = this_cpu_ptr(&double_cpus);
	struct double_register *found;
	unsigned int i;

	for (i = 0; i < cpu->used; i++) {
		if (cpu->registers[i].msr == msr)
			return &cpu->registers[i];
	}
	if (cpu->used == DOUBLE_REGISTERS || in_nmi())
		return NULL;
	found = &cpu->registers[cpu->used];
	found->msr = msr;
	found->value = first_value(msr);
	cpu->used++;
	return found;
}

static bool shows_overflow(u32 msr)
{
	return double_flagged ? is_cccr(msr) : is_counter(msr);
}

/* The select register whose ENABLE the counter needs: on P6 that of counter 0. */
static u32 switch_of(u32 counter)
{
	bool is_p6 = !strcmp(double_cpu, "ppro");

	return op_x86_pmu->select + (is_p6 ? 0 : counter - op_x86_pmu->counter);
}

/* True if the counter, or that of the CCCR, counts. */
static bool is_enabled(u32 msr)
{
	if (is_p4_counter(msr))
		msr += P4_FIRST_CCCR - P4_FIRST_COUNTER;
	if (is_cccr(msr))
		return find_register(msr)->value & OP_P4_CCCR_ENABLE;
	return find_register(switch_of(msr))->value & OP_X86_ENABLE;
}

static bool has_overflowed(const struct double_register *place)
{
	return in_nmi() && shows_overflow(place->msr) && !double_stolen && !place->written && is_enabled(place->msr);
}

static int double_read(u32 msr, u64 *value)
{
	struct double_register *place;

	if (msr == MSR_EFER) {
		*value = double_svme ? EFER_SVME : 0;
		return 0;
	}
	if (msr == MSR_IA32_MISC_ENABLE) {
		*value = MSR_IA32_MISC_ENABLE_EMON;
		return 0;
	}
	place = find_register(msr);
	if (!place)
		return -EIO;
	*value = place->value;
	if (has_overflowed(place))
		*value = double_flagged ? *value | OP_P4_CCCR_OVF : 0;
	return 0;
}

static void log_write(u32 msr, u64 value)
{
	unsigned int at = atomic_inc_return(&double_logged) - 1;

	if (at < DOUBLE_LOG)
		double_log[at] = (struct double_entry){ msr, smp_processor_id(), !!in_nmi(), value };
}

static u32 double_vector(void)
{
	return double_guest ? APIC_DM_FIXED : apic->read(APIC_LVTPC);
}

/* LVTPC is the APIC's own. In the log it has the number that it has in x2APIC mode. */
static void double_set_vector(u32 value)
{
	log_write(DOUBLE_LVTPC, value);
	apic->write(APIC_LVTPC, value);
	if (in_nmi() && double_again)
		find_register(op_x86_pmu->scheme->saved(0))->written = false;
}

static int double_write(u32 msr, u64 value)
{
	struct double_register *place = find_register(msr);

	if (!place)
		return -EIO;
	log_write(msr, value);
	place->written = true;
	if (!is_clear(msr))
		place->value = value;
	return 0;
}

const struct op_msr_ops op_msr = {
	.read = double_read,
	.write = double_write,
	.vector = double_vector,
	.set_vector = double_set_vector,
};

static void stop_here(void *unused)
{
	struct double_cpu *cpu = this_cpu_ptr(&double_cpus);
	unsigned int i;

	for (i = 0; i < cpu->used; i++) {
		if (is_global_ctrl(cpu->registers[i].msr))
			cpu->registers[i].value = 0;
	}
}

static void zero_here(void *unused)
{
	struct double_cpu *cpu = this_cpu_ptr(&double_cpus);
	unsigned int i;

	for (i = 0; i < cpu->used; i++) {
		if (is_select(cpu->registers[i].msr) || is_counter(cpu->registers[i].msr))
			cpu->registers[i].value = 0;
	}
}

/* Called before the model's handler, as perf's is. */
static int begin_nmi(unsigned int type, struct pt_regs *regs)
{
	struct double_cpu *cpu = this_cpu_ptr(&double_cpus);
	unsigned int i;

	for (i = 0; i < cpu->used; i++)
		cpu->registers[i].written = false;
	if (double_stolen)
		stop_here(NULL);
	return NMI_DONE;
}
NOKPROBE_SYMBOL(begin_nmi);

static int stolen_set(void *unused, u64 value)
{
	double_stolen = value;
	on_each_cpu(stop_here, NULL, 1);
	return 0;
}

static int stolen_get(void *unused, u64 *value)
{
	*value = double_stolen;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(stolen, stolen_get, stolen_set, "%llu\n");

static int zeroed_set(void *unused, u64 value)
{
	on_each_cpu(zero_here, NULL, 1);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(zeroed, NULL, zeroed_set, "%llu\n");

/* One line per write: cpu, "nmi" or "task", register, value. To be read while nothing counts. */
static int log_show(struct seq_file *file, void *unused)
{
	unsigned int used = min_t(unsigned int, atomic_read(&double_logged), DOUBLE_LOG);
	unsigned int i;

	for (i = 0; i < used; i++)
		seq_printf(file, "%u %s 0x%x 0x%llx\n", double_log[i].cpu, double_log[i].nmi ? "nmi" : "task",
			   double_log[i].msr, double_log[i].value);
	return 0;
}

static int log_open(struct inode *inode, struct file *file)
{
	return single_open(file, log_show, NULL);
}

static ssize_t log_clear(struct file *file, const char __user *from, size_t size, loff_t *offset)
{
	atomic_set(&double_logged, 0);
	return size;
}

static const struct file_operations log_operations = {
	.owner = THIS_MODULE,
	.open = log_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
	.write = log_clear,
};

/* One line per register: cpu, register, value. To be read while nothing counts. */
static int registers_show(struct seq_file *file, void *unused)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		const struct double_cpu *bank = per_cpu_ptr(&double_cpus, cpu);

		for (i = 0; i < bank->used; i++) {
			if (!is_clear(bank->registers[i].msr))
				seq_printf(file, "%u 0x%x 0x%llx\n", cpu, bank->registers[i].msr,
					   bank->registers[i].value);
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static void read_vector_here(void *value)
{
	*(u32 *)value = apic->read(APIC_LVTPC);
}

/* One line per CPU: cpu, LVTPC. */
static int vectors_show(struct seq_file *file, void *unused)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		u32 value = 0;

		smp_call_function_single(cpu, read_vector_here, &value, 1);
		seq_printf(file, "%u 0x%x\n", cpu, value);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vectors);

static void open_lint1_here(void *unused)
{
	struct double_cpu *cpu = this_cpu_ptr(&double_cpus);

	if (!cpu->lint1_open)
		cpu->lint1 = apic->read(APIC_LVT1);
	cpu->lint1_open = true;
	apic->write(APIC_LVT1, APIC_DM_NMI);
}

static void close_lint1_here(void *unused)
{
	struct double_cpu *cpu = this_cpu_ptr(&double_cpus);

	if (cpu->lint1_open)
		apic->write(APIC_LVT1, cpu->lint1);
	cpu->lint1_open = false;
}

static ssize_t lint1_write(struct file *file, const char __user *from, size_t size, loff_t *offset)
{
	on_each_cpu(open_lint1_here, NULL, 1);
	return size;
}

static const struct file_operations lint1_operations = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = lint1_write,
};

static void give_back(void)
{
	if (double_taken)
		release_evntsel_nmi(op_x86_pmu->scheme->select(double_taken - 1));
	double_taken = 0;
}

static int taken_set(void *unused, u64 value)
{
	give_back();
	if (!value)
		return 0;
	if (!op_x86_pmu->scheme->select(value - 1))
		return -EINVAL;
	if (!reserve_evntsel_nmi(op_x86_pmu->scheme->select(value - 1)))
		return -EBUSY;
	double_taken = value;
	return 0;
}

static int taken_get(void *unused, u64 *value)
{
	*value = double_taken;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(taken, taken_get, taken_set, "%llu\n");

static unsigned int counting_cpus(void)
{
	unsigned int cpu, i, n = 0;

	for_each_online_cpu(cpu) {
		const struct double_cpu *bank = per_cpu_ptr(&double_cpus, cpu);

		for (i = 0; i < bank->used; i++)
			n += is_global_ctrl(bank->registers[i].msr) && bank->registers[i].value;
	}
	return n;
}

static int reboot_first(struct notifier_block *block, unsigned long event, void *unused)
{
	pr_info("test build: CPUs that count: %u\n", counting_cpus());
	return NOTIFY_DONE;
}
static struct notifier_block first_block = { .notifier_call = reboot_first, .priority = INT_MAX };

static int reboot_last(struct notifier_block *block, unsigned long event, void *unused)
{
	pr_info("test build: CPUs that count in the end: %u\n", counting_cpus());
	return NOTIFY_DONE;
}
static struct notifier_block last_block = { .notifier_call = reboot_last, .priority = INT_MIN };

void op_msr_double_init(void)
{
	pr_warn("test build: counter registers are arrays in memory\n");
	double_dir = debugfs_create_dir("oprofile_msr", NULL);
	debugfs_create_file("log", 0600, double_dir, NULL, &log_operations);
	debugfs_create_file("registers", 0400, double_dir, NULL, &registers_fops);
	debugfs_create_file("lvtpc", 0400, double_dir, NULL, &vectors_fops);
	debugfs_create_file("lint1", 0200, double_dir, NULL, &lint1_operations);
	debugfs_create_file("taken", 0600, double_dir, NULL, &taken);
	debugfs_create_file("stolen", 0600, double_dir, NULL, &stolen);
	debugfs_create_file("zeroed", 0200, double_dir, NULL, &zeroed);
	debugfs_create_bool("again", 0600, double_dir, &double_again);
	debugfs_create_bool("guest", 0600, double_dir, &double_guest);
	debugfs_create_bool("flagged", 0600, double_dir, &double_flagged);
	debugfs_create_bool("svme", 0600, double_dir, &double_svme);
	if (register_nmi_handler(NMI_LOCAL, begin_nmi, NMI_FLAG_FIRST, DOUBLE_NMI_NAME))
		pr_err("test build: no NMI handler\n");
	register_reboot_notifier(&first_block);
	register_reboot_notifier(&last_block);
}

void op_msr_double_exit(void)
{
	unregister_reboot_notifier(&last_block);
	unregister_reboot_notifier(&first_block);
	unregister_nmi_handler(NMI_LOCAL, DOUBLE_NMI_NAME);
	debugfs_remove(double_dir);
	give_back();
	on_each_cpu(close_lint1_here, NULL, 1);
}
