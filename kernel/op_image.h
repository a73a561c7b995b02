/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Image cookies: small numbers for mapped files and for regions of memory that are no file. A cookie is announced to the
 * reader with its path before the first record that uses it.
 */
#ifndef OP_IMAGE_H
#define OP_IMAGE_H

#include <linux/types.h>

struct file;
struct inode;
struct mm_struct;
struct op_record_image;
struct vm_area_struct;

#define OP_NO_COOKIE 0

/*
 * Any context up to NMI, under rcu_read_lock(): the inode of the program that a process runs, or NULL; the cookie of that
 * program if it has one, else OP_NO_COOKIE.
 */
const struct inode *op_exe_inode(struct mm_struct *mm);
u32 op_find_exe_cookie(struct mm_struct *mm);

/*
 * Process context: the cookie of a file; OP_NO_COOKIE if there is no memory for one, or if too many images wait for the
 * reader. The file must be kept by the caller.
 */
u32 op_file_cookie(struct file *file);

/* The same for a mapping of the current or a given process; mmap lock held. */
u32 op_region_cookie(struct vm_area_struct *vma, u32 tgid);

/*
 * Reader, process context: the next image to be announced, its record in `record` with `size` bytes of room. Gives the
 * record's size; 0 if there is none; -E2BIG if the room is too small. op_announced() says it was handed out.
 */
int op_next_image(struct op_record_image *record, size_t size);
void op_announced(void);

/* Forgets all images. No sampling, no reader. */
void op_forget_images(void);

#endif
