/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that a process runs: its inode and its cookie.
 */
#ifndef OP_EXE_H
#define OP_EXE_H

#include <linux/types.h>

struct inode;
struct mm_struct;
struct op_memo;

/*
 * Return the inode of the program that a process runs, or NULL, and that program's cookie, or OP_NO_COOKIE if it has none yet. Any
 * context up to NMI, under rcu_read_lock() or with interrupts off. The memo: as op_inode_cookie().
 */
const struct inode *op_exe_inode(struct mm_struct *mm);
u32 op_find_exe_cookie(struct mm_struct *mm, struct op_memo *memo);

/* True where the next call and op_file_cookie() are allowed: not in NMI, nor in hard interrupts of real-time kernels. */
bool op_can_make_cookies(void);

/* Returns that cookie, a new one if it has none; OP_NO_COOKIE as op_file_cookie(), or if the process has ended. Does not sleep. */
u32 op_exe_cookie(struct mm_struct *mm);

#endif
