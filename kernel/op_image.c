// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of images. A file is identified by device, inode and generation, so that a renamed file keeps its cookie and a reused
 * inode gets another. Its path is pinned only until it is announced, so that no file system stays busy. A full table is emptied;
 * cookies are not used twice.
 */
#include "op_image.h"

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/path.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stat.h>

#include "compat.h"
#include "uapi/op_stream.h"

#define OP_LABEL_SIZE 24
#define OP_IMAGES_LIMIT 65536 /* in the table */
#define OP_WAITING_LIMIT 16384 /* not announced yet: programs can make any number of mappings while the reader sleeps */

/* Two images with the same key are the same. */
struct image_key {
	u64 a; /* file: inode number; region: start */
	u64 b; /* file: generation; region: end */
	u32 c; /* file: device; region: tgid */
	u32 region; /* hash of the label, not 0; 0 = a file */
};

struct image {
	struct image_key key; /* constant */
	u32 cookie; /* constant */
	bool known; /* in the table; image_lock */
	bool waiting; /* in the list of images to be announced; image_lock */
	struct hlist_node hash; /* in image_table; image_lock, read under RCU */
	struct list_head list; /* in waiting_images; image_lock */
	struct path path; /* files: pinned while waiting, constant */
	char label[OP_LABEL_SIZE]; /* regions; constant */
	struct rcu_head rcu;
};

static DEFINE_SPINLOCK(image_lock); /* the table for writers, the list, the counts and last_cookie */
static DEFINE_HASHTABLE(image_table, 10); /* image_lock for writers, RCU for readers */
static LIST_HEAD(waiting_images); /* in order of their cookies; image_lock */
static u32 image_count; /* in the table; image_lock */
static u32 waiting_count; /* in the list; image_lock */
static u32 last_cookie; /* image_lock */

static u32 key_hash(const struct image_key *key)
{
	return jhash2((const u32 *)key, sizeof(*key) / sizeof(u32), 0);
}

static bool same_key(const struct image_key *a, const struct image_key *b)
{
	return a->a == b->a && a->b == b->b && a->c == b->c && a->region == b->region;
}

static struct image_key inode_key(const struct inode *inode)
{
	return (struct image_key){
		.a = inode->i_ino,
		.b = inode->i_generation,
		.c = inode->i_sb->s_dev,
	};
}

static struct image *find_image(const struct image_key *key)
{
	struct image *image;

	hash_for_each_possible_rcu(image_table, image, hash, key_hash(key))
		if (same_key(&image->key, key))
			return image;
	return NULL;
}

static u32 find_cookie(const struct image_key *key)
{
	struct image *image;
	u32 cookie;

	rcu_read_lock();
	image = find_image(key);
	cookie = image ? image->cookie : OP_NO_COOKIE;
	rcu_read_unlock();
	return cookie;
}

/*
 * Without a reference a file may be freed and reused for another (6.7 and later); the inodes it had stay valid until the end of the
 * RCU read section. So the inode that was read is the right one if the file is still the program's afterwards.
 */
const struct inode *op_exe_inode(struct mm_struct *mm)
{
	const struct file *file = rcu_dereference(mm->exe_file);
	const struct inode *inode = file ? READ_ONCE(file->f_inode) : NULL;

	smp_rmb(); /* the inode is read before the second check */
	return rcu_access_pointer(mm->exe_file) == file ? inode : NULL;
}

u32 op_find_exe_cookie(struct mm_struct *mm)
{
	const struct inode *inode = op_exe_inode(mm);
	struct image_key key;

	if (!inode)
		return OP_NO_COOKIE;
	key = inode_key(inode);
	return find_cookie(&key);
}

static void free_image(struct image *image)
{
	kfree_rcu(image, rcu);
}

/* Removes all images from the table; those that wait are freed once they are announced. image_lock is held. */
static void empty_table(void)
{
	struct image *image;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(image_table, bucket, next, image, hash) {
		hash_del_rcu(&image->hash);
		image->known = false;
		if (!image->waiting)
			free_image(image);
	}
	image_count = 0;
}

/* Puts a new image into the table and the list. image_lock is held. */
static void insert_image(struct image *image)
{
	if (image_count >= OP_IMAGES_LIMIT)
		empty_table();
	image->cookie = ++last_cookie;
	image->known = true;
	image->waiting = true;
	image_count++;
	waiting_count++;
	list_add_tail(&image->list, &waiting_images);
	hash_add_rcu(image_table, &image->hash, key_hash(&image->key));
}

/*
 * Inserts a new image, unless another CPU has inserted it meanwhile or too many wait; returns the cookie, if any. An image that is
 * not inserted is freed.
 */
