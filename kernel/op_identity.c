// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The keys of regions, and the records of images. The table of images is op_image.c's.
 */
#include "op_identity.h"

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/limits.h>
#include <linux/path.h>
#include <linux/stat.h>
#include <linux/string.h>

#include "uapi/op_stream.h"

const char *op_region_label(struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name)
		return name;
	if (vma->vm_file)
		return op_user_path(vma->vm_file)->dentry->d_name.name; /* memory that looks like a file: the name is constant */
	if (vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk)
		return "[heap]";
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return "[stack]";
	return "anon";
}

/* The vDSO is the same in every process, at any address. */
struct op_image_key op_region_key(const struct vm_area_struct *vma, u32 tgid, const char *label)
{
	u32 hash = jhash(label, strlen(label), 0) | 1;

	if (!strcmp(label, "[vdso]"))
		return (struct op_image_key){ .b = vma->vm_end - vma->vm_start, .region = hash };
	return (struct op_image_key){ .a = vma->vm_start, .b = vma->vm_end, .c = tgid, .region = hash };
}

/* Fills in the fields of a file; returns its path, which is in the same room. */
static const char *describe_file(struct file *file, struct op_record_image *record, size_t size)
{
	const struct path *path = op_user_path(file);
	char *room = (char *)(record + 1);
	struct kstat stat;

	if (!vfs_getattr(path, &stat, STATX_INO, AT_STATX_DONT_SYNC)) {
		record->device = new_encode_dev(stat.dev);
		record->inode = stat.ino;
	}
	return d_path(path, room, size - sizeof(*record));
}

static const char *describe_region(const struct op_identity *identity, struct op_record_image *record)
{
	record->header.flags = OP_IMAGE_REGION;
	record->tgid = identity->key.c;
	record->start = identity->key.a;
	record->length = identity->key.b - identity->key.a;
	return identity->label;
}

/* Puts the path, which may be in the room already, behind the record. */
static int append_path(struct op_record_image *record, size_t size, const char *path)
{
	size_t length = strlen(path);
	size_t total = ALIGN(sizeof(*record) + length, 8);

	if (total > size)
		return -E2BIG;
	memmove(record + 1, path, length);
	memset((char *)(record + 1) + length, 0, total - sizeof(*record) - length);
	record->header.type = OP_RECORD_IMAGE;
	record->header.size = total;
	record->path_size = length;
	return total;
}

int op_describe(const struct op_identity *identity, struct op_record_image *record, size_t size)
{
	const char *path;

	if (size <= sizeof(*record))
		return -E2BIG;
	memset(record, 0, sizeof(*record));
	path = identity->key.region ? describe_region(identity, record) : describe_file(identity->file, record, size);
	if (IS_ERR(path)) {
		if (size < sizeof(*record) + PATH_MAX)
			return -E2BIG;
		path = "?"; /* a path longer than PATH_MAX */
	}
	return append_path(record, size, path);
}
