// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Watches of inodes, as marks of the kernel's file notification that want no events and do not keep the inode in memory. The kernel
 * removes such a mark when the inode is evicted, before its memory is freed. Without that part of the kernel a watch ends at once.
 */
#include "op_evict.h"

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/sched.h>

#include "compat.h"

static const struct op_watch_ops *watch_ops; /* constant after load */

#ifdef CONFIG_FSNOTIFY

static struct fsnotify_group *group; /* constant after load */
static atomic_t watches = ATOMIC_INIT(0); /* that are not unused yet */

static int ignore_event(struct fsnotify_mark *mark, u32 mask, struct inode *inode, struct inode *dir, const struct qstr *name,
			u32 cookie)
{
	return 0;
}

static void mark_ends(struct fsnotify_mark *mark, struct fsnotify_group *of_group)
{
	watch_ops->evicted(container_of(mark, struct op_watch, mark));
}

static void mark_is_unused(struct fsnotify_mark *mark)
{
	watch_ops->unused(container_of(mark, struct op_watch, mark));
	atomic_dec(&watches);
}

static const struct fsnotify_ops group_ops = {
	.handle_inode_event = ignore_event,
	.freeing_mark = mark_ends,
	.free_mark = mark_is_unused,
};

int op_evict_init(const struct op_watch_ops *ops)
{
	watch_ops = ops;
	group = fsnotify_alloc_group(&group_ops, OP_FSNOTIFY_NOFS | FSNOTIFY_GROUP_DUPS);
	return PTR_ERR_OR_ZERO(group);
}

/* Whoever evicts an inode holds its mark while it runs mark_ends(). */
void op_evict_exit(void)
{
	while (atomic_read(&watches)) {
		fsnotify_wait_marks_destroyed();
		schedule_timeout_uninterruptible(1);
	}
	fsnotify_wait_marks_destroyed(); /* the last mark_is_unused() has returned */
	fsnotify_put_group(group);
}

void op_watch_inode(struct op_watch *watch, struct inode *inode)
{
	atomic_inc(&watches);
	fsnotify_init_mark(&watch->mark, group);
	watch->mark.flags = FSNOTIFY_MARK_FLAG_NO_IREF;
	if (fsnotify_add_inode_mark(&watch->mark, inode, 0))
		watch_ops->evicted(watch);
	fsnotify_put_mark(&watch->mark);
}

void op_hold_watch(struct op_watch *watch)
{
	refcount_inc(&watch->mark.refcnt);
}

void op_unwatch(struct op_watch *watch)
{
	fsnotify_destroy_mark(&watch->mark, group);
	fsnotify_put_mark(&watch->mark);
}

#else

int op_evict_init(const struct op_watch_ops *ops)
{
	watch_ops = ops;
	return 0;
}

void op_evict_exit(void)
{
}

void op_watch_inode(struct op_watch *watch, struct inode *inode)
{
	watch_ops->evicted(watch);
	watch_ops->unused(watch);
}

void op_hold_watch(struct op_watch *watch)
{
}

void op_unwatch(struct op_watch *watch)
{
}

#endif
