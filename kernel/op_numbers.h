/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number files of oprofilefs, as tables that end with an empty row. All constant.
 */
#ifndef OP_NUMBERS_H
#define OP_NUMBERS_H

#include <linux/types.h>

#include "op_stats.h"

/* A file that contains a number. get and set are called with op_mutex held; set is NULL for a read-only file. */
struct op_number {
	const char *name;
	umode_t mode;
	u64 (*get)(unsigned long index);
	int (*set)(unsigned long index, unsigned long value);
};

/* A file that contains the sum of a statistic over the CPUs; the statistic is its index. */
struct op_sum_file {
	struct op_number number;
	enum op_stat stat;
};

extern const struct op_number op_setting_files[]; /* index not used */
extern const struct op_number op_counter_files[]; /* index: the counter */
extern const struct op_number op_pmu_files[]; /* index: the counter; models with has_pmus */
extern const struct op_number op_timer_files[]; /* index: the CPU */
extern const struct op_number op_cpu_stat_files[]; /* index: the CPU */
extern const struct op_sum_file op_sum_files[];

#endif
