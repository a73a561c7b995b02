/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader of the buffer: the operations of its file, and what the rest of the driver needs of it.
 */
#ifndef OP_READER_H
#define OP_READER_H

#include <linux/types.h>

struct file_operations;
struct op_ring;

extern const struct file_operations op_buffer_fops; /* constant */

/* Memory for the records of a read. Process context, under op_mutex, while the buffer is closed. */
int op_alloc_read_room(void);
void op_free_read_room(void);

/* Drops what a ring still contains, with what its contexts hold. As above. */
void op_drop_records(struct op_ring *ring);

#endif