static u32 add_image(struct image *image)
{
	struct image *other;
	u32 cookie;
	bool inserted;

	spin_lock(&image_lock);
	other = find_image(&image->key);
	inserted = !other && waiting_count < OP_WAITING_LIMIT;
	if (inserted)
		insert_image(image);
	cookie = other ? other->cookie : image->cookie;
	spin_unlock(&image_lock);
	if (!inserted) {
		if (!image->key.region)
			path_put(&image->path);
		kfree(image);
	}
	return cookie;
}

static struct image *new_image(const struct image_key *key)
{
	struct image *image = kzalloc(sizeof(*image), GFP_KERNEL);

	if (image)
		image->key = *key;
	return image;
}

u32 op_file_cookie(struct file *file)
{
	const struct path *path = op_user_path(file);
	struct image_key key = inode_key(d_inode(path->dentry));
	u32 cookie = find_cookie(&key);
	struct image *image;

	if (cookie)
		return cookie;
	image = new_image(&key);
	if (!image)
		return OP_NO_COOKIE;
	image->path = *path;
	path_get(&image->path);
	return add_image(image);
}

static const char *region_label(struct vm_area_struct *vma)
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
static struct image_key region_key(const struct vm_area_struct *vma, u32 tgid, const char *label)
{
	u32 hash = jhash(label, strlen(label), 0) | 1;

	if (!strcmp(label, "[vdso]"))
		return (struct image_key){ .b = vma->vm_end - vma->vm_start, .region = hash };
	return (struct image_key){ .a = vma->vm_start, .b = vma->vm_end, .c = tgid, .region = hash };
}

u32 op_region_cookie(struct vm_area_struct *vma, u32 tgid)
{
	const char *label = region_label(vma);
	struct image_key key = region_key(vma, tgid, label);
	u32 cookie = find_cookie(&key);
	struct image *image;

	if (cookie)
		return cookie;
	image = new_image(&key);
	if (!image)
		return OP_NO_COOKIE;
	strscpy(image->label, label, sizeof(image->label));
	return add_image(image);
}

static struct image *first_waiting(void)
{
	struct image *image;

	spin_lock(&image_lock);
	image = list_first_entry_or_null(&waiting_images, struct image, list);
	spin_unlock(&image_lock);
	return image;
}

/* Fills in the fields of a file; returns its path, which is in the same room. */
static const char *describe_file(const struct image *image, struct op_record_image *record, size_t size)
{
	char *room = (char *)(record + 1);
	struct kstat stat;

	if (!vfs_getattr(&image->path, &stat, STATX_INO, AT_STATX_DONT_SYNC)) {
		record->device = new_encode_dev(stat.dev);
		record->inode = stat.ino;
	}
	return d_path(&image->path, room, size - sizeof(*record));
}

static const char *describe_region(const struct image *image, struct op_record_image *record)
{
	record->header.flags = OP_IMAGE_REGION;
	record->tgid = image->key.c;
	record->start = image->key.a;
	record->length = image->key.b - image->key.a;
	return image->label;
}

int op_next_image(struct op_record_image *record, size_t size)
{
	struct image *image = first_waiting();
	const char *path;
	size_t length, total;

	if (!image)
		return 0;
	if (size <= sizeof(*record))
		return -E2BIG;
	memset(record, 0, sizeof(*record));
	path = image->key.region ? describe_region(image, record) : describe_file(image, record, size);
	if (IS_ERR(path)) {
		if (size < sizeof(*record) + PATH_MAX)
			return -E2BIG;
		path = "?"; /* a path longer than PATH_MAX */
	}
	length = strlen(path);
	total = ALIGN(sizeof(*record) + length, 8);
	if (total > size)
		return -E2BIG;
	memmove(record + 1, path, length);
	memset((char *)(record + 1) + length, 0, total - sizeof(*record) - length);
	record->header.type = OP_RECORD_IMAGE;
	record->header.size = total;
	record->cookie = image->cookie;
	record->path_size = length;
	return total;
}

void op_announced(void)
{
	struct image *image;
	bool unused;

	spin_lock(&image_lock);
	image = list_first_entry(&waiting_images, struct image, list);
	list_del(&image->list);
	waiting_count--;
	spin_unlock(&image_lock);
	if (!image->key.region)
		path_put(&image->path);
	spin_lock(&image_lock);
	image->waiting = false;
	unused = !image->known;
	spin_unlock(&image_lock);
	if (unused)
		free_image(image);
}

void op_forget_images(void)
{
	while (first_waiting())
		op_announced();
	spin_lock(&image_lock);
	empty_table();
	last_cookie = 0;
	spin_unlock(&image_lock);
}
