// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program that a process runs. In NMI no reference to its file can be taken: since 6.7 giving one back can be part of taking
 * it.
 */
#include "op_exe.h"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "compat.h"
#include "op_image.h"

/*
 * Without a reference a file may be freed and reused for another (6.7 and later). So the inode that was read is the right one if
 * the file is still the program's afterwards.
 */
const struct inode *op_exe_inode(struct mm_struct *mm)
{
	const struct file *file = rcu_dereference_check(mm->exe_file, rcu_read_lock_any_held());
	const struct inode *inode = file ? READ_ONCE(file->f_inode) : NULL;

	smp_rmb(); /* the inode is read before the second check */
	return rcu_access_pointer(mm->exe_file) == file ? inode : NULL;
}

u32 op_find_exe_cookie(struct mm_struct *mm, struct op_memo *memo)
{
	const struct inode *inode = op_exe_inode(mm);

	return inode ? op_inode_cookie(inode, memo) : OP_NO_COOKIE;
}

/* Memory may not be taken in hard interrupts of real-time kernels, nor of those that check for that. */
bool op_can_make_cookies(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || IS_ENABLED(CONFIG_PROVE_RAW_LOCK_NESTING))
		return !in_hardirq() && !in_nmi();
	return !in_nmi();
}

u32 op_exe_cookie(struct mm_struct *mm)
{
	struct file *file;
	u32 cookie;

	rcu_read_lock();
	cookie = op_find_exe_cookie(mm, NULL);
	file = cookie ? NULL : op_get_file_rcu(&mm->exe_file);
	rcu_read_unlock();
	if (file) {
		cookie = op_file_cookie(file, NULL);
		fput(file);
	}
	return cookie;
}
