// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that does nothing, of the headers that every version has. If it cannot be built for a kernel, or not without warnings,
 * the compiler is too old for that kernel, and the driver is not to blame.
 */
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

static int __init op_canary_init(void)
{
	return 0;
}

static void __exit op_canary_exit(void)
{
}

module_init(op_canary_init);
module_exit(op_canary_exit);
MODULE_DESCRIPTION("canary of the driver's tests");
MODULE_LICENSE("GPL");
