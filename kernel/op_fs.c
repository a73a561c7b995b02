// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofilefs: settings, statistics and the buffer as files (doc/DRIVER.md). Everything is made when the file system is
 * mounted and nothing changes afterwards.
 */
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "op_buffer.h"
#include "op_main.h"
#include "op_stats.h"
#include "uapi/op_stream.h"

#define OPROFILEFS_MAGIC 0x6f70726f
#define MAX_NUMBER_TEXT 49

/*
 * A file that holds a number. set gets the file's index (a counter, a CPU) and is called with op_mutex held; it may be NULL:
 * read-only.
 */
struct op_number {
	const char *name;
	umode_t mode;
	u64 (*get)(unsigned long index);
	int (*set)(unsigned long index, unsigned long value);
};

/* What an inode of a number file points to. */
struct op_number_file {
	const struct op_number *number;
	unsigned long index;
};

/* ---- files that hold a number ---- */

/* Writing needs what opening the buffer does; asked of who opens, so that a daemon may give it up then. */
static int writable_open(struct inode *inode, struct file *file)
{
	return file->f_mode & FMODE_WRITE && !perfmon_capable() ? -EPERM : 0;
}

static ssize_t number_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	const struct op_number_file *f = file_inode(file)->i_private;
	char text[24];
	int length;

	mutex_lock(&op_mutex);
	length = scnprintf(text, sizeof(text), "%llu\n", f->number->get(f->index));
	mutex_unlock(&op_mutex);
	return simple_read_from_buffer(to, count, pos, text, length);
}

static ssize_t number_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	const struct op_number_file *f = file_inode(file)->i_private;
	unsigned long value;
	int error;

	if (*pos)
		return -EINVAL;
	if (!count)
		return 0;
	if (count > MAX_NUMBER_TEXT)
		return -EINVAL;
	error = kstrtoul_from_user(from, count, 0, &value);
	if (error)
		return error == -ERANGE ? -EINVAL : error;
	mutex_lock(&op_mutex);
	error = f->number->set(f->index, value);
	mutex_unlock(&op_mutex);
	return error ? error : count;
}

static const struct file_operations number_fops = {
	.owner = THIS_MODULE,
	.open = writable_open,
	.read = number_read,
	.write = number_write,
	.llseek = default_llseek,
};

static const struct file_operations read_only_number_fops = {
	.owner = THIS_MODULE,
	.read = number_read,
	.llseek = default_llseek,
};

/* ---- settings that the buffer's opening fixes ---- */

#define SETTING(field, low, high)                                                \
	static u64 get_##field(unsigned long index)                    \
	{                                                                        \
		return op_settings.field;                                        \
	}                                                                        \
	static int set_##field(unsigned long index, unsigned long value)         \
	{                                                                        \
		if (op_state != OP_STOPPED)                                      \
			return -EBUSY;                                           \
		if (value < (low) || value > (high))                             \
			return -EINVAL;                                          \
		op_settings.field = value;                                       \
		return 0;                                                        \
	}

SETTING(buffer_size, 1024UL, 1UL << 28)
SETTING(buffer_watershed, 0UL, 1UL << 28)
SETTING(cpu_buffer_size, 64UL, 1UL << 20)
SETTING(backtrace_depth, 0UL, (unsigned long)OP_MAX_DEPTH)

/* ---- settings that running fixes ---- */

#define FILTER(field)                                                            \
	static u64 get_##field(unsigned long index)                    \
	{                                                                        \
		return op_settings.field;                                        \
	}                                                                        \
	static int set_##field(unsigned long index, unsigned long value)         \
	{                                                                        \
		if (op_state == OP_RUNNING)                                      \
			return -EBUSY;                                           \
		if (value > INT_MAX)                                             \
			return -EINVAL;                                          \
		op_settings.field = value;                                       \
		return 0;                                                        \
	}

FILTER(pid_filter)
FILTER(pgrp_filter)

