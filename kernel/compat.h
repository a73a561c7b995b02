/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The differences between kernel versions, and nothing else. The only file that uses LINUX_VERSION_CODE.
 */
#ifndef OP_COMPAT_H
#define OP_COMPAT_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/fsnotify_backend.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/version.h>

/* 6.7: get_file_rcu() takes the address of the pointer. */
static inline struct file *op_get_file_rcu(struct file __rcu **place)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return get_file_rcu(place);
#else
	struct file *file = rcu_dereference(*place);

	return file && get_file_rcu(file) ? file : NULL;
#endif
}

/*
 * The path of a mapped file as its process sees it. 6.8: for a file of a stacked file system (overlayfs) it is not f_path, which is
 * the path of the lower file.
 */
static inline const struct path *op_user_path(struct file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/* 6.12: the lock of a group is never held in reclaim; before, a group whose marks end with their inodes asks for that. */
#ifdef FSNOTIFY_GROUP_NOFS
#define OP_FSNOTIFY_NOFS FSNOTIFY_GROUP_NOFS
#else
#define OP_FSNOTIFY_NOFS 0
#endif

/* 6.19: an entry that stays until the file system is unmounted is marked persistent; kill_litter_super() is gone. */
static inline void op_add_dentry(struct dentry *dentry, struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
	d_make_persistent(dentry, inode);
	dput(dentry);
#else
	d_add(dentry, inode);
#endif
}

static inline void op_kill_super(struct super_block *sb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
	kill_anon_super(sb);
#else
	kill_litter_super(sb);
#endif
}

/* 6.7: time stamps of inodes are set by functions. */
static inline void op_init_inode_times(struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	simple_inode_init_ts(inode);
#else
	inode->i_mtime = current_time(inode);
	inode->i_atime = inode->i_mtime;
	inode->i_ctime = inode->i_mtime;
#endif
}

/* 6.13: one call initialises a timer and names its function. */
static inline void op_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = function;
#endif
}

/*
 * A number that changes when a process' mappings do. 6.4: after each change. In later ones it is a seqcount, which is odd during a
 * change. False: this kernel has none.
 */
static inline bool op_mappings_changes(const struct mm_struct *mm, unsigned int *changes)
{
#if defined(CONFIG_PER_VMA_LOCK) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	*changes = READ_ONCE(*(const unsigned int *)&mm->mm_lock_seq);
	if (__same_type(mm->mm_lock_seq, seqcount_t))
		*changes &= ~1u;
	return true;
#else
	return false;
#endif
}

/* 6.4: a module's memory is described by kind. */
static inline void *op_module_text(const struct module *mod, size_t *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	*size = mod->mem[MOD_TEXT].size;
	return mod->mem[MOD_TEXT].base;
#else
	*size = mod->core_layout.text_size;
	return mod->core_layout.base;
#endif
}

#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/processor.h>
/* 6.16: the CPUID functions have a header of their own. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h>
#endif
#endif
#ifdef CONFIG_ARM64
#include <asm/pointer_auth.h>

/* Return addresses may be signed. 6.5: there are separate functions to strip kernel and user addresses. */
static inline u64 op_strip_kernel_pac(u64 address)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return ptrauth_strip_kernel_insn_pac(address);
#else
	return ptrauth_strip_insn_pac(address);
#endif
}

static inline u64 op_strip_user_pac(u64 address)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return ptrauth_strip_user_insn_pac(address);
#else
	return ptrauth_strip_insn_pac(address);
#endif
}
#else
static inline u64 op_strip_user_pac(u64 address)
{
	return address;
}
#endif

#ifdef CONFIG_X86
/* Registers of this CPU; -EIO if there is no such register. 6.16: the functions are named by q for 64 bits. */
static inline int op_rdmsr_safe(u32 msr, u64 *value)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return rdmsrq_safe(msr, value);
#else
	return rdmsrl_safe(msr, value);
#endif
}

static inline int op_wrmsr_safe(u32 msr, u64 value)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return wrmsrq_safe(msr, value);
#else
	return wrmsrl_safe(msr, value);
#endif
}
#endif

/* 6.12: a file without seeking has no llseek method. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define OP_NO_LLSEEK
#else
#define OP_NO_LLSEEK .llseek = no_llseek,
#endif

#endif
