/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Image cookies: small numbers for mapped files and for memory regions without a file. The reader gets a cookie's path before the
 * first record that uses it.
 */
#ifndef OP_IMAGE_H
#define OP_IMAGE_H

#include <linux/types.h>

struct file;
struct inode;
struct op_record_image;
struct vm_area_struct;

#define OP_NO_COOKIE 0

/*
 * The cookie found last by one user: most samples are in the file of the sample before. Its user's alone, never interrupted by it.
 */
struct op_memo {
	const struct inode *inode;
	u32 cookie;
	unsigned long forgotten; /* images forgotten before that was found: no longer valid once another image is forgotten */
};

/*
 * Returns the cookie of an inode, or OP_NO_COOKIE if it has none yet. Any context up to NMI; the inode is only compared. `memo`
 * saves the look-up; may be NULL.
 */
u32 op_inode_cookie(const struct inode *inode, struct op_memo *memo);

/*
 * Returns the cookie of a file, a new one if it has none; OP_NO_COOKIE if there is no memory for one at once, or if too many images
 * wait for the reader. Where op_can_make_cookies(); does not sleep; the caller keeps the file alive. The memo: as above.
 */
u32 op_file_cookie(struct file *file, struct op_memo *memo);

/*
 * The same for a mapping without a file, of the process tgid. The mmap lock is held. The second makes no new one.
 */
u32 op_region_cookie(struct vm_area_struct *vma, u32 tgid);
u32 op_find_region_cookie(struct vm_area_struct *vma, u32 tgid);

/* Changes when images are forgotten that readers may not keep either: their cookies are not to be named any more. Any context. */
u32 op_image_generation(void);

/* True if an image is to be announced: also one that only records still in a ring name. Any context. */
bool op_image_waits(void);

/*
 * Writes the record of the next image to be announced, into `size` bytes of room. Returns the record's size; 0 if no image waits;
 * -E2BIG if the room is too small. op_announced() removes that image from the list. For the reader; process context.
 */
int op_next_image(struct op_record_image *record, size_t size);
void op_announced(void);

/* At load and before unload. */
int op_images_init(void);
void op_images_exit(void);

/* Forgets all images. Process context, under op_mutex, without sampling and without a reader. */
void op_forget_images(void);

#endif
