/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of processes whose stacks are copied. The reader gets them, as a record with a number, before the first
 * stack that names the number; they are sent again when they have changed.
 */
#ifndef OP_MAPS_H
#define OP_MAPS_H

#include <linux/types.h>

struct mm_struct;
struct op_record_maps;

#define OP_NO_MAPS 0

/*
 * The number of a process' mappings, which may be new ones; OP_NO_MAPS if there is no memory for them at once, if too many
 * wait for the reader, or if the process has too many for this context. The mmap lock is held. Where op_can_make_cookies();
 * does not sleep.
 */
u32 op_maps_number(struct mm_struct *mm, u32 tgid);

/*
 * The same without the lock: OP_NO_MAPS if the mappings have changed since they were looked at. While a thread changes them
 * those of before count: code that is on the stack of another is in neither what goes nor what comes. Any context but NMI.
 */
u32 op_known_maps_number(const struct mm_struct *mm, u32 tgid);

/* True if only the process itself may look at its mappings, which are very many: by task work. Any context but NMI. */
bool op_maps_need_task(const struct mm_struct *mm, u32 tgid);

/* For the reader, as op_next_image() and its like: the images of a record are announced before it. */
bool op_maps_wait(void);
size_t op_next_maps_size(void); /* bytes of the next record; 0: none waits */
void op_take_maps(struct op_record_maps *record);

/* Opening and closing, under op_mutex: nothing is known yet; forgets all. */
int op_alloc_maps(void);
void op_free_maps(void);

#endif
