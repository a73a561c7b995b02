// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of images. A file is identified by its inode in memory: numbers are not enough, as programs of an overlay's lower file
 * systems can have the same. A new image holds its file until it is announced, at most a second or so; from then on its inode is
 * watched, and the image is removed when the inode leaves memory. The table is emptied now and then; cookies are not used twice.
 */
#include "op_image.h"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "op_buffer.h"
#include "op_evict.h"
#include "op_identity.h"
#include "uapi/op_stream.h"

#define OP_IMAGES_LIMIT 16384 /* new ones after which the table is emptied: readers do not keep every cookie (known_images.cpp) */
#define OP_WAITING_LIMIT 16384 /* not announced yet: programs can make any number of mappings while the reader sleeps */

/* Until it is announced the list owns an image, afterwards the table if it is a region, or the watch if it is a file. */
struct image {
	struct hlist_node hash; /* in image_table; image_lock, read under RCU */
	u32 cookie; /* constant */
	bool waiting; /* in the list of images to be announced; image_lock */
	struct op_identity identity; /* constant; of the file, a reference while waiting */
	struct list_head list; /* in waiting_images; image_lock */
	struct op_watch watch; /* files: of the inode, once announced */
	struct rcu_head rcu;
};

static DEFINE_SPINLOCK(image_lock); /* the table for writers, the list, the counts and last_cookie; interrupts off */
static DEFINE_HASHTABLE(image_table, 10); /* image_lock for writers, RCU for readers */
static LIST_HEAD(waiting_images); /* in order of their cookies; image_lock */
static u32 waiting_count; /* in the list; image_lock */
static u32 last_cookie; /* image_lock */
static unsigned long forgotten; /* images removed from the table; image_lock for writers */
static u32 emptied_at; /* last cookie when the table was emptied; the reader's */

static u32 key_hash(const struct op_image_key *key)
{
	return key->region ? jhash2((const u32 *)key, sizeof(*key) / sizeof(u32), 0) : hash_64(key->a, 32);
}

static bool same_key(const struct op_image_key *a, const struct op_image_key *b)
{
	return a->a == b->a && a->b == b->b && a->c == b->c && a->region == b->region;
}

static struct image *find_image(const struct op_image_key *key)
{
	struct image *image;

	hash_for_each_possible_rcu(image_table, image, hash, key_hash(key))
		if (same_key(&image->identity.key, key))
			return image;
	return NULL;
}

static u32 find_cookie(const struct op_image_key *key)
{
	struct image *image;
	u32 cookie;

	rcu_read_lock();
	image = find_image(key);
	cookie = image ? image->cookie : OP_NO_COOKIE;
	rcu_read_unlock();
	return cookie;
}

u32 op_inode_cookie(const struct inode *inode, struct op_memo *memo)
{
	unsigned long before = READ_ONCE(forgotten);
	struct op_image_key key;
	u32 cookie;

	if (memo && memo->inode == inode && memo->forgotten == before)
		return memo->cookie;
	smp_rmb(); /* pairs with forget(): what is found in the table was forgotten later, if at all */
	key = op_inode_key(inode);
	cookie = find_cookie(&key);
	if (memo && cookie)
		*memo = (struct op_memo){ .inode = inode, .cookie = cookie, .forgotten = before };
	return cookie;
}

/* Removes an image from the table. image_lock is held. */
static void forget(struct image *image)
{
	hlist_del_init_rcu(&image->hash);
	/* Pairs with op_inode_cookie(); and before the inode's memory can be another's, whose user then sees it. */
	smp_store_release(&forgotten, forgotten + 1);
}

static void free_image(struct image *image)
{
	kfree_rcu(image, rcu);
}

static void inode_evicted(struct op_watch *watch)
{
	unsigned long flags;

	spin_lock_irqsave(&image_lock, flags);
	forget(container_of(watch, struct image, watch));
	spin_unlock_irqrestore(&image_lock, flags);
}

static void watch_unused(struct op_watch *watch)
{
	free_image(container_of(watch, struct image, watch));
}

static const struct op_watch_ops watch_ops = {
	.evicted = inode_evicted,
	.unused = watch_unused,
};

/* Removes an announced image from the bucket and returns it, if there is one; a file's watch is held. */
static struct image *take_announced(int bucket)
{
	struct image *image;
	unsigned long flags;

	spin_lock_irqsave(&image_lock, flags);
	hlist_for_each_entry(image, &image_table[bucket], hash)
		if (!image->waiting)
			break;
	if (image) {
		forget(image);
		if (!image->identity.key.region)
			op_hold_watch(&image->watch);
	}
	spin_unlock_irqrestore(&image_lock, flags);
	return image;
}

