// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Model "intel": general counters of Intel processors, as CPUID leaf 0xA describes them (architectural performance
 * monitoring) up to version 5, or the two counters of the P6 family, which has no such leaf. Not supported: fixed counters.
 * NetBurst: op_pmu_p4.c.
 *
 * Odd: a write sets the low 32 bits of a counter, and bit 31 is extended to the counter's width. So a counter of any width
 * takes counts below 2^31. P6 has one ENABLE, in the select register of counter 0, for both counters.
 */
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/processor.h>

#include "op_pmu.h"
#include "op_pmu_x86.h"

#define INTEL_PERFMON_TOO_NEW 6 /* its counters have further registers (0x1900 ...), which no reservation covers */
#define INTEL_LAST_P6 13 /* model; those from 14 on have an ENABLE for each counter */
#define INTEL_SELECT 0x186
#define INTEL_COUNTER 0xc1
#define INTEL_GLOBAL_CTRL 0x38f
#define INTEL_GLOBAL_CLEAR 0x390 /* PERF_GLOBAL_OVF_CTRL; from version 4 on PERF_GLOBAL_STATUS_RESET, with the same bits */

/* Filled in by init under op_mutex, constant afterwards. */
static struct op_x86_pmu intel_pmu;

/* The classic names of the P6 family; NULL: it has none. User space names later processors. */
static const char *intel_classic_type(unsigned int model)
{
	switch (model) {
	case 0 ... 2:
		return "i386/ppro";
	case 3 ... 5:
		return "i386/pii";
	case 6 ... 8:
	case 10 ... 11:
		return "i386/piii";
	case 9:
	case 13:
		return "i386/p6_mobile";
	case 14:
		return "i386/core";
	case 15:
	case 22:
	case 23:
	case 29:
		return "i386/core_2";
	case 28:
		return "i386/atom";
	}
	return NULL;
}

static const char *intel_cpu_type(const struct op_x86_identity *identity)
{
	const char *classic = identity->family == 6 ? intel_classic_type(identity->model) : NULL;

	if (classic)
		return classic;
	if (!(identity->perfmon & 0xff))
		return NULL;
	if (identity->family == 6 && (identity->model == 26 || identity->model == 30 || identity->model == 46))
		return "i386/core_i7";
	return "i386/arch_perfmon";
}

static void intel_describe(const struct op_x86_identity *identity)
{
	unsigned int version = identity->perfmon & 0xff;

	intel_pmu = (struct op_x86_pmu){
		.scheme = &op_x86_select_scheme,
		.counters = 2,
		.width = 32, /* P6: really 40, but bit 31 is enough to see an overflow */
		.max_count = 0x7fffffff,
		.select = INTEL_SELECT,
		.counter = INTEL_COUNTER,
		.stride = 1,
		.masks_vector = true,
		.shared_enable = !version && identity->family == 6 && identity->model <= INTEL_LAST_P6,
		.layout = op_x86_layout_intel(),
	};
	if (version) {
		intel_pmu.counters = clamp_t(unsigned int, identity->perfmon >> 8 & 0xff, 1, OP_MAX_COUNTERS);
		intel_pmu.width = clamp_t(unsigned int, identity->perfmon >> 16 & 0xff, 32, 64);
	} else if (identity->family == 6 && identity->model == 15) {
		intel_pmu.width = 40; /* on some machines the firmware hides what the leaf contains */
	}
	if (version >= 2) {
		intel_pmu.global_ctrl = INTEL_GLOBAL_CTRL;
		intel_pmu.global_clear = INTEL_GLOBAL_CLEAR;
	}
}

static int op_intel_init(struct op_pmu_model *model)
{
	struct op_x86_identity identity;
	const char *type;

	op_x86_identify(&identity);
	if (identity.vendor != X86_VENDOR_INTEL)
		return -ENODEV;
	if ((identity.perfmon & 0xff) >= INTEL_PERFMON_TOO_NEW) {
		pr_info("model intel does not know performance monitoring version %u\n", identity.perfmon & 0xff);
		return -ENODEV;
	}
	if (identity.hybrid) {
		pr_info("model intel does not know processors with cores of several kinds\n");
		return -ENODEV;
	}
	type = intel_cpu_type(&identity);
	if (!type)
		return -ENODEV;
	intel_describe(&identity);
	return op_x86_probe(model, &intel_pmu, type);
}

struct op_pmu_model op_pmu_intel = {
	.name = "intel",
	.proved = op_x86_proved,
	.init = op_intel_init,
	.exit = op_x86_exit,
	.check_count = op_x86_check_count,
	.setup = op_x86_setup,
	.shutdown = op_x86_shutdown,
	.start = op_x86_start,
	.stop = op_x86_stop,
};
