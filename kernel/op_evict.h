/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notice of inodes that leave memory, so that the address of an inode identifies a file: it is forgotten before it can be used
 * again. A watch holds no reference; the file system can be unmounted.
 */
#ifndef OP_EVICT_H
#define OP_EVICT_H

#include <linux/fsnotify_backend.h>
#include <linux/types.h>

struct inode;

/* A part of what is kept about an inode. */
struct op_watch {
	struct fsnotify_mark mark;
};

/*
 * What becomes of a watch, each called once, in this order. `evicted`: the inode leaves memory, or op_unwatch() was called; any
 * process context, must not sleep. `unused`: the watch may be freed.
 */
struct op_watch_ops {
	void (*evicted)(struct op_watch *watch);
	void (*unused)(struct op_watch *watch);
};

/* At load and before unload; op_evict_exit() returns when the last watch is unused. Every watch has ended or is ending then. */
int op_evict_init(const struct op_watch_ops *ops);
void op_evict_exit(void);

/* Watches an inode that the caller keeps alive. If that is not possible, the watch ends at once. Process context; may sleep. */
void op_watch_inode(struct op_watch *watch, struct inode *inode);

/*
 * Ends a watch. op_hold_watch() is called first, in any context, while `evicted` has not returned; then op_unwatch() in process
 * context.
 */
void op_hold_watch(struct op_watch *watch);
void op_unwatch(struct op_watch *watch);

#endif