/* Forgets all images but those that wait. For the reader. */
static void empty_table(void)
{
	struct image *image;
	int bucket;

	WRITE_ONCE(emptied_at, READ_ONCE(last_cookie));
	for (bucket = 0; bucket < HASH_SIZE(image_table); bucket++) {
		while ((image = take_announced(bucket))) {
			if (image->identity.key.region)
				free_image(image);
			else
				op_unwatch(&image->watch);
		}
	}
}

static struct image *first_waiting(void)
{
	struct image *image;

	spin_lock_irq(&image_lock);
	image = list_first_entry_or_null(&waiting_images, struct image, list);
	spin_unlock_irq(&image_lock);
	return image;
}

/* A file that waits keeps its file system busy. */
static void wake_for_images(struct work_struct *work)
{
	if (first_waiting())
		op_wake_reader();
}

static DECLARE_DELAYED_WORK(announce_work, wake_for_images);

/* Puts a new image into the table and the list. image_lock is held. */
static void insert_image(struct image *image)
{
	image->cookie = last_cookie + 1;
	WRITE_ONCE(last_cookie, image->cookie);
	image->waiting = true;
	WRITE_ONCE(waiting_count, waiting_count + 1);
	list_add_tail(&image->list, &waiting_images);
	hash_add_rcu(image_table, &image->hash, key_hash(&image->identity.key));
}

/*
 * Inserts a new image, unless another CPU has inserted it meanwhile or too many wait; returns the cookie, if any. An image that is
 * not inserted is freed.
 */
static u32 add_image(struct image *image)
{
	struct image *other;
	unsigned long flags;
	u32 cookie;
	bool inserted;

	spin_lock_irqsave(&image_lock, flags);
	other = find_image(&image->identity.key);
	inserted = !other && waiting_count < OP_WAITING_LIMIT;
	if (inserted)
		insert_image(image);
	cookie = other ? other->cookie : image->cookie;
	spin_unlock_irqrestore(&image_lock, flags);
	if (inserted) {
		schedule_delayed_work(&announce_work, HZ);
	} else {
		if (image->identity.file)
			fput(image->identity.file);
		kfree(image);
	}
	return cookie;
}

/* Sampled programs run this: they must not wait for memory. */
static struct image *new_image(const struct op_image_key *key)
{
	struct image *image = kzalloc(sizeof(*image), GFP_NOWAIT | __GFP_NOWARN);

	if (image)
		image->identity.key = *key;
	return image;
}

u32 op_file_cookie(struct file *file, struct op_memo *memo)
{
	const struct inode *inode = op_inode_of(file);
	u32 cookie = op_inode_cookie(inode, memo);
	struct op_image_key key;
	struct image *image;

	if (cookie)
		return cookie;
	key = op_inode_key(inode);
	image = new_image(&key);
	if (!image)
		return OP_NO_COOKIE;
	image->identity.file = get_file(file);
	return add_image(image);
}

u32 op_region_cookie(struct vm_area_struct *vma, u32 tgid)
{
	const char *label = op_region_label(vma);
	struct op_image_key key = op_region_key(vma, tgid, label);
	u32 cookie = find_cookie(&key);
	struct image *image;

	if (cookie)
		return cookie;
	image = new_image(&key);
	if (!image)
		return OP_NO_COOKIE;
	strscpy(image->identity.label, label, sizeof(image->identity.label));
	return add_image(image);
}

u32 op_find_region_cookie(struct vm_area_struct *vma, u32 tgid)
{
	struct op_image_key key = op_region_key(vma, tgid, op_region_label(vma));

	return find_cookie(&key);
}

u32 op_image_generation(void)
{
	return READ_ONCE(emptied_at);
}

bool op_image_waits(void)
{
	return READ_ONCE(waiting_count) != 0;
}

int op_next_image(struct op_record_image *record, size_t size)
{
	const struct image *image = first_waiting();
	int used;

	if (!image)
		return 0;
	used = op_describe(&image->identity, record, size);
	if (used > 0)
		record->cookie = image->cookie;
	return used;
}

/* A file is watched before its reference is given up: the inode stays known as long as it is in memory. */
void op_announced(void)
{
	struct image *image;
	struct file *file;

	spin_lock_irq(&image_lock);
	image = list_first_entry(&waiting_images, struct image, list);
	list_del(&image->list);
	image->waiting = false;
	WRITE_ONCE(waiting_count, waiting_count - 1);
	file = image->identity.file;
	spin_unlock_irq(&image_lock);
	if (file) {
		op_watch_inode(&image->watch, op_inode_of(file));
		fput(file);
	}
	if (READ_ONCE(last_cookie) - emptied_at >= OP_IMAGES_LIMIT)
		empty_table();
}

void op_forget_images(void)
{
	cancel_delayed_work_sync(&announce_work);
	while (first_waiting())
		op_announced();
	empty_table();
	last_cookie = 0; /* nothing samples */
	emptied_at = 0;
}

int op_images_init(void)
{
	return op_evict_init(&watch_ops);
}

void op_images_exit(void)
{
	op_evict_exit();
}
