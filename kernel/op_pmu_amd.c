// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Model "amd": core counters of AMD processors from K7 to Zen, and Hygon's. Four counters, or six at other registers (CPUID
 * 0x80000001 ECX bit 23); from Zen 4 on with global control (CPUID 0x80000022). Not supported: northbridge and cache counters, IBS.
 *
 * Odd: event codes have 12 bits, the upper four in bits 32-35 of the select register.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/processor.h>

#include "op_pmu.h"
#include "op_pmu_x86.h"

#define AMD_SELECT 0xc0010000
#define AMD_COUNTER 0xc0010004
#define AMD_COUNTERS 4
#define AMD_EXT_SELECT 0xc0010200
#define AMD_EXT_COUNTER 0xc0010201
#define AMD_EXT_COUNTERS 6
#define AMD_GLOBAL_CTRL 0xc0000301
#define AMD_GLOBAL_CLEAR 0xc0000302
#define AMD_WIDTH 48

/* Filled in by init under op_mutex, constant afterwards. */
static struct op_x86_pmu amd_pmu;

static const char *amd_cpu_type(unsigned int family)
{
	switch (family) {
	case 6:
		return "i386/athlon";
	case 0xf:
		return "x86-64/hammer";
	case 0x10:
		return "x86-64/family10";
	case 0x11:
		return "x86-64/family11h";
	case 0x12:
		return "x86-64/family12h";
	case 0x14:
		return "x86-64/family14h";
	case 0x15:
		return "x86-64/family15h";
	}
	return family > 0x15 ? "x86-64/generic" : NULL;
}

static void amd_describe(const struct op_x86_identity *identity)
{
	amd_pmu = (struct op_x86_pmu){
		.scheme = &op_x86_select_scheme,
		.counters = AMD_COUNTERS,
		.width = AMD_WIDTH,
		.max_count = BIT_ULL(AMD_WIDTH - 1) - 1,
		.select = AMD_SELECT,
		.counter = AMD_COUNTER,
		.stride = 1,
		.layout = op_x86_layout_amd(identity->family),
	};
	if (identity->core_ext) {
		amd_pmu.counters = AMD_EXT_COUNTERS;
		amd_pmu.select = AMD_EXT_SELECT;
		amd_pmu.counter = AMD_EXT_COUNTER;
		amd_pmu.stride = 2;
	}
	if (identity->core_ext && identity->core_v2) {
		amd_pmu.counters = min_t(unsigned int, identity->core_v2, OP_MAX_COUNTERS);
		amd_pmu.global_ctrl = AMD_GLOBAL_CTRL;
		amd_pmu.global_clear = AMD_GLOBAL_CLEAR;
	}
}

static int op_amd_init(struct op_pmu_model *model)
{
	struct op_x86_identity identity;
	const char *type;

	op_x86_identify(&identity);
	if (identity.vendor != X86_VENDOR_AMD && identity.vendor != X86_VENDOR_HYGON)
		return -ENODEV;
	type = amd_cpu_type(identity.family);
	if (!type)
		return -ENODEV;
	amd_describe(&identity);
	return op_x86_probe(model, &amd_pmu, type);
}

struct op_pmu_model op_pmu_amd = {
	.name = "amd",
	.proved = op_x86_proved,
	.init = op_amd_init,
	.exit = op_x86_exit,
	.check_count = op_x86_check_count,
	.setup = op_x86_setup,
	.shutdown = op_x86_shutdown,
	.start = op_x86_start,
	.stop = op_x86_stop,
};