#define COUNTER(field, limit)                                                    \
	static u64 get_counter_##field(unsigned long index)            \
	{                                                                        \
		return op_counters[index].field;                                 \
	}                                                                        \
	static int set_counter_##field(unsigned long index, unsigned long value) \
	{                                                                        \
		if (op_state == OP_RUNNING)                                      \
			return -EBUSY;                                           \
		if (value > (limit))                                             \
			return -EINVAL;                                          \
		op_counters[index].field = value;                                \
		return 0;                                                        \
	}

COUNTER(enabled, 1UL)
COUNTER(event, (unsigned long)U32_MAX)
COUNTER(unit_mask, (unsigned long)U32_MAX)
COUNTER(kernel, 1UL)
COUNTER(user, 1UL)
COUNTER(extra, (unsigned long)U32_MAX)

static u64 get_count(unsigned long index)
{
	return op_counters[index].count;
}

/* The count that stands for what was asked; 0 if the model cannot bear it. */
static unsigned long accepted_count(unsigned long count)
{
	if (count < op_model->min_count || count > S32_MAX)
		return 0;
	return op_model->check_count ? op_model->check_count(count) : count;
}

/* 0 = not set. */
static int set_count(unsigned long index, unsigned long value)
{
	unsigned long count = accepted_count(value);

	if (op_state == OP_RUNNING)
		return -EBUSY;
	if (value && !count)
		return -EINVAL;
	op_counters[index].count = count;
	return 0;
}

static u64 get_min_count(unsigned long index)
{
	return op_model->min_count;
}

/* ---- switches that work while running ---- */

static u64 get_enable(unsigned long index)
{
	return op_state == OP_RUNNING;
}

static int set_enable(unsigned long index, unsigned long value)
{
	if (value > 1)
		return -EINVAL;
	if (value)
		return op_start();
	if (op_state == OP_RUNNING)
		op_stop();
	return 0;
}

static u64 get_timer_enabled(unsigned long cpu)
{
	return per_cpu(op_timer_switches, cpu).enabled;
}

static int set_timer_enabled(unsigned long cpu, unsigned long value)
{
	if (value > 1)
		return -EINVAL;
	per_cpu(op_timer_switches, cpu).enabled = value;
	op_update_timer(cpu);
	return 0;
}

static u64 get_timer_period(unsigned long cpu)
{
	return per_cpu(op_timer_switches, cpu).period_us;
}

static int set_timer_period(unsigned long cpu, unsigned long value)
{
	if (value > 10000000)
		return -EINVAL;
	per_cpu(op_timer_switches, cpu).period_us = value;
	op_update_timer(cpu);
	return 0;
}

/* ---- constants and statistics ---- */

static u64 get_pointer_size(unsigned long index)
{
	return sizeof(u64);
}

static u64 get_stream_version(unsigned long index)
{
	return OP_STREAM_VERSION;
}

#define STAT(name, stat)                                                         \
	static u64 get_##name(unsigned long cpu)                       \
	{                                                                        \
		return op_stat(cpu, stat);                                       \
	}

static u64 get_received(unsigned long cpu)
{
	return op_stat(cpu, OP_STAT_RECEIVED) + op_stat(cpu, OP_STAT_NESTED);
}

STAT(overflow, OP_STAT_OVERFLOW)
STAT(no_mm, OP_STAT_NO_MM)
STAT(no_mapping, OP_STAT_NO_MAPPING)
STAT(nested, OP_STAT_NESTED)
STAT(pending, OP_STAT_PENDING)
STAT(aborted, OP_STAT_TRACE_ABORTED)
STAT(throttled, OP_STAT_THROTTLED)
STAT(filtered, OP_STAT_FILTERED)

static u64 get_sum(unsigned long stat)
{
	return op_stat_sum(stat);
}

/* ---- the files ---- */

static const struct op_number settings[] = {
	{ "enable", 0600, get_enable, set_enable },
	{ "buffer_size", 0600, get_buffer_size, set_buffer_size },
	{ "buffer_watershed", 0600, get_buffer_watershed, set_buffer_watershed },
	{ "cpu_buffer_size", 0600, get_cpu_buffer_size, set_cpu_buffer_size },
	{ "backtrace_depth", 0600, get_backtrace_depth, set_backtrace_depth },
	{ "pid_filter", 0600, get_pid_filter, set_pid_filter },
	{ "pgrp_filter", 0600, get_pgrp_filter, set_pgrp_filter },
	{ "pointer_size", 0400, get_pointer_size, NULL },
	{ "stream_version", 0400, get_stream_version, NULL },
	{}
};

