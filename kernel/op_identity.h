/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What identifies an image, a file or a memory region without a file, and the record that describes it to the reader.
 */
#ifndef OP_IDENTITY_H
#define OP_IDENTITY_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/types.h>

#include "compat.h"

struct op_record_image;
struct vm_area_struct;

#define OP_LABEL_SIZE 24

/* Two images with the same key are the same. */
struct op_image_key {
	u64 a; /* file: address of the inode; region: start */
	u64 b; /* region: end */
	u32 c; /* region: tgid */
	u32 region; /* hash of the label, not 0; 0 = a file */
};

struct op_identity {
	struct op_image_key key;
	struct file *file; /* files: not owned */
	char label[OP_LABEL_SIZE]; /* regions */
};

static inline struct inode *op_inode_of(struct file *file)
{
	return d_inode(op_user_path(file)->dentry);
}

/* Any context up to NMI; the inode is not looked at. */
static inline struct op_image_key op_inode_key(const struct inode *inode)
{
	return (struct op_image_key){ .a = (unsigned long)inode };
}

/* What a mapping without a file is called, and its key in the process tgid. The label lasts as long as the mmap lock is held. */
const char *op_region_label(struct vm_area_struct *vma);
struct op_image_key op_region_key(const struct vm_area_struct *vma, u32 tgid, const char *label);

/*
 * Writes the record, without the cookie, into `size` bytes of room. Returns its size; -E2BIG if the room is too small. The file, if
 * any, is held by the caller. Process context; may sleep.
 */
int op_describe(const struct op_identity *identity, struct op_record_image *record, size_t size);

#endif
