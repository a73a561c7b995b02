// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofilefs: the file system of the driver's settings, statistics and buffer (doc/DRIVER.md). All files are made when it is
 * mounted, and nothing changes afterwards.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "op_buffer.h"
#include "op_main.h"
#include "op_numbers.h"
#include "op_reader.h"

#define OPROFILEFS_MAGIC 0x6f70726f
#define MAX_NUMBER_TEXT 49

/* The private data of a number file's inode. Constant. */
struct op_number_file {
	const struct op_number *number;
	unsigned long index;
};

/* ---- files that contain a number ---- */

/* Writing needs the capability that opening the buffer needs. Checked at open, so that a daemon may drop it then. */
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

/* ---- other files ---- */

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
	const struct op_sum_file *sum;
	int error = make_cpu_dirs(dir, op_cpu_stat_files);

	for (sum = op_sum_files; !error && sum->number.name; sum++)
		error = make_number(dir, &sum->number, sum->stat);
	return error;
}

static int make_counters(struct dentry *root)
{
	int i, error = 0;

	for (i = 0; !error && i < op_model->counters; i++) {
		struct dentry *dir = make_numbered_dir(root, "", i);

		error = make_numbers(dir, op_counter_files, i);
		if (op_model->has_pmus)
			error = error ?: make_numbers(dir, op_pmu_files, i);
	}
	return error;
}

static int make_tree(struct dentry *root)
{
	int error = make_numbers(root, op_setting_files, 0);

	error = error ?: make_file(root, "buffer", 0600, &op_buffer_fops, NULL);
	error = error ?: make_file(root, "dump", 0200, &dump_fops, NULL);
	error = error ?: make_file(root, "cpu_type", 0400, &cpu_type_fops, NULL);
	error = error ?: make_file(root, "model", 0400, &model_fops, NULL);
	error = error ?: make_counters(root);
	error = error ?: make_cpu_dirs(make_dir(root, "timer"), op_timer_files);
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