static const struct op_number counter_files[] = {
	{ "enabled", 0600, get_counter_enabled, set_counter_enabled },
	{ "event", 0600, get_counter_event, set_counter_event },
	{ "count", 0600, get_count, set_count },
	{ "unit_mask", 0600, get_counter_unit_mask, set_counter_unit_mask },
	{ "kernel", 0600, get_counter_kernel, set_counter_kernel },
	{ "user", 0600, get_counter_user, set_counter_user },
	{ "extra", 0600, get_counter_extra, set_counter_extra },
	{ "min_count", 0400, get_min_count, NULL },
	{}
};

static const struct op_number timer_files[] = {
	{ "enabled", 0600, get_timer_enabled, set_timer_enabled },
	{ "period_us", 0600, get_timer_period, set_timer_period },
	{}
};

static const struct op_number cpu_stats[] = {
	{ "sample_received", 0400, get_received, NULL },
	{ "sample_lost_overflow", 0400, get_overflow, NULL },
	{ "sample_lost_no_mm", 0400, get_no_mm, NULL },
	{ "sample_lost_no_mapping", 0400, get_no_mapping, NULL },
	{ "sample_lost_nested", 0400, get_nested, NULL },
	{ "sample_lost_pending", 0400, get_pending, NULL },
	{ "backtrace_aborted", 0400, get_aborted, NULL },
	{ "throttled", 0400, get_throttled, NULL },
	{ "sample_filtered", 0400, get_filtered, NULL },
	{}
};

/* Their index is the statistic. */
static const struct {
	struct op_number number;
	enum op_stat stat;
} sums[] = {
	{ { "event_lost_overflow", 0400, get_sum, NULL }, OP_STAT_OVERFLOW },
	{ { "sample_lost_no_mm", 0400, get_sum, NULL }, OP_STAT_NO_MM },
	{ { "sample_lost_no_mapping", 0400, get_sum, NULL }, OP_STAT_NO_MAPPING },
	{ { "bt_lost_no_mapping", 0400, get_sum, NULL }, OP_STAT_TRACE_NO_MAPPING },
};

static ssize_t read_text(const char *text, char __user *to, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(to, count, pos, text, strlen(text));
}

static ssize_t cpu_type_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	return read_text(op_model->cpu_type, to, count, pos);
}

static ssize_t model_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	return read_text(op_model->name, to, count, pos);
}

static ssize_t dump_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	op_wake_reader();
	return count;
}

static const struct file_operations cpu_type_fops = {
	.owner = THIS_MODULE,
	.read = cpu_type_read,
	.llseek = default_llseek,
};

static const struct file_operations model_fops = {
	.owner = THIS_MODULE,
	.read = model_read,
	.llseek = default_llseek,
};

static const struct file_operations dump_fops = {
	.owner = THIS_MODULE,
	.open = writable_open,
	.write = dump_write,
	OP_NO_LLSEEK
};

/* ---- building the tree ---- */

static struct inode *new_op_inode(struct super_block *sb, umode_t mode)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode->i_ino = get_next_ino();
	inode->i_mode = mode;
	op_init_inode_times(inode);
	return inode;
}

/* Makes a file; `data` becomes the inode's and is freed with it. */
static int make_file(struct dentry *dir, const char *name, umode_t mode, const struct file_operations *fops, void *data)
{
	struct inode *inode = new_op_inode(dir->d_sb, S_IFREG | mode);
	struct dentry *dentry;

	if (!inode) {
		kfree(data);
		return -ENOMEM;
	}
	inode->i_fop = fops;
	inode->i_private = data;
	dentry = d_alloc_name(dir, name);
	if (!dentry) {
		iput(inode);
		return -ENOMEM;
	}
	op_add_dentry(dentry, inode);
	return 0;
}

static struct dentry *make_dir(struct dentry *parent, const char *name)
{
	struct inode *inode = new_op_inode(parent->d_sb, S_IFDIR | 0700);
	struct dentry *dentry;

	if (!inode)
		return NULL;
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	set_nlink(inode, 2);
	dentry = d_alloc_name(parent, name);
	if (!dentry) {
		iput(inode);
		return NULL;
	}
	op_add_dentry(dentry, inode);
	inc_nlink(d_inode(parent));
	return dentry;
}

static int make_number(struct dentry *dir, const struct op_number *number, unsigned long index)
{
	struct op_number_file *f = kmalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	*f = (struct op_number_file){ number, index };
	return make_file(dir, number->name, number->mode, number->set ? &number_fops : &read_only_number_fops, f);
}

static int make_numbers(struct dentry *dir, const struct op_number *numbers, unsigned long index)
{
	int error = dir ? 0 : -ENOMEM;

	for (; !error && numbers->name; numbers++)
		error = make_number(dir, numbers, index);
	return error;
}

/* Directory `prefix`N for an index. */
static struct dentry *make_numbered_dir(struct dentry *parent, const char *prefix, unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "%s%u", prefix, n);
	return make_dir(parent, name);
}

static int make_cpu_dirs(struct dentry *parent, const struct op_number *numbers)
{
	unsigned int cpu;
	int error = parent ? 0 : -ENOMEM;

	for_each_possible_cpu(cpu) {
		if (error)
			break;
		error = make_numbers(make_numbered_dir(parent, "cpu", cpu), numbers, cpu);
	}
	return error;
}

static int make_stats(struct dentry *root)
{
	struct dentry *dir = make_dir(root, "stats");
	int i, error = make_cpu_dirs(dir, cpu_stats);

	for (i = 0; !error && i < ARRAY_SIZE(sums); i++)
		error = make_number(dir, &sums[i].number, sums[i].stat);
	return error;
}

static int make_counters(struct dentry *root)
{
	int i, error = 0;

	for (i = 0; !error && i < op_model->counters; i++)
		error = make_numbers(make_numbered_dir(root, "", i), counter_files, i);
	return error;
}

static int make_tree(struct dentry *root)
{
	int error = make_numbers(root, settings, 0);

	error = error ?: make_file(root, "buffer", 0600, &op_buffer_fops, NULL);
	error = error ?: make_file(root, "dump", 0200, &dump_fops, NULL);
	error = error ?: make_file(root, "cpu_type", 0400, &cpu_type_fops, NULL);
	error = error ?: make_file(root, "model", 0400, &model_fops, NULL);
	error = error ?: make_counters(root);
	error = error ?: make_cpu_dirs(make_dir(root, "timer"), timer_files);
	return error ?: make_stats(root);
}

static void evict_inode(struct inode *inode)
{
	clear_inode(inode);
	kfree(inode->i_private);
}

static const struct super_operations super_ops = {
	.statfs = simple_statfs,
	.evict_inode = evict_inode,
};

static int fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct inode *inode;

	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = OPROFILEFS_MAGIC;
	sb->s_op = &super_ops;
	sb->s_time_gran = 1;
	inode = new_op_inode(sb, S_IFDIR | 0700);
	if (!inode)
		return -ENOMEM;
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	set_nlink(inode, 2);
	sb->s_root = d_make_root(inode);
	return sb->s_root ? make_tree(sb->s_root) : -ENOMEM;
}

static int get_tree(struct fs_context *fc)
{
	return get_tree_single(fc, fill_super);
}

static const struct fs_context_operations context_ops = {
	.get_tree = get_tree,
};

static int init_fs_context(struct fs_context *fc)
{
	fc->ops = &context_ops;
	return 0;
}

static struct file_system_type oprofilefs = {
	.owner = THIS_MODULE,
	.name = "oprofilefs",
	.init_fs_context = init_fs_context,
	.kill_sb = op_kill_super,
};
MODULE_ALIAS_FS("oprofilefs");

int op_fs_register(void)
{
	return register_filesystem(&oprofilefs);
}

void op_fs_unregister(void)
{
	unregister_filesystem(&oprofilefs);
}
